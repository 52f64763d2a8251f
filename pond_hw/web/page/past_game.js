// @ts-check
import { parsePosition } from "./position.js";

/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./game.js").Turn} Turn */
/** @typedef {import("./review.js").Review} Review */
/**
 * @typedef {object} ListedGame entry in the list of saved games; only the first two fields if the game is unreadable
 * @property {number} number
 * @property {"finished" | "goes on" | "left" | "unreadable"} state
 * @property {string | null} [begun] start as an ISO time
 * @property {string} [date] date, as far as known
 * @property {string} [variant]
 * @property {string | null} [light]
 * @property {string | null} [dark]
 * @property {number} [turns]
 * @property {{light: number, dark: number}} [score]
 * @property {Side | null} [winner]
 * @property {string | null} [reason]
 */
/**
 * @typedef {object} GameMessage saved game with all its turns
 * @property {number} number
 * @property {string} variant
 * @property {string} start
 * @property {Turn[]} turns
 * @property {{winner: Side | null, reason: string} | null} outcome
 * @property {string} record
 */

const TIMEOUT_MS = 20000;

/** Saved game being viewed, with its review. */
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
    /** @type {Review[]} one for each turn reviewed so far */
    this.reviews = [];
    this.reviewsUntil = 0;
    this.isForgotten = false;
  }

  /**
   * @param {number | null} at number of turns; null for the end
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

  // Review

  get isReviewed() {
    return this.reviews.length >= this.turns.length;
  }

  /** True while a review is running. After a long silence, it is assumed to have ended. */
  get isReviewing() {
    return !this.isReviewed && Date.now() < this.reviewsUntil;
  }

  waitForReview() {
    this.reviewsUntil = Date.now() + TIMEOUT_MS;
  }

  stopReview() {
    this.reviewsUntil = 0;
  }

  /** @param {{number: number, turns: Review[]}} news */
  applyReview({ number, turns }) {
    if (number !== this.number) return;
    this.reviews = turns;
    this.waitForReview();
  }

  /** Discard the review. After a lost connection, the server no longer knows which game this page shows. */
  forget() {
    this.isForgotten = true;
    this.stopReview();
  }
}
