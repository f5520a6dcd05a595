"""The words of an explanation, in English and French."""

from fairdeal_verifier.sentences import Language

WORDS: dict[str, tuple[str, str]] = {
    "title": ("Match {} ({}), deal {}: events {} to {}", "Partie {} ({}), donne {} : événements {} à {}"),
    "no_verdict": (
        "This is an explanation of what the file says, not a verdict: run the verification for that.",
        "Ceci explique ce que dit le fichier ; ce n’est pas un verdict : pour cela, lancez le contrôle.",
    ),
    "stops": (
        "The replay stops at event {}: {}. Nothing after it is explained.",
        "Le calcul s’arrête à l’événement {} : {}. La suite n’est pas expliquée.",
    ),
    "seeds": ("The seeds and their promises", "Les graines et leurs promesses"),
    "server_seed": ("server seed   {}", "graine du serveur   {}"),
    "commitment": ("promised      {}", "promis              {}"),
    "sha256": ("its SHA-256   {}", "son SHA-256         {}"),
    "seat_seed": ("seat {} seed   {}", "graine du siège {}   {}"),
    "opens": ("the same: the promise was kept", "identiques : la promesse est tenue"),
    "opens_not": ("DIFFERENT: the promise was not kept", "DIFFÉRENTS : la promesse n’est pas tenue"),
    "by_hand": ("by hand: {}", "à la main : {}"),
    "table_root": (
        "table root, fixed once all had promised: {}",
        "racine de la table, fixée quand tous ont promis : {}",
    ),
    "dealer": ("The dealer", "Le donneur"),
    "message": ("message  {}", "message  {}"),
    "hmac": ("HMAC     {}", "HMAC     {}"),
    "hmac_of": (
        "HMAC-SHA-256 of the message, under the server seed:",
        "HMAC-SHA-256 du message, avec la graine du serveur pour clé :",
    ),
    "integer": ("integer  {}", "entier   {}"),
    "first_dealer": (
        "integer mod {} = {}: seat {} deals deal 1",
        "entier mod {} = {} : le siège {} distribue la donne 1",
    ),
    "this_dealer": ("deal {}: ({} + {} − 1) mod {} = seat {}", "donne {} : ({} + {} − 1) mod {} = siège {}"),
    "pack": ("The pack", "Le paquet"),
    "shuffled": ("shuffled for this deal", "battu pour cette donne"),
    "shuffled after voids": (
        "shuffled for this deal, after four void deals in a row",
        "battu pour cette donne, après quatre donnes nulles de suite",
    ),
    "cut": (
        "not shuffled: the tricks of the last deal, the taker’s side first, put together and cut",
        "non battu : les plis de la donne précédente, ceux du camp preneur d’abord, rassemblés et coupés",
    ),
    "cut void": (
        "not shuffled: the cards of the void deal before, gathered as received, and cut",
        "non battu : les cartes de la donne nulle précédente, rassemblées comme reçues, et coupées",
    ),
    "gathered": ("gathered {}", "rassemblé {}"),
    "cut_at": (
        "cut at 3 + integer mod 27 = {}: the first {} cards go under the others",
        "coupe à 3 + entier mod 27 = {} : les {} premières cartes passent sous les autres",
    ),
    "index": ("index    {}  (integer mod 32!)", "indice   {}  (entier mod 32!)"),
    "numbered": (
        "before it is shuffled, card 8 × suit + rank lies at its number: {}",
        "avant de battre, la carte 8 × couleur + rang est à son numéro : {}",
    ),
    "swaps": (
        "from i = 31 down to 1, j is the remainder of the index by i + 1, the quotient goes on; cards i and j change"
        " places (i:j):",
        "de i = 31 à 1, j est le reste de l’indice par i + 1, le quotient continue ; les cartes i et j s’échangent"
        " (i:j) :",
    ),
    "order": ("pack, first card first: {}", "paquet, première carte d’abord : {}"),
    "dealing": ("The dealing", "La distribution"),
    "packet": ("seat {} gets cards {}–{}: {}", "le siège {} reçoit les cartes {} à {} : {}"),
    "packet_one": ("seat {} gets card {}: {}", "le siège {} reçoit la carte {} : {}"),
    "turned": ("turned up: {}", "retourne : {}"),
    "stock": ("stock: {}", "talon : {}"),
    "hand": ("seat {} holds {}", "le siège {} a {}"),
    "full_hand": ("once taken, seat {} holds {}", "après la prise, le siège {} a {}"),
    "bidding": ("The bidding", "Les enchères"),
    "said": ("event {}: seat {}: {}", "événement {} : siège {} : {}"),
    "trump": ("seat {} took, {} are trumps", "le siège {} a pris, atout {}"),
    "by_timeout": (" (played for it, out of time)", " (joué d’office, temps dépassé)"),
    "announcements": ("The announcements", "Les annonces"),
    "declared": ("declared by seats: {}", "annoncées par les sièges : {}"),
    "shown": ("seat {} shows {}", "le siège {} montre {}"),
    "counted": ("counted: side 0 {}, side 1 {}", "comptées : camp 0 {}, camp 1 {}"),
    "none": ("none", "aucun"),
    "tricks": ("The tricks", "Les plis"),
    "trick": ("{:>2}. {}", "{:>2}. {}"),
    "wins_trump": (
        "seat {} wins with {}, the highest trump; {} points",
        "le siège {} gagne avec {}, plus fort atout ; {} points",
    ),
    "wins_led": (
        "seat {} wins with {}, the highest of the suit led; {} points",
        "le siège {} gagne avec {}, plus forte carte de la couleur demandée ; {} points",
    ),
    "last_trick": (" + 10 for the last trick", " + 10 de der"),
    "draws": ("; draws {}, the other {}", " ; pioche {}, l’autre {}"),
    "unfinished": ("not finished", "inachevé"),
    "score": ("The score", "Le compte"),
    "points": ("points {} + {} = {}, tricks {} and {}", "points {} + {} = {}, plis {} et {}"),
    "full": ("side {}: {} in all", "camp {} : {} en tout"),
    "contract": (
        "contract {} {} of seat {}: {} needed, side {} has {}",
        "contrat {} {} du siège {} : il faut {}, le camp {} a {}",
    ),
    "all": ("all the tricks", "tous les plis"),
    "doubled": ("coinched: × {}", "coinché : × {}"),
    "outcome": ("outcome: {}", "résultat : {}"),
    "marks": ("side {} marks {}", "le camp {} marque {}"),
    "pots": ("waiting pot: {} before, {} after", "en attente (litige) : {} avant, {} après"),
    "totals": ("totals: side {}: {} + {} = {}", "totaux : camp {} : {} + {} = {}"),
    "not_over": ("the deal was not played to its end", "la donne n’a pas été jouée jusqu’au bout"),
    "event": ("Event {}, {}", "Événement {}, {}"),
    "line": ("the line in the file:", "la ligne du fichier :"),
    "leaf": ("leaf, SHA-256 of a zero byte and the line: {}", "feuille, SHA-256 d’un octet nul et de la ligne : {}"),
    "root_after": ("root of the history up to here: {}", "racine de la partie jusqu’ici : {}"),
    "by_server": ("written by the server; no seat signed it", "écrit par le serveur ; aucun joueur ne l’a signé"),
    "signed_by": ("signed by seat {}, with key {}", "signé par le siège {}, avec la clé {}"),
    "over": ("over the root of the first {} events: {}", "sur la racine des {} premiers événements : {}"),
    "root_same": ("computed from the file: the same", "calculée d’après le fichier : la même"),
    "root_other": ("computed from the file: ANOTHER, {}", "calculée d’après le fichier : UNE AUTRE, {}"),
    "bytes": ("the bytes signed (⏎ is one line feed):", "les octets signés (⏎ est un saut de ligne) :"),
    "signature": ("signature {}", "signature {}"),
    "verifies": ("the signature verifies", "la signature est bonne"),
    "verifies_not": ("the signature does NOT verify", "la signature est FAUSSE"),
    "move": ("seat {}: {}", "siège {} : {}"),
    "not_allowed": ("NOT allowed here", "PAS permis ici"),
    "table": ("on the table: {}", "sur la table : {}"),
    "allowed": ("allowed: {}", "permis : {}"),
    "why": ("why: {}", "pourquoi : {}"),
    "seat": ("seat {} {}", "siège {} {}"),
}

