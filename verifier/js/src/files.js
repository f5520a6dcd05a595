/** Bundle and held file (protocol 5.1, 5.2, and step 0 of 6.2): bytes in, checked values out. */

import { parse } from "./canonical.js";
import { Malformed, UsageError } from "./errors.js";
import { MAX_LINE_BYTES, MAX_FILE_BYTES } from "./limits.js";
import { parseCheckpoint } from "./notes.js";
import { checkBundleHeader, checkHeldLine, schemaOf } from "./schema.js";

const LF = 10;

/**
 * @typedef {object} Event
 * @property {number} by
 * @property {any} data
 * @property {number} n
 * @property {number} t
 * @property {string} type
 */

/** @typedef {{head: import("./notes.js").Checkpoint, events: Event[], lines: Uint8Array[]}} Bundle */

/** @typedef {{receipt: import("./notes.js").Checkpoint, sig: string, view: any}} HeldLine */

/** @typedef {{key: string, m: string, seat: number, lines: HeldLine[]}} Held */

/** @param {Uint8Array} bytes @returns {Uint8Array[]} the lines, without their LF @throws {Malformed} */
function splitLines(bytes) {
  if (bytes.length > MAX_FILE_BYTES) throw new Malformed("size", "the file is too large");
  if (bytes.length === 0 || bytes[bytes.length - 1] !== LF) throw new Malformed("encoding", "the last line does not end");
  const lines = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Runs `work` and names the place of what it refuses. @template T @param {number | null} place @param {() => T} work @returns {T} */
function at(place, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Malformed) throw new Malformed(error.cause, error.message, place);
    throw error;
  }
}

/** @param {Uint8Array} line @returns {any} @throws {Malformed} */
function parseLine(line) {
  if (line.length > MAX_LINE_BYTES) throw new Malformed("size", "a line is too long");
  return parse(line);
}

/** @param {Uint8Array} bytes @returns {Bundle} @throws {Malformed} with the cause and the place of step 0 */
export function parseBundle(bytes) {
  const [headerLine, ...lines] = splitLines(bytes);
  const header = parseLine(headerLine);
  const events = lines.map((line, index) => at(index, () => parseLine(line)));
  checkBundleHeader(header);
  const head = parseHead(header.head);
  const schema = schemaOf(events[0]);
  events.forEach((event, index) => {
    schema.check(event, index);
    if (event.n !== index) throw new Malformed("index", "an event out of its place", index);
  });
  return { head, events, lines };
}

/** @param {string} note */
function parseHead(note) {
  try {
    return parseCheckpoint(note);
  } catch (error) {
    if (error instanceof Malformed) throw new Malformed("header", error.message);
    throw error;
  }
}

/** @param {Uint8Array} bytes @returns {Held} @throws {UsageError} */
export function parseHeld(bytes) {
  try {
    const [header, ...lines] = splitLines(bytes).map(parseLine);
    checkHeldLine(header, true);
    lines.forEach((line) => checkHeldLine(line, false));
    return { ...header, lines: lines.map((line) => ({ ...line, receipt: parseCheckpoint(line.receipt) })) };
  } catch (error) {
    if (error instanceof Malformed) throw new UsageError(`held file: ${error.message}`);
    throw error;
  }
}
