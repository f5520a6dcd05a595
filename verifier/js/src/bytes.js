/** Bytes, hex, base64 and UTF-8. Strict both ways: only the canonical spelling decodes. */

import { Malformed } from "./errors.js";

const encoder = new TextEncoder();
// `ignoreBOM` keeps a byte order mark in the text, where no format here allows it.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @param {string} text @returns {Uint8Array} */
export const utf8 = (text) => encoder.encode(text);

/** @param {Uint8Array} bytes @returns {string} @throws {Malformed} */
export function fromUtf8(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Malformed("encoding", "not UTF-8");
  }
}

/** @param {Uint8Array[]} parts @returns {Uint8Array} */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} a @param {Uint8Array} b */
export const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** @param {Uint8Array} bytes @returns {string} lowercase hex */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Whether `value` is `length` bytes in lowercase hex (1.2). @param {unknown} value @param {number} length */
export const isHex = (value, length) =>
  typeof value === "string" && value.length === 2 * length && /^[0-9a-f]*$/.test(value);

/** @param {string} text hex that `isHex` accepts @returns {Uint8Array} */
export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** @param {Uint8Array} bytes @returns {string} standard alphabet, with padding */
export const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** @param {string} text @returns {Uint8Array} @throws {Malformed} */
export function fromBase64(text) {
  let binary;
  try {
    binary = atob(text);
  } catch {
    throw new Malformed("encoding", "not base64");
  }
  // atob forgives white space, missing padding and stray bits: only the spelling that btoa writes is canonical.
  if (btoa(binary) !== text) throw new Malformed("encoding", "base64 not in its canonical spelling");
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** @param {Uint8Array} bytes big-endian @returns {bigint} */
export const bigEndian = (bytes) => BigInt("0x" + toHex(bytes));

/** @param {Uint8Array} bytes little-endian @returns {bigint} */
export const littleEndian = (bytes) => bigEndian(Uint8Array.from(bytes).reverse());

/** @param {number} value @returns {Uint8Array} four bytes, big-endian */
export const u32be = (value) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