DUTIES: dict[str, tuple[str, str]] = {
    "bid": ("these are the words the auction leaves", "ce sont les paroles que l’enchère permet"),
    "resign": ("a seat may resign at any time", "on peut abandonner à tout moment"),
    "declare": (
        "announcements are declared in the first trick, by who holds some",
        "les annonces se déclarent au premier pli, par qui en a",
    ),
    "lead": ("who leads is free", "qui entame est libre"),
    "stock": ("while the stock holds cards any card may be played", "tant qu’il y a un talon, toute carte est permise"),
    "follow": ("the suit led must be followed", "il faut fournir à la couleur demandée"),
    "rise": ("trump was led: a higher one must be played", "atout demandé : il faut monter"),
    "no_higher": (
        "trump was led, and none in hand is higher: any trump",
        "atout demandé, impossible de monter : tout atout",
    ),
    "partner_trump": (
        "trump was led, and the partner holds the trick: any trump",
        "atout demandé, le partenaire est maître : tout atout",
    ),
    "partner": (
        "without the suit led, and the partner holds the trick: any card",
        "pas de la couleur demandée, le partenaire est maître : toute carte",
    ),
    "ruff": ("without the suit led: a trump must be played", "pas de la couleur demandée : il faut couper"),
    "overruff": (
        "an opponent has ruffed: a higher trump must be played",
        "un adversaire a coupé : il faut surcouper",
    ),
    "underruff": (
        "an opponent has ruffed higher: a lower trump must be played",
        "un adversaire a coupé plus haut : il faut sous-couper (pisser)",
    ),
    "no_underruff": (
        "an opponent has ruffed higher than can be beaten: any card",
        "un adversaire a coupé, impossible de surcouper : toute carte",
    ),
    "discard": ("neither the suit led nor a trump in hand: any card", "ni la couleur demandée ni atout : toute carte"),
}
"""Why these cards were allowed."""

