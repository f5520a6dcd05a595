/** What an event may look like on its own (protocol 2.1 and 2.2), for matches of ruleset `duel@1`. */

import { isHex } from "./bytes.js";
import { CARDS, isCard, SUITS } from "./cards.js";
import { Malformed } from "./errors.js";
import { DAY_MS } from "./limits.js";
import { EMPTY_ROOT } from "./merkle.js";

export const PROTOCOL = "fairdeal/1";
export const RULESET = "duel@1";
/** Seats, and so sides, of `duel@1`. */
export const SEATS = 2;

const MAX = Number.MAX_SAFE_INTEGER;

/** @typedef {(value: any) => boolean} Test */

/** @type {(low: number, high: number) => Test} */
const integer = (low, high) => (value) => Number.isSafeInteger(value) && value >= low && value <= high;
/** @type {(...values: unknown[]) => Test} */
const oneOf = (...values) => (value) => values.includes(value);
/** @type {(bytes: number) => Test} */
const hex = (bytes) => (value) => isHex(value, bytes);
/** @type {(pattern: RegExp) => Test} */
const text = (pattern) => (value) => typeof value === "string" && pattern.test(value);
/** @type {(...tests: Test[]) => Test} */
const either = (...tests) => (value) => tests.some((test) => test(value));
/** @type {(item: Test) => Test} */
const list = (item) => (value) => Array.isArray(value) && value.every(item);
/** An object of exactly these members. @type {(members: Record<string, Test>) => Test} */
const object = (members) => (value) =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === Object.keys(members).length &&
  Object.entries(members).every(([name, test]) => Object.hasOwn(value, name) && test(value[name]));

const natural = integer(0, MAX);
const seat = integer(0, SEATS - 1);
const seatOrNull = either(seat, oneOf(null));
/** @type {(item: Test) => Test} */
const perSide = (item) => (value) => list(item)(value) && value.length === SEATS;
const ms = integer(0, DAY_MS);
const someMs = integer(1, DAY_MS);

const bid = object({ bid: oneOf("pass", "take", ...SUITS) });
const card = object({ card: isCard });
const action = either(bid, card, object({ resign: oneOf(true) }));
const says = oneOf("belote", "rebelote");
const signed = { root: hex(32), sig: hex(64) };

/** @type {Test} */
const open = (data) => openMembers(data) && SEATS * data.stake <= MAX && fees(data.fees);
/** @type {Test} */
const fees = ({ commission_bp, tax_bp }) => commission_bp + tax_bp <= 10_000;

const openMembers = object({
  protocol: oneOf(PROTOCOL),
  log: text(/^[!-*,-~]{1,128}$/),
  m: hex(16),
  ruleset: object({ id: oneOf(RULESET), options: object({ target: integer(1, 10_000) }) }),
  seats: oneOf(SEATS),
  stake: natural,
  asset: object({ code: text(/^[A-Z][A-Z0-9]{0,11}$/), exponent: integer(0, 18) }),
  fees: object({
    id: text(/^[a-z0-9][a-z0-9._-]{0,31}$/),
    commission_bp: integer(0, 10_000),
    commission_cap: natural,
    tax_bp: integer(0, 10_000),
    tax_base: oneOf("pot", "commission"),
  }),
  clock: object({
    decision_ms: someMs,
    overruns: integer(1, 100),
    grace_ms: ms,
    join_ms: someMs,
    pause_ms: ms,
    outage_ms: ms,
  }),
  deals_max: integer(1, 1_000),
  close_by: natural,
  receipt_key: hex(32),
  commitment: hex(32),
});

const join = object({
  join: object({
    key: hex(32),
    player: hex(16),
    seed_commitment: hex(32),
    seen: object({ root: oneOf(EMPTY_ROOT), size: oneOf(0) }),
  }),
});

/** @type {Test} */
const missing = (value) => list(seat)(value) && value.length > 0 && value.every((each, i) => i === 0 || value[i - 1] < each);

