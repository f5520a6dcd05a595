/** The deals: pack, hands, bidding, tricks and score. */

import { disclosure, element, row } from "./dom.js";
import { cardText, drawCard, drawCards, suitText } from "./drawing.js";
import { say } from "./texts.js";

/** @param {any} shown {report, facts, held} @returns {Node[]} */
export function drawDeals({ report, facts, held }) {
  if (facts.dealer === null) return [element("p", {}, say("no packs"))];
  if (facts.deals.length === 0) return [element("p", {}, say("no deals"))];
  const seatText = (/** @type {number} */ seat) => say(held?.seat === seat ? "seat you" : "seat", { seat });
  return facts.deals.map((/** @type {any} */ deal, /** @type {number} */ i) => {
    const unfinished = deal.score === undefined && i === facts.deals.length - 1 && [7, 8, 9].includes(report.step);
    return disclosure(`deal-${deal.number}`, summary(deal), () => drawDeal(deal, seatText, unfinished), i === 0);
  });
}

/** @param {any} deal */
function summary(deal) {
  const said = [];
  if (deal.taker !== undefined) said.push(say("takes", { seat: deal.taker, trump: suitText(deal.trump) }));
  if (deal.score !== undefined) said.push(say(`outcome ${deal.score.outcome}`), deal.score.marks.join("\u00a0–\u00a0"));
  const title = element("span", { class: "check-title" }, say("deal", deal));
  return [title, element("span", { class: "check-result" }, said.join(", "))];
}

/** @param {any} deal @param {(seat: number) => string} seatText @param {boolean} unfinished */
function drawDeal(deal, seatText, unfinished) {
  return [
    ...(unfinished ? [element("p", { class: "notice" }, say("deal broken"))] : []),
    heading("pack"),
    drawCards(deal.pack, { kind: "pack", under: (_, index) => String(index + 1) }),
    disclosure(`arithmetic-${deal.number}`, [element("span", {}, say("arithmetic"))], () => [arithmetic(deal)]),
    ...(deal.turned === undefined ? [] : [heading("turned"), drawCards([deal.turned])]),
    ...drawHands(deal, seatText),
    ...drawBids(deal, seatText),
    ...drawTricks(deal),
    ...drawShown(deal, seatText),
    ...drawScore(deal.score),
  ];
}

/** @param {string} key */
const heading = (key) => element("h4", {}, say(key));

/** @param {any} deal */
const arithmetic = ({ message, hmac, index, cut }) =>
  element(
    "dl",
    {},
    row(say("message"), message, "hex"),
    row(say("hmac"), hmac, "hex"),
    cut === undefined ? row(say("index"), index, "hex") : row(say("cut"), say("cut value", { cut })),
  );

/** @param {any} deal @param {(seat: number) => string} seatText */
function drawHands({ hands, dealer, taker }, seatText) {
  if (hands.length === 0) return [];
  const drawn = hands.flatMap((/** @type {string[]} */ hand, /** @type {number} */ seat) => [
    element("p", { class: "label" }, seatText(seat) + (seat === dealer ? ` · ${say("dealer")}` : "")),
    drawCards(hand),
  ]);
  return [heading(taker === undefined ? "hands dealt" : "hands played"), ...drawn];
}

/** @param {any} deal @param {(seat: number) => string} seatText */
function drawBids({ bids }, seatText) {
  if (bids.length === 0) return [];
  const items = bids.map((/** @type {any} */ move) => {
    const late = move.late ? ` (${say("late")})` : "";
    return element("li", {}, `${seatText(move.seat)} : ${bidText(move)}${late}`);
  });
  return [heading("bidding"), element("ol", { class: "bids" }, ...items)];
}

/** @param {any} move */
function bidText({ bid, resign, declare }) {
  if (resign) return say("bid resign");
  if (declare) return say("bid declare");
  if (typeof bid === "object") return `${bid.value} ${suitText(bid.suit)}`;
  return "SHDC".includes(bid) ? suitText(bid) : say(`bid ${bid}`);
}

/** @param {any} deal */
function drawTricks({ tricks }) {
  if (tricks.length === 0) return [];
  const items = tricks.map((/** @type {any} */ { cards, winner }) => {
    const played = cards.map((/** @type {any} */ move) =>
      element("li", { class: move.seat === winner ? "winner" : null }, drawCard(move.card), element("span", { class: "under" }, move.seat)),
    );
    const word = [winner === null ? say("trick open") : say("trick won", { seat: winner }), ...cards.flatMap(remarks)].join(", ");
    return element("li", {}, element("ol", { class: "cards trick" }, ...played), element("span", { class: "trick-won" }, word));
  });
  const kind = tricks[0].cards.length > 2 ? "tricks four" : "tricks";
  return [heading("tricks"), element("ol", { class: kind }, ...items)];
}

/** What else is to be told of a card played. @param {any} move @returns {string[]} */
function remarks({ seat, late, says }) {
  const told = [says === undefined ? null : say(says), late ? say("late") : null].filter((word) => word !== null);
  return told.map((word) => say("remark", { seat, word }));
}

/** @param {any} deal @param {(seat: number) => string} seatText */
function drawShown({ shown }, seatText) {
  if (shown === undefined) return [];
  const items = shown.map((/** @type {any} */ { seat, cards }) => element("li", {}, `${seatText(seat)} : ${cards.map(cardText).join(" ")}`));
  return [heading("announcements"), element("ul", {}, ...items)];
}

/** @param {any} score */
function drawScore(score) {
  if (score === undefined) return [];
  const columns = [
    ["points", score.points],
    ["tricks won", score.tricks],
    ["marks", score.marks],
    ["total", score.totals],
  ];
  const head = element("tr", {}, element("td", {}), ...columns.map(([key]) => element("th", { scope: "col" }, say(key))));
  const sides = [0, 1].map((side) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, say("side", { side }) + (score.belote === side ? ` · ${say("belote")}` : "")),
      ...columns.map(([, values]) => element("td", {}, values[side])),
    ),
  );
  return [heading("score"), element("table", {}, element("tbody", {}, head, ...sides))];
}
