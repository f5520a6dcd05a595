/** The page: files in, verdict and everything behind it out. */

import { changeOneCard, examine, kindOf, MOST_BYTES } from "./examine.js";
import { sentence } from "../src/sentences.js";
import { accountText, drawChecks, drawFinding } from "./checks.js";
import { drawDeals } from "./deals.js";
import { element, icon, row } from "./dom.js";
import { cardText, drawCard } from "./drawing.js";
import { chooseLanguage, currentLanguage, has, languageOf, money, say } from "./texts.js";
import { ask } from "./worker.js";

const KINDS = /** @type {const} */ (["bundle", "held", "policy"]);
const LIMITS = 10;
/** How the command names a policy that was pasted. */
const PASTED_NAME = "policy.txt";
/** Causes that lie in what the reader gave, not in the record. */
const NOT_IN_THE_RECORD = ["no_policy", "unknown_key"];

/** A pasted text has no name. @type {Record<string, {name: string | null, bytes: Uint8Array} | null>} */
const files = { bundle: null, held: null, policy: null };
/** @type {any} what the worker answered for these files */
let shown = null;
/** @type {any} the demonstration: the change, and the worker's answer for it */
let change = null;
let turn = 0;

const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** Files as the verifier takes them. @param {Uint8Array} bundle */
const given = (bundle) => ({ bundle, held: files.held?.bytes, policy: files.policy?.bytes });

/** Checks the files as they are now; an answer that comes after the next change is dropped. */
async function check() {
  const mine = (turn += 1);
  change = null;
  shown = null;
  if (files.bundle === null) return draw();
  byId("results").setAttribute("aria-busy", "true");
  announce(say("busy"));
  draw();
  const answer = await answerFor(files.bundle.bytes);
  if (mine !== turn) return;
  shown = answer;
  byId("results").setAttribute("aria-busy", "false");
  draw();
  announce(summaryText());
}

/** @param {Uint8Array} bundle @returns {Promise<any>} */
async function answerFor(bundle) {
  try {
    return await ask(given(bundle));
  } catch (error) {
    return { failure: String(error) };
  }
}

/** @param {string} text */
function announce(text) {
  byId("status").textContent = text;
}

function summaryText() {
  if (shown.failure !== undefined) return say("failed", { why: shown.failure });
  if (shown.unusable !== undefined) return say(`unusable ${shown.unusable}`);
  return `${say(`verdict ${shown.report.verdict}`)}. ${saidText(shown)}`;
}

/** The one sentence of a verdict. @param {any} answer */
function saidText({ report, facts }) {
  const { verdict, cause } = report;
  if (verdict === "verified") {
    if (facts.lost) return say("said verified lost");
    if (report.counts.deals === 0) return say("said verified none");
    return say(facts.open.ruleset.id === "annonces@1" ? "said verified annonces" : "said verified");
  }
  const exact = `said ${verdict} ${cause}`;
  return say(has(exact) ? exact : `said ${verdict}`);
}

/** Draws all that depends on files or language. */
function draw() {
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = say(/** @type {any} */ (each).dataset.text);
  for (const each of document.querySelectorAll("[data-label]")) each.setAttribute("aria-label", say(/** @type {any} */ (each).dataset.label));
  document.documentElement.lang = currentLanguage();
  document.title = `${say("title")} – fairdeal`;
  for (const each of document.querySelectorAll("[data-language]")) {
    each.setAttribute("aria-pressed", String(/** @type {any} */ (each).dataset.language === currentLanguage()));
  }
  KINDS.forEach(drawFile);
  byId("intro").hidden = files.bundle !== null;
  byId("results").replaceChildren(...drawResults());
}

/** @param {string} kind */
function drawFile(kind) {
  const file = files[kind];
  byId(`name-${kind}`).textContent = file === null ? say(`hint ${kind}`) : (file.name ?? say("pasted"));
  byId(`slot-${kind}`).classList.toggle("full", file !== null);
  const remove = byId(`remove-${kind}`);
  remove.hidden = file === null;
  remove.setAttribute("aria-label", say("remove", { what: say(`file ${kind}`) }));
}

