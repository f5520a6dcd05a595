/**
 * What a bundle says, laid out for a reader: seeds, packs, hands, tricks, money. It decides nothing (src/verify.js does), and
 * goes as far as the events obey the rules.
 */

import { concat, fromHex, toHex, u32be, utf8 } from "../src/bytes.js";
import { CARDS, cardNumber, names } from "../src/cards.js";
import { cutPack, gathered } from "../src/annonces.js";
import { Finding, Malformed } from "../src/errors.js";
import { parseBundle } from "../src/files.js";
import { Match } from "../src/fold.js";
import { holderOf } from "../src/four.js";
import { roots } from "../src/merkle.js";
import { cosignedAt, verifierKey } from "../src/notes.js";
import { closingOf } from "../src/seats.js";
import { hmacSha256, sha256 } from "../src/sha256.js";
import { cutSize, deck, deckIndex, firstDealer } from "../src/shuffle.js";

/** @typedef {import("../src/files.js").Event} Event */
/** @typedef {import("../src/shuffle.js").Secrets} Secrets */

/** @param {Uint8Array} bytes a bundle @returns {any} plain values, that a worker can send; null when it is malformed */
export function factsOf(bytes) {
  const bundle = readable(bytes);
  if (bundle === null) return null;
  const { head, log, events, lines } = bundle;
  const open = events[0].data;
  const all = roots(lines);
  const { lost, serverSeed } = closingOf(bundle);
  const seats = Array.from({ length: open.seats }, (_, seat) => seatFacts(events, seat));
  const tableRoot = all[open.seats + 1] ?? null;
  const ready = serverSeed !== null && tableRoot !== null && seats.every(({ seed }) => seed !== null);
  const secrets = ready
    ? { serverSeed: fromHex(serverSeed), tableRoot: fromHex(tableRoot), seeds: seats.map(({ seed }) => fromHex(seed)) }
    : null;
  return {
    bytes: bytes.length,
    sha256: toHex(sha256(bytes)),
    open,
    head: { origin: head.origin, size: head.size, root: head.root, name: head.name, id: head.id },
    receiptKeyId: verifierKey(`${open.log}/receipts`, fromHex(open.receipt_key)).id,
    events,
    root: all[events.length],
    tableRoot,
    seats,
    log: log === null ? null : logFacts(log, events),
    lost,
    server: opened(serverSeed, open.commitment),
    dealer: secrets === null ? null : dealerFacts(secrets),
    deals: secrets === null ? [] : dealFacts(events, secrets),
    lines: events.find((event) => event.type === "settle")?.data.lines ?? null,
  };
}

/** A witness's time is that in a line of a cosignature's length. */
const COSIGNATURE_BYTES = 72;

/** @param {import("../src/files.js").LogPart} log @param {Event[]} events */
function logFacts({ checkpoint: { origin, size, root, lines }, leaves }, events) {
  return {
    origin,
    size,
    root,
    lines: lines.map((line) => ({ name: line.name, id: line.id, time: line.signature.length === COSIGNATURE_BYTES ? Number(cosignedAt(line)) : null })),
    leaves: leaves.map(({ index, leaf }) => ({ index, type: leaf.type, outcome: leaf.outcome ?? null })),
    seen: events.filter(({ type }) => type === "join").map(({ by, data }) => ({ seat: by, size: data.do.join.seen.size })).sort((a, b) => a.seat - b.seat),
  };
}

/** @param {Uint8Array} bytes */
function readable(bytes) {
  try {
    return parseBundle(bytes);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/** A commitment, what it was opened with, and the hash of that. @param {string | null} seed @param {string | null} commitment */
const opened = (seed, commitment) => ({ commitment, seed, hash: seed === null ? null : toHex(sha256(fromHex(seed))) });

/** @param {Event[]} events @param {number} seat */
function seatFacts(events, seat) {
  const own = events.filter((event) => event.by === seat);
  const join = own.find((event) => event.type === "join")?.data.do.join;
  const seed = own.find((event) => event.type === "seed")?.data.do.seed ?? null;
  return { seat, key: join?.key ?? null, signatures: own.length, ...opened(seed, join?.seed_commitment ?? null) };
}

/** A message and its HMAC by the server seed, in hex. @param {Secrets} secrets @param {string} label @param {...Uint8Array} more */
function mac({ serverSeed, tableRoot, seeds }, label, ...more) {
  const message = concat(utf8(`fairdeal/1 ${label}\n`), tableRoot, ...seeds, ...more);
  return { message: toHex(message), hmac: toHex(hmacSha256(serverSeed, message)) };
}

/** @param {Secrets} secrets */
const dealerFacts = (secrets) => ({ ...mac(secrets, "dealer"), seat: firstDealer(secrets) });

/** Every deal, up to the first event that breaks a rule. @param {Event[]} events @param {Secrets} secrets */
function dealFacts(events, secrets) {
  /** @type {any[]} */
  const deals = [];
  /** @type {any} */
  let previous = null;
  const shuffle = {
    firstDealer: () => firstDealer(secrets),
    deck: (/** @type {number} */ number) => {
      const pack = deck(secrets, number);
      deals.push({ number, ...mac(secrets, "deal", u32be(number)), index: String(deckIndex(secrets, number, 32)), pack });
      return pack;
    },
    cut: (/** @type {number} */ number) => {
      const cut = cutSize(secrets, number);
      deals.push({ number, ...mac(secrets, "cut", u32be(number)), cut, pack: cutPack(gathered(previous), cut) });
      return cut;
    },
  };
  const match = new Match(shuffle);
  try {
    for (const event of events) {
      const before = match.deal;
      const points = before?.tricks.join();
      match.apply(event);
      if (event.type === "deal") beginDeal(deals[deals.length - 1], event, match.deal);
      else if (before !== null) goOn(deals[deals.length - 1], event, before, points);
      if (event.type === "score") previous = before;
    }
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
  }
  return deals.map((deal) => ({ bids: [], tricks: [], hands: [], ...deal, pack: deal.pack.map((/** @type {number} */ card) => CARDS[card]) }));
}

/** @param {any} told what is told of a deal @param {Event} event @param {any} deal */
function beginDeal(told, event, deal) {
  Object.assign(told, { ...event.data, n: event.n, bids: [], tricks: [], hands: deal.hands.map(names) });
}

/** @param {any} told @param {Event} event applied @param {any} deal after it @param {string} tricks won before it */
function goOn(told, event, deal, tricks) {
  if (event.type === "score") told.score = event.data;
  if (event.type === "show") told.shown = event.data.announcements;
  const { do: action, says } = event.data;
  if (action === undefined) return;
  const move = { n: event.n, seat: event.by < 0 ? event.data.seat : event.by, late: event.by < 0, ...action, says };
  if ("card" in action) playCard(told, move, deal, deal.tricks.join() !== tricks);
  else told.bids.push(move);
  if ("bid" in action && deal.taker !== null) {
    Object.assign(told, { taker: deal.taker, trump: "SHDC"[deal.trump], hands: deal.hands.map(names) });
  }
}

/** @param {any} told @param {any} move @param {any} deal @param {boolean} complete */
function playCard(told, move, deal, complete) {
  let trick = told.tricks[told.tricks.length - 1];
  if (trick === undefined || trick.winner !== null) told.tricks.push((trick = { cards: [], winner: null }));
  trick.cards.push(move);
  if (!complete) return;
  const cards = trick.cards.map((/** @type {any} */ { card }) => cardNumber(card));
  trick.winner = trick.cards[holderOf(cards, deal.trump)].seat;
}
