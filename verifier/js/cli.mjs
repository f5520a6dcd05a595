#!/usr/bin/env node
/** `node cli.mjs BUNDLE [--policy FILE] [--held FILE] [--json] [--lang fr|en] [--signatures last]`; exit codes of protocol 6.1. */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { EXIT, UsageError, verify } from "./src/verify.js";

const USAGE = "usage: cli.mjs BUNDLE [--policy FILE] [--held FILE] [--json] [--lang fr|en] [--signatures last]";

/** @param {string | undefined} path @returns {Promise<Uint8Array | undefined>} */
async function read(path) {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
}

/** The first locale variable that is set decides, as for every program (protocol 6.4). */
function localeLanguage() {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  return /^fr/i.test(LC_ALL || LC_MESSAGES || LANG || "") ? "fr" : "en";
}

function readArguments() {
  try {
    const options = /** @type {const} */ ({
      policy: { type: "string" },
      held: { type: "string" },
      json: { type: "boolean", default: false },
      lang: { type: "string", default: localeLanguage() },
      signatures: { type: "string", default: "all" },
    });
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const known = ["fr", "en"].includes(values.lang) && ["all", "last"].includes(values.signatures);
    if (positionals.length !== 1 || !known) throw new UsageError(USAGE);
    return { ...values, bundle: positionals[0] };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(USAGE);
  }
}

async function main() {
  const { bundle, policy, held, json, lang, signatures } = readArguments();
  const [bytes, policyBytes, heldBytes] = await Promise.all([bundle, policy, held].map(read));
  const options = /** @type {any} */ ({ policy: policyBytes, held: heldBytes, signatures, lang });
  const report = await verify(/** @type {Uint8Array} */ (bytes), options);
  console.log(json ? JSON.stringify(report) : report.sentence);
  return EXIT[report.verdict];
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
