/** Verifier keys, signed checkpoints and the policy (protocol 1.6 and 5.3; C2SP formats). */

import { concat, fromBase64, fromUtf8, toHex, utf8 } from "./bytes.js";
import { keyMayJoin } from "./ed25519.js";
import { Malformed, UsageError } from "./errors.js";
import { MAX_KEY_NAME_BYTES, MAX_POLICY_BYTES } from "./limits.js";
import { EMPTY_ROOT } from "./merkle.js";
import { sha256 } from "./sha256.js";

const ED25519 = Uint8Array.of(1);
const LF = Uint8Array.of(10);
const ID_BYTES = 4;
const NAME = /^[!-*,-~]+$/; // printable ASCII without space and +
const SIZE = /^(0|[1-9][0-9]*)$/;
const CONTROL = /[\u0000-\u001f]/;

/** @typedef {{name: string, id: string, key: Uint8Array}} VerifierKey `id` as 8 hex digits, `key` 32 bytes */

/**
 * @typedef {object} Checkpoint a checkpoint with its one signature line
 * @property {string} origin
 * @property {number} size
 * @property {string} root 64 hex digits
 * @property {Uint8Array} text what is signed
 * @property {string} name key name of the signature line
 * @property {string} id key id of the signature line, 8 hex digits
 * @property {Uint8Array} signature 64 bytes
 */

/** @param {string} name */
const isKeyName = (name) => name.length <= MAX_KEY_NAME_BYTES && NAME.test(name);

/** @param {string} name @param {Uint8Array} key @returns {VerifierKey} */
export function verifierKey(name, key) {
  return { name, id: toHex(sha256(concat(utf8(name), LF, ED25519, key)).subarray(0, ID_BYTES)), key };
}

/** @param {string} text `<name>+<id>+<base64>` @returns {VerifierKey} @throws {Malformed} */
export function parseVerifierKey(text) {
  // The base64 part may hold a + of its own; the name and the id hold none.
  const [name, id] = text.split("+", 2);
  if (!isKeyName(name) || id === undefined) throw new Malformed("encoding", "a verifier key has a name and an id");
  const bytes = fromBase64(text.slice(name.length + id.length + 2));
  if (bytes.length !== 33 || bytes[0] !== ED25519[0]) throw new Malformed("encoding", "not an Ed25519 verifier key");
  const made = verifierKey(name, bytes.subarray(1));
  if (made.id !== id) throw new Malformed("encoding", "the key id is not that of the key");
  return made;
}

/** @param {string} note @returns {Checkpoint} @throws {Malformed} */
export function parseCheckpoint(note) {
  const lines = note.split("\n");
  if (lines.length !== 6 || lines[3] !== "" || lines[5] !== "") {
    throw new Malformed("header", "a checkpoint has three lines, an empty one and one signature line");
  }
  const [origin, size, root, , signatureLine] = lines;
  if (origin === "" || lines.some((line) => CONTROL.test(line))) throw new Malformed("header", "not a note text");
  if (!SIZE.test(size) || !Number.isSafeInteger(Number(size))) throw new Malformed("header", "not a size");
  const rootBytes = fromBase64(root);
  if (rootBytes.length !== 32) throw new Malformed("header", "a root has 32 bytes");
  if (size === "0" && toHex(rootBytes) !== EMPTY_ROOT) throw new Malformed("header", "not the root of the empty tree");
  return {
    origin,
    size: Number(size),
    root: toHex(rootBytes),
    text: utf8(`${origin}\n${size}\n${root}\n`),
    ...parseSignatureLine(signatureLine),
  };
}

/** @param {string} line without its LF @returns {{name: string, id: string, signature: Uint8Array}} @throws {Malformed} */
function parseSignatureLine(line) {
  const [dash, name, base64, ...more] = line.split(" ");
  if (dash !== "\u2014" || base64 === undefined || more.length > 0 || !isKeyName(name)) {
    throw new Malformed("header", "not a signature line");
  }
  const bytes = fromBase64(base64);
  if (bytes.length !== ID_BYTES + 64) throw new Malformed("header", "not an Ed25519 signature line");
  return { name, id: toHex(bytes.subarray(0, ID_BYTES)), signature: bytes.subarray(ID_BYTES) };
}

/** Keys by name and id. */
export class Policy {
  /** @param {VerifierKey[]} keys */
  constructor(keys) {
    this.keys = keys;
  }

  /** @param {{name: string, id: string}} wanted @returns {VerifierKey | undefined} */
  find({ name, id }) {
    return this.keys.find((key) => key.name === name && key.id === id);
  }
}

/** @param {Uint8Array} bytes a policy file @returns {Policy} @throws {UsageError} */
export function parsePolicy(bytes) {
  try {
    if (bytes.length > MAX_POLICY_BYTES) throw new Malformed("size", "the file is too large");
    return new Policy(policyKeys(fromUtf8(bytes)));
  } catch (error) {
    if (error instanceof Malformed) throw new UsageError(`policy: ${error.message}`);
    throw error;
  }
}

/** @param {string} text @returns {VerifierKey[]} */
function policyKeys(text) {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Malformed("encoding", "the last line does not end");
  /** @type {VerifierKey[]} */
  const keys = [];
  let quorums = 0;
  for (const line of lines.filter((each) => each !== "" && !each.startsWith("#"))) {
    if (line === "quorum none") quorums += 1;
    else if (line.startsWith("log ")) addKey(keys, parseVerifierKey(line.slice(4)));
    else throw new Malformed("encoding", "neither a log nor a quorum line");
  }
  if (keys.length === 0 || quorums !== 1) throw new Malformed("encoding", "one log at least, and one quorum");
  return keys;
}

/** @param {VerifierKey[]} keys @param {VerifierKey} key */
function addKey(keys, key) {
  // A name and an id must mean one key; ids are short enough to collide on purpose.
  if (new Policy(keys).find(key) !== undefined) throw new Malformed("encoding", "a name and id twice");
  if (!keyMayJoin(key.key)) throw new Malformed("encoding", "a key that signs nothing");
  keys.push(key);
}
