"""The games that questions are asked about, by name, and how what is asked is read."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from fairdeal.belote import RULESETS, Options, Ruleset, Scoring
from fairdeal.belote.annonces import Annonces
from fairdeal.belote.classique import Classique
from fairdeal.belote.coinche import Coinche
from fairdeal.belote.duel import MAX_TARGET, Duel
from fairdeal.belote.four import TARGETS
from fairdeal.belote.presets import PRESETS, SHEETS
from fairdeal.cards import SUITS, SUITS_FR, format_card, parse_card, parse_card_fr
from fairdeal.errors import Malformed

CAPOT_WORD: Final = "capot"
"""How a bid of every trick is said."""


@dataclass(frozen=True, slots=True)
class Game:
    """Rules, and the options they are asked about with."""

    name: str
    rules: Ruleset
    options: Options


GAMES: Final[Mapping[str, Game]] = {
    **{name.partition("@")[0]: Game(name.partition("@")[0], rules, rules.defaults) for name, rules in RULESETS.items()},
    **{name: Game(name, preset.rules, preset.options) for name, preset in PRESETS.items()},
}
"""Every game: the rulesets by their names without a version, and the presets."""


def find_game(name: str) -> Game:
    """The game of this name; a ruleset's id is one too. Raises Malformed."""
    game = GAMES.get(name.partition("@")[0] if name in RULESETS else name)
    if game is None:
        raise Malformed(f"game: one of {', '.join(GAMES)}")
    return game


@dataclass(frozen=True, slots=True)
class OptionOut:
    """One option: one of `choices`, or a number from `minimum` to `maximum`."""

    name: str
    default: int | str
    choices: tuple[int | str, ...] | None = None
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class RulesetOut:
    """A game, by the id that a match names."""

    game: str
    id: str
    players: int
    options: tuple[OptionOut, ...]


@dataclass(frozen=True, slots=True)
class PresetOut:
    """Another rule book's values of a game: `duties` of play and `marking` pin what tables differ on."""

    game: str
    id: str
    options: dict[str, int | str]
    duties: dict[str, bool]
    marking: dict[str, int]


@dataclass(frozen=True, slots=True)
class SheetOut:
    """A score sheet: `capot` is what all tricks bring."""

    game: str
    capot: int


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every game that questions may name."""

    rulesets: tuple[RulesetOut, ...]
    presets: tuple[PresetOut, ...]
    sheets: tuple[SheetOut, ...]


def catalogue() -> Catalogue:
    """The rulesets with their options, the presets, and the score sheets."""
    return Catalogue(
        tuple(
            RulesetOut(name.partition("@")[0], name, rules.players, _options(rules)) for name, rules in RULESETS.items()
        ),
        tuple(_preset(name, game.rules, game.options) for name, game in GAMES.items() if name in PRESETS),
        tuple(SheetOut(name, sheet.capot) for name, sheet in SHEETS.items()),
    )


def _options(rules: Ruleset) -> tuple[OptionOut, ...]:
    target = rules.defaults.target
    if isinstance(rules, Duel):
        return (OptionOut("target", target, minimum=1, maximum=MAX_TARGET),)
    chosen = OptionOut("target", target, TARGETS)
    if not rules.features.contract:
        return (chosen,)
    scorings = tuple(scoring.value for scoring in Scoring)
    return (OptionOut("scoring", rules.defaults.scoring.value, scorings), chosen)


def _preset(name: str, rules: Ruleset, options: Options) -> PresetOut:
    assert isinstance(rules, Classique | Annonces | Coinche)
    written = dict(rules.format_options(options))
    return PresetOut(name, rules.id, written, asdict(rules.duties), asdict(rules.marking))


def read_list(text: str) -> list[str]:
    """The words of a list, parted by commas or spaces."""
    return re.split(r"[\s,]+", text.strip(" ,")) if text.strip(" ,") else []


def read_card(what: str, text: str) -> int:
    """The card written in either notation. Raises Malformed, naming what was asked with it."""
    try:
        return parse_card_fr(text) if text[-1:] in SUITS_FR else parse_card(text)
    except Malformed:
        raise Malformed(f"{what}: {text[:8]!r} is not a card") from None


def read_cards(what: str, text: str) -> tuple[int, ...]:
    """The cards of a list, each once, in either notation. Raises Malformed."""
    cards = tuple(read_card(what, word) for word in read_list(text))
    for place, card in enumerate(cards):
        if card in cards[:place]:
            raise Malformed(f"{what}: {format_card(card)} is there twice")
    return cards


def read_suit(what: str, text: str) -> int:
    """The suit, as letter or as sign. Raises Malformed."""
    for signs in (SUITS, SUITS_FR):
        if text in signs:
            return signs.index(text)
    raise Malformed(f"{what}: one of {' '.join(SUITS)}, or {' '.join(SUITS_FR)}")


def read_pair(what: str, text: str) -> tuple[int, int]:
    """The numbers of side 0 and side 1. Raises Malformed."""
    words = read_list(text)
    if len(words) != 2 or not all(re.fullmatch(r"-?[0-9]{1,4}", word) for word in words):
        raise Malformed(f"{what}: two numbers, those of side 0 and side 1, as 82,80")
    return int(words[0]), int(words[1])
