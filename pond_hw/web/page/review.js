// @ts-check
import { make } from "./dom.js";
import { getLanguage, say, sideName } from "./words.js";

/** @typedef {import("./position.js").Side} Side */
/** @typedef {"slip" | "mistake" | "blunder"} Fault */
/**
 * @typedef {object} Review result of reviewing a turn
 * @property {number} turn
 * @property {number | null} value Light's lead in pieces after the turn; null if a side is certain to win
 * @property {{side: Side, actions: number} | null} wins
 * @property {Fault | null} fault
 * @property {string} message explanation in the language of the page
 */

/** @type {Fault[]} */
export const FAULTS = ["slip", "mistake", "blunder"];

/** Leads below this many pieces count as level. */
const LEVEL = 0.05;

/** Lead of a side that is certain to win. */
const CERTAIN = 15;

/** @param {number} value */
export function formatPieces(value) {
  return value.toLocaleString(getLanguage(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/**
 * Return the number of the turn that changed the lead most.
 * @param {Review[]} reviews
 */
export function findTurningPoint(reviews) {
  let [before, most, turn] = [0, -1, 0];
  for (const review of reviews) {
    const lead = review.wins ? (review.wins.side === "light" ? CERTAIN : -CERTAIN) : review.value ?? 0;
    if (Math.abs(lead - before) > most) [most, turn] = [Math.abs(lead - before), review.turn];
    before = lead;
  }
  return turn;
}

/** @param {Review} review */
export function describeValue({ value, wins }) {
  if (wins) {
    const params = { side: sideName(wins.side), count: wins.actions };
    return say(wins.actions ? "page.value.wins_in" : "page.value.wins", params);
  }
  if (value === null || Math.abs(value) < LEVEL) return say("page.value.level");
  return say("page.value.ahead", { side: sideName(value > 0 ? "light" : "dark"), pieces: formatPieces(Math.abs(value)) });
}

/**
 * Return the label beside a turn.
 * @param {Review | undefined} review
 */
export function describeReview(review) {
  if (!review) return [];
  const parts = [];
  if (review.fault) {
    const fault = make("span", "", "review");
    fault.append(make("b", say(`page.fault.${review.fault}`), `fault ${review.fault}`), ` ${review.message}`);
    parts.push(" ", fault);
  }
  parts.push(" ", make("small", describeValue(review), "value"));
  return parts;
}

/** @param {Review[]} reviews */
export function countFaults(reviews) {
  const count = (/** @type {Fault} */ fault) => reviews.filter((each) => each.fault === fault).length;
  const [slips, mistakes, blunders] = FAULTS.map(count);
  return say("page.past.faults", { slips, mistakes, blunders });
}
