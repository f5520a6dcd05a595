"""The words of an audit's report, in English and French."""

CODES: dict[str, tuple[str, str]] = {
    "fork": ("the log told two histories", "le journal a raconté deux histoires"),
    "leaf": ("an entry is no leaf", "une entrée n’est pas une feuille"),
    "order": ("a leaf may not stand there", "une feuille n’a pas sa place là"),
    "commitment": ("a commitment was used twice", "un engagement a servi deux fois"),
    "seed": (
        "a seed is not the promised one, or was used twice",
        "une graine n’est pas la promise, ou a servi deux fois",
    ),
    "transcript": ("a match breaks a rule", "une partie enfreint une règle"),
    "key": ("a key is not the one in force", "une clé n’est pas celle en vigueur"),
    "resume": ("a resume without an outage", "une reprise sans panne déclarée"),
    "money": ("the money is not what was signed", "l’argent n’est pas ce qui a été signé"),
    "missing": ("missing", "absent"),
    "damaged": ("not what was signed, or not of its form", "n’est pas ce qui a été signé, ou n’a pas la forme prévue"),
}
"""What the codes of findings and of files mean."""

ENDINGS: dict[str, tuple[str, str]] = {
    "played": ("played to the end", "jouée jusqu’au bout"),
    "forfeit": ("resigned or lost on time", "abandon ou perte au temps"),
    "no_seed": ("a seed was not sent", "graine non envoyée"),
    "cancelled": ("cancelled", "annulée"),
    "void": ("void", "nulle"),
}
"""What the outcomes of `close` leaves mean."""

WORDS: dict[str, tuple[str, str]] = {
    "verified": ("the whole log checks out", "tout le journal est en règle"),
    "cheated": ("findings: {}", "constats : {}"),
    "altered": (
        "files are missing or not what was signed ({1}); nobody is accused",
        "des fichiers manquent ou ne sont pas ce qui a été signé ({1}) ; personne n’est accusé",
    ),
    "no_anchor": (
        "everything agrees, but by the operator’s word alone: bring an earlier checkpoint, or a policy with witnesses",
        "tout concorde, mais sur la seule parole de l’opérateur : apportez un état signé plus ancien,"
        " ou un fichier de confiance avec des témoins",
    ),
    "unaccused": ("nobody is accused, but findings: {}", "personne n’est accusé, mais constats : {}"),
    "sized": ("{} leaves, {} matches", "{} feuilles, {} parties"),
    "last": ("only the last signatures were checked", "seules les dernières signatures ont été contrôlées"),
    "log": ("Log {0}: {1} leaves, root {2}", "Journal {0} : {1} feuilles, racine {2}"),
    "witnesses": (
        "Witnesses of the policy that cosigned: {}",
        "Témoins du fichier de confiance qui ont contresigné : {}",
    ),
    "since": (
        "Since your checkpoint of {} leaves: matches closed before it are not replayed again.",
        "Depuis votre état signé à {} feuilles : les parties closes avant lui ne sont pas rejouées.",
    ),
    "counts": (
        "Matches {0}, closed {1}, replayed {2}, skipped {3}, known from before {4}; signatures {5}, transactions {6},"
        " checkpoints {7}",
        "Parties {0}, closes {1}, rejouées {2}, passées {3}, déjà connues {4} ; signatures {5}, opérations {6},"
        " états signés {7}",
    ),
    "findings": ("What contradicts what was signed: {}", "Ce qui contredit ce qui a été signé : {}"),
    "faults": ("Files, which accuse nobody: {}", "Fichiers, qui n’accusent personne : {}"),
    "not_closed": (
        "To ask about: matches past their time whose seed is not revealed: {}",
        "À demander : parties hors délai dont la graine n’est pas révélée : {}",
    ),
    "endings": ("Endings of matches that all seats had joined", "Fins des parties que tous avaient rejointes"),
    "accounts": (
        "To ask about: accounts whose matches did not end played: {}",
        "À demander : comptes dont des parties n’ont pas été jouées jusqu’au bout : {}",
    ),
    "void": ("To ask about: void matches: {}", "À demander : parties nulles : {}"),
    "lost": (
        "To ask about: matches lost with a store: {}",
        "À demander : parties perdues avec une base restaurée : {}",
    ),
    "seen": (
        "To ask about: players who name a checkpoint that is not this log’s: {}",
        "À demander : joueurs qui nomment un état signé étranger à ce journal : {}",
    ),
    "backwards": (
        "To ask about: matches opened before others that stand earlier: {}",
        "À demander : parties ouvertes avant d’autres qui les précèdent : {}",
    ),
    "unsigned": (
        "To ask about: transactions that the log does not cover yet: {}",
        "À demander : opérations que le journal ne couvre pas encore : {}",
    ),
    "unsigned_lines": ("{0}, the first {1} old", "{0}, la première il y a {1}"),
    "more": ("… and {} more (--json has all)", "… et {} de plus (--json les donne tous)"),
    "match": ("match {}", "partie {}"),
    "leaf": ("leaf {}", "feuille {}"),
    "open_match": ("{0}, leaf {1}: {2} past its time", "{0}, feuille {1} : {2} de retard"),
    "days": ("{} d", "{} j"),
    "hours": ("{} h", "{} h"),
    "minutes": ("{} min", "{} min"),
    "seconds": ("{} s", "{} s"),
    "account": ("{0}: {1} of {2} ({3}); seeds not sent: {4}", "{0} : {1} sur {2} ({3}) ; graines non envoyées : {4}"),
    "seen_match": ("{0}, event {1}: size {2}", "{0}, événement {1} : taille {2}"),
    "back_match": ("{0}, leaf {1}: {2}", "{0}, feuille {1} : {2}"),
}
"""Key → (English, French)."""
