/** The cases of a file like tests/vectors/tlog.json that a verifier answers for, one count a group. */

import { fromBase64, fromHex, fromUtf8, isHex, toBase64, toHex, utf8 } from "./src/bytes.js";
import { parse } from "./src/canonical.js";
import { keyIsSound, SignatureChecker } from "./src/ed25519.js";
import { Malformed, UsageError } from "./src/errors.js";
import { EMPTY_ROOT, isContinued, isIncluded, leafHash, roots } from "./src/merkle.js";
import { COSIGNS, cosignedAt, lineHolds, parseCheckpoint, parseNote, parseVerifierKey } from "./src/notes.js";
import { parsePolicy, Policy, signersOf } from "./src/policy.js";

/** `holds` says what this verifier finds. @typedef {{id: string, ok: boolean, holds: () => boolean | Promise<boolean>}} Case */

const checker = new SignatureChecker();
const PROOF = /^c2sp\.org\/tlog-proof@v1\n(?:extra [^\n]*\n)?index (0|[1-9][0-9]*)\n((?:[^\n]+\n)*)\n([^]*)$/;

/** A SHA-256 hash in base64, as hex. @param {string} base64 @throws {Malformed} */
function hash(base64) {
  const hex = toHex(fromBase64(base64));
  if (!isHex(hex, 32)) throw new Malformed("encoding", "not a SHA-256 hash");
  return hex;
}

/** A signature line alone, read under a text that any note may have. @param {string} line with its LF */
const lineOf = (line) => parseNote(`text\n\n${line}`).lines[0];

/** @param {any} merkle @returns {Case[]} */
function rootCases({ empty_root, leaf_inputs_hex, leaf_hashes_hex, roots_hex_by_size, leaf_n_tree }) {
  const small = roots(leaf_inputs_hex.map(fromHex));
  const large = roots(numbered(leaf_n_tree));
  return [
    { id: "empty", ok: true, holds: () => EMPTY_ROOT === empty_root },
    ...leaf_hashes_hex.map((/** @type {string} */ hex, /** @type {number} */ i) => ({ id: `leaf ${i}`, ok: true, holds: () => leafHash(fromHex(leaf_inputs_hex[i])) === hex })),
    ...roots_hex_by_size.map((/** @type {string} */ root, /** @type {number} */ size) => ({ id: `size ${size}`, ok: true, holds: () => small[size] === root })),
    ...Object.entries(leaf_n_tree.roots_hex).map(([size, root]) => ({ id: `leaf n, size ${size}`, ok: true, holds: () => large[Number(size)] === root })),
  ];
}

/** The leaves "leaf 0", "leaf 1" ... of the largest tree named. @param {any} tree */
const numbered = ({ roots_hex }) => Array.from({ length: Math.max(...Object.keys(roots_hex).map(Number)) }, (_, i) => utf8(`leaf ${i}`));

/** @param {any} merkle @returns {Case[]} */
function inclusionCases({ inclusion_cases, leaf_n_tree, index_size_malleability }) {
  const leaves = numbered(leaf_n_tree);
  const all = roots(leaves);
  const { leaf_hash, proof: same, root: sameRoot, also_verifies } = index_size_malleability;
  const hashes = (/** @type {string[]} */ proof) => proof.map(hash);
  return [
    ...inclusion_cases.map((/** @type {any} */ { id, index, size, leaf_hash: leaf, root, proof, ok, ok_strict = ok }) => ({
      id, ok: ok_strict, holds: () => isIncluded({ hash: hash(leaf), index }, { size, root: hash(root) }, hashes(proof)),
    })),
    ...leaf_n_tree.inclusion.map((/** @type {any} */ { index, size, proof }) => ({
      id: `leaf n, ${index} of ${size}`, ok: true, holds: () => isIncluded({ hash: leafHash(leaves[index]), index }, { size, root: all[size] }, hashes(proof)),
    })),
    ...also_verifies.map((/** @type {number[]} */ [index, size]) => ({
      id: `another size, ${index} of ${size}`, ok: true, holds: () => isIncluded({ hash: hash(leaf_hash), index }, { size, root: hash(sameRoot) }, hashes(same)),
    })),
  ];
}

