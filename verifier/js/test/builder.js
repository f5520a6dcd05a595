/**
 * Whole matches for the tests, made from seeds: a table that plays at random, signs through WebCrypto, and can be sealed again
 * after its events were changed, as a server and players who cheat together would.
 */

import { concat, fromHex, toBase64, toHex, utf8 } from "../src/bytes.js";
import { encode, encodeBytes } from "../src/canonical.js";
import { CARDS, cardNumber } from "../src/cards.js";
import { GAMES } from "../src/games.js";
import { EMPTY_ROOT, Tree } from "../src/merkle.js";
import { verifierKey } from "../src/notes.js";
import { settleLines } from "../src/settlement.js";
import { hmacSha256, sha256 } from "../src/sha256.js";
import { cutSize, deck, firstDealer } from "../src/shuffle.js";

export const ENDINGS = ["target", "overruns", "resigned", "seed", "no_seed", "cancelled", "operator", "deal_limit"];
/** Options of each game: those that end soon, and those that do not. @type {Record<string, {soon: any, late: any}>} */
const OPTIONS = {
  "duel@1": { soon: { target: 151 }, late: { target: 10_000 } },
  "classique@1": { soon: { target: 501 }, late: { target: 2_001 } },
  "coinche@1": { soon: { scoring: "faits", target: 501 }, late: { scoring: "faits+demandés", target: 2_001 } },
  "annonces@1": { soon: { target: 501 }, late: { target: 2_001 } },
};
/** So many of its actions, from the first on, a seat of the tests thinks of; of cards it has no more. */
const THOUGHTS = 9;
export const LOG = "test.example/log";
const PKCS8 = fromHex("302e020100300506032b657004220420");

/** Bytes that differ by label, and are the same on every run. */
const derive = (/** @type {string} */ label) => hmacSha256(utf8("fairdeal test"), utf8(label));

/** @param {string} label */
export async function signingKey(label) {
  const pkcs8 = concat(PKCS8, derive(label));
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, { name: "Ed25519" }, true, ["sign"]);
  const { x } = await crypto.subtle.exportKey("jwk", key);
  const base64 = x.replaceAll("-", "+").replaceAll("_", "/") + "=";
  const raw = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return {
    raw,
    hex: toHex(raw),
    sign: async (/** @type {Uint8Array} */ text) => new Uint8Array(await crypto.subtle.sign("Ed25519", key, text)),
  };
}

export class Table {
  /** @type {any[]} */
  events = [];
  /** @type {any} the deal in play */
  deal = null;
  /** @type {any} the deal before */
  previous = null;
  t = 1_750_000_000_000;
  /** One decision in so many is late; only a match that may be lost so has a third overrun. */
  lateness = 50;
  mayLose = false;
  /** @type {any[]} what each seat has seen of the log, if anything */
  seen = [];

  /** @param {string} name same name, same match @param {any} terms members of `open` to override @param {string} id of the ruleset */
  static async make(name, terms, id) {
    const table = new Table();
    table.game = GAMES[id];
    table.seats = Array.from({ length: table.game.seats }, (_, seat) => seat);
    /** @type {any[][]} held lines by seat, unsigned: {size, view} */
    table.views = table.seats.map(() => []);
    table.overruns = table.seats.map(() => 0);
    table.name = name;
    table.server = await signingKey(`${name} server`);
    table.keys = await Promise.all(table.seats.map((seat) => signingKey(`${name} seat ${seat}`)));
    table.serverSeed = derive(`${name} server seed`);
    table.seeds = table.seats.map((seat) => derive(`${name} seed ${seat}`));
    table.m = toHex(derive(`${name} match`).subarray(0, 16));
    table.step = 0;
    table.terms = terms;
    table.open();
    return table;
  }

  /** A number in [0, n), the next of the table's own sequence. @param {number} n */
  random(n) {
    this.step += 1;
    return new DataView(derive(`${this.name} ${this.step}`).buffer).getUint32(0) % n;
  }

