/** Every word of the page, French and English. */

/** @type {Record<string, [string, string]>} */
const TEXTS = {
  title: ["Vérifier cette partie", "Check this match"],
  offline: [
    "Hors ligne : vos fichiers restent ici. Cette page s'interdit tout réseau.",
    "Offline: your files stay here. This page forbids itself all network.",
  ],
  language: ["Langue", "Language"],
  files: ["Fichiers", "Files"],
  drop: ["Déposez vos fichiers n'importe où sur la page, ou choisissez-les.", "Drop your files anywhere on the page, or choose them."],
  "file bundle": ["Dossier de la partie", "Match bundle"],
  "file held": ["Votre fichier de joueur", "Your held file"],
  "file policy": ["Clés de confiance", "Trusted keys"],
  "hint bundle": ["le fichier .fairdeal", "the .fairdeal file"],
  "hint held": ["le fichier .held que votre programme a gardé", "the .held file that your program kept"],
  "hint policy": ["la liste (policy), obtenue ailleurs que dans le dossier", "the policy, from elsewhere than the bundle"],
  choose: ["Choisir", "Choose"],
  remove: ["Retirer : {what}", "Remove: {what}"],
  paste: ["Coller les clés de confiance", "Paste the trusted keys"],
  "paste use": ["Utiliser ce texte", "Use this text"],
  pasted: ["texte collé", "pasted text"],
  busy: ["Vérification en cours…", "Checking…"],
  failed: [
    "La page elle-même a échoué ; cela ne dit rien de la partie. {why}",
    "The page itself failed; this says nothing about the match. {why}",
  ],
  old: [
    "Ce navigateur ne sait pas vérifier les signatures Ed25519. Prenez une version récente de Firefox, Chrome, Edge ou Safari, et ouvrez la page depuis le disque.",
    "This browser cannot check Ed25519 signatures. Take a recent Firefox, Chrome, Edge or Safari, and open the page from disk.",
  ],
  "unusable policy": ["La liste de clés de confiance n'est pas lisible ; rien n'a été vérifié.", "The policy cannot be read; nothing was checked."],
  "unusable held": ["Le fichier de joueur n'est pas lisible ; rien n'a été vérifié.", "The held file cannot be read; nothing was checked."],
  "unusable foreign": ["Ce fichier de joueur est celui d'une autre partie ; rien n'a été vérifié.", "This held file is of another match; nothing was checked."],
  unusable: ["À remplacer", "To be replaced"],

  "verdict verified": ["Vérifiée", "Verified"],
  "verdict cheated": ["Tricherie prouvée", "Cheating proven"],
  "verdict altered": ["Fichier modifié", "File altered"],
  "verdict pending": ["En attente", "Pending"],
  "verdict unchecked": ["Non vérifiable", "Cannot be verified"],
  "verdict malformed": ["Illisible", "Unreadable"],
  "said verified": [
    "Les 32 cartes étaient fixées avant la première donne ; personne, serveur compris, n'a pu les choisir.",
    "The 32 cards were fixed before the first deal; nobody, the server included, could choose them.",
  ],
  "said verified annonces": [
    "Le premier paquet et toutes les coupes étaient fixés avant la première donne ; personne, serveur compris, n'a pu les choisir.",
    "The first pack and every cut were fixed before the first deal; nobody, the server included, could choose them.",
  ],
  "said verified none": [
    "Aucune carte n'a été donnée ; la fin de la table et l'argent suivent les règles.",
    "No card was dealt; the end of the table and the money follow the rules.",
  ],
  "said verified lost": [
    "L'opérateur a inscrit au journal que la suite de cette partie est perdue ; elle est nulle, et ce qui en reste suit les règles.",
    "The operator put into the log that the rest of this match is lost; it is void, and what is left of it follows the rules.",
  ],
  "said cheated": [
    "Des textes signés se contredisent ou enfreignent une règle. La preuve tient dans ces fichiers ; le contrôle en rouge dit où.",
    "Signed texts contradict each other or break a rule. The evidence is in these files; the check in red tells where.",
  ],
  "said altered": [
    "Ce fichier n'est pas le dossier qui a été signé. Cela n'accuse personne : demandez-en une autre copie.",
    "This file is not the record that was signed. Nobody is accused: ask for another copy.",
  ],
  "said pending": [
    "Rien d'anormal jusqu'ici, mais la partie n'est pas close dans cette copie : la graine du serveur reste à révéler.",
    "Consistent so far, but the match is not closed in this copy: the server seed is still to be revealed.",
  ],
  "said unchecked": [
    "Un contrôle a échoué. Sans liste de clés de confiance, personne n'est mis en cause : ajoutez-la.",
    "A check failed. Without a policy nobody is held to account: add one.",
  ],
  "said unchecked no_policy": [
    "Tout concorde, mais rien ne dit qui a signé : ajoutez les clés de confiance.",
    "Everything agrees, but nothing tells who signed it: add the trusted keys.",
  ],
  "said unchecked no_anchor": [
    "Tout concorde, mais seule la parole de l'opérateur dit que c'est la partie jouée : ajoutez votre fichier de joueur, ou une liste avec assez de témoins.",
    "Everything agrees, but only the operator's word says that this is the match that was played: add your held file, or a policy with enough witnesses.",
  ],
  "said unchecked unknown_key": [
    "Ce dossier est signé par une clé que votre liste ne connaît pas.",
    "This record is signed by a key that your policy does not know.",
  ],
  "said unchecked not_closed": [
    "Rien d'anormal jusqu'ici, mais la partie n'est pas close dans cette copie, et aucune clé de confiance n'est donnée.",
    "Consistent so far, but the match is not closed in this copy, and no trusted key is given.",
  ],
  "said malformed": [
    "Ce fichier n'est pas un dossier de partie lisible : il a été coupé, ou ce n'est pas le bon.",
    "This file is not a readable match record: it was cut, or is not the right one.",
  ],
  "full sentence": ["Le rapport en une ligne", "The report in one line"],
  place: ["Lieu", "Place"],
  "place deal": ["donne {deal}, événement {event}", "deal {deal}, event {event}"],
  "place event": ["événement {event}", "event {event}"],
  "place header": ["l'en-tête du fichier, ou le fichier entier", "the file's header, or the whole file"],
  "place missing": ["après le dernier événement ({event})", "after the last event ({event})"],
  "place between": ["quelque part entre les événements {from} et {to}", "somewhere between events {from} and {to}"],
  rule: ["Règle", "Rule"],
  event: ["Événement {n}, tel qu'il est écrit", "Event {n}, as it is written"],
  save: ["Enregistrer le rapport", "Save the report"],

  checks: ["Les contrôles", "The checks"],
  why: ["Pourquoi", "Why"],
  "result passed": ["réussi", "passed"],
  "result failed": ["échec", "failed"],
  "result not run": ["pas fait", "not run"],
  "result none": ["sans objet", "no log"],
  "check 0": ["Le fichier est lisible", "The file can be read"],
  "check 1": ["Il est signé par une clé de confiance", "A trusted key signed it"],
  "check 2": ["Le journal de toutes les parties", "The log of all matches"],
  "check 3": ["Rien n'a été changé, ôté ni ajouté", "Nothing was changed, taken out or added"],
  "check 4": ["Chaque coup est signé par son joueur", "Each move is signed by its player"],
  "check 5": ["Le serveur a tenu son engagement", "The server kept its commitment"],
  "check 6": ["Les joueurs ont tenu le leur", "The players kept theirs"],
  "check 7": ["Les cartes sont celles des graines", "The cards are those of the seeds"],
  "check 8": ["Tours, règles et délais sont respectés", "Turns, rules and times were kept"],
  "check 9": ["Les points et la fin sont justes", "Points and end are right"],
  "check 10": ["L'argent est réparti comme annoncé", "The money is split as announced"],
  "why 0": [
    "Chaque ligne n'a qu'une écriture possible. Deux programmes ne peuvent donc pas lire deux choses dans le même fichier.",
    "Each line can be written in one way only, so no two programs can read two things in one file.",
  ],
  "why 1": [
    "N'importe qui peut fabriquer un dossier et le signer de sa propre clé. Seule une clé que vous tenez d'ailleurs dit qui tient le journal. Des témoins contresignent ses états et attestent qu'il n'a qu'une histoire, la même pour tous.",
    "Anybody can make a record and sign it with a key of their own. Only a key that you have from elsewhere tells who keeps the log. Witnesses cosign its states and attest that it has one history, the same for everybody.",
  ],
  "why 1 without log": [
    "N'importe qui peut fabriquer un dossier et le signer de sa propre clé. Seule une clé que vous tenez d'ailleurs dit qui a signé celui-ci.",
    "Anybody can make a record and sign it with a key of their own. Only a key that you have from elsewhere tells who signed this one.",
  ],
  "why 2": [
    "Toutes les parties sont inscrites dans un seul journal, qui ne peut que s'allonger. La table y figure dès son ouverture, avant que quiconque s'assoie : une partie inscrite ne peut plus être ôtée ni remplacée.",
    "All matches are written into one log that can only grow. A table stands in it from its opening, before anybody sits down: a match that is in it can be neither taken out nor exchanged.",
  ],
  "why 2 without log": [
    "Cette partie n'est dans aucun journal. Votre fichier de joueur en tient lieu : il garde ce que le serveur a signé pendant le jeu.",
    "This match is in no log. Your held file stands in for it: it keeps what the server signed while you played.",
  ],
  "why 3": [
    "Une seule empreinte, la racine, résume tous les événements dans l'ordre : une lettre changée en donne une autre. Celle du fichier doit être celle que l'opérateur a signée ; ce que le journal dit de la table, de la première donne et de la fin, et ce que votre fichier a gardé pendant le jeu, doit s'y retrouver.",
    "One fingerprint, the root, sums up all events in order: one changed letter makes another. The file's must be the one that the operator signed; what the log says of the table, of the first deal and of the end, and what your held file kept while playing, must fit it.",
  ],
  "why 3 without log": [
    "Une seule empreinte, la racine, résume tous les événements dans l'ordre : une lettre changée en donne une autre. Celle du fichier doit être celle que l'opérateur a signée, et les reçus gardés pendant le jeu doivent s'y retrouver.",
    "One fingerprint, the root, sums up all events in order: one changed letter makes another. The file's must be the one that the operator signed, and the receipts kept while playing must fit it.",
  ],
  "why 4": [
    "Un joueur signe son coup avec tout ce qui le précède. Le serveur ne peut donc ni l'inventer, ni le déplacer, ni changer le passé.",
    "A player signs a move together with everything before it. So the server can neither invent it, nor move it, nor change the past.",
  ],
  "why 5": [
    "Le serveur a publié l'empreinte de sa graine à l'ouverture de la table, avant de savoir qui viendrait. La graine révélée à la fin doit avoir cette empreinte : il n'a pas pu en changer.",
    "The server published the hash of its seed when the table opened, before it knew who would come. The seed revealed at the end must have that hash: it could not be changed.",
  ],
  "why 6": [
    "Chaque joueur s'engage de même en s'asseyant, et n'ouvre sa graine qu'une fois la table complète. Une seule graine honnête suffit pour que personne n'ait choisi les cartes.",
    "Each player commits in the same way when joining, and opens the seed only once the table is full. One honest seed is enough for nobody to have chosen the cards.",
  ],
  "why 7": [
    "La graine du serveur, celles des joueurs et la racine de la table donnent un nombre, et ce nombre un ordre des 32 cartes. On le refait ici. Les mains qui vous ont été montrées doivent en venir.",
    "The server's seed, the players' and the table's root make a number, and that number an order of the 32 cards. It is made again here. The hands you were shown must come from it.",
  ],
  "why 8": [
    "La partie est rejouée coup par coup : le bon joueur, une carte permise, avant l'échéance ; un dépassement n'est compté qu'après le délai.",
    "The match is played again move by move: the right player, a card that is allowed, before the deadline; a timeout only after it.",
  ],
  "why 9": ["Les points de chaque donne et les totaux sont recomptés, et la fin doit en découler.", "The points of each deal and the totals are counted again, and the end must follow from them."],
  "why 10": [
    "Mise, commission et taxe ont été annoncées avant de s'asseoir. Chaque ligne est recalculée, et leur somme est nulle.",
    "Stake, commission and tax were announced before anybody sat down. Each line is worked out again, and their sum is zero.",
  ],

  file: ["Fichier", "File"],
  size: ["Taille", "Size"],
  "size value": ["{bytes} octets, {events} événements", "{bytes} bytes, {events} events"],
  match: ["Partie", "Match"],
  ruleset: ["Règles", "Rules"],
  "log signed by": ["Le journal est signé par", "The log is signed by"],
  "match signed by": ["La partie est signée par", "The match is signed by"],
  "your keys": ["Vos clés de confiance", "Your trusted keys"],
  none: ["aucune", "none"],
  "none held": ["aucun fichier de joueur", "no held file"],
  "receipt key": ["Clé nommée par la table", "Key that the table names"],
  "log origin": ["Journal", "Log"],
  "log size": ["Inscriptions au journal", "Leaves in the log"],
  "log root": ["Racine du journal", "Root of the log"],
  witness: ["Témoin {name}", "Witness {name}"],
  cosigned: ["a contresigné cet état le {time}", "cosigned this state on {time}"],
  "cosigned unchecked": ["une contresignature non vérifiée", "a cosignature that was not checked"],
  "not cosigned": ["n'a pas contresigné", "did not cosign"],
  quorum: ["Témoins demandés par votre liste", "Witnesses that your policy asks for"],
  "quorum none": ["aucun", "none"],
  "leaf open": ["Ouverture de la table", "Table opened"],
  "leaf full": ["Table complète", "Table full"],
  "leaf start": ["Première donne", "First deal"],
  "leaf close": ["Fin de la partie", "Match closed"],
  "leaf at": ["inscription n° {index}", "leaf {index}"],
  "leaf at outcome": ["inscription n° {index} ({outcome})", "leaf {index} ({outcome})"],
  "seat saw": ["Siège {seat}, avant de s'asseoir", "Seat {seat}, before joining"],
  saw: ["avait vu {size} inscriptions", "had seen {size} leaves"],
  "saw nothing": ["n'avait rien vu du journal", "had seen nothing of the log"],
  "your proofs": ["Vos preuves du journal", "Your proofs of the log"],
  "signed root": ["Racine signée", "Signed root"],
  "computed root": ["Racine recalculée", "Computed root"],
  "your receipts": ["Vos reçus", "Your receipts"],
  "receipts value": ["{count}, siège {seat}, le dernier après {last} événements", "{count}, seat {seat}, the last one after {last} events"],
  "seat key": ["Siège {seat}, clé", "Seat {seat}, key"],
  "seat signatures": ["Siège {seat}, coups signés", "Seat {seat}, signed moves"],
  commitment: ["Engagement", "Commitment"],
  seed: ["Graine", "Seed"],
  "hash of seed": ["SHA-256 de la graine", "SHA-256 of the seed"],
  "seat of": ["Siège {seat}", "Seat {seat}"],
  "not revealed": ["pas encore révélée", "not revealed yet"],
  "table root": ["Racine de la table", "Table root"],
  "first dealer": ["Premier donneur", "First dealer"],
  message: ["Message", "Message"],
  hmac: ["HMAC-SHA-256", "HMAC-SHA-256"],
  index: ["Nombre (mod 32!)", "Index (mod 32!)"],
  cut: ["Coupe", "Cut"],
  "cut value": ["{cut} cartes", "{cut} cards"],
  actions: ["Coups", "Moves"],
  timeouts: ["Dépassements", "Timeouts"],
  resumes: ["Reprises après panne", "Resumes after an outage"],
  began: ["Ouverture", "Opened"],
  ended: ["Dernier événement", "Last event"],
  totals: ["Totaux", "Totals"],
  end: ["Fin", "End"],
  "end target": ["objectif atteint", "target reached"],
  "end overruns": ["perdue au temps", "lost on time"],
  "end resigned": ["abandon", "resignation"],
  "end seed": ["une graine n'est pas venue", "a seed did not come"],
  "end cancelled": ["table annulée", "table cancelled"],
  "end void": ["partie nulle", "void match"],
  "end lost": ["perdue avec le stockage du serveur", "lost with the server's store"],
  "no end": ["pas dans cette copie", "not in this copy"],

  deals: ["Les donnes", "The deals"],
  "no packs": [
    "Les paquets se calculent avec toutes les graines ; elles ne sont pas toutes dans ce fichier.",
    "The packs are worked out from all seeds; they are not all in this file.",
  ],
  "no deals": ["Aucune carte n'a été donnée.", "No card was dealt."],
  deal: ["Donne {number}", "Deal {number}"],
  "deal broken": ["Un contrôle s'arrête dans cette donne ; la suite n'est pas montrée.", "A check stops in this deal; what follows is not shown."],
  pack: ["Le paquet, de la première carte donnée à la dernière", "The pack, from the first card dealt to the last"],
  arithmetic: ["Le calcul de ce paquet", "The arithmetic of this pack"],
  "hands played": ["Mains au début du jeu", "Hands when play begins"],
  "hands dealt": ["Mains distribuées", "Hands as dealt"],
  seat: ["Siège {seat}", "Seat {seat}"],
  "seat you": ["Siège {seat} (vous)", "Seat {seat} (you)"],
  dealer: ["donneur", "dealer"],
  turned: ["Retourne", "Turned"],
  bidding: ["Enchères", "Bidding"],
  "bid pass": ["passe", "pass"],
  "bid take": ["prend", "takes"],
  "bid coinche": ["coinche", "coinche"],
  "bid surcoinche": ["surcoinche", "surcoinche"],
  "bid resign": ["abandonne", "resigns"],
  "bid declare": ["annonce", "declares"],
  late: ["au temps", "by timeout"],
  tricks: ["Plis", "Tricks"],
  "trick won": ["pli au siège {seat}", "trick to seat {seat}"],
  remark: ["{word} (siège {seat})", "{word} (seat {seat})"],
  "trick open": ["pli inachevé", "unfinished trick"],
  announcements: ["Annonces montrées", "Announcements shown"],
  belote: ["belote", "belote"],
  rebelote: ["rebelote", "rebelote"],
  score: ["Compte", "Score"],
  side: ["Camp {side}", "Side {side}"],
  points: ["Points", "Points"],
  "tricks won": ["Plis", "Tricks"],
  marks: ["Marqués", "Marks"],
  total: ["Total", "Total"],
  "outcome made": ["contrat rempli", "made"],
  "outcome made+capot": ["contrat rempli, capot", "made, capot"],
  "outcome dedans": ["dedans", "dedans"],
  "outcome failed": ["contrat chuté", "failed"],
  "outcome capot": ["capot", "capot"],
  "outcome litige": ["litige", "litige"],
  "outcome void": ["donne nulle", "void deal"],
  takes: ["siège {seat} prend à {trump}", "seat {seat} takes in {trump}"],

  money: ["L'argent", "The money"],
  account: ["Compte", "Account"],
  amount: ["Montant", "Amount"],
  "account pot": ["Pot", "Pot"],
  "account commission": ["Commission", "Commission"],
  "account tax": ["Taxe", "Tax"],
  "no money": ["Pas de mise à cette table, ou pas encore de règlement dans cette copie.", "No stake at this table, or no settlement yet in this copy."],

  "no money lost": ["Partie perdue : selon les règles, chaque mise est rendue ; ce dossier ne le montre pas.", "A lost match: by the rules each stake goes back; this file does not show it."],

  change: ["Changer une carte", "Change one card"],
  "change what": [
    "Voyez la vérification refuser un mensonge d'une seule carte. La copie est changée en mémoire ; vos fichiers ne le sont pas.",
    "See the check refuse a lie of one single card. The copy is changed in memory; your files are not.",
  ],
  "change none": ["Cette copie ne contient pas de carte à changer.", "This copy holds no card to change."],
  "change do": ["Changer une carte", "Change one card"],
  "change undo": ["Remettre la carte", "Put the card back"],
  "change did": ["Événement {event} : {from} est devenu {to}.", "Event {event}: {from} has become {to}."],
  "change roots": [
    "Une seule carte change, et toute la racine avec elle. L'opérateur a signé la première ; s'il signait la seconde, les signatures des joueurs et vos reçus le montreraient.",
    "One card changes, and the whole root with it. The operator signed the first; were they to sign the second, the players' signatures and your receipts would show it.",
  ],
  "change back": ["La carte est remise ; la vérification du fichier intact :", "The card is back; the check of the untouched file:"],

  limits: ["Ce que cela ne prouve pas", "What this does not prove"],
  "limit 1": ["Qui était assis. L'adversaire peut être la maison, et deux sièges une seule personne.", "Who sat there. The opponent can be the house, and two seats one person."],
  "limit 2": ["Que personne n'a reçu de conseil, ou n'a perdu exprès.", "That nobody had help, or lost on purpose."],
  "limit 3": ["Que le serveur n'a montré vos cartes à personne : il les connaît toutes dès la dernière graine.", "That the server showed your cards to nobody: from the last seed on it knows them all."],
  "limit 4": ["L'heure. Le serveur dit quand il a reçu un coup ; il peut prétendre qu'il est arrivé tard.", "The time. The server says when a move reached it; it can pretend that it came late."],
  "limit 5": ["Qu'une partie annulée, nulle ou perdue l'a été pour une bonne raison.", "That a match was cancelled, void or lost for a good reason."],
  "limit 6": [
    "Qu'une partie a vraiment été jouée. L'opérateur et tous les joueurs peuvent en inventer une ensemble ; le journal les empêche seulement de la remplacer ensuite.",
    "That a match was really played. Operator and all players can make one up together; the log only keeps them from exchanging it afterwards.",
  ],
  "limit 6 without log": ["Rien, si l'opérateur et tous les joueurs refont ensemble une partie et si aucun fichier de joueur de la vraie ne reste.", "Anything, if operator and all players make a match anew together and no held file of the true one is left."],
  "limit 7": [
    "Que le journal montré ici est celui de tout le monde, si votre liste ne demande pas de témoins, ou si l'opérateur les tient. Les témoins attestent une seule histoire ; ils ne contrôlent pas les parties.",
    "That the log shown here is everybody's, if your policy asks for no witnesses, or if the operator holds them. Witnesses attest one history; they do not check matches.",
  ],
  "limit 7 without log": ["Qu'aucune autre version de cette partie n'a été montrée à d'autres : aucun journal ne l'exclut.", "That no other version of this match was shown to others: no log rules it out."],
  "limit 8": [
    "Que les autres parties du journal sont honnêtes. C'est l'audit de tout le journal qui le dit.",
    "That the other matches of the log are honest. The audit of the whole log tells that.",
  ],
  "limit 8 without log": ["Que d'autres parties n'ont pas été passées sous silence.", "That no other matches were kept out of sight."],
  "limit 9": ["Que l'opérateur possède l'argent qu'il inscrit.", "That the operator holds the money that is written down."],
  "limit 10": ["Que cette page est honnête. Gardez-en une copie, lisez-la, ou comparez avec le second programme, écrit à part :", "That this page is honest. Keep a copy, read it, or compare with the other program, written apart:"],
  copy: ["Copier la commande", "Copy the command"],
  copied: ["Copié", "Copied"],

  card: ["{rank} de {suit}", "{rank} of {suit}"],
  "rank 7": ["sept", "seven"],
  "rank 8": ["huit", "eight"],
  "rank 9": ["neuf", "nine"],
  "rank 10": ["dix", "ten"],
  "rank J": ["valet", "jack"],
  "rank Q": ["dame", "queen"],
  "rank K": ["roi", "king"],
  "rank A": ["as", "ace"],
  "suit S": ["pique", "spades"],
  "suit H": ["cœur", "hearts"],
  "suit D": ["carreau", "diamonds"],
  "suit C": ["trèfle", "clubs"],
};

