"""The one sentence a person reads, and the line for each step, in English and French.

The verdict word in front is the same in both; in French its translation follows.
"""

from typing import Literal

from fairdeal_verifier.game import SIDES
from fairdeal_verifier.report import Check, Report, Verdict

Language = Literal["en", "fr"]

ENGLISH, FRENCH = 0, 1

VERDICTS: dict[Verdict, str] = {
    "verified": "vérifiée",
    "cheated": "tricherie prouvée",
    "pending": "en attente",
    "malformed": "illisible",
    "unchecked": "non vérifiable",
    "altered": "fichier modifié",
}
"""What the verdict words mean, for a French reader."""

STEPS_FR = {
    0: "octets et forme",
    1: "fichier de confiance, clés, état signé du journal",
    2: "preuves et ordre du journal",
    3: "racine de la partie, en-tête signé, inscriptions au journal, reçus gardés",
    4: "signatures des joueurs",
    5: "l’engagement s’ouvre",
    6: "les graines des joueurs s’ouvrent",
    7: "donnes et mains montrées",
    8: "ordre, tour, légalité, pendule, coups montrés",
    9: "points et fin de partie",
    10: "règlement",
}
"""The names of the steps, for a French reader; a report has them in English."""

RESULTS_FR = {"passed": "en règle", "failed": "en défaut", "not run": "non contrôlé"}

CAUSES: dict[str, tuple[str, str]] = {
    "size": ("a size is over its limit", "une taille dépasse la limite"),
    "encoding": ("the bytes are not canonical JSON lines", "les octets ne sont pas des lignes de JSON canonique"),
    "header": ("the header is not one of a bundle", "la première ligne n’est pas celle d’un dossier de partie"),
    "schema": ("an event is not of the known form", "un événement n’a pas la forme prévue"),
    "index": ("the events are not numbered in order", "les événements ne sont pas numérotés dans l’ordre"),
    "no_policy": ("no policy was given", "aucun fichier de confiance n’a été donné"),
    "unknown_key": (
        "the policy does not list the signing key",
        "le fichier de confiance ne connaît pas la clé qui a signé",
    ),
    "head_signature": (
        "the head is not signed by a listed key",
        "l’en-tête n’est pas signé par une clé du fichier de confiance",
    ),
    "checkpoint": (
        "the checkpoint of the log is not properly signed, or is another log’s",
        "l’état du journal est mal signé, ou c’est celui d’un autre journal",
    ),
    "leaf": (
        "what the log says of this match is not what the match says",
        "ce que le journal dit de cette partie n’est pas ce que dit la partie",
    ),
    "inclusion": (
        "an entry is not proven to stand in the log",
        "rien ne prouve qu’une inscription figure au journal",
    ),
    "leaf_missing": (
        "an entry that this match has in the log is missing",
        "il manque une inscription que cette partie a au journal",
    ),
    "consistency": (
        "the log is not proven to continue the one a player had seen",
        "rien ne prouve que le journal continue celui qu’un joueur avait vu",
    ),
    "log_order": (
        "the log has the entries of this match out of order",
        "le journal a les inscriptions de cette partie dans le désordre",
    ),
    "held_log": (
        "a log line of the held file is not properly signed or proven",
        "une ligne du journal, dans le fichier de joueur, est mal signée ou sans preuve",
    ),
    "log_fork": (
        "the operator signed two logs that contradict each other",
        "l’opérateur a signé deux journaux qui se contredisent",
    ),
    "events_missing": ("events are missing at the end", "il manque des événements à la fin"),
    "events_extra": ("there are more events than were signed", "il y a plus d’événements qu’il n’en a été signé"),
    "root": ("the events are not those that were signed", "les événements ne sont pas ceux qui ont été signés"),
    "held_signature": (
        "a line of the held file is not properly signed",
        "une ligne du fichier de joueur est mal signée",
    ),
    "fork": (
        "the server signed two different histories of this match",
        "le serveur a signé deux versions différentes de cette partie",
    ),
    "seat_key": ("a seat’s key is missing or unsound", "la clé d’un joueur manque ou n’est pas sûre"),
    "signed_root": ("a seat signed another history", "un joueur a signé une autre version de la partie"),
    "seat_signature": ("a seat’s signature is false", "la signature d’un joueur est fausse"),
    "commitment": (
        "the revealed server seed is not the one promised",
        "la graine révélée par le serveur n’est pas celle qu’il avait promise",
    ),
    "no_reveal": ("the server seed was not revealed", "la graine du serveur n’a pas été révélée"),
    "seat_seed": ("a seat’s seed is not the one promised", "la graine d’un joueur n’est pas celle qu’il avait promise"),
    "deal": ("the deal does not follow from the seeds", "la donne ne découle pas des graines"),
    "shown_hand": (
        "the hand shown to the player was not the dealt one",
        "la main montrée au joueur n’était pas celle de la donne",
    ),
    "order": ("this event may not stand here", "cet événement n’a pas sa place ici"),
    "terms": (
        "the opening names another match or key than the signed head",
        "l’ouverture nomme une autre partie ou une autre clé que l’en-tête signé",
    ),
    "clock": ("the time is against the clock rules", "l’heure enfreint les règles de la pendule"),
    "turn": ("it was not this seat’s turn", "ce n’était pas à ce joueur de parler ou de jouer"),
    "illegal": ("the bid or card was not allowed", "l’enchère ou la carte n’était pas permise"),
    "says": ("belote or rebelote is missing or wrong", "la belote ou la rebelote manque, ou est dite à tort"),
    "timeout": ("the timeout is not the one due", "le dépassement de temps n’est pas celui qui était dû"),
    "resume": ("the resumption is against its rules", "la reprise enfreint ses règles"),
    "shown_legal": (
        "the actions shown to the player were not the allowed ones",
        "les coups montrés au joueur n’étaient pas les coups permis",
    ),
    "duplicate": ("a key or a commitment is used twice", "une clé ou un engagement sert deux fois"),
    "show": ("the announcements shown are wrong", "les annonces montrées sont fausses"),
    "score": ("the score is wrong", "le compte des points est faux"),
    "end": ("the ending is wrong", "la fin de partie est fausse"),
    "settle": ("the payout is wrong", "le règlement est faux"),
    "not_closed": (
        "consistent so far, but this copy is not closed",
        "tout concorde jusqu’ici, mais cette copie n’est pas close",
    ),
    "no_anchor": (
        "everything agrees, but by the operator’s word alone: witnesses or a held file that bear it out are missing",
        "tout concorde, mais sur la seule parole de l’opérateur : il manque des témoins ou un fichier de joueur qui le"
        " confirment",
    ),
}
"""Every cause of protocol 6.5."""

