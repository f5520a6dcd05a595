/** The checks in a worker, made from the first script of the page, so that the page stays quick; without workers, in the page. */

import { examine } from "./examine.js";

const ANSWERS = `
onmessage = async ({ data: { id, files } }) => {
  try {
    postMessage({ id, answer: await modules["page/examine.js"].examine(files) });
  } catch (error) {
    postMessage({ id, failure: String(error) });
  }
};
// The worker may lack what the page has: say so at once.
postMessage({ ready: globalThis.crypto?.subtle !== undefined });
`;

/** @type {Map<number, {resolve: (answer: any) => void, reject: (reason: Error) => void}>} */
const waiting = new Map();
let asked = 0;

/** @type {Promise<Worker | null>} null where workers are refused */
const started = new Promise((resolve) => {
  try {
    const text = /** @type {any} */ (document.getElementById("checks-script")).textContent + ANSWERS;
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    worker.onerror = () => resolve(null);
    worker.onmessage = ({ data }) => {
      if ("ready" in data) resolve(data.ready ? worker : null);
      else settle(data);
    };
  } catch {
    resolve(null);
  }
});

/** @param {{id: number, answer?: any, failure?: string}} message */
function settle({ id, answer, failure }) {
  const { resolve, reject } = /** @type {any} */ (waiting.get(id));
  waiting.delete(id);
  if (failure === undefined) resolve(answer);
  else reject(new Error(failure));
}

/** Examines files. @param {import("./examine.js").Files} files @returns {Promise<any>} */
export async function ask(files) {
  const worker = await started;
  document.documentElement.dataset.runs = worker === null ? "page" : "worker";
  if (worker === null) return examine(files);
  const id = (asked += 1);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, files });
  });
}
