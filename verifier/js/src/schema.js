/** What an event may look like on its own (protocol 2.1 and 2.2), by ruleset. */

import { CARDS, isCard } from "./cards.js";
import { Malformed } from "./errors.js";
import { GAMES } from "./games.js";
import { DAY_MS } from "./limits.js";
import { consistency, provenLeaves } from "./leaves.js";
import { EMPTY_ROOT } from "./merkle.js";
import { either, hex, integer, list, MAX, natural, object, oneOf, perSide, text } from "./shape.js";

const PROTOCOL = "fairdeal/1";
const MOST_SEATS = 4;
/** Actions a seat may have at once: the bids that open an auction of `coinche@1`. */
const MOST_ACTIONS = 49;

/** @typedef {import("./shape.js").Test} Test */
/** @typedef {import("./games.js").Game} Game */

const ms = integer(0, DAY_MS);
const someMs = integer(1, DAY_MS);

const card = object({ card: isCard });
const resign = object({ resign: oneOf(true) });
const declare = object({ declare: oneOf(true) });
const says = oneOf("belote", "rebelote");
const signed = { root: hex(32), sig: hex(64) };
const side = either(oneOf(0, 1), oneOf(null));

/** @type {Test} */
const fees = ({ commission_bp, tax_bp }) => commission_bp + tax_bp <= 10_000;
/** @type {(id: string, game: Game) => Test} */
const open = (id, { seats, options, announces = false }) => {
  const members = object({
    ...terms,
    ruleset: object({ id: oneOf(id), options }),
    seats: oneOf(seats),
    stake: integer(0, announces ? 0 : Math.floor(MAX / seats)),
  });
  return (data) => members(data) && fees(data.fees);
};

const terms = {
  protocol: oneOf(PROTOCOL),
  log: text(/^[!-*,-~]{1,128}$/),
  m: hex(16),
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
};

const join = object({
  join: object({
    key: hex(32),
    player: hex(16),
    seed_commitment: hex(32),
    seen: either(object({ root: oneOf(EMPTY_ROOT), size: oneOf(0) }), object({ root: hex(32), size: integer(1, MAX) })),
  }),
});

/** Ascending seats, not none. @type {(seat: Test) => Test} */
const missing = (seat) => (value) => list(seat, 1)(value) && value.every((/** @type {number} */ each, /** @type {number} */ i) => i === 0 || value[i - 1] < each);

const ended = { winner: side, totals: perSide };
const end = either(
  object({ ...ended, reason: oneOf("target", "overruns", "resigned", "seed", "cancelled") }),
  object({ ...ended, reason: oneOf("void"), cause: oneOf("deal_limit", "operator") }),
);

/** One line for each account. @type {(seats: number) => Test} */
const settleLines = (seats) => {
  const accounts = ["pot", ...Array.from({ length: seats }, (_, s) => `seat:${s}`), "commission", "tax"];
  const lines = list(object({ account: oneOf(...accounts), amount: integer(-MAX, MAX) }), accounts.length, accounts.length);
  return (value) => lines(value) && new Set(value.map((/** @type {any} */ line) => line.account)).size === accounts.length;
};

/** What a seat may do in play. @param {Game} game */
const actions = ({ bid, announces }) => [object({ bid }), card, resign, ...(announces ? [declare] : [])];

/** Each by the ruleset that it names itself: one that is not the first event is out of order, not of form. */
const anyOpen = either(...Object.entries(GAMES).map(([id, game]) => open(id, game)));