  /** @param {string} type @param {any} data @param {number} [by] */
  add(type, data, by = -1) {
    this.events.push({ by, data: structuredClone(data), n: this.events.length, t: this.t, type });
  }

  /** What the seats see once a transaction is over. */
  show() {
    for (const seat of this.seats) {
      const onTurn = this.deal?.turn === seat;
      const hand = this.deal?.hand(seat) ?? [];
      this.views[seat].push({ hand, legal: onTurn ? this.deal.legal() : [], m: this.m, seat, size: this.events.length });
    }
  }

  open() {
    const fees = { id: "usual", commission_bp: 500, commission_cap: 1_000, tax_bp: 100, tax_base: "pot" };
    const clock = { decision_ms: 30_000, overruns: 3, grace_ms: 250, join_ms: 60_000, pause_ms: 4_000, outage_ms: 5_000 };
    this.add("open", {
      protocol: "fairdeal/1",
      log: LOG,
      m: this.m,
      seats: this.seats.length,
      stake: this.game.announces ? 0 : 1_005,
      asset: { code: "EUR", exponent: 2 },
      fees,
      clock,
      deals_max: 100,
      close_by: this.t + 86_400_000,
      receipt_key: this.server.hex,
      commitment: toHex(sha256(this.serverSeed)),
      ...this.terms,
    });
    this.show();
  }

  /** @param {number} seat */
  join(seat) {
    const seen = this.seen[seat] ?? { root: EMPTY_ROOT, size: 0 };
    const player = toHex(derive(`${this.name} player ${seat}`).subarray(0, 16));
    const join = { key: this.keys[seat].hex, player, seed_commitment: toHex(sha256(this.seeds[seat])), seen };
    this.t += this.random(5_000);
    this.add("join", { do: { join } }, seat);
    this.show();
  }

  /** @param {number} seat */
  seed(seat) {
    this.t += this.random(5_000);
    this.add("seed", { do: { seed: toHex(this.seeds[seat]) } }, seat);
  }

  /** Packs come from the table root, so joins are sealed by now. @param {number} number */
  async nextDeal(number) {
    await this.seal();
    const secrets = { serverSeed: this.serverSeed, tableRoot: fromHex(this.roots[this.seats.length + 1]), seeds: this.seeds };
    const dealer = (firstDealer(secrets) + number - 1) % this.seats.length;
    const shuffle = { deck: (deal) => deck(secrets, deal), cut: (deal) => cutSize(secrets, deal), firstDealer: () => firstDealer(secrets) };
    const { options } = this.events[0].data.ruleset;
    this.deal = this.game.next({ shuffle, number, dealer, options, previous: this.previous });
    const { turned } = this.deal;
    this.add("deal", { deal: number, dealer, ...(turned === undefined ? {} : { turned: CARDS[turned] }) });
    this.show();
  }

  /** Seats that are not on turn declare, or seldom not. */
  declareOthers() {
    for (const seat of this.seats) {
      if (seat === this.deal.turn || !this.deal.mayDeclare?.(seat) || this.random(4) === 0) continue;
      this.add("act", { do: { declare: true } }, seat);
      this.deal.declare(seat);
      this.show();
    }
  }

  /** Half of the words are a pass; of many, one of the cheaper or the last. @param {any[]} legal */
  choose(legal) {
    if ("bid" in legal[0] && this.random(2) === 0) return legal[0];
    const near = legal.length > THOUGHTS ? [...legal.slice(0, THOUGHTS), legal.at(-1)] : legal;
    return near[this.random(near.length)];
  }

  /** @param {any} action */
  apply(action) {
    if ("declare" in action) this.deal.declare(this.deal.turn);
    else this.deal.apply(action);
    if ("card" in action && this.deal.showDue) this.add("show", { announcements: this.deal.shown() });
  }

