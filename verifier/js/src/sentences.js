/** One sentence for a reader who is no engineer, by verdict and cause. */

/** @typedef {{fr: string, en: string}} Words */

/** The verdict for a French reader, beside the word that is never translated. @type {Record<string, string>} */
const GLOSSES = {
  verified: "vérifiée",
  cheated: "tricherie prouvée",
  pending: "en attente",
  malformed: "illisible",
  unchecked: "non vérifiable",
  altered: "fichier modifié",
};

/** @type {Record<string, Words>} */
const VERDICTS = {
  cheated: {
    fr: "des textes signés se contredisent ou enfreignent une règle",
    en: "cheating is proven, signed texts contradict each other or break a rule",
  },
  malformed: {
    fr: "ce fichier n’est pas un dossier de partie",
    en: "this file is not a readable match record",
  },
  altered: {
    fr: "ce fichier n’est pas le dossier qui a été signé, cela n’accuse personne",
    en: "this file is not the record that was signed, nobody is accused",
  },
  unchecked: {
    fr: "sans liste de clés de confiance personne n’est mis en cause, mais le contrôle a échoué",
    en: "without a policy nobody is held to account, but the check failed",
  },
};

/** What confirms a verified match, by its anchor. @type {Record<string, Words>} */
const ANCHORED = {
  witnesses: {
    fr: "tout est en règle, ce dossier est celui qui a été signé, et assez de témoins du journal le confirment",
    en: "everything holds, this file is the record that was signed, and enough witnesses of the log confirm it",
  },
  held: {
    fr: "tout est en règle, ce dossier est celui qui a été signé, et votre fichier de joueur le confirme",
    en: "everything holds, this file is the record that was signed, and your held file confirms it",
  },
};

/** Causes that say all, whatever the verdict. @type {Record<string, Words>} */
const WHOLE = {
  not_closed: {
    fr: "rien d’anormal jusqu’ici, mais la partie n’est pas close dans cette copie",
    en: "consistent so far, but the match is not closed in this copy",
  },
  no_policy: {
    fr: "tout concorde, mais sans liste de clés de confiance rien ne dit qui a signé",
    en: "everything agrees, but without a policy nothing tells who signed it",
  },
  unknown_key: {
    fr: "le dossier est signé par une clé que votre liste de confiance ne connaît pas",
    en: "the record is signed by a key that your policy does not know",
  },
  no_anchor: {
    fr: "tout concorde, mais seule la parole de l’opérateur dit que c’est la partie jouée, il manque assez de témoins ou votre fichier de joueur",
    en: "everything agrees, but only the operator’s word says that this match was played, enough witnesses or a held file that anchors it are missing",
  },
};

/** @type {Record<string, Words>} */
const CAUSES = {
  size: { fr: "une taille dépasse la limite", en: "a size is over its limit" },
  encoding: { fr: "une ligne n’est pas en forme canonique", en: "a line is not in canonical form" },
  header: { fr: "la première ligne n’est pas valable", en: "the header is not valid" },
  schema: { fr: "un événement n’a pas la forme prévue", en: "an event does not have its form" },
  index: { fr: "un événement n’est pas à sa place", en: "an event is not at its place" },
  head_signature: { fr: "la signature de l’en-tête n’est pas la bonne", en: "the head’s signature is not the right one" },
  checkpoint: { fr: "l’état du journal n’est pas signé comme il faut, ou est celui d’un autre journal", en: "the log’s checkpoint is not signed as it must be, or is of another log" },
  leaf: { fr: "une inscription au journal ne correspond pas à la partie", en: "a leaf of the log does not fit the match" },
  inclusion: { fr: "une inscription n’est pas prouvée dans le journal", en: "a leaf is not proven to be in the log" },
  leaf_missing: { fr: "une inscription au journal manque", en: "a leaf of the log is missing" },
  consistency: { fr: "le journal ne prolonge pas celui qu’un joueur avait vu", en: "the log does not go on from the one that a player had seen" },
  log_order: { fr: "le journal a inscrit la partie dans le désordre", en: "the log has the match out of order" },
  held_log: { fr: "une preuve du journal dans le fichier de joueur ne tient pas", en: "a proof of the log in the held file does not hold" },
  log_fork: { fr: "le journal a montré une autre histoire pendant la partie", en: "the log showed another history during the match" },
  events_missing: { fr: "des événements manquent", en: "events are missing" },
  events_extra: { fr: "des événements ont été ajoutés", en: "events were added" },
  root: { fr: "un événement a été modifié", en: "an event was changed" },
  held_signature: { fr: "une ligne du fichier de joueur ne tient pas", en: "a line of the held file does not hold" },
  fork: { fr: "un reçu signé montre une autre version de la partie", en: "a signed receipt shows another match" },
  seat_key: { fr: "la clé d’un joueur n’est pas valable", en: "a player’s key is not valid" },
  signed_root: { fr: "un joueur a signé un autre passé", en: "a player signed another past" },
  seat_signature: { fr: "la signature d’un joueur est fausse", en: "a player’s signature is wrong" },
  commitment: { fr: "la graine du serveur n’est pas celle promise", en: "the server seed is not the one committed to" },
  no_reveal: { fr: "la graine du serveur manque", en: "the server seed is missing" },
  seat_seed: { fr: "la graine d’un joueur n’est pas celle promise", en: "a player’s seed is not the one committed to" },
  deal: { fr: "une donne n’est pas celle que les graines imposent", en: "a deal is not the one the seeds make" },
  shown_hand: { fr: "une main montrée n’est pas celle de la donne", en: "a hand that was shown is not that of the deal" },
  order: { fr: "un événement n’a pas sa place ici", en: "an event may not stand here" },
  terms: { fr: "l’ouverture nomme une autre partie ou une autre clé que l’en-tête signé", en: "the terms are not those of the signed head" },
  clock: { fr: "une heure enfreint les règles de la pendule", en: "a time breaks the clock rules" },
  turn: { fr: "ce n’était pas à ce joueur de parler ou de jouer", en: "it was not this player’s turn" },
  illegal: { fr: "l’enchère ou la carte n’était pas permise", en: "an action that is not allowed" },
  says: { fr: "la belote ou la rebelote manque, ou est dite à tort", en: "a belote is wrongly said or missing" },
  timeout: { fr: "un dépassement de temps est mal compté ou mal joué", en: "a timeout is wrongly counted or played" },
  resume: { fr: "une reprise enfreint ses règles", en: "a resume breaks its rules" },
  shown_legal: { fr: "les coups montrés ne sont pas les coups permis", en: "the actions that were shown are not those allowed" },
  duplicate: { fr: "une clé ou un engagement sert deux fois", en: "a key or a commitment serves twice" },
  show: { fr: "les annonces montrées ne sont pas celles qui comptent", en: "the announcements shown are not those that count" },
  score: { fr: "le compte des points est faux", en: "a score is wrong" },
  end: { fr: "la fin de partie n’est pas la bonne", en: "the end is not the right one" },
  settle: { fr: "le règlement n’est pas le bon", en: "the settlement is not the right one" },
};

