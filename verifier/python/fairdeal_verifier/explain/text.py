"""An explanation as lines to read, from the facts."""

from typing import Any

from fairdeal_verifier.cards import CARD_NAMES
from fairdeal_verifier.coinche import CAPOT_VALUE
from fairdeal_verifier.explain.words import BIDS, DUTIES, OUTCOMES, SUIT_GLYPHS, TERMS, WORDS, show_card
from fairdeal_verifier.sentences import CAUSES, Language

PER_LINE = 8
"""Swaps in a line of the table."""
MOST_BIDS = 8
"""Of a longer list the middle is left out."""

Facts = dict[str, Any]
"""What `facts.explain` returns."""


def render(facts: Facts, language: Language) -> str:
    """The lines, joined."""
    return "\n".join(_Writer(language).write(facts))


class _Writer:
    """Lines in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.tongue = int(language == "fr")
        self.lines: list[str] = []

    def say(self, key: str, *values: object) -> str:
        return WORDS[key][self.tongue].format(*values)

    def tell(self, key: str, *values: object) -> None:
        self.lines.append("  " + self.say(key, *values))

    def head(self, key: str, *values: object) -> None:
        self.lines += ["", self.say(key, *values)]

    def cards(self, names: list[str]) -> str:
        return " ".join(show_card(name, self.language) for name in names)

    def done(self, do: Facts) -> str:
        """An action."""
        if "card" in do:
            return show_card(do["card"], self.language)
        bid = do.get("bid", next(iter(do)))
        if isinstance(bid, dict):
            return f"{bid['value']} {SUIT_GLYPHS[bid['suit']]}"
        return SUIT_GLYPHS[bid] if bid in SUIT_GLYPHS else BIDS[bid][self.tongue]

    def write(self, facts: Facts) -> list[str]:
        self.lines += [
            self.say("no_verdict"),
            self.say("title", facts["m"], facts["ruleset"], facts["deal"], *facts["events"]),
        ]
        if facts["stops"]:
            self.lines.append(self.say("stops", facts["stops"]["at"], CAUSES[facts["stops"]["cause"]][self.tongue]))
        if "event" in facts:
            self.event(facts["event"])
            return self.lines
        self.seeds(facts["seeds"])
        self.dealer(facts)
        self.pack(facts["pack"], facts["seeds"])
        self.dealing(facts["dealing"])
        self.bidding(facts)
        if facts["announcements"]:
            self.announcements(facts["announcements"])
        self.tricks(facts["tricks"], facts["score"])
        self.score(facts["score"])
        return self.lines

    def seeds(self, seeds: Facts) -> None:
        self.head("seeds")
        for number, promise in enumerate([seeds["server"], *seeds["seats"]], -1):
            if number < 0:
                self.tell("server_seed", promise["seed"])
            else:
                self.tell("seat_seed", number, promise["seed"])
            self.tell("commitment", promise["commitment"])
            self.tell("sha256", promise["sha256"])
            self.tell("opens" if promise["opens"] else "opens_not")
            self.tell("by_hand", f"printf {promise['seed']} | xxd -r -p | sha256sum")
        self.tell("table_root", seeds["table_root"])

    def drawn(self, steps: Facts, key: str) -> None:
        """A message, its HMAC and the integer."""
        self.tell("message", steps["message"])
        self.tell("hmac_of")
        self.tell("hmac", steps["hmac"])
        command = f"printf {steps['message']} | xxd -r -p | openssl dgst -sha256 -mac HMAC -macopt hexkey:{key}"
        self.tell("by_hand", command)
        self.tell("integer", steps["integer"])

    def dealer(self, facts: Facts) -> None:
        dealer, number, seats = facts["dealer"], facts["deal"], len(facts["seeds"]["seats"])
        self.head("dealer")
        self.drawn(dealer, facts["seeds"]["server"]["seed"])
        self.tell("first_dealer", seats, dealer["first"], dealer["first"])
        if number > 1:
            self.tell("this_dealer", number, dealer["first"], number, seats, dealer["dealer"])

    def pack(self, pack: Facts, seeds: Facts) -> None:
        self.head("pack")
        self.tell(pack["how"])
        if "cut" in pack:
            self.tell("gathered", self.cards(pack["gathered"]))
        self.drawn(pack, seeds["server"]["seed"])
        if "cut" in pack:
            self.tell("cut_at", pack["cut"], pack["cut"])
        else:
            self.tell("index", pack["index"])
            remainder = f"int('{pack['hmac']}', 16) % math.factorial(32)"
            self.tell("by_hand", f'python3 -c "import math; print({remainder})"')
            self.tell("numbered", self.cards(list(CARD_NAMES)))
            self.tell("swaps")
            swaps = [f"{i}:{j}".ljust(6) for i, j in pack["swaps"]]
            self.lines += [
                ("    " + "".join(swaps[at : at + PER_LINE])).rstrip() for at in range(0, len(swaps), PER_LINE)
            ]
        self.tell("order", self.cards(pack["pack"]))

    def packets(self, packets: list[Facts]) -> None:
        for one in packets:
            first, last = one["at"], one["at"] + len(one["cards"]) - 1
            if first == last:
                self.tell("packet_one", one["seat"], first, self.cards(one["cards"]))
            else:
                self.tell("packet", one["seat"], first, last, self.cards(one["cards"]))

    def dealing(self, dealing: Facts) -> None:
        self.head("dealing")
        self.packets(dealing["packets"])
        if dealing["turned"]:
            self.tell("turned", show_card(dealing["turned"], self.language))
            self.tell("stock", self.cards(dealing["stock"]))
        for seat, hand in enumerate(dealing["hands"]):
            self.tell("hand", seat, self.cards(hand))

    def bidding(self, facts: Facts) -> None:
        self.head("bidding")
        for bid in facts["bidding"]:
            late = self.say("by_timeout") if bid["timeout"] else ""
            self.tell("said", bid["n"], bid["seat"], self.done(bid) + late)
        if facts["trump"]:
            self.tell("trump", facts["taker"], SUIT_GLYPHS[facts["trump"]])
        if facts["dealing"]["after"]:
            self.packets(facts["dealing"]["after"])
            for seat, hand in enumerate(facts["dealing"]["full_hands"]):
                self.tell("full_hand", seat, self.cards(hand))

    def announcements(self, announcements: Facts) -> None:
        self.head("announcements")
        self.tell("declared", ", ".join(map(str, announcements["declared"])) or self.say("none"))
        for one in announcements["shown"]:
            self.tell("shown", one["seat"], self.cards(one["cards"]))
        self.tell("counted", *announcements["counted"])

    def tricks(self, tricks: list[Facts], score: Facts | None) -> None:
        if not tricks:
            return
        self.head("tricks")
        for trick in tricks:
            self.tell("trick", trick["number"], "; ".join(self.played(one) for one in trick["cards"]))
            if trick["winner"] is None:
                result = self.say("unfinished")
            else:
                values = f"{' + '.join(map(str, trick['values']))} = {sum(trick['values'])}"
                best = show_card(trick["best"], self.language)
                result = self.say("wins_trump" if trick["trump"] else "wins_led", trick["winner"], best, values)
                if score and trick is tricks[-1]:
                    result += self.say("last_trick")
                if trick["drawn"]:
                    result += self.say("draws", *(show_card(card, self.language) for card in trick["drawn"]))
            self.lines.append(f"      {result}")

    def played(self, one: Facts) -> str:
        says = f" ({BIDS[one['says']][self.tongue]})" if one["says"] else ""
        late = self.say("by_timeout") if one["timeout"] else ""
        return f"[{one['n']}] " + self.say("seat", one["seat"], show_card(one["card"], self.language)) + says + late

    def score(self, score: Facts | None) -> None:
        self.head("score")
        if score is None:
            self.tell("not_over")
            return
        if score["taker"] is not None:
            self.tell("points", *score["points"], sum(score["points"]), *score["tricks"])
            for side in (0, 1):
                self.tell("full", side, self.sum(score["full"][side]))
        contract = score["contract"]
        if contract:
            suit = SUIT_GLYPHS[contract["suit"]]
            side = contract["seat"] % 2
            total = sum(value for _, value in score["full"][side])
            capot = contract["value"] == CAPOT_VALUE
            needed, has = (self.say("all"), score["tricks"][side]) if capot else (contract["value"], total)
            self.tell("contract", contract["value"], suit, contract["seat"], needed, side, has)
            if contract["double"] > 1:
                self.tell("doubled", contract["double"])
        self.tell("outcome", OUTCOMES[score["outcome"]][self.tongue])
        for side in (0, 1):
            self.tell("marks", side, self.sum(score["terms"][side]))
        if score["pot_before"] or score["pot_after"]:
            self.tell("pots", score["pot_before"], score["pot_after"])
        for side in (0, 1):
            before, marks = score["totals_before"][side], score["marks"][side]
            self.tell("totals", side, before, marks, score["totals"][side])

    def sum(self, terms: list[tuple[str, int]]) -> str:
        """The terms and what they come to."""
        total = sum(value for _, value in terms)
        if not terms:
            return "0"
        parts = " + ".join(f"{value} ({TERMS[name][self.tongue]})" for name, value in terms)
        return parts if len(terms) == 1 else f"{parts} = {total}"

    def event(self, event: Facts) -> None:
        self.head("event", event["n"], event["type"])
        self.tell("line")
        self.lines.append(event["line"])
        self.tell("leaf", event["leaf"])
        line = f"sed -n {event['n'] + 2}p BUNDLE | tr -d '\\n'"
        self.tell("by_hand", f"(printf '\\0'; {line}) | sha256sum")
        self.tell("root_after", event["root_after"])
        if event["choice"]:
            self.choice(event["choice"])
        if event["signed"]:
            self.signed(event["signed"])
        else:
            self.tell("by_server")

    def choice(self, choice: Facts) -> None:
        late = self.say("by_timeout") if choice["timeout"] else ""
        self.tell("move", choice["seat"], self.done(choice["do"]) + late)
        if not choice["allowed"]:
            self.tell("not_allowed")
        self.tell("hand", choice["seat"], self.cards(choice["hand"]))
        if choice["on_table"]:
            lying = [self.say("seat", one["seat"], show_card(one["card"], self.language)) for one in choice["on_table"]]
            self.tell("table", "; ".join(lying))
        if choice["legal"]:
            legal = [self.done(do) for do in choice["legal"]]
            if "bid" in choice["legal"][0] and len(legal) > MOST_BIDS:
                legal[3:-2] = ["…"]
            self.tell("allowed", ", ".join(legal))
            self.tell("why", DUTIES[choice["duty"]][self.tongue])

    def signed(self, signed: Facts) -> None:
        self.tell("signed_by", signed["seat"], signed["key"])
        self.tell("over", signed["size"], signed["root"])
        same = signed["root"] == signed["computed_root"]
        self.tell("root_same") if same else self.tell("root_other", signed["computed_root"])
        self.tell("bytes")
        self.lines.append(bytes.fromhex(signed["bytes"]).decode().replace("\n", "⏎"))
        self.tell("signature", signed["signature"])
        self.tell("verifies" if signed["verifies"] else "verifies_not")
