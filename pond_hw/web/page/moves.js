// @ts-check
import { readPress } from "./press.js";
import { say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */

/** Presses on cells, which choose a piece or play an action. */
export class Moves {
  /**
   * @param {Game} game
   * @param {{send: (message: Record<string, unknown>) => void, notice: (text: string) => void, changed: () => void}} page
   */
  constructor(game, { send, notice, changed }) {
    this.game = game;
    this.send = send;
    this.notice = notice;
    this.changed = changed;
  }

  /** @param {string} cell */
  press(cell) {
    const { game } = this;
    if (game.isWaiting) return;
    if (game.preview) game.preview = null; // the press refers to the real position
    const meaning = readPress(game, cell);
    if ("action" in meaning) this.act(meaning.action);
    else if ("messageId" in meaning) this.notice(say(meaning.messageId, meaning.params));
    else this.choose(meaning.select);
    this.changed();
  }

  /** @param {string | null} cell */
  choose(cell) {
    this.game.selected = cell;
    this.notice("");
  }

  /** @param {string} action */
  act(action) {
    const { game } = this;
    this.notice("");
    game.wait();
    game.selected = null;
    this.send(game.isTrying ? { ask: "what_if", action } : { command: "action", action });
    this.changed();
    setTimeout(this.changed, game.waitsUntil - Date.now() + 10); // if nothing answers
  }
}
