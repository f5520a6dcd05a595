"""What the demo says, in English and in French."""

import os
from typing import Final, Literal, TypeAlias

import typer

Language: TypeAlias = Literal["en", "fr"]

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "title": ("A belote duel for {stake} each", "Un duel de belote, mise de {stake} chacun"),
    "title_four": ("{game}, two against two, for {stake} each", "{game}, deux contre deux, mise de {stake} chacun"),
    "title_unstaked": ("{game}, two against two, for nothing", "{game}, deux contre deux, sans mise"),
    "game_duel": ("Duel", "Duel"),
    "game_classique": ("Belote classique", "Belote classique"),
    "game_coinche": ("Belote coinchée", "Belote coinchée"),
    "game_annonces": ("Belote with announcements", "Belote avec annonces"),
    "service": ("The service runs at {url}, its log is {log}", "Le service tourne sur {url}, son journal est {log}"),
    "promise": (
        "Before anybody sits the service promises its seed: SHA-256 {commitment}",
        "Avant que quiconque s’assoie, le service promet sa graine : SHA-256 {commitment}",
    ),
    "terms": ("What the table says before one sits", "Ce que la table annonce avant qu’on s’y assoie"),
    "shares": (
        "pot {pot} = winner {net} + commission {commission} + tax {tax}",
        "pot {pot} = gagnant {net} + commission {commission} + taxe {tax}",
    ),
    "winners": ("the two winners: {nets}", "les deux gagnants : {nets}"),
    "no_stake": (
        "nothing is staked: the pack is not shuffled between the deals",
        "rien n’est misé : le jeu n’est pas mélangé entre les donnes",
    ),
    "partners": ("Partners choose each other", "Les partenaires se choisissent"),
    "code": (
        "{name} sits, and gives {partner} the code of the seat face to face: {code}",
        "{name} s’assoit, et donne à {partner} le code du siège d’en face : {code}",
    ),
    "before": ("Money before", "L’argent avant"),
    "seated": ("Money once seated", "L’argent, une fois les joueurs assis"),
    "after": ("Money after", "L’argent après"),
    "wallet": ("{name}  {cash} free, {held} held for the stake", "{name}  {cash} disponibles, {held} en jeu"),
    "match": ("The match {m}", "La partie {m}"),
    "deal": ("Deal {deal}", "Donne {deal}"),
    "taken": ("{name} takes in {trump}, {turned} turned up", "{name} prend à {trump}, retourne {turned}"),
    "bid": ("{name} bids {value} in {trump}", "{name} demande {value} à {trump}"),
    "coinche": ("{name} doubles", "{name} coinche"),
    "surcoinche": ("{name} redoubles", "{name} surcoinche"),
    "void_auction": ("nobody bids", "personne n’enchérit"),
    "shows": ("{name} shows {cards}", "{name} montre {cards}"),
    "shows_nothing": ("the best announcements are equal: none counts", "annonces égales : aucune ne compte"),
    "waiting": ("({pot} wait in the pot)", "({pot} en attente)"),
    "void": ("nobody takes, {turned} turned up", "personne ne prend, retourne {turned}"),
    "made": ("made", "contrat rempli"),
    "dedans": ("down (dedans)", "dedans"),
    "capot": ("every trick", "capot"),
    "litige": ("tie (litige)", "litige"),
    "failed": ("failed", "contrat chuté"),
    "made+capot": ("made, capot", "rempli, capot"),
    "won_by_two": ("{name} win {totals}: {reason}", "{name} gagnent par {totals} : {reason}"),
    "won": ("{name} wins {totals}: {reason}", "{name} gagne par {totals} : {reason}"),
    "nobody": ("Nobody wins: {reason}", "Personne ne gagne : {reason}"),
    "target": ("the target is reached", "l’objectif est atteint"),
    "overruns": ("the other one’s time ran out", "trop de dépassements de temps en face"),
    "void_match": ("the match is void", "la partie est nulle"),
    "paid": ("The pot is paid out", "Le pot est réparti"),
    "pot": ("pot", "pot"),
    "commission": ("commission", "commission"),
    "tax": ("tax", "taxe"),
    "log": ("The log of all matches", "Le journal de toutes les parties"),
    "proven": (
        "open, full, start, close: this match’s entries {indexes} are proven to stand among the first {size}",
        "open, full, start, close : les entrées {indexes} de cette partie sont prouvées parmi les {size} premières",
    ),
    "files": ("What {name} takes away", "Ce qu’emporte {name}"),
    "verify": (
        "The verdict, by a program that shares no code with the service",
        "Le verdict, par un programme qui ne partage aucun code avec le service",
    ),
}
"""Key → (English, French)."""


def say(language: Language, key: str, **values: object) -> str:
    """The text of that key with these values."""
    return TEXTS[key][language == "fr"].format(**values)


def find_language(wanted: str) -> Language:
    """The language asked for, or the locale's, or English. Raises typer.BadParameter for another one."""
    if not wanted:
        named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
        return "fr" if named.lower().startswith("fr") else "en"
    if wanted not in ("en", "fr"):
        raise typer.BadParameter(f"{wanted!r} is neither fr nor en", param_hint="--lang")
    return "fr" if wanted == "fr" else "en"
