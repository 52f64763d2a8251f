// @ts-check
import { byId, setText } from "./dom.js";
import { SIDES } from "./position.js";

/** @typedef {import("./position.js").Side} Side */

/** @param {number} ms */
function formatTime(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Thinking time of each side since this page has shown the game. It begins after the first turn, and only shows. */
export class Clock {
  /** @param {import("./game.js").Game} game */
  constructor(game) {
    this.game = game;
    this.isOn = false;
    this.used = { light: 0, dark: 0 };
    /** @type {Side | null} side whose time runs */
    this.side = null;
    this.since = 0;
    setInterval(() => this.isOn && this.showTimes(), 500);
  }

  show() {
    const { state, position, isConnected, isOn } = this.game;
    const now = Date.now();
    if (this.side) this.used[this.side] += now - this.since;
    this.since = now;
    if (state && !state.turn && !state.exercise) this.used = { light: 0, dark: 0 };
    this.side = isConnected && isOn && state?.turn && !state.exercise ? position?.toMove ?? null : null;
    this.showTimes();
  }

  showTimes() {
    for (const side of SIDES) {
      const clock = /** @type {HTMLElement} */ (byId(side).querySelector(".clock"));
      const running = side === this.side ? Date.now() - this.since : 0;
      clock.hidden = !this.isOn || Boolean(this.game.past);
      setText(clock.querySelector(".time"), formatTime(this.used[side] + running));
    }
  }
}
