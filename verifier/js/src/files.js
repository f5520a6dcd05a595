/** Bundle and held file (protocol 5.1, 5.2, and step 0 of 6.2): bytes in, checked values out. */

import { parse } from "./canonical.js";
import { Malformed, UsageError } from "./errors.js";
import { MAX_FILE_BYTES, MAX_HEADER_BYTES, MAX_LINE_BYTES } from "./limits.js";
import { parseCheckpoint, parseReceipt } from "./notes.js";
import { checkBundleHeader, checkHeldLine, isLogLine, schemaOf } from "./schema.js";

const LF = 10;

/**
 * @typedef {object} Event
 * @property {number} by
 * @property {any} data
 * @property {number} n
 * @property {number} t
 * @property {string} type
 */

/** @typedef {import("./notes.js").Checkpoint} Checkpoint */
/** @typedef {import("./notes.js").Receipt} Receipt */

/** A leaf of 7.2 with its place in the log and the proof of it. @typedef {{index: number, leaf: any, proof: string[]}} Proven */

/** What a header says of the log. @typedef {{checkpoint: Checkpoint, leaves: Proven[], consistency: {size: number, proof: string[]}[]}} LogPart */

/** @typedef {{head: Receipt, log: LogPart | null, events: Event[], lines: Uint8Array[]}} Bundle */

/** @typedef {{receipt: Receipt, sig: string, view: any}} HeldLine */

/** @typedef {{checkpoint: Checkpoint, leaves: Proven[]}} LogLine */

/** @typedef {{key: string, m: string, seat: number, lines: HeldLine[], logLines: LogLine[]}} Held */

/** @param {Uint8Array} bytes @returns {Generator<Uint8Array, void>} the lines, without their LF @throws {Malformed} */
function* splitLines(bytes) {
  if (bytes.length > MAX_FILE_BYTES) throw new Malformed("size", "the file is too large");
  if (bytes.length === 0 || bytes[bytes.length - 1] !== LF) throw new Malformed("encoding", "the last line does not end");
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    yield bytes.subarray(start, end);
    start = end + 1;
  }
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

/** @param {Uint8Array} line @param {number} [most] bytes @returns {any} @throws {Malformed} */
function parseLine(line, most = MAX_LINE_BYTES) {
  if (line.length > most) throw new Malformed("size", "a line is too long");
  return parse(line);
}

/** @param {Uint8Array} bytes @returns {Bundle} @throws {Malformed} with the cause and the place of step 0 */
export function parseBundle(bytes) {
  const values = [];
  for (const line of splitLines(bytes)) {
    const index = values.length - 1; // -1 is the header's
    values.push(index < 0 ? parseLine(line, MAX_HEADER_BYTES) : at(index, () => parseLine(line)));
  }
  const [header, ...events] = values;
  const { head, log } = readHeader(header);
  const schema = schemaOf(events[0]);
  events.forEach((event, index) => {
    schema.check(event, index);
    if (event.n !== index) throw new Malformed("index", "an event out of its place", index);
  });
  // Not before: a file of empty lines would take gigabytes of them.
  const [, ...lines] = splitLines(bytes);
  return { head, log, events, lines };
}

/** @param {any} header @returns {{head: Receipt, log: LogPart | null}} @throws {Malformed} cause `header` */
function readHeader(header) {
  checkBundleHeader(header);
  const { head, checkpoint, leaves, consistency } = header;
  try {
    const log = checkpoint === undefined ? null : { checkpoint: parseCheckpoint(checkpoint), leaves, consistency };
    return { head: parseReceipt(head), log };
  } catch (error) {
    if (error instanceof Malformed) throw new Malformed("header", error.message);
    throw error;
  }
}

/** @param {Uint8Array} bytes @returns {Held} @throws {UsageError} */
export function parseHeld(bytes) {
  try {
    let header;
    const all = [];
    for (const line of splitLines(bytes)) {
      if (header === undefined) checkHeldLine((header = parseLine(line)), true);
      else all.push(parseHeldLine(line));
    }
    const lines = all.filter((line) => !isLogLine(line)).map((line) => ({ ...line, receipt: parseReceipt(line.receipt) }));
    const logLines = all.filter(isLogLine).map((line) => ({ ...line, checkpoint: parseCheckpoint(line.checkpoint) }));
    return { ...header, lines, logLines };
  } catch (error) {
    if (error instanceof Malformed) throw new UsageError(`held file: ${error.message}`);
    throw error;
  }
}

/** @param {Uint8Array} bytes @returns {any} a receipt line or a log line @throws {Malformed} */
function parseHeldLine(bytes) {
  const line = parseLine(bytes, MAX_HEADER_BYTES);
  checkHeldLine(line, false);
  if (bytes.length > MAX_LINE_BYTES && !isLogLine(line)) throw new Malformed("size", "a line is too long");
  return line;
}