/** @param {any} merkle @returns {Case[]} */
function consistencyCases({ consistency_cases, leaf_n_tree, forged_prepend }) {
  const all = roots(numbered(leaf_n_tree));
  const holds = (/** @type {number} */ size1, /** @type {string} */ root1, /** @type {number} */ size2, /** @type {string} */ root2, /** @type {string[]} */ proof) =>
    isContinued({ size: size1, root: root1 }, { size: size2, root: root2 }, proof.map(hash));
  const { root1: old, root2: next, bad_proofs } = forged_prepend;
  return [
    ...consistency_cases.map((/** @type {any} */ { id, size1, size2, root1, root2, proof, ok, ok_strict = ok }) => ({
      id, ok: ok_strict, holds: () => holds(size1, hash(root1), size2, hash(root2), proof),
    })),
    ...leaf_n_tree.consistency.map((/** @type {any} */ { size1, size2, proof }) => ({
      id: `leaf n, ${size1} to ${size2}`, ok: true, holds: () => holds(size1, all[size1], size2, all[size2], proof),
    })),
    ...bad_proofs.map((/** @type {string[]} */ proof, /** @type {number} */ i) => ({ id: `forged ${i}`, ok: false, holds: () => holds(2, hash(old), 4, hash(next), proof) })),
  ];
}

/** Whether a note is signed by one of these keys, and no line of theirs is wrong. @param {string} note @param {string[]} vkeys */
async function isSigned(note, vkeys) {
  const policy = new Policy();
  policy.logs = vkeys.map(parseVerifierKey);
  const { text, lines } = parseNote(note);
  const { logs, hold } = await signersOf(policy, checker, { text: utf8(text), lines });
  return hold && logs.length > 0;
}

/** @param {any} group @returns {Case[]} */
const noteCases = ({ notes, vkeys }) => [
  ...notes.map((/** @type {any} */ { id, note_b64, vkeys: keys, ok }) => ({ id, ok, holds: () => isSigned(fromUtf8(fromBase64(note_b64)), keys) })),
  ...vkeys.map((/** @type {any} */ { vkey, ok }) => ({ id: vkey, ok, holds: () => parseVerifierKey(vkey) !== undefined })),
];

/** Any line that is well formed, so that the text alone decides. */
const SOME_LINE = `\n\u2014 example.com/x ${toBase64(new Uint8Array(68))}\n`;

/** @param {any[]} bodies @returns {Case[]} */
const bodyCases = (bodies) =>
  bodies.map(({ id, text_b64, ok }) => ({ id, ok, holds: () => parseCheckpoint(fromUtf8(fromBase64(text_b64)) + SOME_LINE) !== undefined }));

/** @param {any[]} notes @returns {Case[]} */
const checkpointCases = (notes) =>
  notes.map(({ id, note, vkey, origin, size, ok = true }) => ({
    id, ok, holds: async () => {
      const checkpoint = parseCheckpoint(note);
      return checkpoint.origin === origin && checkpoint.size === size && isSigned(note, [vkey]);
    },
  }));

/** @param {any} group @returns {Case[]} */
function cosignatureCases({ verify, sign, spec_example_layout: layout }) {
  const cosigned = async (/** @type {string} */ note, /** @type {string} */ vkey, /** @type {number} */ timestamp) => {
    const key = parseVerifierKey(vkey);
    const { text, lines } = parseCheckpoint(note);
    const own = lines.filter(({ name, id }) => name === key.name && id === key.id);
    return own.length === 1 && key.type === COSIGNS && cosignedAt(own[0]) === BigInt(timestamp) && lineHolds(checker, key, text, own[0]);
  };
  const example = () => {
    const line = lineOf(`${layout.line}\n`);
    return line.id === layout.key_id_hex && line.signature.length === layout.bytes - 4 && cosignedAt(line) === BigInt(layout.timestamp);
  };
  return [
    ...verify.map((/** @type {any} */ { id, note, vkey, timestamp, ok = true }) => ({ id, ok, holds: () => cosigned(note, vkey, timestamp) })),
    { id: "sign", ok: true, holds: () => cosigned(`${sign.checkpoint_text}\n${sign.signature_line}`, sign.vkey, sign.timestamp) },
    { id: "layout", ok: true, holds: example },
  ];
}

