/** Canonical JSON, profile cj1 (protocol 1.1): parse, encode again, the bytes must be equal. */

import { fromUtf8, utf8 } from "./bytes.js";
import { Malformed } from "./errors.js";
import { MAX_DEPTH } from "./limits.js";

const KEY = /^[a-z][a-z0-9_]{0,63}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** @param {unknown} value @returns {string} its cj1 text @throws {Malformed} for a value that has none */
export function encode(value) {
  return write(value, 0);
}

/** @param {unknown} value @returns {Uint8Array} @throws {Malformed} */
export const encodeBytes = (value) => utf8(encode(value));

/** Whether two values have the same cj1 text. @param {unknown} a @param {unknown} b */
export const same = (a, b) => encode(a) === encode(b);

/** @param {Uint8Array} bytes one cj1 value, nothing around it @returns {any} @throws {Malformed} */
export function parse(bytes) {
  const text = fromUtf8(bytes);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Malformed("encoding", "not JSON");
  }
  // UTF-8 decodes to one text and back, so equal texts are equal bytes.
  if (encode(value) !== text) throw new Malformed("encoding", "not in canonical form");
  return value;
}

/** @param {unknown} value @param {number} depth number of objects and arrays around it @returns {string} */
function write(value, depth) {
  switch (typeof value) {
    case "string":
      // JSON.stringify would escape a lone surrogate, and so give back a text that hides one.
      if (LONE_SURROGATE.test(value)) throw new Malformed("encoding", "a lone surrogate");
      return JSON.stringify(value);
    case "number":
      // -0 prints as 0, so its text differs; 2^53 and beyond may have been rounded by the parser.
      if (!Number.isSafeInteger(value)) throw new Malformed("encoding", "not an integer within 2^53 - 1");
      return String(value);
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (depth === MAX_DEPTH) throw new Malformed("encoding", "nested too deep");
      return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
    default:
      throw new Malformed("encoding", "no JSON value");
  }
}

/** @param {unknown[]} list @param {number} depth */
const writeArray = (list, depth) => `[${list.map((item) => write(item, depth)).join(",")}]`;

/** @param {Record<string, unknown>} object @param {number} depth */
function writeObject(object, depth) {
  const keys = Object.keys(object).sort();
  for (const key of keys) {
    if (!KEY.test(key)) throw new Malformed("encoding", "a member name outside the profile");
  }
  return `{${keys.map((key) => `"${key}":${write(object[key], depth)}`).join(",")}}`;
}