const LANGUAGES = ["fr", "en"];
let language = "fr";

/** "fr" or "en". */
export const currentLanguage = () => language;

/** @param {string} chosen */
export function chooseLanguage(chosen) {
  language = chosen;
}

/** French, unless the reader's first language that this page has is English. @param {readonly string[]} wanted */
export const languageOf = (wanted) => wanted.map((tag) => tag.slice(0, 2)).find((tag) => LANGUAGES.includes(tag)) ?? "fr";

/** @param {string} key */
export const has = (key) => key in TEXTS;

/** The words for a key, with the values of its places in braces. @param {string} key @param {Record<string, any>} [values] */
export function say(key, values = {}) {
  const text = TEXTS[key][LANGUAGES.indexOf(language)];
  const filled = text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  // French puts a space before these signs, at which no line may break.
  return language === "fr" ? filled.replace(/ (?=[;:?!])/g, "\u00a0") : filled;
}

/** A whole number as readers write it. @param {number | bigint} value */
export const number = (value) => value.toLocaleString(language);

/** An amount in the smallest unit, in units of the asset. @param {number} amount @param {{code: string, exponent: number}} asset */
export function money(amount, { code, exponent }) {
  const digits = String(Math.abs(amount)).padStart(exponent + 1, "0");
  const whole = number(BigInt(digits.slice(0, digits.length - exponent)));
  const rest = exponent === 0 ? "" : (language === "fr" ? "," : ".") + digits.slice(digits.length - exponent);
  return `${amount < 0 ? "−" : ""}${whole}${rest} ${code}`;
}
