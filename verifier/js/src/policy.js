/** The policy: whose keys are trusted, and which witnesses are enough (protocol 5.3; C2SP tlog-policy). */

import { fromUtf8, toHex } from "./bytes.js";
import { keyMayJoin } from "./ed25519.js";
import { Malformed, UsageError } from "./errors.js";
import { MAX_POLICY_BYTES } from "./limits.js";
import { COSIGNS, lineHolds, parseVerifierKey, SIGNS } from "./notes.js";

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/; // all but tab and LF
const BLANKS = /[ \t]+/;
const NUMBER = /^[1-9][0-9]*$/;
const NONE = "none";

/** @typedef {import("./notes.js").VerifierKey} VerifierKey */
/** @typedef {{threshold: number, members: string[]}} Group */

/** Keys by name and id, witnesses and groups by the names that the policy gives them. */
export class Policy {
  /** @type {VerifierKey[]} */
  logs = [];
  /** @type {Map<string, VerifierKey>} */
  witnesses = new Map();
  /** @type {Map<string, Group>} */
  groups = new Map();
  /** @type {string | null} name of a witness or a group, `none`; null until it is read */
  quorum = null;

  /** @param {{name: string, id: string}} wanted @returns {VerifierKey | undefined} key of a log, or of receipts */
  find(wanted) {
    return this.logs.find((key) => isOf(key, wanted));
  }

  /** @param {{name: string, id: string}} wanted @returns {VerifierKey | undefined} any listed key */
  findAny(wanted) {
    return this.find(wanted) ?? [...this.witnesses.values()].find((key) => isOf(key, wanted));
  }

  /** Whether the witnesses who cosigned are enough; never where the policy asks for none. @param {VerifierKey[]} cosigned */
  isMet(cosigned) {
    const met = new Set([...this.witnesses].filter(([, key]) => cosigned.includes(key)).map(([name]) => name));
    // Members stand before their group.
    for (const [name, { threshold, members }] of this.groups) {
      if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
    }
    return this.quorum !== null && met.has(this.quorum);
  }
}

/** @param {{name: string, id: string}} key @param {{name: string, id: string}} wanted */
const isOf = (key, wanted) => key.name === wanted.name && key.id === wanted.id;

/**
 * Who signed a checkpoint; lines of unknown keys are not looked at.
 * @typedef {object} Signers
 * @property {VerifierKey[]} logs listed log keys that signed
 * @property {VerifierKey[]} witnesses listed witnesses that cosigned
 * @property {boolean} hold whether every line by a listed key verifies, and no key has two
 */

/**
 * @param {Policy} policy @param {import("./ed25519.js").SignatureChecker} checker
 * @param {{text: Uint8Array, lines: import("./notes.js").SignatureLine[]}} note
 * @returns {Promise<Signers>}
 */
export async function signersOf(policy, checker, { text, lines }) {
  /** @type {VerifierKey[]} */
  const keys = [];
  const checks = lines.flatMap((line) => {
    const key = policy.findAny(line);
    if (key === undefined) return [];
    keys.push(key);
    return [lineHolds(checker, key, text, line)];
  });
  const hold = (await Promise.all(checks)).every(Boolean) && new Set(keys).size === keys.length;
  const ofType = (/** @type {number} */ type) => keys.filter((key) => key.type === type);
  return { logs: ofType(SIGNS), witnesses: ofType(COSIGNS), hold };
}

/** @param {Uint8Array} bytes a policy file @returns {Policy} @throws {UsageError} */
export function parsePolicy(bytes) {
  try {
    if (bytes.length > MAX_POLICY_BYTES) throw new Malformed("size", "the file is too large");
    return readPolicy(fromUtf8(bytes));
  } catch (error) {
    if (error instanceof Malformed) throw new UsageError(`policy: ${error.message}`);
    throw error;
  }
}

/** @param {string} text @returns {Policy} */
function readPolicy(text) {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Malformed("encoding", "the last line does not end");
  if (CONTROL.test(text)) throw new Malformed("encoding", "a control character");
  const policy = new Policy();
  for (const line of lines) {
    const items = line.split(BLANKS).filter((item) => item !== "");
    if (items.length > 0 && !items[0].startsWith("#")) readLine(policy, items);
  }
  if (policy.logs.length === 0 || policy.quorum === null) throw new Malformed("encoding", "one log at least, and one quorum");
  return policy;
}

/** @param {Policy} policy @param {string[]} items of one line */
function readLine(policy, [kind, ...items]) {
  const [first, second] = items;
  if (kind === "log" && (items.length === 1 || items.length === 2)) {
    policy.logs.push(newKey(policy, first, SIGNS));
  } else if (kind === "witness" && (items.length === 2 || items.length === 3)) {
    checkNew(policy, first);
    policy.witnesses.set(first, newKey(policy, second, COSIGNS));
  } else if (kind === "group" && items.length > 2) {
    checkNew(policy, first);
    policy.groups.set(first, newGroup(policy, second, items.slice(2)));
  } else if (kind === "quorum" && items.length === 1 && policy.quorum === null && (first === NONE || isNamed(policy, first))) {
    policy.quorum = first;
  } else {
    throw new Malformed("encoding", "a line that a policy has not");
  }
}

/** @param {Policy} policy @param {string} name */
const isNamed = (policy, name) => policy.witnesses.has(name) || policy.groups.has(name);

/** @param {Policy} policy @param {string} name of a witness or a group */
function checkNew(policy, name) {
  if (name === NONE || isNamed(policy, name)) throw new Malformed("encoding", "a name that is taken");
}

/** @param {Policy} policy @param {string} text @param {number} type @returns {VerifierKey} */
function newKey(policy, text, type) {
  const key = parseVerifierKey(text);
  if (key.type !== type) throw new Malformed("encoding", "a key of another type");
  const others = type === SIGNS ? policy.logs : [...policy.witnesses.values()];
  // A name and an id must mean one key; ids are short enough to collide on purpose.
  if (policy.findAny(key) !== undefined) throw new Malformed("encoding", "a name and id twice");
  if (others.some((other) => toHex(other.key) === toHex(key.key))) throw new Malformed("encoding", "a public key twice");
  if (!keyMayJoin(key.key)) throw new Malformed("encoding", "a key that signs nothing");
  return key;
}

/** @param {Policy} policy @param {string} threshold @param {string[]} members @returns {Group} */
function newGroup(policy, threshold, members) {
  const grouped = [...policy.groups.values()].flatMap((group) => group.members);
  const free = members.every((name) => isNamed(policy, name) && !grouped.includes(name));
  if (!free || new Set(members).size < members.length) throw new Malformed("encoding", "a member unknown, or in two groups");
  const needed = threshold === "all" ? members.length : threshold === "any" ? 1 : NUMBER.test(threshold) ? Number(threshold) : NaN;
  if (!(needed <= members.length)) throw new Malformed("encoding", "a threshold out of range");
  return { threshold: needed, members };
}