  /** The seat on turn does something: in time, or seldom too late. @returns {boolean} whether it was the overrun that loses */
  move() {
    const seat = this.deal.turn;
    const legal = this.deal.legal();
    const late = this.random(this.lateness) === 0 && (this.mayLose || this.overruns[seat] < 2);
    if (!late) {
      this.t += this.random(5_000);
      const action = this.choose(legal);
      this.add("act", { do: action, ...this.say(action) }, seat);
      this.apply(action);
      return false;
    }
    this.t += 34_250 + this.random(500);
    this.overruns[seat] += 1;
    const losing = this.overruns[seat] === 3;
    this.add("timeout", { seat, overrun: this.overruns[seat], ...(losing ? {} : { do: legal[0], ...this.say(legal[0]) }) });
    if (!losing) this.apply(legal[0]);
    return losing;
  }

  /** @param {any} action */
  say(action) {
    const says = "card" in action ? this.deal.says(cardNumber(action.card)) : undefined;
    return says === undefined ? {} : { says };
  }

  resume() {
    this.t += 20_000;
    this.add("resume", { from: this.t - 19_000, to: this.t - 1_000 });
    this.show();
  }

  /** @param {string} reason @param {number | null} winner @param {number[]} totals @param {string} [cause] */
  end(reason, winner, totals, cause) {
    this.deal = null;
    this.add("end", { reason, winner, totals, ...(cause === undefined ? {} : { cause }) });
    this.add("reveal", { server_seed: toHex(this.serverSeed) });
    const joins = this.events.filter((event) => event.type === "join");
    const { data } = this.events[0];
    if (joins.length === this.seats.length && data.stake !== 0) this.add("settle", { lines: settleLines(data, { reason, winner }) });
    this.show();
  }

  /** Signs every seat's event on what stands before it, in order. */
  async seal() {
    this.events.forEach((event, n) => (event.n = n));
    const tree = new Tree();
    this.roots = [tree.root()];
    for (const event of this.events) {
      if (event.by >= 0) await this.sign(event);
      tree.push(encodeBytes(event));
      this.roots.push(tree.root());
    }
  }

  /** @param {any} event */
  async sign(event) {
    const size = { join: 1, seed: this.seats.length + 1 }[event.type] ?? event.n;
    const { root: _root, sig: _sig, ...data } = event.data;
    const root = this.roots[size] ?? EMPTY_ROOT;
    const text = { do: data.do, m: this.m, root, seat: event.by, size };
    const sig = await this.keys[event.by].sign(concat(utf8("fairdeal/1 action\n"), encodeBytes(text)));
    event.data = { ...data, root, sig: toHex(sig) };
  }

  lines() {
    return this.events.map((event) => encodeBytes(event));
  }

  get keyName() {
    return `${LOG}/receipts`;
  }

  /** @param {number} size */
  async receipt(size, root = this.roots[size], key = this.server) {
    const text = `${LOG}/m/${this.m}\n${size}\n${toBase64(fromHex(root))}\n`;
    const { id } = verifierKey(this.keyName, key.raw);
    return `${text}\n\u2014 ${this.keyName} ${toBase64(concat(fromHex(id), await key.sign(utf8(text))))}\n`;
  }

  /** @param {string} [head] @param {any} [log] what the header says of the log */
  async bundle(head, log = {}) {
    head ??= await this.receipt(this.events.length);
    const header = { format: "fairdeal/bundle@1", head, ...log };
    return utf8([header, ...this.events].map((line) => `${encode(line)}\n`).join(""));
  }

  policy(key = this.server) {
    const { name, id, key: raw } = verifierKey(this.keyName, key.raw);
    return utf8(`# test\nlog ${name}+${id}+${toBase64(concat(Uint8Array.of(1), raw))}\nquorum none\n`);
  }

  /** @param {any} view */
  async heldLine(view) {
    const sig = toHex(await this.server.sign(concat(utf8("fairdeal/1 view\n"), encodeBytes(view))));
    return { receipt: await this.receipt(view.size), sig, view };
  }

  /** @param {number} seat @param {any[]} [views] @param {any[]} [logLines] */
  async held(seat, views = this.views[seat], logLines = []) {
    const header = { format: "fairdeal/held@1", key: this.keys[seat].hex, m: this.m, seat };
    const lines = [...(await Promise.all(views.map((view) => this.heldLine(view)))), ...logLines];
    return utf8([header, ...lines].map((line) => `${encode(line)}\n`).join(""));
  }
}

