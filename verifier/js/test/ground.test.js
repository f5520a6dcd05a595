import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toBase64, toHex, utf8 } from "../src/bytes.js";
import { encode, parse } from "../src/canonical.js";
import { SignatureChecker } from "../src/ed25519.js";
import { Malformed, UsageError } from "../src/errors.js";
import { roots } from "../src/merkle.js";
import { COSIGNS, lineHolds, parseReceipt, parseVerifierKey, verifierKey } from "../src/notes.js";
import { parsePolicy } from "../src/policy.js";
import { hmacSha256, sha256 } from "../src/sha256.js";
import { bytesOf, vectors } from "./vectors.js";

const tlog = vectors("tlog");

/** @param {() => unknown} work */
function isAccepted(work) {
  try {
    work();
    return true;
  } catch (error) {
    assert.ok(error instanceof Malformed, String(error));
    return false;
  }
}

test("SHA-256 and HMAC agree with WebCrypto at every length around the block", async () => {
  for (let length = 0; length < 200; length++) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
    assert.equal(toHex(sha256(message)), toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", message))));
    const secret = Uint8Array.from({ length: length + 1 }, (_, i) => i & 255);
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    assert.equal(toHex(hmacSha256(secret, message)), toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, message))));
  }
});

test("canonical JSON vectors", () => {
  const { accept_b64, reject } = tlog.canonical_profile;
  assert.ok(accept_b64.length > 10 && reject.length > 20);
  for (const text of accept_b64) assert.equal(encode(parse(bytesOf(text))), Buffer.from(text, "base64").toString());
  for (const { b64, why } of reject) assert.equal(isAccepted(() => parse(bytesOf(b64))), false, why);
});

test("canonical JSON: depth 32 passes, 33 does not; a byte order mark and a hidden surrogate do not", () => {
  assert.ok(isAccepted(() => parse(utf8("[".repeat(32) + "]".repeat(32)))));
  for (const text of ["[".repeat(33) + "]".repeat(33), "\ufeff{}", '"\\ud83d\\ude00"', '{"a":1,"a":1}', '{"__proto__":1}']) {
    assert.equal(isAccepted(() => parse(utf8(text))), false, text);
  }
});

test("Merkle roots", () => {
  const { leaf_inputs_hex, roots_hex_by_size, leaf_n_tree, empty_root } = tlog.merkle;
  const small = roots(leaf_inputs_hex.map(fromHex));
  assert.deepEqual(small, roots_hex_by_size);
  assert.equal(small[0], empty_root);
  const large = roots(Array.from({ length: 1000 }, (_, i) => utf8(`leaf ${i}`)));
  for (const [size, root] of Object.entries(leaf_n_tree.roots_hex)) assert.equal(large[Number(size)], root, size);
});

test("verifier keys", () => {
  for (const { vkey, ok } of tlog.signed_note.vkeys) assert.equal(isAccepted(() => parseVerifierKey(vkey)), ok, vkey);
});

test("checkpoint bodies, each under a signature line", () => {
  const line = `\n\u2014 example.com/x ${toBase64(new Uint8Array(68))}\n`;
  for (const { id, text_b64, ok } of tlog.checkpoint_body) {
    assert.equal(isAccepted(() => parseReceipt(Buffer.from(text_b64, "base64").toString() + line)), ok, id);
  }
});

test("real checkpoints with one signature verify", async () => {
  const single = tlog.checkpoint_notes.filter((/** @type {any} */ each) => each.note.split("\n\u2014 ").length === 2);
  assert.ok(single.length > 0);
  for (const { note, vkey, origin, size } of single) {
    const checkpoint = parseReceipt(note);
    const key = parseVerifierKey(vkey);
    assert.deepEqual([checkpoint.origin, checkpoint.size, checkpoint.name, checkpoint.id], [origin, size, key.name, key.id]);
    assert.equal(await lineHolds(new SignatureChecker(), key, checkpoint.text, checkpoint), true);
  }
});

