#!/usr/bin/env node
/** The command: `node cli.mjs --help` says what it takes. Exit codes of protocol 6.1. */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { help, USAGE } from "./help.mjs";
import { EXIT, UsageError, verify } from "./src/verify.js";
import { runTlogCases } from "./tlog-cases.mjs";

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
      "tlog-cases": { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    });
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const known = ["fr", "en"].includes(values.lang) && ["all", "last"].includes(values.signatures);
    const { "tlog-cases": cases, ...asked } = values;
    const fits = values.help || positionals.length === (cases === undefined ? 1 : 0);
    if (!fits || !known) throw new UsageError(USAGE);
    return { ...asked, cases, bundle: positionals[0] };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(USAGE);
  }
}

/** @param {string} path */
async function runCases(path) {
  const { lines, agrees } = await runTlogCases(/** @type {Uint8Array} */ (await read(path)));
  console.log(lines.join("\n"));
  return agrees ? 0 : 1;
}

async function main() {
  const { help: asked, cases, bundle, policy, held, json, lang, signatures } = readArguments();
  if (asked) {
    console.log(help(lang));
    return 0;
  }
  if (cases !== undefined) return runCases(cases);
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
