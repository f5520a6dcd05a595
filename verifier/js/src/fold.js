/** A match event by event (protocol 2.5 to 2.7): what may stand next, and what the derived events must say. */

import { encode, same } from "./canonical.js";
import { CARDS, cardNumber } from "./cards.js";
import { Finding } from "./errors.js";
import { gameOf } from "./games.js";
import { settleLines } from "./settlement.js";

const SEED_PERIODS = 3;
/** Every game has two, the side of a seat is seat mod 2 (2.1). */
const SIDES = [0, 1];

/** @typedef {import("./files.js").Event} Event */
/** @typedef {"open" | "joining" | "seeds" | "play" | "over"} Phase */

/** The state of a match after the events applied so far. `apply` throws the `Finding` of the first rule an event breaks. */
export class Match {
  /** @type {Phase} */
  phase = "open";
  /** @type {string | null} type of the follow-up that is due */
  due = null;
  closed = false;
  /** @type {any} the deal in play, up to its score or the end */
  deal = null;
  /** @type {any} the deal before, complete */
  #previous = null;
  /** @type {number[]} */
  #seats = [];
  /** @type {any} */
  #open;
  /** @type {Event} */
  #last;
  /** @type {Map<number, any>} what each seat joined with */
  #joined = new Map();
  /** @type {Set<number>} seats whose seed is there */
  #sent = new Set();
  #seedTimeouts = 0;
  /** What the running deadline counts from. */
  #since = 0;
  #deadline = 0;
  #resumedTo = 0;
  /** @type {number[]} by seat */
  #overruns = [];
  #dealNumber = 0;
  #totals = SIDES.map(() => 0);
  /** @type {any} `data` of the end that is due, or of the end that came */
  #end = null;

  /** @param {import("./games.js").Shuffle} shuffle */
  constructor(shuffle) {
    this.shuffle = shuffle;
  }

  /** @param {Event} event */
  apply(event) {
    if (this.closed) throw this.#finding(event, "order");
    if (this.due !== null) this.#checkFollowUp(event);
    const handle = this.#handlers(event)[event.type];
    if (handle === undefined) throw this.#finding(event, "order");
    if (event.n > 0 && event.t < this.#last.t) throw this.#finding(event, "clock");
    handle(event);
    this.#last = event;
  }

  /** @param {Event} event @param {string} cause @param {number} [step] */
  #finding(event, cause, step = 8) {
    return new Finding(step, cause, event.n);
  }

  /** @param {Event} event */
  #checkFollowUp(event) {
    if (event.type !== this.due) throw this.#finding(event, "order");
    if (event.t !== this.#last.t) throw this.#finding(event, "clock");
  }

