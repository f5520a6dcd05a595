"""Every sentence of the answers, and every label around them, in English and in French: nowhere else."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # Why a card or a word is refused, by the reason's value.
    "must_follow": (
        "The hand has {led}, the suit led: it must follow.",
        "La main a du {led}, la couleur demandée : il faut fournir.",
    ),
    "must_rise": (
        "The hand has a trump above {best}: it must rise.",
        "La main a un atout plus fort que {best} : il faut monter.",
    ),
    "must_trump": (
        "The hand has no {led}, but it has trump {trump}: it must ruff.",
        "La main n’a pas de {led}, mais elle a de l’atout {trump} : il faut couper.",
    ),
    "bid_not_allowed": ("It may not be said at this point.", "Cette enchère n’est pas permise à ce moment."),
    "not_bidding": ("The bidding is over.", "Les enchères sont finies."),
    "deal_over": ("Everybody has passed: the deal is void.", "Tout le monde a passé : la donne est nulle."),
    # Tricks and bidding.
    "wins_trump": (
        "Seat {seat} wins with {card}, the highest trump.",
        "Le siège {seat} fait le pli avec {card}, le plus fort atout.",
    ),
    "wins_led": (
        "Seat {seat} wins with {card}, the highest card of the suit led.",
        "Le siège {seat} fait le pli avec {card}, la plus forte carte de la couleur demandée.",
    ),
    "speaks": ("Seat {seat} speaks.", "Au siège {seat} de parler."),
    "taken": ("Seat {seat} has taken at {trump}.", "Le siège {seat} a pris à {trump}."),
    "contracted": ("Seat {seat} plays {contract}.", "Le siège {seat} joue {contract}."),
    "contracted_coinche": ("Seat {seat} plays {contract}, coinched.", "Le siège {seat} joue {contract}, coinché."),
    "contracted_surcoinche": (
        "Seat {seat} plays {contract}, coinched and surcoinched.",
        "Le siège {seat} joue {contract}, coinché et surcoinché.",
    ),
    "void": ("Everybody has passed: the deal is void.", "Tout le monde a passé : la donne est nulle."),
    # The five steps of counting.
    "tricks": ("The cards of each side’s tricks: {0} and {1}.", "Les cartes des plis de chaque camp : {0} et {1}."),
    "tricks_with_last": (
        "The cards of each side’s tricks, the last trick’s ten in them: {0} and {1}.",
        "Les cartes des plis de chaque camp, dix de der compris : {0} et {1}.",
    ),
    "last_trick": (
        "Ten for the last trick, to side {side}: {0} and {1}.",
        "Dix de der au camp {side} : {0} et {1}.",
    ),
    "last_trick_counted": ("Ten for the last trick: counted already.", "Dix de der : déjà comptés."),
    "check": ("{0} + {1} = {sum}: nothing is missing.", "{0} + {1} = {sum} : le compte est bon."),
    "no_belote": ("No belote: {0} and {1}.", "Pas de belote : {0} et {1}."),
    "belote": (
        "Belote, 20 to side {side}, outside the 162: {0} and {1}.",
        "Belote, 20 au camp {side}, hors des 162 : {0} et {1}.",
    ),
    "announced": ("With the announcements: {0} and {1}.", "Avec les annonces : {0} et {1}."),
    "capot_counts": ("All tricks count {capot}: {0} and {1}.", "Tous les plis comptent {capot} : {0} et {1}."),
    "made": (
        "The taker’s side has {own}, more than {other}: made. Each side writes what it has.",
        "Le camp du preneur a {own}, plus que {other} : contrat rempli. Chaque camp marque ce qu’il a.",
    ),
    "dedans": (
        "The taker’s side has {own}, not more than {other}: dedans. Side {winner} writes {base}.",
        "Le camp du preneur a {own}, pas plus que {other} : dedans. Le camp {winner} marque {base}.",
    ),
    "capot": (
        "Side {winner} won every trick: capot. It writes {base}.",
        "Le camp {winner} a fait tous les plis : capot. Il marque {base}.",
    ),
    "litige": (
        "Both sides have {own}: litige. Side {winner} writes its {other}; the taker’s {own} wait in the pot.",
        "Les deux camps ont {own} : litige. Le camp {winner} marque ses {other} ; ceux du preneur vont en cagnotte.",
    ),
    "all_announcements": (
        "The announcements, {sum}, go to side {winner}.",
        "Les annonces, {sum}, vont au camp {winner}.",
    ),
    "contract_made": ("{bid} bid, {own} reached: made.", "{bid} demandés, {own} faits : contrat rempli."),
    "contract_failed": ("{bid} bid, {own} reached: failed.", "{bid} demandés, {own} faits : contrat chuté."),
    "contract_beaten": (
        "{bid} bid, {own} reached, but the defence has {other} and the taker’s side needs more: failed.",
        "{bid} demandés, {own} faits, mais la défense a {other} et il faut davantage : contrat chuté.",
    ),
    "capot_made": ("Capot bid, and every trick won: made.", "Capot demandé, tous les plis faits : contrat rempli."),
    "capot_failed": ("Capot bid, and not every trick won: failed.", "Capot demandé, un pli manque : contrat chuté."),
    "each_its_own": ("Each side writes what it made.", "Chaque camp marque ce qu’il a fait."),
    "and_bid": ("The takers write the {bid} bid too.", "Les preneurs marquent aussi les {bid} demandés."),
    "winner_writes": (
        "Side {winner} writes {sum}, the other side nothing.",
        "Le camp {winner} marque {sum}, l’autre rien.",
    ),
    "belote_stays": ("The belote stays with side {side}.", "La belote reste au camp {side}."),
    "belote_won": ("The belote goes to side {side}.", "La belote va au camp {side}."),
    "pot_won": ("Side {side} takes the pot of {pot}.", "Le camp {side} prend la cagnotte de {pot}."),
    "pot_kept": ("The pot is {pot}.", "La cagnotte est de {pot}."),
    "rounded": ("Rounded to the nearest ten.", "Arrondi à la dizaine la plus proche."),
    "written": ("Written: {0} and {1}.", "Marqué : {0} et {1}."),
    # Labels.
    "label_legal": ("May be played: {cards}", "Cartes jouables : {cards}"),
    "label_bids": ("May be said: {words}", "Enchères permises : {words}"),
    "label_points": ("{points} points", "{points} points"),
    "label_total": ("total {total}", "total {total}"),
    "label_nothing": ("Nothing to announce.", "Rien à annoncer."),
    "label_belote": ("and the belote, 20", "et la belote, 20"),
    "label_rulesets": ("Games", "Jeux"),
    "label_presets": ("Presets, for comparison with other books", "Variantes, pour comparer avec d’autres règlements"),
    "label_sheets": ("Score sheets", "Feuilles de marque"),
    "label_players": ("{players} players", "{players} joueurs"),
    "label_from_to": ("{minimum} to {maximum}", "{minimum} à {maximum}"),
    "label_side": ("side {side}", "camp {side}"),
    "label_pot": ("pot {pot}", "cagnotte {pot}"),
    # How a deal ended, by the outcome's value.
    "outcome_made": ("made", "contrat rempli"),
    "outcome_dedans": ("down (dedans)", "dedans"),
    "outcome_capot": ("every trick (capot)", "capot"),
    "outcome_litige": ("tie (litige)", "litige"),
    "outcome_failed": ("failed", "contrat chuté"),
    "outcome_made+capot": ("made, capot", "contrat rempli, capot"),
}
"""Key → (English, French)."""


def say(key: str, french: bool, *pair: int, **values: object) -> str:
    """The text of that key with these values; `pair` are the numbers of side 0 and side 1."""
    return TEXTS[key][french].format(*pair, **values)
