"""What an audit finds, where, and in which words (protocol 7.6)."""

from dataclasses import dataclass
from typing import Any, Literal

from fairdeal_verifier.sentences import CAUSES, Language

Code = Literal["fork", "leaf", "order", "commitment", "seed", "transcript", "key", "resume", "money"]

Detail = tuple[Any, ...]
"""A key of DETAILS and the values of its text."""

DETAILS: dict[str, tuple[str, str]] = {
    "root": ("{0}: another root of {1} entries", "{0} : une autre racine pour {1} entrées"),
    "checkpoint_key": (
        "{0}: not signed by the key in force at {1} entries",
        "{0} : signature d’une autre clé que celle en vigueur à {1} entrées",
    ),
    "no_leaf": ("not a leaf", "pas une feuille du journal"),
    "second": ("a second {0}", "une seconde feuille « {0} »"),
    "before_open": ("no open before it", "aucune feuille « open » avant elle"),
    "after": ("after the {0}", "après la feuille « {0} »"),
    "start_first": ("a start with no full before it", "une feuille « start » sans « full » avant elle"),
    "lacks": ("closed with no {0}", "partie close sans feuille « {0} »"),
    "same_commitment": ("the commitment of the open at {0}", "l’engagement de la feuille « open » {0}"),
    "not_opened": ("the seed does not open the commitment", "la graine n’ouvre pas l’engagement"),
    "same_seed": ("the seed of the close at {0}", "la graine de la feuille « close » {0}"),
    "old_key": ("the old key is not the one in force", "l’ancienne clé n’est pas celle en vigueur"),
    "key_signature": ("a signature does not verify", "une signature est fausse"),
    "key_name": ("a key of another name", "une clé d’un autre nom"),
    "receipts_key": (
        "its receipts key is not the one in force",
        "sa clé des reçus n’est pas celle en vigueur",
    ),
    "step": ("step {0}, {1}", "étape {0}, {1}"),
    "step_at": ("step {0}, {1}, event {2}", "étape {0}, {1}, événement {2}"),
    "resume": (
        "a resume from {0} to {1} with no outage leaf",
        "une reprise de {0} à {1} sans feuille « outage »",
    ),
    "journal_smaller": ("the journal is smaller than before", "le journal d’argent est plus court qu’avant"),
    "journal_root": (
        "the journal of {0} transactions had another root at {1}",
        "le journal de {0} opérations avait une autre racine à {1}",
    ),
    "no_transaction": ("line {0} is not a transaction", "la ligne {0} n’est pas une opération"),
    "posted_twice": ("{0} a second time", "{0} une seconde fois"),
    "below_zero": ("{0} falls below zero", "{0} passe sous zéro"),
    "not_listed": (
        "{0} is not what a transaction “{1}” may be",
        "{0} n’est pas ce que peut être une opération « {1} »",
    ),
    "left": ("stakes of {0} were never given back or paid", "des mises de {0} n’ont été ni rendues ni payées"),
    "not_as_said": ("{0} is not what the match says", "{0} ne dit pas ce que dit la partie"),
    "not_posted": ("{0} is not in the journal", "{0} n’est pas dans le journal"),
    "without_pot": ("{0}, of a match that had no pot", "{0}, d’une partie qui n’a pas eu de pot"),
    "no_match": ("{0}, of no match of the log", "{0}, d’aucune partie du journal"),
    "nobody_sat": ("nobody sat down as seat {0}", "personne ne s’est assis au siège {0}"),
}
"""Key → (English, French)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Signed texts that contradict each other or break a rule; the leaf and the match where they are known."""

    code: Code
    detail: Detail
    index: int | None = None
    m: str | None = None


def say_detail(detail: Detail, language: Language = "en") -> str:
    """The text of a detail; that of a step names the cause as a code, as 6.5 does."""
    key, *values = detail
    return DETAILS[key][language == "fr"].format(*values)


def explain_cause(finding: Finding, language: Language) -> str | None:
    """What a broken step means, for a person."""
    if finding.code != "transcript":
        return None
    cause = CAUSES.get(finding.detail[2])
    return None if cause is None else cause[language == "fr"]
