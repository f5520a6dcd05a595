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
        "a policy has one log line or more, and one quorum line",
        "un fichier de confiance a au moins une ligne « log », et une ligne « quorum »",
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
    "no_deal": ("this match has no deal {}", "cette partie n’a pas de donne {}"),
    "no_event": ("event {} does not belong to that deal", "l’événement {} n’est pas de cette donne"),
    "replay_stops": (
        "the replay stops at event {}, before that deal: run the verification",
        "le calcul s’arrête à l’événement {}, avant cette donne : lancez le contrôle",
    ),
    "held_foreign": ("the held file is of another match", "le fichier de joueur est celui d’une autre partie"),
}
"""Why a file cannot be used, by the reason of a WrongUsage."""

TEXTS: dict[str, tuple[str, str]] = {
    "description": (
        "Checks a match from its bundle, with no trust in the server that dealt it. One sentence goes to stdout, a line"
        " for each step to stderr; with --json one object to stdout, and nothing else. “explain” as the first word lays"
        " out the arithmetic of a deal: see “explain --help”.",
        "Contrôle une partie d’après son dossier, sans se fier au serveur qui l’a distribuée. Une phrase va sur stdout,"
        " une ligne par étape sur stderr ; avec --json un objet sur stdout, et rien d’autre. « explain » comme premier"
        " mot expose le calcul d’une donne : voir « explain --help ».",
    ),
    "exits": (
        "Exit codes: 0 verified, 10 cheated, 11 pending, 12 malformed, 13 unchecked, 15 altered, 1 the verifier failed,"
        " 2 wrong usage.",
        "Codes de sortie : 0 verified (vérifiée), 10 cheated (tricherie prouvée), 11 pending (en attente),"
        " 12 malformed (illisible), 13 unchecked (non vérifiable), 15 altered (fichier modifié),"
        " 1 le vérificateur a échoué, 2 mauvais emploi.",
    ),
    "explain": (
        "Lays out the arithmetic of a deal by hand: seeds, pack, dealing, bidding, tricks, score; with --event one"
        " event of it: who signed what, and why the move was allowed. It is no verdict.",
        "Expose le calcul d’une donne à la main : graines, paquet, distribution, enchères, plis, compte ; avec --event"
        " un seul événement : qui a signé quoi, et pourquoi le coup était permis. Ce n’est pas un verdict.",
    ),
    "explain_exits": (
        "Exit codes: 0 explained, 11 the server seed is not revealed, 12 not a bundle, 1 the program failed, 2 wrong"
        " usage: also no such deal or event.",
        "Codes de sortie : 0 expliqué, 11 la graine du serveur n’est pas révélée, 12 pas un dossier de partie, 1 le"
        " programme a échoué, 2 mauvais emploi, donne ou événement absent compris.",
    ),
    "explain_json": ("print one JSON object instead of text", "afficher un objet JSON au lieu d’un texte"),
    "deal": ("which deal, from 1", "quelle donne, à partir de 1"),
    "event": ("one event of that deal, by its n", "un seul événement de cette donne, par son n"),
    "no_bundle": ("not a bundle that can be read: {}", "pas un dossier de partie lisible : {}"),
    "not_revealed": (
        "the server seed is not revealed yet; a deal can be computed once the match has ended",
        "la graine du serveur n’est pas encore révélée ; une donne se calcule une fois la partie finie",
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