  /** What may come now, by type; a seat joins and sends its seed once. @param {Event} next @returns {Record<string, ((event: Event) => void) | undefined>} */
  #handlers(next) {
    if (this.due !== null) {
      return {
        deal: (event) => this.#onDeal(event),
        show: (event) => this.#onShow(event),
        score: (event) => this.#onScore(event),
        end: (event) => this.#onEnd(event),
        reveal: (event) => this.#onReveal(event),
        settle: (event) => this.#onSettle(event),
      };
    }
    const end = (/** @type {Event} */ event) => this.#onUnaskedEnd(event);
    const resume = (/** @type {Event} */ event) => this.#onResume(event);
    switch (this.phase) {
      case "open":
        return { open: (event) => this.#onOpen(event) };
      case "joining":
        return { join: this.#joined.has(next.by) ? undefined : (event) => this.#onJoin(event), end };
      case "seeds":
        return {
          seed: this.#sent.has(next.by) ? undefined : (event) => this.#onSeed(event),
          timeout: (event) => this.#onSeedTimeout(event),
          resume,
          end,
        };
      case "play":
        return { act: (event) => this.#onAct(event), timeout: (event) => this.#onTimeout(event), resume, end };
      default:
        return {};
    }
  }

  /** @param {Event} event */
  #checkInTime(event) {
    if (event.t > this.#deadline) throw this.#finding(event, "clock");
  }

  /** @param {Event} event */
  #checkOverdue(event) {
    if (event.t < this.#deadline + this.#open.clock.grace_ms) throw this.#finding(event, "clock");
  }

  /** @param {Event} event */
  #onOpen(event) {
    this.#open = event.data;
    this.#seats = Array.from({ length: event.data.seats }, (_, seat) => seat);
    this.#overruns = this.#seats.map(() => 0);
    this.phase = "joining";
  }

  /** @param {Event} event */
  #onJoin(event) {
    const { join } = event.data.do;
    const others = [...this.#joined.values()];
    const keys = others.map((each) => each.key);
    const commitments = [this.#open.commitment, ...others.map((each) => each.seed_commitment)];
    if (keys.includes(join.key) || commitments.includes(join.seed_commitment)) throw this.#finding(event, "duplicate");
    this.#joined.set(event.by, join);
    if (this.#joined.size < this.#seats.length) return;
    this.phase = "seeds";
    this.#giveTurn(event.t);
  }

  /** @param {number} t @param {number} [pause] */
  #giveTurn(t, pause = 0) {
    this.#since = t;
    this.#deadline = t + this.#open.clock.decision_ms + pause;
  }

  /** @param {Event} event */
  #onSeed(event) {
    this.#checkInTime(event);
    this.#sent.add(event.by);
    if (this.#sent.size < this.#seats.length) return;
    this.phase = "play";
    this.due = "deal";
  }

  /** @param {Event} event */
  #onSeedTimeout(event) {
    if (event.data.missing === undefined) throw this.#finding(event, "timeout");
    this.#checkOverdue(event);
    const missing = this.#seats.filter((seat) => !this.#sent.has(seat));
    if (!same(event.data, { missing })) throw this.#finding(event, "timeout");
    this.#seedTimeouts += 1;
    this.#giveTurn(event.t);
    if (this.#seedTimeouts < SEED_PERIODS) return;
    const complete = SIDES.filter((side) => !missing.some((seat) => seat % 2 === side));
    this.#expectEnd({ reason: "seed", winner: complete.length === 1 ? complete[0] : null });
  }

  /** @param {Event} event */
  #onResume(event) {
    const { from, to } = event.data;
    const long = to - from > this.#open.clock.outage_ms;
    if (!long || to > event.t || to < this.#since || from < this.#resumedTo) throw this.#finding(event, "resume");
    this.#resumedTo = to;
    this.#giveTurn(event.t);
  }

  /** @param {Event} event */
  #onDeal(event) {
    const deal = this.#dealNumber + 1;
    const dealer = (this.shuffle.firstDealer() + deal - 1) % this.#seats.length;
    const { options } = this.#open.ruleset;
    const given = { shuffle: this.shuffle, number: deal, dealer, options, previous: this.#previous };
    this.deal = gameOf(this.#open).next(given);
    const { turned } = this.deal;
    const expected = { deal, dealer, ...(turned === undefined ? {} : { turned: CARDS[turned] }) };
    if (!same(event.data, expected)) throw this.#finding(event, "deal", 7);
    this.#dealNumber = deal;
    this.due = null;
    this.#giveTurn(event.t, this.#open.clock.pause_ms);
  }

  /** @param {Event} event */
  #onAct(event) {
    const action = event.data.do;
    const anyTurn = "resign" in action || "declare" in action;
    if (!anyTurn && event.by !== this.deal.turn) throw this.#finding(event, "turn");
    this.#checkInTime(event);
    if ("resign" in action) this.#expectEnd({ reason: "resigned", winner: 1 - (event.by % 2) });
    else if ("declare" in action) this.#declare(event);
    else this.#move(event);
  }

  /** Takes no turn. @param {Event} event of a game that has announcements, or its schema had refused it */
  #declare(event) {
    if (!this.deal.mayDeclare(event.by)) throw this.#finding(event, "illegal");
    this.deal.declare(event.by);
  }

  /** @param {Event} event an act or a timeout with a `do` */
  #move(event) {
    const { deal } = this;
    const action = event.data.do;
    const asked = encode(action);
    if (!deal.legal().some((/** @type {any} */ each) => encode(each) === asked)) throw this.#finding(event, "illegal");
    const says = "card" in action ? deal.says(cardNumber(action.card)) : undefined;
    if (event.data.says !== says) throw this.#finding(event, "says");
    deal.apply(action);
    if (deal.turn === null) this.due = "score";
    else this.#giveTurn(event.t);
    if (deal.showDue) this.due = "show";
  }

