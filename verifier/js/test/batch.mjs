/**
 * Many verifications in one process: each line on stdin is a JSON object with `bundle`, `policy`, `held` (base64, the last two
 * or null) and `signatures`; each line on stdout is [exit code, report or null].
 */

import { createInterface } from "node:readline";
import { EXIT, UsageError, verify } from "../src/verify.js";

const bytes = (/** @type {string | null} */ base64) => (base64 === null ? undefined : Buffer.from(base64, "base64"));

for await (const line of createInterface({ input: process.stdin })) {
  const { bundle, policy, held, signatures } = JSON.parse(line);
  let told;
  try {
    const report = await verify(bytes(bundle), { policy: bytes(policy), held: bytes(held), signatures });
    told = [EXIT[report.verdict], report];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    told = [2, null];
  }
  process.stdout.write(JSON.stringify(told) + "\n");
}
