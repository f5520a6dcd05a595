/** A log of all matches for the tests: its proofs, its checkpoints and its witnesses, and the parts of files made from them. */

import { concat, fromHex, toBase64, toHex, utf8 } from "../src/bytes.js";
import { encodeBytes } from "../src/canonical.js";
import { leafHash, roots } from "../src/merkle.js";
import { COSIGNS, SIGNS, verifierKey } from "../src/notes.js";
import { sha256 } from "../src/sha256.js";
import { LOG, signingKey } from "./builder.js";

/** @typedef {import("./builder.js").Table} Table */

const NODE = Uint8Array.of(1);
/** Leaves of other matches before this one, and between its own. */
const BEFORE = 5;
export const TIME = 1_750_000_000;

/** Largest power of two below n. @param {number} n */
const half = (n) => 2 ** Math.ceil(Math.log2(n) - 1);

/** RFC 6962, 2.1. @param {Uint8Array[]} leaves @returns {string} */
function rootOf(leaves) {
  if (leaves.length === 1) return leafHash(leaves[0]);
  const k = half(leaves.length);
  return toHex(sha256(concat(NODE, fromHex(rootOf(leaves.slice(0, k))), fromHex(rootOf(leaves.slice(k))))));
}

/** RFC 6962, 2.1.1. @param {number} index @param {Uint8Array[]} leaves @returns {string[]} */
export function inclusion(index, leaves) {
  if (leaves.length === 1) return [];
  const k = half(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return index < k ? [...inclusion(index, left), rootOf(right)] : [...inclusion(index - k, right), rootOf(left)];
}

/** RFC 6962, 2.1.2. @param {number} old @param {Uint8Array[]} leaves @returns {string[]} */
export const consistency = (old, leaves) => (old === 0 || old === leaves.length ? [] : subproof(old, leaves, true));

/** @param {number} old @param {Uint8Array[]} leaves @param {boolean} whole @returns {string[]} */
function subproof(old, leaves, whole) {
  if (old === leaves.length) return whole ? [] : [rootOf(leaves)];
  const k = half(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return old <= k ? [...subproof(old, left, whole), rootOf(right)] : [...subproof(old - k, right, false), rootOf(left)];
}

/** A leaf of somebody else's. @param {number} number */
const other = (number) => ({ commitment: "ab".repeat(32), m: "cd".repeat(16), root: toHex(sha256(utf8(String(number)))), type: "open" });

const OUTCOMES = { target: "played", overruns: "forfeit", resigned: "forfeit", seed: "no_seed", cancelled: "cancelled", void: "void" };

/** The leaves that an honest log has of a sealed table (7.2). @param {Table} table @returns {any[]} */
export function leavesOf({ events, roots: all, m, seats }) {
  const { commitment } = events[0].data;
  const leaves = [{ commitment, m, root: all[1], type: "open" }];
  if (events[seats.length]?.type === "join") leaves.push({ m, root: all[seats.length + 1], type: "full" });
  const deal = events.findIndex(({ type }) => type === "deal");
  if (deal >= 0) leaves.push({ m, root: all[deal + 1], size: deal + 1, type: "start" });
  const end = events.find(({ type }) => type === "end")?.data;
  const reveal = events.find(({ type }) => type === "reveal")?.data;
  if (end === undefined || reveal === undefined) return leaves;
  const sent = events.filter(({ type }) => type === "seed").map(({ by }) => by);
  const more = { seed: { seats: seats.filter((/** @type {number} */ seat) => !sent.includes(seat)) }, void: { cause: end.cause } }[end.reason];
  const { server_seed } = reveal;
  const close = { m, outcome: OUTCOMES[end.reason], root: all[events.length], server_seed, size: events.length, type: "close", ...more };
  return [...leaves, close];
}

/** The `close` of a match whose end was lost with a store. @param {Table} table */
export const lostClose = ({ events, roots: all, m, serverSeed }) => ({
  cause: "lost", m, outcome: "void", root: all[events.length], server_seed: toHex(serverSeed), size: events.length, type: "close",
});

export class Log {
  /** @type {Uint8Array[]} */
  entries = [];

  static async make() {
    const log = new Log();
    log.key = await signingKey("log");
    log.witnesses = await Promise.all([0, 1, 2].map((number) => signingKey(`witness ${number}`)));
    for (let number = 0; number < BEFORE; number++) log.push(other(number));
    return log;
  }

  /** @param {any} leaf @returns {number} its index */
  push(leaf) {
    return this.entries.push(encodeBytes(leaf)) - 1;
  }

  /** What a seat says it saw. @param {number} size */
  seen(size) {
    return { root: roots(this.entries)[size], size };
  }

  /** Puts leaves in, each followed by one of another match. @param {any[]} leaves @returns {{index: number, leaf: any}[]} */
  take(leaves) {
    return leaves.map((leaf) => {
      const index = this.push(leaf);
      this.push(other(index));
      return { index, leaf };
    });
  }

  /** @param {number} [cosigned] so many witnesses @param {{size?: number, origin?: string, key?: any, root?: string}} [change] */
  async checkpoint(cosigned = 0, { size = this.entries.length, origin = LOG, key = this.key, root = this.seen(size).root } = {}) {
    const text = `${origin}\n${size}\n${toBase64(fromHex(root))}\n`;
    const lines = [line(LOG, key, SIGNS, await key.sign(utf8(text)))];
    for (const [number, witness] of this.witnesses.slice(0, cosigned).entries()) {
      const signature = await witness.sign(utf8(`cosignature/v1\ntime ${TIME}\n${text}`));
      lines.push(line(`w${number}.example`, witness, COSIGNS, concat(new Uint8Array(4), u32(TIME), signature)));
    }
    return `${text}\n${lines.join("")}`;
  }

  /** @param {{index: number, leaf: any}[]} placed @param {number} [size] */
  proven(placed, size = this.entries.length) {
    return placed.map(({ index, leaf }) => ({ index, leaf, proof: inclusion(index, this.entries.slice(0, size)) }));
  }

  /** The header's part of the log. @param {{index: number, leaf: any}[]} placed @param {number[]} [seen] sizes @param {number} [cosigned] */
  async part(placed, seen = [], cosigned = 0) {
    return {
      checkpoint: await this.checkpoint(cosigned),
      consistency: seen.map((size) => ({ proof: consistency(size, this.entries), size })),
      leaves: this.proven(placed),
    };
  }

  /** A policy with these lines after the log's key and those of the witnesses a, b, c. @param {string} [rest] @param {any[]} [keys] of the log */
  policy(rest = "quorum none", keys = [this.key]) {
    const logs = keys.map((key) => `log ${vkey(LOG, key, SIGNS)}\n`);
    const witnesses = this.witnesses.map((key, number) => `witness ${"abc"[number]} ${vkey(`w${number}.example`, key, COSIGNS)}\n`);
    return utf8([...logs, ...witnesses, `${rest}\n`].join(""));
  }
}

/** @param {number} value */
function u32(value) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** @param {string} name @param {any} key @param {number} type */
function vkey(name, { raw }, type) {
  return `${name}+${verifierKey(name, raw, type).id}+${toBase64(concat(Uint8Array.of(type), raw))}`;
}

/** @param {string} name @param {any} key @param {number} type @param {Uint8Array} signature */
export const line = (name, { raw }, type, signature) =>
  `\u2014 ${name} ${toBase64(concat(fromHex(verifierKey(name, raw, type).id), signature))}\n`;