  /** @param {Event} event */
  #onShow(event) {
    if (!same(event.data, { announcements: this.deal.shown() })) throw this.#finding(event, "show", 9);
    this.due = null;
  }

  /** @param {Event} event */
  #onTimeout(event) {
    const { deal } = this;
    const { turn } = deal;
    if (event.data.missing !== undefined) throw this.#finding(event, "timeout");
    if (event.data.seat !== turn) throw this.#finding(event, "turn");
    this.#checkOverdue(event);
    const overrun = this.#overruns[turn] + 1;
    const losing = overrun === this.#open.clock.overruns;
    const { says, ...data } = event.data;
    const expected = losing ? { seat: turn, overrun } : { seat: turn, overrun, do: deal.legal()[0] };
    if (!same(data, expected)) throw this.#finding(event, "timeout");
    this.#overruns[turn] = overrun;
    if (losing) this.#expectEnd({ reason: "overruns", winner: 1 - (turn % 2) });
    else this.#move(event);
  }

  /** @param {Event} event */
  #onScore(event) {
    const result = this.deal.result();
    const totals = this.#totals.map((total, side) => total + result.marks[side]);
    if (!same(event.data, { deal: this.#dealNumber, totals, ...result })) throw this.#finding(event, "score", 9);
    this.#totals = totals;
    this.#previous = this.deal;
    this.deal = null;
    const best = Math.max(...totals);
    const leaders = SIDES.filter((side) => totals[side] === best);
    if (best >= this.#open.ruleset.options.target && leaders.length === 1) {
      this.#expectEnd({ reason: "target", winner: leaders[0] });
    } else if (this.#dealNumber === this.#open.deals_max) {
      this.#expectEnd({ reason: "void", winner: null, cause: "deal_limit" });
    } else {
      this.due = "deal";
    }
  }

  /** @param {{reason: string, winner: number | null, cause?: string}} end */
  #expectEnd(end) {
    this.#end = { ...end, totals: this.#totals };
    this.due = "end";
  }

  /** An end that follows from nothing: the operator's. @param {Event} event */
  #onUnaskedEnd(event) {
    if (this.phase === "joining") this.#expectEnd({ reason: "cancelled", winner: null });
    else this.#expectEnd({ reason: "void", winner: null, cause: "operator" });
    this.#onEnd(event);
  }

  /** @param {Event} event */
  #onEnd(event) {
    if (!same(event.data, this.#end)) throw this.#finding(event, "end", 9);
    this.deal = null;
    this.phase = "over";
    this.due = "reveal";
  }

  /** @param {Event} _event */
  #onReveal(_event) {
    const settles = this.#joined.size === this.#seats.length && this.#open.stake !== 0;
    this.due = settles ? "settle" : null;
    this.closed = !settles;
  }

  /** @param {Event} event */
  #onSettle(event) {
    const lines = settleLines(this.#open, this.#end);
    if (!same(event.data, { lines })) throw this.#finding(event, "settle", 10);
    this.due = null;
    this.closed = true;
  }

  /** The view of a seat after the events so far (2.9). @param {number} seat @returns {{hand: string[], legal: any[]}} */
  view(seat) {
    if (this.deal === null) return { hand: [], legal: [] };
    const onTurn = this.due === null && this.deal.turn === seat;
    return { hand: this.deal.hand(seat), legal: onTurn ? this.deal.legal() : [] };
  }
}