/** @param {any} group @returns {Case[]} */
function proofCases({ leaf, policy: { origin, log, witnesses, quorum }, proofs }) {
  const names = witnesses.map((/** @type {string} */ vkey, /** @type {number} */ i) => [`w${i}`, vkey]);
  const members = names.map(([name]) => name).join(" ");
  const listed = names.map(([name, vkey]) => `witness ${name} ${vkey}\n`).join("");
  const policy = parsePolicy(utf8(`log ${log}\n${listed}group enough ${quorum} ${members}\nquorum enough\n`));
  const holds = async (/** @type {string} */ text) => {
    const [, index, hashes, note] = PROOF.exec(text) ?? [];
    if (note === undefined) return false;
    const checkpoint = parseCheckpoint(note);
    const { logs, witnesses: cosigned, hold } = await signersOf(policy, checker, checkpoint);
    const included = isIncluded({ hash: leafHash(utf8(leaf)), index: Number(index) }, checkpoint, hashes.split("\n").slice(0, -1).map(hash));
    return included && hold && logs.length > 0 && checkpoint.origin === origin && policy.isMet(cosigned);
  };
  return proofs.map((/** @type {any} */ { id, proof, ok }) => ({ id, ok, holds: () => holds(proof) }));
}

/** @param {any} group @returns {Case[]} */
const canonicalCases = ({ accept_b64, reject }) => [
  ...accept_b64.map((/** @type {string} */ b64) => ({ id: b64, ok: true, holds: () => parse(fromBase64(b64)) !== undefined })),
  ...reject.map((/** @type {any} */ { b64, why }) => ({ id: why, ok: false, holds: () => parse(fromBase64(b64)) !== undefined })),
];

/** @param {any} group @returns {Case[]} */
const ed25519Cases = ({ good, s_plus_L, low_order_encodings }) => [
  ...[good, s_plus_L].map(({ public: key, msg, sig, ok = true }) => ({ id: sig, ok, holds: () => checker.verify(fromHex(key), utf8(msg), fromHex(sig)) })),
  ...low_order_encodings.map((/** @type {string} */ key) => ({ id: `key ${key}`, ok: false, holds: () => keyIsSound(fromHex(key)) })),
  ...low_order_encodings.map((/** @type {string} */ r) => ({
    id: `R ${r}`, ok: false, holds: () => checker.verify(fromHex(good.public), utf8(good.msg), fromHex(r + good.sig.slice(64))),
  })),
];

/** What each line of the output counts: its name, the part of the file, and the cases made of it. @type {[string, string, (part: any) => Case[]][]} */
const GROUPS = [
  ["merkle roots", "merkle", rootCases],
  ["merkle inclusion", "merkle", inclusionCases],
  ["merkle consistency", "merkle", consistencyCases],
  ["signed_note", "signed_note", noteCases],
  ["checkpoint_body", "checkpoint_body", bodyCases],
  ["checkpoint_notes", "checkpoint_notes", checkpointCases],
  ["cosignature_v1", "cosignature_v1", cosignatureCases],
  ["tlog_proof", "tlog_proof", proofCases],
  ["canonical_profile", "canonical_profile", canonicalCases],
  ["ed25519", "ed25519", ed25519Cases],
];

/** Whether this verifier takes what the case gives. @param {Case} each */
async function isTaken({ holds }) {
  try {
    return await holds();
  } catch (error) {
    if (error instanceof Malformed || error instanceof UsageError) return false;
    throw error;
  }
}

/**
 * Runs every group that the file has.
 * @param {Uint8Array} bytes the file
 * @returns {Promise<{lines: string[], agrees: boolean}>} a line a group, and one for each case that comes out otherwise
 * @throws {UsageError} for a file that is none of cases
 */
export async function runTlogCases(bytes) {
  const file = readCases(bytes);
  const lines = [];
  let agrees = true;
  for (const [name, part, casesOf] of GROUPS.filter(([, each]) => each in file)) {
    const cases = casesOf(file[part]);
    const taken = await Promise.all(cases.map(isTaken));
    const wrong = cases.filter(({ ok }, i) => taken[i] !== ok);
    const valid = taken.filter(Boolean).length;
    lines.push(`${name}: ${valid} valid, ${cases.length - valid} invalid, ${wrong.length} otherwise than the file says`);
    lines.push(...wrong.map(({ id, ok }) => `  ${id}: the file says ${ok ? "valid" : "invalid"}`));
    agrees &&= wrong.length === 0;
  }
  return { lines, agrees };
}

/** @param {Uint8Array} bytes @returns {any} */
function readCases(bytes) {
  let file;
  try {
    file = JSON.parse(fromUtf8(bytes));
  } catch {
    throw new UsageError("the cases are not JSON");
  }
  if (typeof file !== "object" || file === null || !GROUPS.some(([, part]) => part in file)) throw new UsageError("no cases that a verifier knows");
  return file;
}