test("notes that are no checkpoint with one good signature line", () => {
  const text = "example.com/x\n5\nQrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=\n";
  const line = `\u2014 example.com/x ${toBase64(new Uint8Array(68))}\n`;
  assert.ok(isAccepted(() => parseReceipt(`${text}\n${line}`)));
  const wrong = [
    text,
    `${text}\n`,
    `${text}${line}`,
    `${text}\n${line}${line}`,
    `${text}\n${line}\n`,
    `${text}extension\n\n${line}`,
    `${text}\n${line.replace("\u2014", "-")}`,
    `${text}\n${line.replace("com/x ", "com/x  ")}`,
    `${text}\n${line.replace("com/x", "com+x")}`,
    `${text}\n${line.replace("com/x", "com\u00a0x")}`,
    `${text}\n\u2014 example.com/x ${toBase64(new Uint8Array(67))}\n`,
    `${text}\n${line}`.replaceAll("\n", "\r\n"),
  ];
  for (const note of wrong) assert.equal(isAccepted(() => parseReceipt(note)), false, note);
});

test("policies", () => {
  const vkey = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
  const good = `# keys\n\nlog ${vkey}\nquorum none\n`;
  const [a, b] = tlog.tlog_proof.policy.witnesses;
  const { id, key } = verifierKey("w3.example", parseVerifierKey(a).key, COSIGNS);
  const twin = `w3.example+${id}+${toBase64(Uint8Array.of(COSIGNS, ...key))}`;
  assert.ok(isAccepted(() => parseVerifierKey(twin)));
  const whole = `\t# keys\nlog  ${vkey}\thttps://log.example\nwitness a ${a} https://a.example\n witness b ${b}\ngroup two all a b\ngroup any 1 two\nquorum any\n`;
  assert.equal(parsePolicy(utf8(good)).logs.length, 1);
  assert.deepEqual([...parsePolicy(utf8(whole)).witnesses.keys()], ["a", "b"]);
  assert.equal(parsePolicy(utf8(whole)).groups.get("two")?.threshold, 2);
  const wrong = [
    "",
    "quorum none\n",
    `log ${vkey}\n`,
    `${good}quorum none\n`,
    `${good}log ${vkey}\n`,
    good.slice(0, -1),
    good.replace("\nquorum", " https://log.example more\nquorum"),
    good.replace("none", "all"),
    good.replaceAll("\n", "\r\n"),
    `\ufeff${good}`,
    `${good}#\u007f\n`,
    `${good}witness w ${vkey}\n`,
    good.replace(vkey, a),
    `${good}#${"x".repeat(65_536)}\n`,
    whole.replace("witness b", "witness a"),
    whole.replace(" a b\n", " a b a\n"),
    whole.replace("1 two", "1 two a"),
    whole.replace("1 two", "1 other"),
    whole.replace("1 two", "2 two"),
    whole.replace("1 two", "0 two"),
    whole.replace("1 two", "01 two"),
    whole.replace("group any", "group none"),
    whole.replace("group any", "group a"),
    whole.replace("1 two", "1"),
    whole.replace(b, a),
    whole.replace(b, twin),
    whole.replace("quorum any", "quorum some"),
    whole.replace("quorum any", "witness any"),
  ];
  for (const text of wrong) assert.throws(() => parsePolicy(utf8(text)), UsageError, text.slice(0, 200));
});

test("a quorum is met by the witnesses that cosigned", () => {
  const { log, witnesses } = tlog.tlog_proof.policy;
  const [a, b] = witnesses;
  const met = (/** @type {string} */ rest, /** @type {string[]} */ cosigned) => {
    const policy = parsePolicy(utf8(`log ${log}\nwitness a ${a}\nwitness b ${b}\n${rest}\n`));
    return policy.isMet(cosigned.map((name) => /** @type {any} */ (policy.witnesses.get(name))));
  };
  assert.deepEqual([met("quorum a", ["a"]), met("quorum a", ["b"]), met("quorum none", ["a", "b"])], [true, false, false]);
  assert.deepEqual([met("group g all a b\nquorum g", ["a", "b"]), met("group g all a b\nquorum g", ["b"])], [true, false]);
  assert.deepEqual([met("group g any a b\nquorum g", ["b"]), met("group g any a b\nquorum g", [])], [true, false]);
  const nested = "group g 1 a\ngroup h 2 g b\nquorum h";
  assert.deepEqual([met(nested, ["a", "b"]), met(nested, ["a"])], [true, false]);
});
