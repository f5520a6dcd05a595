/** The numbered checks, each with why it is made and what it was made on. */

import { disclosure, element, icon, row } from "./dom.js";
import { currentLanguage, has, money, number, say } from "./texts.js";

const ICONS = { passed: "passed", failed: "failed", "not run": "idle" };

/** The step that has nothing to look at in a match without a log (protocol 6.2). */
const LOG_STEP = 2;

/** @param {any} shown {report, facts, held, policy} */
export function drawChecks(shown) {
  const items = shown.report.checks.map((/** @type {any} */ check) => element("li", {}, drawCheck(shown, check)));
  return element("ol", { class: "checks" }, ...items);
}

/** @param {any} shown @param {{step: number, result: string}} check */
function drawCheck(shown, { step, result }) {
  const mark = element("span", { class: `mark ${result.replace(" ", "-")}` }, icon(/** @type {any} */ (ICONS)[result]));
  const title = element("span", { class: "check-title" }, `${step}. ${say(`check ${step}`)}`);
  const logless = shown.facts?.log === null;
  const word = element("span", { class: "check-result" }, say(step === LOG_STEP && logless ? "result none" : `result ${result}`));
  const why = `why ${step}${logless ? " without log" : ""}`;
  const content = () => [
    element("p", { class: "why" }, element("strong", {}, say("why")), ` — ${say(has(why) ? why : `why ${step}`)}`),
    ...(result === "failed" ? drawFinding(shown) : []),
    ...drawData(shown, step),
  ];
  return disclosure(`check-${step}`, [mark, title, word], content, result === "failed");
}

/** Where it fails, and by which rule. @param {any} shown */
export function drawFinding({ report, facts }) {
  const { cause, broken_at: place, suspects, step } = report;
  if (cause === null || step === null) return [];
  const found = element("dl", { class: "finding" }, row(say("place"), placeText(report, facts)), row(say("rule"), cause, "code"));
  // One event is shown only where the fault is known to be in it.
  const event = place !== null && !isSpan(suspects) ? facts?.events[place] : undefined;
  if (event === undefined) return [found];
  return [found, element("p", { class: "label" }, say("event", { n: place })), element("pre", {}, JSON.stringify(event, null, 1))];
}

/** Whether the fault may lie in several events. @param {number[] | null} suspects */
const isSpan = (suspects) => suspects !== null && suspects[0] < suspects[1];

/** @param {any} report @param {any} facts */
function placeText({ broken_at: place, suspects }, facts) {
  if (isSpan(suspects)) return say("place between", { from: suspects[0], to: suspects[1] });
  if (place === null) return say("place header");
  if (facts === null) return say("place event", { event: place });
  if (place >= facts.events.length) return say("place missing", { event: facts.events.length - 1 });
  const before = facts.events.slice(0, place + 1).filter((/** @type {any} */ { type }) => type === "deal");
  if (before.length === 0) return say("place event", { event: place });
  return say("place deal", { deal: before[before.length - 1].data.deal, event: place });
}

/** @param {any} shown @param {number} step */
function drawData(shown, step) {
  if (shown.facts === null) return [];
  const rows = DATA[step](shown);
  return rows.length > 0 ? [element("dl", {}, ...rows)] : [];
}

/** @param {string} term @param {string | null} value */
const hexRow = (term, value) => row(term, value ?? say("not revealed"), value === null ? undefined : "hex");

/** @param {{name: string, id: string}} key */
const keyText = ({ name, id }) => `${name}+${id}`;

/** @param {any} opening {commitment, seed, hash} @param {string} who */
const openingRows = ({ commitment, seed, hash }, who) => [
  row(who, ""),
  hexRow(say("commitment"), commitment),
  hexRow(say("seed"), seed),
  ...(hash === null ? [] : [hexRow(say("hash of seed"), hash)]),
];

/** Those of the operator: a witness has another name than the log. @param {any} log */
const logKeys = ({ origin, lines }) => lines.filter((/** @type {any} */ { name }) => name === origin);

/** The state of the log that the bundle stands on, and who vouches for it. @param {any} log @param {any} policy @param {any} report */
function checkpointRows({ origin, size, root, lines }, policy, report) {
  const rows = [row(say("log origin"), origin, "hex"), row(say("log size"), number(size)), hexRow(say("log root"), root)];
  if (policy === null) return rows;
  const checked = report.checks[1].result === "passed";
  const witnesses = policy.witnesses.map((/** @type {any} */ witness) => {
    const line = lines.find((/** @type {any} */ { name, id }) => name === witness.name && id === witness.id);
    const word = line === undefined ? say("not cosigned") : checked ? say("cosigned", { time: time(1000 * line.time) }) : say("cosigned unchecked");
    return row(say("witness", { name: witness.called }), `${word}\n${keyText(witness)}`, "hex");
  });
  return [...rows, ...witnesses, row(say("quorum"), policy.quorum === "none" ? say("quorum none") : policy.quorum)];
}

