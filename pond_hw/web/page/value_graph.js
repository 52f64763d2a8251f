// @ts-check
import { element } from "./cells.js";
import { describeValue, formatPieces } from "./review.js";
import { getLanguage, say } from "./words.js";

/** @typedef {import("./past_game.js").PastGame} PastGame */
/** @typedef {import("./review.js").Review} Review */

const WIDTH = 300;
const HEIGHT = 120;
const LEFT = 30;
const EDGE = 8;
const MIN_PIECES = 2;

/**
 * Return Light's lead, or the edge of the graph if a side is certain to win.
 * @param {Review} review
 * @param {number} maxLead
 */
function clampLead({ value, wins }, maxLead) {
  if (wins) return wins.side === "light" ? maxLead : -maxLead;
  return Math.min(maxLead, Math.max(-maxLead, value ?? 0));
}

/** Graph of the lead after each turn, with a text alternative. */
export class ValueGraph {
  /**
   * @param {Element} svg
   * @param {(at: number) => void} look called with the pressed turn
   */
  constructor(svg, look) {
    this.svg = svg;
    this.turns = 0;
    this.drawn = "";
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.addEventListener("click", (event) => {
      const { left, width } = svg.getBoundingClientRect();
      const x = ((/** @type {MouseEvent} */ (event).clientX - left) / width) * WIDTH;
      const turn = Math.round(((x - LEFT) / (WIDTH - LEFT - EDGE)) * this.turns);
      look(Math.min(this.turns, Math.max(0, turn)));
    });
  }

  /** @param {PastGame} past */
  show({ number, reviews, turns, at }) {
    const drawn = JSON.stringify([number, reviews.length, at, getLanguage()]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.turns = turns.length;
    const { svg } = this;
    svg.textContent = "";
    if (!reviews.length) return;
    const maxLead = Math.max(MIN_PIECES, ...reviews.map(({ value }) => Math.ceil(Math.abs(value ?? 0))));
    const middle = HEIGHT / 2;
    const x = (/** @type {number} */ turn) => LEFT + (turn / this.turns) * (WIDTH - LEFT - EDGE);
    const y = (/** @type {number} */ value) => middle - (value / maxLead) * (middle - EDGE);
    for (const value of [maxLead, 0, -maxLead]) {
      const label = element("text", { x: LEFT - 6, y: y(value) + 4 });
      label.textContent = value ? `+${formatPieces(maxLead).replace(/\D0$/, "")}` : "0";
      const line = { class: value ? "far" : "level", x1: LEFT, x2: WIDTH - EDGE, y1: y(value), y2: y(value) };
      svg.append(element("line", line), label);
    }
    svg.append(element("line", { class: "cursor", x1: x(at), x2: x(at), y1: 2, y2: HEIGHT - 2 }));
    const points = reviews.map((review) => `${x(review.turn).toFixed(1)},${y(clampLead(review, maxLead)).toFixed(1)}`);
    svg.append(element("polyline", { class: "line", points: [`${x(0)},${middle}`, ...points].join(" ") }));
    for (const review of reviews) {
      if (!review.fault) continue;
      const radius = { slip: 3, mistake: 4.5, blunder: 6 }[review.fault];
      svg.append(element("circle", { class: review.fault, cx: x(review.turn), cy: y(clampLead(review, maxLead)), r: radius }));
    }
    svg.setAttribute("aria-label", this.describe(reviews, maxLead));
  }

  /**
   * @param {Review[]} reviews
   * @param {number} maxLead
   */
  describe(reviews, maxLead) {
    const heights = reviews.map((review) => clampLead(review, maxLead));
    return say("page.graph.alt", {
      light: reviews[heights.indexOf(Math.max(...heights))].turn,
      dark: reviews[heights.indexOf(Math.min(...heights))].turn,
      last: describeValue(reviews[reviews.length - 1]),
    });
  }
}
