/** Cards, drawn: a French pack, with valet, dame and roi. */

import { copyOf, element } from "./dom.js";
import { say } from "./texts.js";

const FACES = { J: "V", Q: "D", K: "R" };
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };

/** @param {string} card "S10" */
const parts = (card) => ({ suit: card[0], rank: card.slice(1) });

/** Spoken. @param {string} card */
export function cardName(card) {
  const { suit, rank } = parts(card);
  return say("card", { rank: say(`rank ${rank}`), suit: say(`suit ${suit}`) });
}

/** In a line of text. @param {string} card */
export function cardText(card) {
  const { suit, rank } = parts(card);
  return `${/** @type {any} */ (FACES)[rank] ?? rank}${/** @type {any} */ (SUITS)[suit]}`;
}

/** @param {string} suit "S" */
export const suitText = (suit) => /** @type {any} */ (SUITS)[suit];

/** Where the large suit of a face stands, in the card's own units. */
const BELOW_FIGURE = { x: 11.5, y: 37.5, width: 17, height: 17 };

/** @param {Element} drawn @param {Record<string, number>} box */
function place(drawn, box) {
  for (const [name, value] of Object.entries(box)) drawn.setAttribute(name, String(value));
}

/** @param {string} card @returns {SVGElement} */
export function drawCard(card) {
  const { suit, rank } = parts(card);
  const drawn = copyOf("card");
  const face = /** @type {any} */ (FACES)[rank];
  drawn.classList.add(suit === "H" || suit === "D" ? "red" : "black");
  drawn.setAttribute("aria-label", cardName(card));
  drawn.querySelector("text").textContent = face ?? rank;
  if (rank === "10") drawn.querySelector("text").classList.add("wide");
  drawn.querySelectorAll(".pip").forEach((/** @type {Element} */ pip) => pip.setAttribute("href", `#suit-${suit}`));
  const figure = drawn.querySelector(".figure");
  if (face === undefined) figure.remove();
  else {
    figure.setAttribute("href", `#figure-${face}`);
    place(drawn.querySelector(".big"), BELOW_FIGURE);
  }
  return drawn;
}

/** Cards side by side, each with a word under it if there is one. @param {string[]} cards @param {{kind?: string, under?: (card: string, index: number) => string}} [how] */
export function drawCards(cards, { kind = "", under } = {}) {
  const items = cards.map((card, index) => {
    const word = under === undefined ? null : element("span", { class: "under" }, under(card, index));
    return element("li", {}, drawCard(card), word);
  });
  return element("ol", { class: `cards ${kind}` }, ...items);
}