const overrun = { seat, overrun: integer(1, MAX) };
const ended = { reason: oneOf("target", "overruns", "resigned", "seed", "cancelled"), winner: seatOrNull, totals: perSide(natural) };
const ACCOUNTS = ["pot", ...Array.from({ length: SEATS }, (_, s) => `seat:${s}`), "commission", "tax"];
/** @type {Test} */
const settleLines = (lines) =>
  list(object({ account: oneOf(...ACCOUNTS), amount: integer(-MAX, MAX) }))(lines) &&
  lines.length === ACCOUNTS.length &&
  new Set(lines.map((/** @type {any} */ line) => line.account)).size === ACCOUNTS.length;

/** By type: whether a seat writes it, and the test of its `data`. @type {Record<string, {seated: boolean, data: Test}>} */
const TYPES = {
  open: { seated: false, data: open },
  join: { seated: true, data: object({ do: join, ...signed }) },
  seed: { seated: true, data: object({ do: object({ seed: hex(32) }), ...signed }) },
  deal: { seated: false, data: object({ deal: integer(1, MAX), dealer: seat, turned: isCard }) },
  act: {
    seated: true,
    data: either(
      object({ do: action, ...signed }),
      object({ do: card, ...signed, says }),
    ),
  },
  timeout: {
    seated: false,
    data: either(
      object({ missing }),
      object(overrun),
      object({ ...overrun, do: either(bid, card) }),
      object({ ...overrun, do: card, says }),
    ),
  },
  resume: { seated: false, data: object({ from: natural, to: natural }) },
  score: {
    seated: false,
    data: object({
      deal: integer(1, MAX),
      taker: seatOrNull,
      points: perSide(natural),
      tricks: perSide(natural),
      marks: perSide(natural),
      totals: perSide(natural),
      belote: seatOrNull,
      outcome: oneOf("made", "dedans", "capot", "void"),
    }),
  },
  end: {
    seated: false,
    data: either(object(ended), object({ ...ended, reason: oneOf("void"), cause: oneOf("deal_limit", "operator") })),
  },
  reveal: { seated: false, data: object({ server_seed: hex(32) }) },
  settle: { seated: false, data: object({ lines: settleLines }) },
};

const envelope = object({
  by: integer(-1, SEATS - 1),
  data: (value) => typeof value === "object" && value !== null,
  n: natural,
  t: natural,
  type: (value) => typeof value === "string" && Object.hasOwn(TYPES, value),
});

/** @param {any} event @param {number} index @throws {Malformed} cause `schema` */
export function checkEvent(event, index) {
  const fits = envelope(event) && (event.by >= 0) === TYPES[event.type].seated && TYPES[event.type].data(event.data);
  if (!fits || (index === 0 && event.type !== "open")) throw new Malformed("schema", "an event outside the protocol", index);
}

/** @type {(item: Test) => Test} */
const atMostPack = (item) => (value) => list(item)(value) && value.length <= CARDS.length;
const view = object({
  hand: atMostPack(isCard),
  legal: atMostPack(action),
  m: hex(16),
  seat,
  size: integer(1, MAX),
});
const heldHeader = object({ format: oneOf("fairdeal/held@1"), key: hex(32), m: hex(16), seat });
const heldLine = object({ receipt: (value) => typeof value === "string", sig: hex(64), view });

/** @param {any} value @param {boolean} first whether it is the header @throws {Malformed} */
export function checkHeldLine(value, first) {
  if (!(first ? heldHeader : heldLine)(value)) throw new Malformed("schema", "a line outside the held format");
}

/** @param {any} value @throws {Malformed} cause `header` */
export function checkBundleHeader(value) {
  const fits = object({ format: oneOf("fairdeal/bundle@1"), head: (/** @type {unknown} */ head) => typeof head === "string" });
  if (!fits(value)) throw new Malformed("header", "not a bundle header");
}
