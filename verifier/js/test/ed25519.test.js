import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, utf8 } from "../src/bytes.js";
import { keyIsSound, keyMayJoin, SignatureChecker } from "../src/ed25519.js";
import { vectors } from "./vectors.js";

const { ed25519 } = vectors("tlog");
const edgeCases = vectors("ed25519").vectors;
const lowOrder = new Set(ed25519.low_order_encodings);

test("all edge cases: what OpenSSL accepts, less the keys and points of low order", async () => {
  const checker = new SignatureChecker();
  let accepted = 0;
  for (const { number, key, sig, msg, openssl } of edgeCases) {
    const expected = openssl && !lowOrder.has(key) && !lowOrder.has(sig.slice(0, 64));
    const holds = await checker.verify(fromHex(key), utf8(msg), fromHex(sig));
    assert.equal(holds, expected, `vector ${number}`);
    accepted += Number(holds);
  }
  assert.equal(edgeCases.length, 914);
  assert.equal(accepted, 43);
});

test("a good signature, and the same with S + L", async () => {
  const checker = new SignatureChecker();
  for (const [{ public: key, msg, sig }, expected] of [[ed25519.good, true], [ed25519.s_plus_L, false]]) {
    assert.equal(await checker.verify(fromHex(key), utf8(msg), fromHex(sig)), expected);
  }
});

test("keys of low order and keys that are not canonical are refused", () => {
  assert.equal(lowOrder.size, 14);
  const notCanonical = "f0" + "ff".repeat(30) + "7f"; // y = p + 3
  const offCurve = "02" + "00".repeat(31);
  for (const key of [...lowOrder, notCanonical, offCurve]) {
    assert.equal(keyIsSound(fromHex(key)), false, key);
    assert.equal(keyMayJoin(fromHex(key)), false, key);
  }
});

test("a key with torsion may not join, though it decodes", () => {
  assert.equal(keyMayJoin(fromHex(ed25519.good.public)), true);
  // Flags name no torsion, so the mixed keys are those the curve itself tells: sound, and not in the prime subgroup.
  const keys = [...new Set(edgeCases.map((/** @type {any} */ each) => each.key))].map(fromHex).filter(keyIsSound);
  const joining = keys.filter(keyMayJoin);
  assert.ok(joining.length > 0 && joining.length < keys.length);
});
