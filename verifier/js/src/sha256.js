/**
 * SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), synchronous.
 *
 * WebCrypto has both, but each call there costs a promise and a thread hop, and a match takes thousands of hashes of two
 * blocks: in plain code the tree and the pass stay simple functions, and are quicker.
 */

import { concat } from "./bytes.js";

const BLOCK = 64;

/** First n primes. @param {number} n */
function primes(n) {
  const found = [];
  for (let i = 2; found.length < n; i++) if (found.every((p) => i % p !== 0)) found.push(i);
  return found;
}

/** First 32 bits of the fraction of the root of a prime: the standard's own definition of its constants. */
function rootFraction(prime, degree) {
  const square = BigInt(prime) << BigInt(32 * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(degree) <= square) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

const INITIAL = Int32Array.from(primes(8), (prime) => rootFraction(prime, 2));
const ROUND = Int32Array.from(primes(64), (prime) => rootFraction(prime, 3));
const schedule = new Int32Array(64);

/** @param {Int32Array} state @param {DataView} data @param {number} at offset of a block */
function compress(state, data, at) {
  for (let i = 0; i < 16; i++) schedule[i] = data.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const v = schedule[i - 15];
    const w = schedule[i - 2];
    const s0 = ((v >>> 7) | (v << 25)) ^ ((v >>> 18) | (v << 14)) ^ (v >>> 3);
    const s1 = ((w >>> 17) | (w << 15)) ^ ((w >>> 19) | (w << 13)) ^ (w >>> 10);
    schedule[i] = (schedule[i - 16] + s0 + schedule[i - 7] + s1) | 0;
  }
  // Read and written one by one: taking a typed array apart goes through its iterator, for every block.
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + schedule[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function sha256(message) {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  const data = new DataView(padded.buffer);
  data.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const state = INITIAL.slice();
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, data, at);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, i) => out.setInt32(4 * i, word));
  return digest;
}

/** @param {Uint8Array} key @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function hmacSha256(key, message) {
  const padded = new Uint8Array(BLOCK);
  padded.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(concat(padded.map((byte) => byte ^ 0x36), message));
  return sha256(concat(padded.map((byte) => byte ^ 0x5c), inner));
}