/** @returns {Node[]} */
function drawResults() {
  if (files.bundle === null) return [];
  if (shown === null) return [element("p", { class: "busy" }, say("busy"))];
  if (shown.failure !== undefined) return [card("unchecked", say("failed", { why: "" }), shown.failure)];
  if (shown.unusable !== undefined) return [card("malformed", say("unusable"), say(`unusable ${shown.unusable}`))];
  const { facts } = shown;
  return [
    drawVerdict(),
    part("checks", [drawChecks(shown)]),
    ...(facts === null ? [] : [part("deals", drawDeals(shown)), part("money", [drawMoney(facts)]), part("change", drawChange())]),
    part("limits", [drawLimits()]),
  ];
}

/** @param {string} id @param {Node[]} content */
const part = (id, content) => element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, say(id)), ...content);

/** @param {string} verdict @param {string} word @param {string} said @param {...Node} more */
const card = (verdict, word, said, ...more) =>
  element(
    "section",
    { class: `verdict ${verdict}`, "data-verdict": verdict },
    element("h2", {}, icon(verdict), element("span", {}, word)),
    element("p", { class: "said" }, said),
    ...more,
  );

function drawVerdict() {
  const { report, facts } = shown;
  const line = sentence(report, facts?.open.seats ?? 0, /** @type {any} */ (currentLanguage()));
  const save = element("button", { type: "button", class: "quiet", click: saveReport }, say("save"));
  const found = report.step === null || NOT_IN_THE_RECORD.includes(report.cause) ? [] : drawFinding(shown);
  const details = element("details", { open: found.length > 0 }, element("summary", {}, say("full sentence")), element("p", { class: "line" }, line), save);
  return card(report.verdict, say(`verdict ${report.verdict}`), saidText(shown), ...found.slice(0, 1), details);
}

function saveReport() {
  const { report } = shown;
  const address = URL.createObjectURL(new Blob([JSON.stringify(report) + "\n"], { type: "application/json" }));
  element("a", { href: address, download: `${report.m ?? "fairdeal"}-report.json` }).click();
  URL.revokeObjectURL(address);
}

/** @param {any} facts */
function drawMoney({ lines, lost, open }) {
  if (lines === null) return element("p", {}, say(lost ? "no money lost" : "no money"));
  const rows = lines.map((/** @type {any} */ { account, amount }) => row(accountText(account), money(amount, open.asset), "amount"));
  return element("dl", { class: "money" }, ...rows);
}

/** @returns {Node[]} */
function drawChange() {
  const possible = changeOneCard(/** @type {any} */ (files.bundle).bytes);
  if (possible === null) return [element("p", {}, say("change none"))];
  const intro = element("p", {}, say("change what"));
  const done = change !== null && !change.back;
  const act = done ? putBack : makeChange;
  const button = element("button", { type: "button", id: "change-button", click: act }, say(done ? "change undo" : "change do"));
  return [intro, button, ...(change === null ? [] : drawChanged())];
}

function drawChanged() {
  const { made, answer, back } = change;
  const { report, facts } = answer;
  const dots = report.checks.map((/** @type {any} */ { step, result }) =>
    element("li", { class: `mark ${result.replace(" ", "-")}`, "aria-label": `${step}. ${say(`check ${step}`)} : ${say(`result ${result}`)}` }, step),
  );
  const words = { from: cardText(made.from), to: cardText(made.to), event: made.event };
  const cards = [drawCard(made.from), element("span", { class: "arrow", "aria-hidden": "true" }, "→"), drawCard(made.to)];
  const verdict = element("p", { class: `verdict-line ${report.verdict}`, "data-verdict": report.verdict }, icon(report.verdict), say(`verdict ${report.verdict}`));
  const roots = element("dl", {}, row(say("signed root"), facts.head.root, "hex"), row(say("computed root"), facts.root, back ? "hex" : "hex differs"));
  return [
    element("p", { role: "status" }, back ? say("change back") : say("change did", words)),
    ...(back ? [] : [element("div", { class: "swap" }, ...cards)]),
    verdict,
    element("ol", { class: "dots" }, ...dots),
    roots,
    ...(back ? [] : [element("p", {}, say("change roots"))]),
  ];
}

