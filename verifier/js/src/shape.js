/** Tests of the shape of a parsed value. */

import { isHex } from "./bytes.js";

export const MAX = Number.MAX_SAFE_INTEGER;

/** @typedef {(value: any) => boolean} Test */

/** @type {(low: number, high: number) => Test} */
export const integer = (low, high) => (value) => Number.isSafeInteger(value) && value >= low && value <= high;
/** @type {(...values: unknown[]) => Test} */
export const oneOf = (...values) => (value) => values.includes(value);
/** @type {(bytes: number) => Test} */
export const hex = (bytes) => (value) => isHex(value, bytes);
/** @type {(pattern: RegExp) => Test} */
export const text = (pattern) => (value) => typeof value === "string" && pattern.test(value);
/** @type {(...tests: Test[]) => Test} */
export const either = (...tests) => (value) => tests.some((test) => test(value));
/** @type {(item: Test, least?: number, most?: number) => Test} */
export const list = (item, least = 0, most = Infinity) => (value) =>
  Array.isArray(value) && value.length >= least && value.length <= most && value.every(item);
/** An object of exactly these members. @type {(members: Record<string, Test>) => Test} */
export const object = (members) => (value) =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === Object.keys(members).length &&
  Object.entries(members).every(([name, test]) => Object.hasOwn(value, name) && test(value[name]));

export const natural = integer(0, MAX);
/** A number for each side; every game has two. */
export const perSide = list(natural, 2, 2);
