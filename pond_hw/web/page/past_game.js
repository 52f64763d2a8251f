// @ts-check
import { parsePosition } from "./position.js";

/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./game.js").Turn} Turn */
/** @typedef {import("./review.js").Review} Review */
/**
 * @typedef {object} ListedGame what the list of kept games says of one; nothing but the first two if it's unreadable
 * @property {number} number
 * @property {"finished" | "goes on" | "left" | "unreadable"} state
 * @property {string | null} [begun] when, as an ISO time
 * @property {string} [date] its day, as far as it is known
 * @property {string} [variant]
 * @property {string | null} [light]
 * @property {string | null} [dark]
 * @property {number} [turns]
 * @property {{light: number, dark: number}} [score]
 * @property {Side | null} [winner]
 * @property {string | null} [reason]
 */
/**
 * @typedef {object} GameMessage a kept game, with all its turns
 * @property {number} number
 * @property {string} variant
 * @property {string} start
 * @property {Turn[]} turns
 * @property {{winner: Side | null, reason: string} | null} outcome
 * @property {string} record
 */

const PATIENCE_MS = 20000;

/** A kept game that is looked at, turn by turn, and what was found out about its turns. */
export class PastGame {
  /**
   * @param {GameMessage} message
   * @param {ListedGame | undefined} listed
   */
  constructor(message, listed) {
    this.number = message.number;
    this.start = message.start;
    this.turns = message.turns;
    this.outcome = message.outcome;
    this.record = message.record;
    /** @type {ListedGame} */
    this.listed = listed ?? { number: message.number, state: "finished", variant: message.variant, turns: message.turns.length };
    this.at = message.turns.length;
    /** @type {Review[]} one for each turn that was looked at so far */
    this.reviews = [];
    this.reviewsUntil = 0;
    this.isForgotten = false;
  }

  /**
   * @param {number | null} at null is the end
   */
  lookAt(at) {
    this.at = Math.min(this.turns.length, Math.max(0, at ?? this.turns.length));
  }

  get isAtEnd() {
    return this.at === this.turns.length;
  }

  /** @returns {import("./game.js").Shown | null} */
  shown() {
    const last = this.at > 0 ? this.turns[this.at - 1] : null;
    const position = parsePosition(last ? last.position : this.start);
    return position && { kind: "past", position, last };
  }

  // What was good, what was not

  get isReviewed() {
    return this.reviews.length >= this.turns.length;
  }

  /** Whether the turns are looked at now; if nothing comes for long, it has ended. */
  get isReviewing() {
    return !this.isReviewed && Date.now() < this.reviewsUntil;
  }

  waitForReview() {
    this.reviewsUntil = Date.now() + PATIENCE_MS;
  }

  stopReview() {
    this.reviewsUntil = 0;
  }

  /** @param {{number: number, turns: Review[]}} news */
  takeReview({ number, turns }) {
    if (number !== this.number) return;
    this.reviews = turns;
    this.waitForReview();
  }

  /** The connection is gone, and the server doesn't know any more which game this page has read. */
  forget() {
    this.isForgotten = true;
    this.stopReview();
  }
}
