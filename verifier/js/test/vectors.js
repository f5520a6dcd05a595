/** The vectors that all programs of this repository share. */

import { readFileSync } from "node:fs";

/** @param {string} name @returns {any} */
export const vectors = (name) => JSON.parse(readFileSync(new URL(`../../../tests/vectors/${name}.json`, import.meta.url), "utf8"));

/** @param {string} base64 */
export const bytesOf = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));