/** @type {Record<string, Words>} */
const REASONS = {
  target: { fr: "objectif atteint", en: "target reached" },
  overruns: { fr: "partie perdue au temps", en: "lost on time" },
  resigned: { fr: "abandon", en: "resignation" },
  seed: { fr: "une graine n’est pas venue", en: "a seed did not come" },
  cancelled: { fr: "table annulée", en: "table cancelled" },
  void: { fr: "partie nulle", en: "void match" },
  lost: { fr: "partie perdue avec le stockage du serveur", en: "match lost with the server’s store" },
};

/** Singular and plural. @type {Record<"timeouts" | "resumes" | "voids", {fr: [string, string], en: [string, string]}>} */
const COUNTED = {
  timeouts: { fr: ["dépassement", "dépassements"], en: ["timeout", "timeouts"] },
  resumes: { fr: ["reprise", "reprises"], en: ["resume", "resumes"] },
  voids: { fr: ["donne nulle", "donnes nulles"], en: ["void deal", "void deals"] },
};

/** @typedef {"fr" | "en"} Language */
/** @typedef {Omit<import("./report.js").Report, "sentence">} Facts */

/** One line for a person (protocol 6.4). @param {Facts} facts @param {number} seats of the table @param {Language} lang */
export function sentence(facts, seats, lang) {
  const parts = [whatWasFound(facts, lang) + whereItIs(facts, lang)];
  if (facts.verdict !== "malformed") {
    parts.push(howItEnded(facts, seats, lang), whatHappened(facts, lang));
    if (facts.signatures === "last") {
      parts.push({ fr: "seules les dernières signatures ont été contrôlées", en: "only the last signatures were checked" }[lang]);
    }
  }
  return lang === "fr" ? `${facts.verdict}: ${GLOSSES[facts.verdict]}, ${parts.join(" ; ")}.` : `${facts.verdict}: ${parts.join("; ")}.`;
}

/** @param {Facts} facts @param {Language} lang */
function whatWasFound({ verdict, cause, anchor }, lang) {
  if (cause === null) return ANCHORED[/** @type {string} */ (anchor)][lang];
  if (cause in WHOLE) return WHOLE[cause][lang];
  return `${VERDICTS[verdict][lang]}${lang === "fr" ? " : " : ": "}${CAUSES[cause][lang]}`;
}

/** @param {Facts} facts @param {Language} lang */
function whereItIs({ broken_at, step, suspects }, lang) {
  const places = [];
  if (suspects !== null && suspects[0] < suspects[1]) {
    const [from, to] = suspects;
    places.push({ fr: `quelque part dans les événements ${from} à ${to}`, en: `somewhere in events ${from} to ${to}` }[lang]);
  } else if (broken_at !== null) {
    places.push(`${{ fr: "événement", en: "event" }[lang]} ${broken_at}`);
  }
  if (step !== null) places.push(`${{ fr: "étape", en: "step" }[lang]} ${step}`);
  return places.length > 0 ? ` (${places.join(", ")})` : "";
}

/** @param {Facts} facts @param {number} seats @param {Language} lang */
function howItEnded({ ending }, seats, lang) {
  if (ending === null) return { fr: "sans fin", en: "without an end" }[lang];
  return `${REASONS[ending.reason][lang]}, ${whoWon(ending.winner, seats)[lang]}`;
}

/** @param {number | null} winner side @param {number} seats @returns {Words} */
function whoWon(winner, seats) {
  if (winner === null) return { fr: "personne ne gagne", en: "nobody wins" };
  if (seats === 2) return { fr: `le joueur du siège ${winner} gagne`, en: `seat ${winner} wins` };
  const partner = winner + 2;
  return { fr: `les joueurs des sièges ${winner} et ${partner} gagnent`, en: `seats ${winner} and ${partner} win` };
}

/** @param {Facts} facts @param {Language} lang */
function whatHappened({ counts }, lang) {
  return Object.entries(COUNTED)
    .map(([name, words]) => {
      const number = counts[/** @type {keyof typeof COUNTED} */ (name)];
      // French says "0 reprise", English "0 resumes".
      const several = lang === "fr" ? number > 1 : number !== 1;
      return `${number} ${words[lang][several ? 1 : 0]}`;
    })
    .join(", ");
}
