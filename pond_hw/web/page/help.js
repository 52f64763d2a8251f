// @ts-check
import { byId, make, onPress, setEnabled } from "./dom.js";
import { SIDES } from "./position.js";

/** @typedef {import("./game.js").Game} Game */

const MOST_HINTS = 12;

/** What evens the odds: how much the board helps each side, its hints, its head start, a fair start. */
export class Help {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    onPress(byId("fair-start"), () => send({ command: "fair_start", on: !this.startsFair }));
    for (const side of SIDES) {
      const levels = this.levelsOf(side);
      levels.addEventListener("change", () => send({ command: "help", side, level: levels.value }));
      const pieces = this.headStartOf(side);
      pieces.addEventListener("change", () => send({ command: "head_start", side, pieces: Number(pieces.value) }));
      const hints = this.hintLimitOf(side);
      for (let count = 1; count <= MOST_HINTS; count += 1) hints.append(make("option", String(count)));
      hints.addEventListener("change", () => send({ command: "hint_limit", side, hints: Number(hints.value) || null }));
    }
  }

  get startsFair() {
    return Boolean(this.game.state?.fair_start);
  }

  /** @param {import("./position.js").Side} side */
  levelsOf(side) {
    return /** @type {HTMLSelectElement} */ (byId(`${side}-help`));
  }

  /** @param {import("./position.js").Side} side */
  headStartOf(side) {
    return /** @type {HTMLSelectElement} */ (byId(`${side}-head-start`));
  }

  /** @param {import("./position.js").Side} side */
  hintLimitOf(side) {
    return /** @type {HTMLSelectElement} */ (byId(`${side}-hint-limit`));
  }

  show() {
    const { you, answers } = this.game;
    byId("game-settings").hidden = !you.seat;
    byId("help-setting").hidden = !you.seat;
    byId("fair-start").setAttribute("aria-pressed", String(this.startsFair));
    setEnabled(byId("fair-start"), answers);
    for (const side of SIDES) {
      const levels = this.levelsOf(side);
      levels.value = this.game.helpFor(side);
      levels.disabled = !answers;
      const pieces = this.headStartOf(side);
      pieces.value = String(this.game.headStartOf(side));
      pieces.disabled = !answers;
      const hints = this.hintLimitOf(side);
      hints.value = String(this.game.hintLimitOf(side) ?? "");
      hints.disabled = !answers;
    }
  }
}
