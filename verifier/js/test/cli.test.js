import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EXIT } from "../src/verify.js";
import { play } from "./builder.js";

const CLI = fileURLToPath(new URL("../cli.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "fairdeal-"));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @param {Uint8Array} bytes */
function write(name, bytes) {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

/** @param {...string} args */
const run = (...args) => spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });

test("exit codes, languages and the report", async () => {
  const table = await play("resigned");
  const bundle = write("match.fairdeal", await table.bundle());
  const policy = write("policy", table.policy());
  const held = write("match.held", await table.held(0));

  const verified = run(bundle, "--policy", policy, "--held", held, "--json");
  assert.equal(verified.status, 0, verified.stderr);
  assert.deepEqual(Object.keys(JSON.parse(verified.stdout)).sort(), [
    "anchor", "broken_at", "cause", "checks", "counts", "ending", "format", "log", "m", "sentence", "signatures", "step", "suspects", "verdict",
  ]);
  assert.match(run(bundle, "--policy", policy, "--lang", "en").stdout, /^unchecked: everything agrees[^;]*; resignation, seat [01] wins; \d+ timeouts?, \d+ resumes?, \d+ void deals?\.\n$/);
  assert.match(run(bundle, "--policy", policy, "--lang", "fr").stdout, /^unchecked: non vérifiable, tout concorde[^;]* ; abandon, le joueur du siège [01] gagne ; \d+ dépassements?, \d+ reprises?, \d+ donnes? nulles?\.\n$/);
  assert.equal(run(bundle).status, 13);
  assert.equal(run(policy).status, 12);

  table.events.splice(-3);
  await table.seal();
  assert.equal(run(write("open.fairdeal", await table.bundle()), "--policy", policy).status, 11);
  assert.equal(run(write("cut.fairdeal", await table.bundle(await table.receipt(3))), "--policy", policy).status, 15);

  const changed = write("changed.fairdeal", Buffer.from(String(Buffer.from(await table.bundle())).replace(/"t":(\d)/g, (_, t) => `"t":${9 - t || 1}`)));
  const { broken_at, suspects } = JSON.parse(run(changed, "--policy", policy, "--json").stdout);
  assert.deepEqual(suspects, [0, broken_at]);
  assert.ok(run(changed, "--policy", policy, "--lang", "en").stdout.includes(`(somewhere in events 0 to ${broken_at}, step 3); `));
  assert.match(run(changed, "--policy", policy, "--lang", "fr").stdout, /^altered: fichier modifié, .* \(quelque part dans les événements 0 à /);
});

test("the language is the locale's, else English", async () => {
  const bundle = write("spoken.fairdeal", await (await play("seed")).bundle());
  const none = { ...process.env, LC_ALL: "", LC_MESSAGES: "", LANG: "" };
  const said = (/** @type {Record<string, string>} */ set) =>
    spawnSync(process.execPath, [CLI, bundle], { encoding: "utf8", env: { ...none, ...set } }).stdout;
  for (const set of [{ LANG: "fr_FR.UTF-8" }, { LANG: "C", LC_MESSAGES: "fr_BE" }, { LANG: "en_GB", LC_ALL: "FR" }]) {
    assert.match(said(set), /^unchecked: non vérifiable, tout concorde/);
  }
  for (const set of [{}, { LANG: "fr_FR", LC_ALL: "C" }, { LANG: "de_DE" }]) assert.match(said(set), /^unchecked: everything agrees/);
});

test("what it takes and what comes of it is told", () => {
  const source = readFileSync(CLI, "utf8");
  const options = [...source.matchAll(/^ {6}"?([a-z-]+)"?: \{ type:/gm)].map(([, name]) => `--${name}`);
  assert.equal(options.length, 7);
  const [english, french] = ["en", "fr"].map((lang) => run("--help", "--lang", lang));
  for (const { status, stdout, stderr } of [english, french, run("-h"), run("any.fairdeal", "--help")]) {
    assert.equal(status, 0);
    assert.equal(stderr, "");
    for (const option of options) assert.ok(stdout.includes(`  ${option === "--help" ? "-h, " : ""}${option} `) || stdout.includes(`  ${option}\n`), option);
    for (const [verdict, code] of Object.entries(EXIT)) assert.match(stdout, new RegExp(`^ +${code}  ${verdict} `, "m"));
    for (const code of [1, 2]) assert.match(stdout, new RegExp(`^ {3}${code} {3}`, "m"));
    assert.ok(stdout.split("\n").every((line) => line.length <= 120));
  }
  assert.notEqual(english.stdout, french.stdout);
  assert.equal(english.stdout.split("\n").length, french.stdout.split("\n").length);
});

test("wrong usage", async () => {
  const bundle = write("some.fairdeal", await (await play("seed")).bundle());
  const wrong = [[], [bundle, bundle], [bundle, "--lang", "de"], [bundle, "--signatures", "none"], [bundle, "--other"], [join(folder, "none")], [bundle, "--policy", bundle], [bundle, "--held", bundle]];
  for (const args of wrong) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2, args.join(" "));
    assert.equal(stdout, "");
    assert.notEqual(stderr, "");
  }
});
