/** The rules cases that all programs of this repository share. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CARDS, cardNumber, SUITS } from "../src/cards.js";
import { vectors } from "./vectors.js";

/** @type {any[]} */
const CASES = vectors("rules").cases;

/** @param {string[]} rulesets @param {string} type @param {(given: any, expected: any, ruleset: string) => void} check */
export function testCases(rulesets, type, check) {
  const chosen = CASES.filter((each) => each.type === type && rulesets.includes(each.ruleset));
  test(`rules cases: ${type} of ${rulesets.join(", ")}`, async (t) => {
    assert.ok(chosen.length > 0);
    for (const { id, given, expect, ruleset } of chosen) await t.test(id, () => check(given, expect, ruleset));
  });
}

export const numbers = (/** @type {string[]} */ cards) => cards.map(cardNumber);

/** What a word of the cases means as `do`. @param {string} word */
export function actionOf(word) {
  if (CARDS.includes(word)) return { card: word };
  const contract = /^(\d+|capot)(.+)$/.exec(word);
  if (contract === null) return { bid: word };
  return { bid: { suit: contract[2], value: contract[1] === "capot" ? 250 : Number(contract[1]) } };
}

/** Whether the seat on turn may do it. @param {any} deal @param {any} action */
export const allows = (deal, action) => deal.legal().some((/** @type {any} */ each) => JSON.stringify(each) === JSON.stringify(action));

/** Does what the cases say, as long as it is legal. @param {any} deal @param {[number, string][]} actions @returns {{illegal: number | null, announced: any[]}} */
export function perform(deal, actions) {
  /** @type {any[]} */
  const announced = [];
  for (const [index, [seat, word]] of actions.entries()) {
    const action = actionOf(word);
    if (deal.turn !== seat || !allows(deal, action)) return { illegal: index, announced };
    const says = "card" in action ? deal.says(cardNumber(word)) : undefined;
    if (says !== undefined) announced.push([seat, says, word]);
    deal.apply(action);
  }
  return { illegal: null, announced };
}

export const suitNumber = (/** @type {string} */ suit) => SUITS.indexOf(suit);

/** Ways to go on for `depth` actions, of which `declare` is none. @param {() => any} make @param {any[]} done @param {number} depth @returns {number} */
export function perft(make, done, depth) {
  const deal = make();
  for (const action of done) deal.apply(action);
  const legal = deal.legal().filter((/** @type {any} */ action) => !("declare" in action));
  if (depth === 1) return legal.length;
  return legal.reduce((/** @type {number} */ sum, /** @type {any} */ action) => sum + perft(make, [...done, action], depth - 1), 0);
}