/** By type: whether a seat writes it, and the test of its `data`. @param {Game} game @returns {Record<string, {seated: boolean, data: Test}>} */
function typesOf(game) {
  const seat = integer(0, game.seats - 1);
  const overrun = { seat, overrun: integer(1, MAX) };
  const server = (/** @type {Test} */ data) => ({ seated: false, data });
  const seated = (/** @type {Test} */ data) => ({ seated: true, data });
  const show = server(object({ announcements: list(object({ cards: list(isCard, 3), seat })) }));
  return {
    open: server(anyOpen),
    join: seated(object({ do: join, ...signed })),
    seed: seated(object({ do: object({ seed: hex(32) }), ...signed })),
    deal: server(object({ deal: integer(1, MAX), dealer: seat, ...game.deal })),
    act: seated(either(object({ do: either(...actions(game)), ...signed }), object({ do: card, ...signed, says }))),
    timeout: server(
      either(
        object({ missing: missing(seat) }),
        object(overrun),
        object({ ...overrun, do: either(object({ bid: game.bid }), card) }),
        object({ ...overrun, do: card, says }),
      ),
    ),
    resume: server(object({ from: natural, to: natural })),
    ...(game.announces ? { show } : {}),
    score: server(
      object({
        deal: integer(1, MAX),
        taker: either(seat, oneOf(null)),
        points: perSide,
        tricks: perSide,
        marks: perSide,
        totals: perSide,
        belote: side,
        outcome: oneOf(...game.outcomes),
        ...game.score,
      }),
    ),
    end: server(end),
    reveal: server(object({ server_seed: hex(32) })),
    settle: server(object({ lines: settleLines(game.seats) })),
  };
}

/** Tests of one match's events. */
class MatchSchema {
  /** @param {Game} game */
  constructor(game) {
    this.types = typesOf(game);
    this.envelope = object({
      by: integer(-1, game.seats - 1),
      data: (value) => typeof value === "object" && value !== null,
      n: natural,
      t: natural,
      type: (value) => typeof value === "string" && Object.hasOwn(this.types, value),
    });
  }

  /** @param {any} event @param {number} index @throws {Malformed} cause `schema` */
  check(event, index) {
    const fits =
      this.envelope(event) && (event.by >= 0) === this.types[event.type].seated && this.types[event.type].data(event.data);
    if (!fits || (index === 0 && event.type !== "open")) throw new Malformed("schema", "an event outside the protocol", index);
  }
}

const SCHEMAS = new Map(Object.entries(GAMES).map(([id, game]) => [id, new MatchSchema(game)]));

/** The schema that the first event names. @param {any} first @returns {MatchSchema} @throws {Malformed} cause `schema` */
export function schemaOf(first) {
  const schema = SCHEMAS.get(first?.data?.ruleset?.id);
  if (schema === undefined) throw new Malformed("schema", "no event that opens a match of a known ruleset", 0);
  return schema;
}

// A held file is read without its match: any game's.
const seat = integer(0, MOST_SEATS - 1);
const view = object({
  hand: list(isCard, 0, CARDS.length),
  legal: list(either(...Object.values(GAMES).flatMap(actions)), 0, MOST_ACTIONS),
  m: hex(16),
  seat,
  size: integer(1, MAX),
});
const heldHeader = object({ format: oneOf("fairdeal/held@1"), key: hex(32), m: hex(16), seat });
const note = (/** @type {unknown} */ value) => typeof value === "string";
const heldReceipt = object({ receipt: note, sig: hex(64), view });
const heldLog = object({ checkpoint: note, leaves: provenLeaves });

/** Whether a line of a held file is a log line, which may be longer than others. @param {any} value */
export const isLogLine = (value) => heldLog(value);

/** @param {any} value @param {boolean} first whether it is the header @throws {Malformed} */
export function checkHeldLine(value, first) {
  if (!(first ? heldHeader : either(heldReceipt, heldLog))(value)) throw new Malformed("schema", "a line outside the held format");
}

const plainHeader = { format: oneOf("fairdeal/bundle@1"), head: note };
const bundleHeader = either(object(plainHeader), object({ ...plainHeader, checkpoint: note, consistency, leaves: provenLeaves }));

/** @param {any} value @throws {Malformed} cause `header` */
export function checkBundleHeader(value) {
  if (!bundleHeader(value)) throw new Malformed("header", "not a bundle header");
}