/** The match's places in the log, and what its seats had seen of it. @param {any} log */
function logRows({ size, leaves, seen }) {
  return [
    row(say("log size"), number(size)),
    ...leaves.map((/** @type {any} */ { type, index, outcome }) => row(say(`leaf ${type}`), say(outcome === null ? "leaf at" : "leaf at outcome", { index: number(index), outcome }))),
    ...seen.map((/** @type {any} */ each) => row(say("seat saw", each), each.size === 0 ? say("saw nothing") : say("saw", { size: number(each.size) }))),
  ];
}

/** What each check was made on. @type {((shown: any) => Node[])[]} */
const DATA = [
  ({ facts }) => [
    row(say("size"), say("size value", { bytes: number(facts.bytes), events: number(facts.events.length) })),
    hexRow("SHA-256", facts.sha256),
    row(say("match"), facts.open.m, "hex"),
    row(say("ruleset"), `${facts.open.ruleset.id} ${JSON.stringify(facts.open.ruleset.options)}`, "code"),
  ],
  ({ facts, policy, report }) => [
    row(say("your keys"), policy === null ? say("none") : policy.keys.map(keyText).join("\n"), policy === null ? undefined : "hex"),
    ...(facts.log === null ? [] : [row(say("log signed by"), logKeys(facts.log).map(keyText).join("\n"), "hex")]),
    row(say("match signed by"), keyText(facts.head), "hex"),
    row(say("receipt key"), `${facts.open.log}/receipts+${facts.receiptKeyId}`, "hex"),
    ...(facts.log === null ? [] : checkpointRows(facts.log, policy, report)),
  ],
  ({ facts: { log } }) => (log === null ? [] : logRows(log)),
  ({ facts, held }) => [
    hexRow(say("signed root"), facts.head.root),
    hexRow(say("computed root"), facts.root),
    row(say("your receipts"), held === null ? say("none held") : say("receipts value", { ...held, count: held.receipts })),
    ...(held === null || facts.log === null ? [] : [row(say("your proofs"), number(held.proofs))]),
  ],
  ({ facts }) => facts.seats.flatMap((/** @type {any} */ { seat, key, signatures }) => [
    row(say("seat key", { seat }), key ?? "–", "hex"),
    row(say("seat signatures", { seat }), number(signatures)),
  ]),
  ({ facts: { server } }) => openingRows(server, "").slice(1),
  ({ facts }) => facts.seats.flatMap((/** @type {any} */ seat) => openingRows(seat, say("seat", seat))),
  ({ facts: { tableRoot, dealer } }) => [
    hexRow(say("table root"), tableRoot),
    ...(dealer === null ? [] : [hexRow(say("hmac"), dealer.hmac), row(say("first dealer"), say("seat", dealer))]),
  ],
  ({ facts: { events }, report: { counts } }) => [
    row(say("actions"), number(events.filter((/** @type {any} */ { type }) => type === "act").length)),
    row(say("timeouts"), number(counts.timeouts)),
    row(say("resumes"), number(counts.resumes)),
    row(say("began"), time(events[0].t)),
    row(say("ended"), time(events[events.length - 1].t)),
  ],
  ({ facts: { events }, report: { ending } }) => [
    row(say("end"), ending === null ? say("no end") : say(`end ${ending.reason}`)),
    row(say("totals"), (events.filter((/** @type {any} */ { data }) => data.totals).pop()?.data.totals ?? [0, 0]).join(" – ")),
  ],
  ({ facts: { lines, open } }) => (lines ?? []).map((/** @type {any} */ line) => row(accountText(line.account), money(line.amount, open.asset))),
];

/** @param {string} account */
export function accountText(account) {
  const [kind, seat] = account.split(":");
  return seat === undefined ? say(`account ${kind}`) : say("seat", { seat });
}

/** @param {number} t ms since 1970; the protocol's range is wider than what a calendar shows */
function time(t) {
  const date = new Date(t);
  return Number.isNaN(date.getTime()) ? String(t) : date.toLocaleString(currentLanguage());
}
