/**
 * How long the JavaScript verifier takes for a whole bundle, against the bare WebCrypto checks of the same signatures.
 *
 * `node tests/bench/verifier_js.mjs`
 */

import { concat, fromHex, utf8 } from "../../verifier/js/src/bytes.js";
import { encodeBytes } from "../../verifier/js/src/canonical.js";
import { signedSize } from "../../verifier/js/src/suspects.js";
import { verify } from "../../verifier/js/src/verify.js";
import { play } from "../../verifier/js/test/builder.js";

const ROUNDS = 15;

/** @param {any} table */
async function bareChecks(table) {
  const keys = await Promise.all(table.keys.map((key) => crypto.subtle.importKey("raw", key.raw, { name: "Ed25519" }, false, ["verify"])));
  const signed = table.events
    .filter((event) => event.by >= 0)
    .map((event) => {
      const { do: action, root, sig } = event.data;
      const text = { do: action, m: table.m, root, seat: event.by, size: signedSize(event, table.seats.length) };
      return [keys[event.by], fromHex(sig), concat(utf8("fairdeal/1 action\n"), encodeBytes(text))];
    });
  return {
    number: signed.length,
    run: () => Promise.all(signed.map(([key, sig, text]) => crypto.subtle.verify("Ed25519", key, sig, text))),
  };
}

/** Median in ms. @param {() => Promise<unknown>} work */
async function median(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1];
}

/** @param {string} id of the ruleset @param {any} options */
async function measure(id, options) {
  const table = await play("target", 1, { ruleset: { id, options } }, id);
  const bundle = await table.bundle();
  const policy = table.policy();
  const bare = await bareChecks(table);
  const report = await verify(bundle, { policy });
  if (report.verdict !== "unchecked" || report.cause !== "no_anchor") throw new Error(report.sentence);
  const bareTime = await median(bare.run);
  const all = await median(() => verify(bundle, { policy }));
  const last = await median(() => verify(bundle, { policy, signatures: "last" }));
  const [a, b, c] = [bareTime, all, last].map((ms) => ms.toFixed(1));
  console.log(`${id}: ${report.counts.events} events, ${bundle.length} bytes, ${bare.number} seat signatures`);
  console.log(`  bare WebCrypto ${a} ms; whole bundle ${b} ms (x ${(all / bareTime).toFixed(2)}); --signatures last ${c} ms`);
}

await measure("duel@1", { target: 1_001 });
await measure("classique@1", { target: 1_001 });
await measure("coinche@1", { scoring: "faits", target: 1_001 });
await measure("annonces@1", { target: 1_001 });