/** Plays deals until one decides the match, or `moves` are done. @param {Table} table @param {number} moves @returns {Promise<number[]>} totals, if nothing ended */
async function playDeals(table, moves) {
  const { ruleset, deals_max } = table.events[0].data;
  let totals = [0, 0];
  for (let number = 1; ; number++) {
    await table.nextDeal(number);
    while (table.deal.turn !== null) {
      if (moves-- === 0) return totals;
      if (moves % 40 === 0) table.resume();
      table.declareOthers();
      const { turn } = table.deal;
      if (table.move()) {
        table.end("overruns", 1 - (turn % 2), totals);
        return totals;
      }
      if (table.deal.turn !== null) table.show();
    }
    const result = table.deal.result();
    totals = totals.map((total, side) => total + result.marks[side]);
    table.add("score", { deal: number, totals, ...result });
    table.previous = table.deal;
    table.deal = null;
    const won = Math.max(...totals) >= ruleset.options.target && totals[0] !== totals[1];
    if (won) table.end("target", totals[0] > totals[1] ? 0 : 1, totals);
    else if (number === deals_max) table.end("void", null, totals, "deal_limit");
    if (won || number === deals_max) return totals;
  }
}

/** @param {string} ending one of ENDINGS @param {number} [number] @param {any} [terms] @param {string} [id] of the ruleset @param {any[]} [seen] of the log, by seat */
export async function play(ending, number = 0, terms = {}, id = "duel@1", seen = []) {
  const { soon, late } = structuredClone(OPTIONS[id]);
  const own = { target: { ruleset: { id, options: soon } }, deal_limit: { deals_max: 1 } }[ending];
  const table = await Table.make(`${id} ${ending} ${number}`, { ruleset: { id, options: late }, ...own, ...terms }, id);
  table.seen = seen;
  await LEADS[ending](table);
  await table.seal();
  return table;
}

/** The seats, from a random one on. @param {Table} table */
function anyOrder(table) {
  const first = table.random(table.seats.length);
  return table.seats.map((seat) => (seat + first) % table.seats.length);
}

/** @param {Table} table */
function start(table) {
  for (const seat of anyOrder(table)) table.join(seat);
  const [last, ...others] = anyOrder(table);
  for (const seat of others) {
    table.seed(seat);
    table.show();
  }
  table.seed(last);
}

/** The seed phase without the seeds of some. @param {Table} table @param {number[]} missing @param {number | null} winner */
function startWithout(table, missing, winner) {
  for (const seat of anyOrder(table)) table.join(seat);
  for (const seat of table.seats.filter((each) => !missing.includes(each))) {
    table.seed(seat);
    table.show();
  }
  for (let period = 0; period < 3; period++) {
    table.t += 30_250;
    table.add("timeout", { missing });
    if (period < 2) table.show();
  }
  table.end("seed", winner, [0, 0]);
}

/** @type {Record<string, (table: Table) => Promise<void>>} */
const LEADS = {
  async target(table) {
    start(table);
    await playDeals(table, Infinity);
  },
  async overruns(table) {
    table.lateness = 3;
    table.mayLose = true;
    start(table);
    await playDeals(table, Infinity);
  },
  async resigned(table) {
    start(table);
    const totals = await playDeals(table, 20);
    const seat = table.random(table.seats.length);
    table.add("act", { do: { resign: true } }, seat);
    table.end("resigned", 1 - (seat % 2), totals);
  },
  async seed(table) {
    startWithout(table, table.seats.filter((seat) => seat % 2 === 0), 1);
  },
  async no_seed(table) {
    startWithout(table, [0, 1], null);
  },
  async cancelled(table) {
    table.join(1);
    table.end("cancelled", null, [0, 0]);
  },
  async operator(table) {
    start(table);
    const totals = await playDeals(table, 30);
    table.end("void", null, totals, "operator");
  },
  async deal_limit(table) {
    start(table);
    await playDeals(table, Infinity);
  },
};
