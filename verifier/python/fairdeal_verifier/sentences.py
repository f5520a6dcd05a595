"""The one sentence a person reads, in English and French. The verdict word in front is the same in both."""

from typing import Literal

from fairdeal_verifier.game import SIDES
from fairdeal_verifier.report import Report

Language = Literal["en", "fr"]

ENGLISH, FRENCH = 0, 1

CAUSES: dict[str, tuple[str, str]] = {
    "size": ("a size is over its limit", "une taille dépasse la limite"),
    "encoding": ("the bytes are not canonical JSON lines", "les octets ne sont pas des lignes de JSON canonique"),
    "header": ("the header is not one of a bundle", "l’en-tête n’est pas celui d’un dossier de partie"),
    "schema": ("an event is not of the known form", "un événement n’a pas la forme prévue"),
    "index": ("the events are not numbered in order", "les événements ne sont pas numérotés dans l’ordre"),
    "no_policy": ("no policy was given", "aucune politique n’a été donnée"),
    "unknown_key": ("the policy does not list the signing key", "la politique ne connaît pas la clé qui a signé"),
    "head_signature": (
        "the head is not signed by a listed key",
        "la tête n’est pas signée par une clé de la politique",
    ),
    "events_missing": ("events are missing at the end", "il manque des événements à la fin"),
    "events_extra": ("there are more events than were signed", "il y a plus d’événements que signés"),
    "root": ("the events are not those that were signed", "les événements ne sont pas ceux qui ont été signés"),
    "held_signature": ("a line of the held file is not properly signed", "une ligne du fichier gardé est mal signée"),
    "fork": (
        "the server signed two different histories of this match",
        "le serveur a signé deux histoires différentes de cette partie",
    ),
    "seat_key": ("a seat’s key is missing or unsound", "la clé d’un siège manque ou n’est pas sûre"),
    "signed_root": ("a seat signed another history", "un siège a signé une autre histoire"),
    "seat_signature": ("a seat’s signature is false", "la signature d’un siège est fausse"),
    "commitment": (
        "the revealed server seed is not the one promised",
        "la graine révélée par le serveur n’est pas celle promise",
    ),
    "no_reveal": ("the server seed was not revealed", "la graine du serveur n’a pas été révélée"),
    "seat_seed": ("a seat’s seed is not the one promised", "la graine d’un siège n’est pas celle promise"),
    "deal": ("the deal does not follow from the seeds", "la donne ne découle pas des graines"),
    "shown_hand": (
        "the hand shown to the player was not the dealt one",
        "la main montrée au joueur n’était pas la sienne",
    ),
    "order": ("this event may not stand here", "cet événement n’a pas sa place ici"),
    "terms": (
        "the opening names another match or key than the signed head",
        "l’ouverture nomme une autre partie ou une autre clé que la tête signée",
    ),
    "clock": ("the time is against the clock rules", "l’heure est contraire aux règles de la pendule"),
    "turn": ("it was not this seat’s turn", "ce n’était pas le tour de ce siège"),
    "illegal": ("the bid or card was not allowed", "l’annonce ou la carte n’était pas permise"),
    "says": ("belote or rebelote is missing or wrong", "belote ou rebelote manque ou est fausse"),
    "timeout": ("the timeout is not the one due", "le dépassement de temps n’est pas celui qui était dû"),
    "resume": ("the resumption is against its rules", "la reprise est contraire à ses règles"),
    "shown_legal": (
        "the actions shown to the player were not the allowed ones",
        "les actions montrées au joueur n’étaient pas celles permises",
    ),
    "duplicate": ("a key or a commitment is used twice", "une clé ou un engagement sert deux fois"),
    "show": ("the announcements shown are wrong", "les annonces montrées sont fausses"),
    "score": ("the score is wrong", "le score est faux"),
    "end": ("the ending is wrong", "la fin de partie est fausse"),
    "settle": ("the payout is wrong", "le paiement est faux"),
    "not_closed": (
        "consistent so far, but this copy is not closed",
        "tout concorde jusqu’ici, mais cette copie n’est pas close",
    ),
    "no_anchor": (
        "everything agrees, but only with the operator’s own word; give your held file",
        "tout concorde, mais avec la seule parole de l’opérateur ; donnez votre fichier gardé",
    ),
}
"""Every cause of protocol 6.5."""

REASONS: dict[str, tuple[str, str]] = {
    "target": ("target reached", "points atteints"),
    "overruns": ("lost on time", "perdue au temps"),
    "resigned": ("resigned", "abandon"),
    "seed": ("a seed was not sent", "une graine n’a pas été envoyée"),
    "cancelled": ("cancelled before it began", "annulée avant de commencer"),
    "void": ("void", "nulle"),
}

_WORDS = {
    "verified": ("the whole match checks out", "toute la partie est juste"),
    "last": ("only the last signatures were checked", "seules les dernières signatures ont été contrôlées"),
    "seat": ("seat {} won", "le siège {} gagne"),
    "side": ("side {} won", "le camp {} gagne"),
    "nobody": ("nobody won", "sans gagnant"),
    "no_end": ("no ending", "pas de fin"),
    "at": ("at event {}", "à l’événement {}"),
    "step": ("step {}", "étape {}"),
}


def _count(number: int, english: str, french: str, tongue: int) -> str:
    """A number with its noun; French keeps the singular for zero."""
    plural = number != 1 if tongue == ENGLISH else number > 1
    return f"{number} {(english, french)[tongue]}{'s' if plural else ''}"


def sentence(report: Report, language: Language) -> str:
    """One line that begins with the verdict word and tells the ending, timeouts, resumes and void deals."""
    tongue = FRENCH if language == "fr" else ENGLISH

    def word(name: str, *values: int) -> str:
        return _WORDS[name][tongue].format(*values)

    found = word("verified") if report.cause is None else CAUSES[report.cause][tongue]
    if report.step is not None:
        where = [] if report.broken_at is None else [word("at", report.broken_at)]
        found += f" ({', '.join([*where, word('step', report.step)])})"
    parts = [found]
    if report.verdict != "malformed":
        if report.ending is None:
            parts.append(word("no_end"))
        else:
            winner = report.ending.winner
            who = word("nobody") if winner is None else word("side" if report.seats > SIDES else "seat", winner)
            parts.append(f"{REASONS[report.ending.reason][tongue]}, {who}")
        counts = report.counts
        parts.append(
            ", ".join(
                (
                    _count(counts.timeouts, "timeout", "dépassement", tongue),
                    _count(counts.resumes, "resume", "reprise", tongue),
                    _count(counts.voids, "void deal", "donne nulle", tongue).replace("donne nulles", "donnes nulles"),
                )
            )
        )
        if report.signatures == "last":
            parts.append(word("last"))
    separator = ("; ", " ; ")[tongue]
    return f"{report.verdict}: {separator.join(parts)}."
