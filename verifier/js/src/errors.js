/** The three ways a verification stops early. */

/** Text that breaks the profile of its format; `cause` is a code of protocol 6.5, `place` an event index or null. */
export class Malformed extends Error {
  /** @param {string} cause @param {string} message @param {number | null} [place] */
  constructor(cause, message, place = null) {
    super(message);
    this.cause = cause;
    this.place = place;
  }
}

/** Wrong usage (exit 2): a policy or a held file that cannot be used with this bundle. */
export class UsageError extends Error {}

/** What the first failing step found: protocol 6.2 names its step, 6.5 its cause, 6.3 its place and suspects. */
export class Finding extends Error {
  /**
   * @param {number} step
   * @param {string} cause
   * @param {number | null} place
   * @param {{suspects?: number[] | null, verdict?: string}} [more]
   */
  constructor(step, cause, place, { suspects = null, verdict = "cheated" } = {}) {
    super(`step ${step}: ${cause}`);
    this.step = step;
    this.cause = cause;
    this.place = place;
    this.suspects = suspects;
    this.verdict = verdict;
  }
}