async function makeChange() {
  const made = /** @type {any} */ (changeOneCard(/** @type {any} */ (files.bundle).bytes));
  await showChange(made, made.bytes, false);
}

const putBack = () => showChange(change.made, /** @type {any} */ (files.bundle).bytes, true);

/** @param {any} made @param {Uint8Array} bytes @param {boolean} back */
async function showChange(made, bytes, back) {
  const mine = turn;
  const answer = await answerFor(bytes);
  if (mine !== turn || answer.report === undefined) return;
  change = { made, answer, back };
  byId("change").replaceWith(part("change", drawChange()));
  byId("change-button").focus();
}

function drawLimits() {
  const logless = shown.facts?.log === null;
  const items = Array.from({ length: LIMITS }, (_, i) => {
    const own = `limit ${i + 1} without log`;
    return element("li", {}, say(logless && has(own) ? own : `limit ${i + 1}`));
  });
  const words = ["fairdeal-verify", ...KINDS.flatMap((kind) => (files[kind] === null ? [] : argument(kind, files[kind].name ?? PASTED_NAME)))];
  const command = words.join(" ");
  const copy = element("button", { type: "button", class: "quiet", click: () => copyText(command, copy) }, say("copy"));
  return element("div", {}, element("ul", {}, ...items), element("pre", { class: "command" }, command), copy);
}

/** @param {string} kind @param {string} name */
function argument(kind, name) {
  const quoted = /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return kind === "bundle" ? [quoted] : [`--${kind}`, quoted];
}

/** @param {string} text @param {HTMLElement} button */
async function copyText(text, button) {
  await navigator.clipboard.writeText(text);
  button.textContent = say("copied");
  announce(say("copied"));
}

/** Takes files into their places; of one kind the last counts. @param {Iterable<File>} chosen @param {string} [kind] else what each seems to be */
async function take(chosen, kind) {
  for (const file of chosen) {
    const bytes = new Uint8Array(await file.slice(0, MOST_BYTES).arrayBuffer());
    files[kind ?? kindOf(file.name, bytes)] = { name: file.name, bytes };
  }
  await check();
}

function usePasted() {
  const text = byId("pasted").value.trim();
  files.policy = text === "" ? null : { name: null, bytes: new TextEncoder().encode(`${text}\n`) };
  return check();
}

function listen() {
  for (const kind of KINDS) {
    const input = byId(`input-${kind}`);
    // Emptied, so that the same file can be chosen again.
    input.addEventListener("change", () => take([...input.files], kind).then(() => (input.value = "")));
    byId(`remove-${kind}`).addEventListener("click", () => {
      files[kind] = null;
      input.focus();
      return check();
    });
  }
  byId("paste-button").addEventListener("click", usePasted);
  for (const each of document.querySelectorAll("[data-language]")) {
    each.addEventListener("click", () => {
      chooseLanguage(/** @type {any} */ (each).dataset.language);
      draw();
    });
  }
  listenToDrops();
}

function listenToDrops() {
  const drop = (/** @type {boolean} */ on) => document.body.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    drop(true);
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop(false);
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop(false);
    return take(event.dataTransfer?.files ?? []);
  });
}

/** Whether this browser can check a signature at all. */
async function canCheck() {
  try {
    await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
    return true;
  } catch {
    return false;
  }
}

async function start() {
  chooseLanguage(languageOf(navigator.languages));
  listen();
  draw();
  byId("old").hidden = await canCheck();
}

start();
