import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../cli.mjs", import.meta.url));
const FILE = fileURLToPath(new URL("../../../tests/vectors/tlog.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "fairdeal-"));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} path */
function run(path) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "--tlog-cases", path], { encoding: "utf8" });
  return { status, lines: stdout.trimEnd().split("\n"), stderr };
}

/** The shared file, changed. @param {string} name @param {(file: any) => unknown} spoil */
function changed(name, spoil) {
  const file = JSON.parse(readFileSync(FILE, "utf8"));
  spoil(file);
  writeFileSync(join(folder, name), JSON.stringify(file));
  return run(join(folder, name));
}

test("every case comes out as the file says", () => {
  const { status, lines, stderr } = run(FILE);
  assert.equal(status, 0, lines.join("\n") + stderr);
  assert.deepEqual(lines.map((line) => line.split(":")[0]), [
    "merkle roots", "merkle inclusion", "merkle consistency", "signed_note", "checkpoint_body", "checkpoint_notes",
    "cosignature_v1", "tlog_proof", "canonical_profile", "ed25519",
  ]);
  for (const line of lines) assert.match(line, /: [1-9][0-9]* valid, [0-9]+ invalid, 0 otherwise/);
  assert.ok(lines.includes("tlog_proof: 3 valid, 15 invalid, 0 otherwise than the file says"));
});

/** @type {Record<string, (file: any) => unknown>} */
const FAULTS = {
  "merkle roots": (file) => (file.merkle.roots_hex_by_size[5] = "00".repeat(32)),
  "merkle inclusion": (file) => (file.merkle.inclusion_cases[0].ok = true),
  "merkle consistency": (file) => file.merkle.leaf_n_tree.consistency[0].proof.pop(),
  signed_note: (file) => (file.signed_note.notes[0].vkeys = []),
  checkpoint_body: (file) => (file.checkpoint_body[0].ok = false),
  checkpoint_notes: (file) => (file.checkpoint_notes[0].size += 1),
  cosignature_v1: (file) => (file.cosignature_v1.verify[0].timestamp += 1),
  tlog_proof: (file) => (file.tlog_proof.policy.quorum = 1),
  canonical_profile: (file) => file.canonical_profile.accept_b64.push("e30K"),
  ed25519: (file) => (file.ed25519.s_plus_L.ok = true),
};

for (const [group, spoil] of Object.entries(FAULTS)) {
  test(`a planted fault is seen: ${group}`, () => {
    const { status, lines } = changed("planted.json", spoil);
    assert.equal(status, 1);
    assert.deepEqual(lines.filter((line) => !line.startsWith(" ") && !line.endsWith(" 0 otherwise than the file says")).map((line) => line.split(":")[0]), [group]);
  });
}

test("a file of some groups alone, and files that are none", () => {
  writeFileSync(join(folder, "some.json"), JSON.stringify({ checkpoint_body: [] }));
  assert.deepEqual(run(join(folder, "some.json")), { status: 0, lines: ["checkpoint_body: 0 valid, 0 invalid, 0 otherwise than the file says"], stderr: "" });
  for (const [name, text] of [["none.json", "{}"], ["text.json", "x"], ["list.json", "[1]"]]) {
    writeFileSync(join(folder, name), text);
    assert.equal(run(join(folder, name)).status, 2, name);
  }
  assert.equal(run(join(folder, "missing.json")).status, 2);
});
