/** What the command says of itself, in English and French: facts of protocol 6.1 and 6.4. */

export const USAGE = `usage: cli.mjs BUNDLE [--policy FILE] [--held FILE] [--json] [--lang fr|en] [--signatures all|last]
       cli.mjs --tlog-cases FILE
       cli.mjs --help`;

const EN = `
Judges one match by its bundle file alone: the service that dealt it is neither asked nor believed.

  BUNDLE               the match, a .fairdeal file
  --policy FILE        the keys and witnesses that you trust; you have it from elsewhere than the bundle
  --held FILE          the .held file that your own program kept while you played
  --json               the whole report as one JSON object, in place of the sentence
  --lang fr|en         the language of the sentence; without it the locale's
  --signatures all|last
                       check every signature (as without it), or of each party the last one only
  --tlog-cases FILE    run test cases of transparency logs instead; exit code 1 when one comes out otherwise
  -h, --help           this text

The sentence, or the object, goes to stdout; why nothing could be judged to stderr. The first word is the verdict,
and so is the exit code:

   0  verified         everything holds, and witnesses or your own .held file vouch for it besides the operator
  10  cheated          what a key of your policy signed contradicts itself, or breaks a rule
  11  pending          nothing is wrong so far; this copy is of a match that has not closed
  12  malformed        the file is no bundle
  13  unchecked        no policy, or one without this key; or nothing but the operator's word vouches for it
  15  altered          the file is not the record that was signed; nobody is accused
   1                   the verifier itself failed
   2                   wrong usage: an option, a file that cannot be read, or a policy or .held file that is none, or
                       of another match`;

const FR = `
Juge une partie d’après son seul fichier : le service qui a distribué n’est ni interrogé ni cru.

  BUNDLE               la partie, un fichier .fairdeal
  --policy FILE        les clés et les témoins auxquels vous vous fiez ; il vous vient d’ailleurs que la partie
  --held FILE          le fichier .held que votre propre programme a gardé pendant le jeu
  --json               tout le rapport, en un objet JSON, à la place de la phrase
  --lang fr|en         la langue de la phrase ; sinon celle de l’environnement
  --signatures all|last
                       contrôler chaque signature (comme sans l’option), ou la dernière seule de chacun
  --tlog-cases FILE    jouer plutôt des cas d’essai de journaux ; code 1 quand l’un d’eux finit autrement
  -h, --help           ce texte

La phrase, ou l’objet, va sur stdout ; pourquoi rien n’a pu être jugé, sur stderr. Le premier mot est le verdict,
le code de sortie aussi :

   0  verified         tout est juste, et des témoins ou votre fichier .held en répondent en plus de l’opérateur
  10  cheated          ce qu’une clé de votre fichier de confiance a signé se contredit, ou enfreint une règle
  11  pending          rien de faux jusqu’ici ; la partie de cette copie n’est pas close
  12  malformed        le fichier n’est pas une partie
  13  unchecked        pas de fichier de confiance, ou sans cette clé ; ou seul l’opérateur répond du contenu
  15  altered          le fichier n’est pas celui qui a été signé ; personne n’est accusé
   1                   le vérificateur lui-même a échoué
   2                   mauvais emploi : une option, un fichier qui ne peut être lu, ou un fichier de confiance ou .held
                       qui n’en est pas un, ou est celui d’une autre partie`;

/** @param {string} language @returns {string} */
export const help = (language) => USAGE + "\n" + (language === "fr" ? FR : EN);
