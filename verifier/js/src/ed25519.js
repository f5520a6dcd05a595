/**
 * Ed25519 by the one rule set of protocol 1.3.
 *
 * WebCrypto checks the equation; what implementations differ in (encodings, low order, S) is checked here before it is asked,
 * so that every platform gives the same answer. Curve arithmetic is only needed for keys, a handful per match.
 */

import { littleEndian, toHex } from "./bytes.js";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const SIGN = 1n << 255n;

/** Protocol 1.4. */
const LOW_ORDER = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]);

const mod = (/** @type {bigint} */ a) => {
  const rest = a % P;
  return rest < 0n ? rest + P : rest;
};

/** @param {bigint} base @param {bigint} exponent */
function power(base, exponent) {
  let result = 1n;
  for (let square = base; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

/** @typedef {[bigint, bigint, bigint, bigint]} Point extended coordinates X, Y, Z, T */

/** RFC 8032, 5.1.3, for canonical encodings only. @param {Uint8Array} key @returns {Point | null} */
function decode(key) {
  const number = littleEndian(key);
  const y = number & (SIGN - 1n);
  if (y >= P) return null;
  const u = mod(y * y - 1n);
  const v = mod(D * y * y + 1n);
  const v3 = mod(v * v * v);
  let x = mod(u * v3 * power(mod(u * v3 * v3 * v), (P - 5n) / 8n));
  const check = mod(v * x * x);
  if (check === mod(-u)) x = mod(x * ROOT_OF_MINUS_ONE);
  else if (check !== u) return null;
  const odd = (number & SIGN) !== 0n;
  if (x === 0n && odd) return null;
  if (((x & 1n) === 1n) !== odd) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

/** RFC 8032, 5.1.4. @param {Point} p @param {Point} q @returns {Point} */
function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = ((y1 - x1) * (y2 - x2)) % P;
  const b = ((y1 + x1) * (y2 + x2)) % P;
  const c = (2n * D * ((t1 * t2) % P)) % P;
  const d = (2n * z1 * z2) % P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [(e * f) % P, (g * h) % P, (f * g) % P, (e * h) % P];
}

/** RFC 8032, 5.1.4, which has fewer products for a point and itself. @param {Point} point @returns {Point} */
function double([x, y, z]) {
  const a = (x * x) % P;
  const b = (y * y) % P;
  const h = a + b;
  const e = (h - (x + y) * (x + y)) % P;
  const g = a - b;
  const f = (2n * z * z + g) % P;
  return [(e * f) % P, (g * h) % P, (f * g) % P, (e * h) % P];
}

/** Whether [L]A is the identity. @param {Point} point */
function torsionFree(point) {
  /** @type {Point} */
  let sum = [0n, 1n, 1n, 0n];
  for (const bit of L.toString(2)) {
    sum = double(sum);
    if (bit === "1") sum = add(sum, point);
  }
  return mod(sum[0]) === 0n && mod(sum[1] - sum[2]) === 0n;
}

/** Whether the key obeys rule 1. @param {Uint8Array} key 32 bytes */
export const keyIsSound = (key) => !LOW_ORDER.has(toHex(key)) && decode(key) !== null;

/** Whether the key obeys rules 1 and 4, as keys that join and receipt keys must. @param {Uint8Array} key 32 bytes */
export function keyMayJoin(key) {
  if (LOW_ORDER.has(toHex(key))) return false;
  const point = decode(key);
  return point !== null && torsionFree(point);
}

/** Checks signatures, and remembers the keys it has seen: one object serves one verification. */
export class SignatureChecker {
  /** @type {Map<string, Promise<CryptoKey | null>>} */
  #keys = new Map();

  /**
   * Whether rules 1 to 3 hold.
   * @param {Uint8Array} key 32 bytes
   * @param {Uint8Array} message
   * @param {Uint8Array} signature 64 bytes
   * @returns {Promise<boolean>}
   * @throws when the platform has no Ed25519: that must never read as a bad signature
   */
  async verify(key, message, signature) {
    if (LOW_ORDER.has(toHex(signature.subarray(0, 32))) || littleEndian(signature.subarray(32)) >= L) return false;
    const imported = await this.#import(key);
    return imported !== null && crypto.subtle.verify("Ed25519", imported, signature, message);
  }

  /** @param {Uint8Array} key @returns {Promise<CryptoKey | null>} null for a key that breaks rule 1 */
  #import(key) {
    const name = toHex(key);
    let imported = this.#keys.get(name);
    if (imported === undefined) {
      imported = keyIsSound(key)
        ? crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"])
        : Promise.resolve(null);
      this.#keys.set(name, imported);
    }
    return imported;
  }
}
