/** Where a root or a view that does not fit may have gone wrong (protocol 6.3). */

/** The size that a seat's event was signed on (2.4). @param {import("./files.js").Event} event @param {number} seats of the table */
export function signedSize(event, seats) {
  if (event.type === "join") return 1;
  return event.type === "seed" ? seats + 1 : event.n;
}

/**
 * The span of events that hold the fault, when the root or view of `size` does not fit.
 * @param {import("./verify.js").Run} run @param {number} size @returns {number[]}
 */
export function suspectsOf({ events, held, roots }, size) {
  const { seats } = events[0].data;
  const signed = events
    .filter((event) => event.by >= 0 && event.data.root === roots[signedSize(event, seats)])
    .map((event) => signedSize(event, seats));
  const kept = (held?.lines ?? []).filter(({ receipt }) => receipt.root === roots[receipt.size]).map(({ receipt }) => receipt.size);
  // A loop, since a list of a file's length is too long to spread into Math.max.
  let sound = 0;
  for (const each of [...signed, ...kept]) if (each < size && each > sound) sound = each;
  return [sound, size - 1];
}