_HARMLESS = ("no_policy", "unknown_key", "not_closed", "no_anchor")
"""Under these `unchecked` says all: no rule was broken."""

REASONS: dict[str, tuple[str, str]] = {
    "target": ("target reached", "objectif atteint"),
    "overruns": ("lost on time", "perdue au temps"),
    "resigned": ("resigned", "abandon"),
    "seed": ("a seed was not sent", "une graine n’a pas été envoyée"),
    "cancelled": ("cancelled before it began", "annulée avant la première donne"),
    "void": ("void", "partie nulle"),
    "lost": ("void, lost with the operator’s store", "partie nulle, perdue avec les données de l’opérateur"),
}

_WORDS = {
    "verified": ("the whole match checks out", "toute la partie est en règle"),
    "last": ("only the last signatures were checked", "seules les dernières signatures ont été contrôlées"),
    "untrusted": (
        "without a policy nobody is accused, but {}",
        "sans fichier de confiance personne n’est accusé, mais {}",
    ),
    "seat": ("seat {} won", "le joueur du siège {} gagne"),
    "side": ("seats {} and {} won", "les joueurs des sièges {} et {} gagnent"),
    "nobody": ("nobody won", "sans gagnant"),
    "no_end": ("no ending", "pas de fin"),
    "at": ("at event {}", "à l’événement {}"),
    "between": ("somewhere in events {} to {}", "quelque part dans les événements {} à {}"),
    "step": ("step {}", "étape {}"),
}


def _count(number: int, english: str, french: str, tongue: int) -> str:
    """A number with its noun; French keeps the singular for zero."""
    plural = number != 1 if tongue == ENGLISH else number > 1
    return f"{number} {(english, french)[tongue]}{'s' if plural else ''}"


def sentence(report: Report, language: Language) -> str:
    """One line that begins with the verdict word and tells the ending, timeouts, resumes and void deals."""
    tongue = FRENCH if language == "fr" else ENGLISH
    parts = [_found(report, tongue)]
    if report.verdict != "malformed":
        parts.append(_ended(report, tongue))
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
            parts.append(_word("last", tongue))
    gloss = ("", f"{VERDICTS[report.verdict]}, ")[tongue]
    separator = ("; ", " ; ")[tongue]
    return f"{report.verdict}: {gloss}{separator.join(parts)}."


def step_line(check: Check, language: Language) -> str:
    """How one step went."""
    if language == "fr":
        return f"{check.step:2} {STEPS_FR[check.step]} : {RESULTS_FR[check.result]}"
    return f"{check.step:2} {check.name}: {check.result}"


def _word(name: str, tongue: int, *values: object) -> str:
    return _WORDS[name][tongue].format(*values)


def _found(report: Report, tongue: int) -> str:
    found = _word("verified", tongue) if report.cause is None else CAUSES[report.cause][tongue]
    if report.verdict == "unchecked" and report.cause not in _HARMLESS:
        found = _word("untrusted", tongue, found)
    where = []
    if report.suspects is not None and report.suspects[0] < report.suspects[1]:
        where.append(_word("between", tongue, *report.suspects))
    elif report.broken_at is not None:
        where.append(_word("at", tongue, report.broken_at))
    if report.step is not None:
        where.append(_word("step", tongue, report.step))
    return f"{found} ({', '.join(where)})" if where else found


def _ended(report: Report, tongue: int) -> str:
    if report.ending is None:
        return _word("no_end", tongue)
    winner = report.ending.winner
    if winner is None:
        who = _word("nobody", tongue)
    elif report.seats > SIDES:
        who = _word("side", tongue, winner, winner + SIDES)
    else:
        who = _word("seat", tongue, winner)
    return f"{REASONS[report.ending.reason][tongue]}, {who}"