TERMS: dict[str, tuple[str, str]] = {
    "points": ("points", "points"),
    "belote": ("belote", "belote"),
    "announcements": ("announcements", "annonces"),
    "all_tricks": ("all the tricks", "tous les plis"),
    "capot": ("capot", "capot"),
    "dedans": ("the taker went down", "preneur dedans"),
    "contract": ("contract", "contrat"),
    "bid": ("bid", "demandés"),
    "pot": ("waiting pot", "litige en attente"),
    "times_2": ("coinche: once more", "coinche : encore une fois"),
    "times_4": ("surcoinche: three times more", "surcoinche : encore trois fois"),
}
"""What a side marks."""

OUTCOMES: dict[str, tuple[str, str]] = {
    "made": ("made", "contrat rempli"),
    "made+capot": ("made, with all the tricks", "contrat rempli, capot"),
    "failed": ("failed", "contrat chuté"),
    "dedans": (
        "down (dedans): the taker’s side has no more than the other",
        "dedans : le camp preneur n’a pas plus que l’autre",
    ),
    "litige": ("tie (litige): both sides have the same", "litige : égalité"),
    "capot": ("capot: one side has all the tricks", "capot : un camp a tous les plis"),
    "void": ("void: nobody took", "donne nulle : personne n’a pris"),
}

BIDS: dict[str, tuple[str, str]] = {
    "pass": ("pass", "passe"),
    "take": ("take", "je prends"),
    "coinche": ("coinche", "coinche"),
    "surcoinche": ("surcoinche", "surcoinche"),
    "resign": ("resigns", "abandonne"),
    "declare": ("declares announcements", "annonce"),
    "belote": ("belote", "belote"),
    "rebelote": ("rebelote", "rebelote"),
}

SUIT_GLYPHS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
WITHOUT_GLYPHS = str.maketrans({glyph: letter for letter, glyph in SUIT_GLYPHS.items()})
"""For a terminal that has no suits."""
RANKS_FR = {"J": "V", "Q": "D", "K": "R"}


def show_card(name: str, language: Language) -> str:
    """A card as it is printed on one: suit, then the rank's letter in the language."""
    rank = name[1:]
    return SUIT_GLYPHS[name[0]] + (RANKS_FR.get(rank, rank) if language == "fr" else rank)
