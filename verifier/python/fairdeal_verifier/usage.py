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
    "unwritable": ("{} cannot be written", "{} ne peut pas être écrit"),
    "no_directory": (
        "{} is neither a directory nor an address that begins with http:// or https://",
        "{} n’est ni un dossier ni une adresse qui commence par http:// ou https://",
    ),
    "no_log": (
        "there is no log here: it has no file “{}” (the address of a service’s log ends in /log; an export has the file"
        " once it is finished)",
        "il n’y a pas de journal ici : le fichier « {} » n’y est pas (l’adresse du journal d’un service finit par"
        " /log ; un dossier exporté a ce fichier une fois terminé)",
    ),
    "token": ("{} holds no token", "{} ne contient pas de jeton"),
    "since_note": ("{} is not a checkpoint", "{} n’est pas un état signé"),
    "since_foreign": (
        "your checkpoint is of another log",
        "votre état signé est celui d’un autre journal",
    ),
    "since_unsigned": (
        "your checkpoint is not signed by a log key of the policy",
        "votre état signé n’est pas signé par une clé de journal du fichier de confiance",
    ),
    "state": (
        "{} is not the notes of an audit, or cannot be read and written",
        "{} n’est pas un carnet d’audit, ou ne peut être lu et écrit",
    ),
    "fork_file": (
        "neither a bundle, nor a held file, nor a checkpoint, nor a fork file",
        "ni un dossier de partie, ni un fichier de joueur, ni un état signé, ni un fichier de double histoire",
    ),
    "fork_unsigned": (
        "a signature or a proof in it is false, so that it proves nothing",
        "une signature ou une preuve y est fausse : il ne prouve rien",
    ),
    "held_foreign": ("the held file is of another match", "le fichier de joueur est celui d’une autre partie"),
}
"""Why a file cannot be used, by the reason of a WrongUsage."""

TEXTS: dict[str, tuple[str, str]] = {
    "description": (
        "Checks a match from its bundle, with no trust in the server that dealt it. One sentence goes to stdout, a line"
        " for each step to stderr; with --json one object to stdout, and nothing else. As the first word, “explain”"
        " lays out the arithmetic of a deal, “audit” checks a whole log, “fork” looks for two histories: see “explain"
        " --help”.",
        "Contrôle une partie d’après son dossier, sans se fier au serveur qui l’a distribuée. Une phrase va sur stdout,"
        " une ligne par étape sur stderr ; avec --json un objet sur stdout, et rien d’autre. Comme premier mot,"
        " « explain » expose le calcul d’une donne, « audit » contrôle tout un journal, « fork » cherche une double"
        " histoire : voir « explain --help ».",
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
    "audit": (
        "Checks a whole log: its tree, its checkpoints and keys, every match and the money. A report goes to stdout,"
        " progress to stderr.",
        "Contrôle tout un journal : son arbre, ses états signés et ses clés, chaque partie et l’argent. Un"
        " rapport va sur stdout, l’avancement sur stderr.",
    ),
    "audit_exits": (
        "Exit codes: 0 verified, 10 cheated, 13 unchecked, 14 something could not be fetched, 15 altered or missing"
        " files, 1 the verifier failed, 2 wrong usage.",
        "Codes de sortie : 0 verified (vérifié), 10 cheated (tricherie prouvée), 13 unchecked (non vérifiable), 14 un"
        " téléchargement a échoué, 15 altered (fichiers modifiés ou absents), 1 le vérificateur a échoué, 2 mauvais"
        " emploi.",
    ),
    "audit_source": (
        "a directory that the operator exported, or the address of the log",
        "un dossier exporté par l’opérateur, ou l’adresse du journal",
    ),
    "since": (
        "a checkpoint you kept: has the log still that beginning? Matches closed under it are not replayed again",
        "un état signé que vous avez gardé : le journal commence-t-il encore ainsi ? Les parties closes avant"
        " lui ne sont pas rejouées",
    ),
    "keep": (
        "where to write the checkpoint, when nothing contradicts it",
        "où écrire l’état signé, si rien ne le contredit",
    ),
    "state": (
        "notes of what was replayed, so that an interrupted audit goes on",
        "carnet de ce qui a été rejoué, pour reprendre un audit interrompu",
    ),
    "token_file": (
        "a file with the auditor’s token (default: the environment’s {})",
        "un fichier avec le jeton de l’auditeur (par défaut {} dans l’environnement)",
    ),
    "jobs": ("how many processes replay matches", "combien de processus rejouent les parties"),
    "audit_json": ("print one JSON object instead of a report", "afficher un objet JSON au lieu d’un rapport"),
    "progress": ("{} of {} matches read", "{} parties lues sur {}"),
    "not_fetched": ("{} could not be fetched: {}", "{} n’a pas pu être lu : {}"),
    "not_kept": ("the checkpoint is not kept in {}", "l’état signé n’est pas gardé dans {}"),
    "fork": (
        "Looks for two signed texts that contradict each other, in one file or more. What it finds, anybody can check."
        " Receipts in held files count once a bundle or a fork file says whose key they are by.",
        "Cherche deux textes signés qui se contredisent, dans un fichier ou plusieurs. Ce qu’il trouve, chacun peut le"
        " contrôler. Les reçus d’un fichier de joueur comptent dès qu’un dossier de partie ou un fichier de double"
        " histoire dit de qui est leur clé.",
    ),
    "fork_exits": (
        "Exit codes: 10 a fork is proven, 0 none was found, 13 the policy lists no key that signed, 1 the program"
        " failed, 2 wrong usage, also a file that cannot be used.",
        "Codes de sortie : 10 double histoire prouvée, 0 aucune trouvée, 13 le fichier de confiance ne connaît pas la"
        " clé, 1 le programme a échoué, 2 mauvais emploi, fichier inutilisable compris.",
    ),
    "fork_file_kinds": (
        "a bundle, a held file, a checkpoint, or a fork file",
        "un dossier de partie, un fichier de joueur, un état signé, ou un fichier de double histoire",
    ),
    "fork_out": ("where to write the proof", "où écrire la preuve"),
    "fork_unknown": (
        "the policy does not list the key that signed",
        "le fichier de confiance ne connaît pas la clé qui a signé",
    ),
    "fork_none": ("no fork: these files do not contradict each other", "pas de double histoire : rien ne se contredit"),
    "fork_root": (
        "fork: two different roots of {} were signed for the same {} entries",
        "double histoire : deux racines différentes de {} ont été signées pour les mêmes {} entrées",
    ),
    "fork_index": (
        "fork: {} proves two different leaves at index {}",
        "double histoire : {} prouve deux feuilles différentes à la place {}",
    ),
    "fork_leaf": (
        "fork: {0} proves two different leaves {1} of match {2}",
        "double histoire : {0} prouve deux feuilles {1} différentes de la partie {2}",
    ),
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
    "lacking": ("missing: {}", "il manque : {}"),
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
