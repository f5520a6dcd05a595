"""What the command says of itself and of files it cannot use, in English and French."""

from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.sentences import Language

REASONS: dict[str, tuple[str, str]] = {
    "no_file": ("there is no file {}", "il n’y a pas de fichier {}"),
    "unreadable": ("{} cannot be read", "{} ne peut pas être lu"),
    "policy_size": ("the policy is too large", "le fichier de confiance est trop gros"),
    "policy_encoding": ("the policy is not UTF-8 text", "le fichier de confiance n’est pas un texte UTF-8"),
    "policy_cut": (
        "the policy is empty, or its last line does not end",
        "le fichier de confiance est vide, ou sa dernière ligne n’est pas finie",
    ),
    "policy_key": (
        "line {} of the policy names no usable key",
        "la ligne {} du fichier de confiance ne nomme pas une clé utilisable",
    ),
    "policy_twice": (
        "line {} of the policy names a key again",
        "la ligne {} du fichier de confiance nomme une clé une seconde fois",
    ),
    "policy_line": (
        "line {} of the policy is not understood",
        "la ligne {} du fichier de confiance n’est pas comprise",
    ),
    "policy_lacks": (
        "a policy has one log line or more, and “quorum none” once",
        "un fichier de confiance a au moins une ligne « log », et « quorum none » une fois",
    ),
    "held_size": ("the held file is too large", "le fichier de joueur est trop gros"),
    "held_cut": (
        "the held file is empty, or its last line does not end",
        "le fichier de joueur est vide, ou sa dernière ligne n’est pas finie",
    ),
    "held_line": (
        "line {} of the held file is not of its form",
        "la ligne {} du fichier de joueur n’a pas la forme prévue",
    ),
    "held_foreign": ("the held file is of another match", "le fichier de joueur est celui d’une autre partie"),
}
"""Why a file cannot be used, by the reason of a WrongUsage."""

TEXTS: dict[str, tuple[str, str]] = {
    "description": (
        "Checks a match from its bundle, with no trust in the server that dealt it. One sentence goes to stdout, a line"
        " for each step to stderr; with --json one object to stdout, and nothing else.",
        "Contrôle une partie d’après son dossier, sans se fier au serveur qui l’a distribuée. Une phrase va sur stdout,"
        " une ligne par étape sur stderr ; avec --json un objet sur stdout, et rien d’autre.",
    ),
    "exits": (
        "Exit codes: 0 verified, 10 cheated, 11 pending, 12 malformed, 13 unchecked, 15 altered, 1 the verifier failed,"
        " 2 wrong usage.",
        "Codes de sortie : 0 verified (vérifiée), 10 cheated (tricherie prouvée), 11 pending (en attente),"
        " 12 malformed (illisible), 13 unchecked (non vérifiable), 15 altered (fichier modifié),"
        " 1 le vérificateur a échoué, 2 mauvais emploi.",
    ),
    "bundle": ("the match’s .fairdeal file", "le dossier de la partie, un fichier .fairdeal"),
    "help": ("print this and exit", "afficher cette aide"),
    "policy": (
        "the keys you trust, from elsewhere than the bundle",
        "le fichier de confiance : les clés auxquelles vous vous fiez, venues d’ailleurs que du dossier",
    ),
    "held": (
        "the .held file your own client wrote while playing",
        "votre fichier de joueur (.held), écrit par votre programme pendant la partie",
    ),
    "json": ("print one JSON object instead of a sentence", "afficher un objet JSON au lieu d’une phrase"),
    "lang": ("the language (default: the locale’s)", "la langue (par défaut celle du système)"),
    "signatures": (
        "check every signature, or each party’s last one",
        "contrôler toutes les signatures, ou la dernière de chacun",
    ),
    "refused": ("{}", "arguments refusés ; voir --help"),
    "failed": ("the verifier failed: {}", "le vérificateur a échoué : {}"),
}
"""Key → (English, French)."""


def say(key: str, language: Language, *values: object) -> str:
    """The text of that key."""
    return TEXTS[key][language == "fr"].format(*values)


def say_why(error: WrongUsage, language: Language) -> str:
    """Why a file cannot be used."""
    return REASONS[error.reason][language == "fr"].format(error.value)
