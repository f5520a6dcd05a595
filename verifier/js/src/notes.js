/** Verifier keys, signed notes, checkpoints and cosignatures (protocol 1.6; C2SP formats). */

import { bigEndian, concat, fromBase64, toHex, utf8 } from "./bytes.js";
import { Malformed } from "./errors.js";
import { MAX_KEY_NAME_BYTES, MAX_SIGNATURE_LINES } from "./limits.js";
import { EMPTY_ROOT } from "./merkle.js";
import { sha256 } from "./sha256.js";

/** Types of verifier keys: of a log (or of receipts), and of a witness. */
export const SIGNS = 1;
export const COSIGNS = 4;

const LF = Uint8Array.of(10);
const KEY_BYTES = 32;
const ID_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
const MAX_TIME = 2n ** 63n - 1n;
const NAME = /^[!-*,-~]+$/; // printable ASCII without space and +
const SIZE = /^(0|[1-9][0-9]*)$/;
const CONTROL = /[\u0000-\u001f]/;

/** @typedef {{name: string, id: string, type: number, key: Uint8Array}} VerifierKey `id` as 8 hex digits, `key` 32 bytes */
/** @typedef {{name: string, id: string, signature: Uint8Array}} SignatureLine what stands behind the id, as it came */
/** @typedef {{text: string, lines: SignatureLine[]}} Note */
/** @typedef {{origin: string, size: number, root: string, text: Uint8Array, lines: SignatureLine[]}} Checkpoint `root` 64 hex digits, `text` what is signed */
/** @typedef {Checkpoint & SignatureLine} Receipt a checkpoint with one signature line, whose members it has */

/** @param {string} name */
const isKeyName = (name) => name.length <= MAX_KEY_NAME_BYTES && NAME.test(name);

/** @param {string} name @param {Uint8Array} key @param {number} [type] @returns {VerifierKey} */
export function verifierKey(name, key, type = SIGNS) {
  const hash = sha256(concat(utf8(name), LF, Uint8Array.of(type), key));
  return { name, id: toHex(hash.subarray(0, ID_BYTES)), type, key };
}

/** @param {string} text `<name>+<id>+<base64>` @returns {VerifierKey} @throws {Malformed} */
export function parseVerifierKey(text) {
  // The base64 part may hold a + of its own; the name and the id hold none.
  const [name, id] = text.split("+", 2);
  if (!isKeyName(name) || id === undefined) throw new Malformed("encoding", "a verifier key has a name and an id");
  const bytes = fromBase64(text.slice(name.length + id.length + 2));
  if (bytes.length !== 1 + KEY_BYTES || ![SIGNS, COSIGNS].includes(bytes[0])) throw new Malformed("encoding", "not an Ed25519 verifier key");
  const made = verifierKey(name, bytes.subarray(1), bytes[0]);
  if (made.id !== id) throw new Malformed("encoding", "the key id is not that of the key");
  return made;
}

/** @param {string} note @returns {Note} its text with the final LF, and its signature lines @throws {Malformed} cause `header` */
export function parseNote(note) {
  const split = note.lastIndexOf("\n\n");
  const [text, signed] = [note.slice(0, split + 1), note.slice(split + 2)];
  const lines = signed.split("\n");
  if (split < 0 || lines.pop() !== "" || lines.length === 0) throw new Malformed("header", "no text with signature lines");
  if (lines.length > MAX_SIGNATURE_LINES) throw new Malformed("header", "too many signature lines");
  if (CONTROL.test(text.replaceAll("\n", ""))) throw new Malformed("header", "a control character in a note");
  return { text, lines: lines.map(parseSignatureLine) };
}

/** @param {string} line without its LF @returns {SignatureLine} @throws {Malformed} cause `header` or `encoding` */
function parseSignatureLine(line) {
  const [dash, name, base64, ...more] = line.split(" ");
  if (dash !== "\u2014" || base64 === undefined || more.length > 0 || !isKeyName(name)) {
    throw new Malformed("header", "not a signature line");
  }
  const bytes = fromBase64(base64);
  if (bytes.length <= ID_BYTES) throw new Malformed("header", "a signature line without a signature");
  return { name, id: toHex(bytes.subarray(0, ID_BYTES)), signature: bytes.subarray(ID_BYTES) };
}

/** @param {string} note @returns {Checkpoint} @throws {Malformed} */
export function parseCheckpoint(note) {
  const { text, lines } = parseNote(note);
  const [origin, size, root, ...more] = text.split("\n");
  if (origin === "" || more.length !== 1) throw new Malformed("header", "a checkpoint has three lines");
  if (!SIZE.test(size) || !Number.isSafeInteger(Number(size))) throw new Malformed("header", "not a size");
  const rootBytes = fromBase64(root);
  if (rootBytes.length !== 32) throw new Malformed("header", "a root has 32 bytes");
  if (size === "0" && toHex(rootBytes) !== EMPTY_ROOT) throw new Malformed("header", "not the root of the empty tree");
  return { origin, size: Number(size), root: toHex(rootBytes), text: utf8(text), lines };
}

/** A head or a receipt: one signature line, of an Ed25519 signature. @param {string} note @returns {Receipt} @throws {Malformed} */
export function parseReceipt(note) {
  const checkpoint = parseCheckpoint(note);
  const [line, ...more] = checkpoint.lines;
  if (more.length > 0 || line.signature.length !== SIGNATURE_BYTES) throw new Malformed("header", "not one Ed25519 signature line");
  return { ...checkpoint, ...line };
}

/** Seconds since 1970 that a cosignature names. @param {SignatureLine} line @returns {bigint} */
export const cosignedAt = ({ signature }) => bigEndian(signature.subarray(0, TIME_BYTES));

/**
 * Whether a line is the signature, or of a witness's key the cosignature, of a note's text.
 * @param {import("./ed25519.js").SignatureChecker} checker @param {VerifierKey} key @param {Uint8Array} text @param {SignatureLine} line
 * @returns {Promise<boolean>}
 */
export async function lineHolds(checker, { type, key }, text, line) {
  const { signature } = line;
  if (type === SIGNS) return signature.length === SIGNATURE_BYTES && checker.verify(key, text, signature);
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return false;
  const time = cosignedAt(line);
  const cosigned = concat(utf8(`cosignature/v1\ntime ${time}\n`), text);
  return time <= MAX_TIME && checker.verify(key, cosigned, signature.subarray(TIME_BYTES));
}
