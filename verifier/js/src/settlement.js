/** The lines of `settle` (protocol 4.6). */

/**
 * @param {any} open `data` of event 0
 * @param {{reason: string, winner: number | null}} end
 * @returns {{account: string, amount: number}[]}
 */
export function settleLines(open, { reason, winner }) {
  const pot = open.seats * open.stake;
  const won = winner !== null;
  const { commission, tax } = won && reason !== "seed" ? charges(pot, open.fees) : { commission: 0, tax: 0 };
  const winners = open.seats / 2;
  const prize = pot - commission - tax;
  const seats = Array.from({ length: open.seats }, (_, seat) => {
    if (!won) return open.stake;
    if (seat % 2 !== winner) return 0;
    // The winning seat of the lowest number, which is the side's own, gets the odd unit.
    return Math.floor(prize / winners) + (seat === winner ? prize % winners : 0);
  });
  return [
    { account: "pot", amount: pot === 0 ? 0 : -pot },
    ...seats.map((amount, seat) => ({ account: `seat:${seat}`, amount })),
    { account: "commission", amount: commission },
    { account: "tax", amount: tax },
  ];
}

/** @param {number} pot @param {any} fees */
function charges(pot, fees) {
  // Products pass 2^53, so they are taken in big integers.
  const share = (/** @type {number} */ base, /** @type {number} */ bp) => Number((BigInt(base) * BigInt(bp)) / 10_000n);
  const commission = Math.min(share(pot, fees.commission_bp), fees.commission_cap);
  return { commission, tax: share(fees.tax_base === "pot" ? pot : commission, fees.tax_bp) };
}
