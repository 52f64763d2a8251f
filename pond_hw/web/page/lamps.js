// @ts-check
import { byId, setText } from "./dom.js";
import { say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */

const PAUSE_MS = 300;
const OWN_MS = 1500;

/** Brightness control of the board's lamps. */
export class Lamps {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    this.range = /** @type {HTMLInputElement} */ (byId("brightness"));
    this.sentAt = 0;
    this.movedAt = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.range.addEventListener("input", () => this.move());
  }

  move() {
    this.movedAt = Date.now();
    this.writeValue();
    if (this.timer !== undefined) return; // the timer will send the newest value
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.sentAt = Date.now();
      this.send({ command: "brightness", brightness: Number(this.range.value) / 100 });
      setTimeout(() => this.show(), OWN_MS + 10);
    }, Math.max(0, this.sentAt + PAUSE_MS - Date.now()));
  }

  writeValue() {
    const text = say("page.lamps.value", { percent: this.range.value });
    setText(byId("brightness-value"), text);
    this.range.setAttribute("aria-valuetext", text);
  }

  /** Follow the board's value, except while the slider is being moved. */
  show() {
    const { you, state, isConnected } = this.game;
    const brightness = state?.brightness;
    byId("lamps-setting").hidden = !you.seat || brightness === undefined;
    this.range.disabled = !isConnected;
    if (brightness === undefined || Date.now() < this.movedAt + OWN_MS) return;
    const percent = String(Math.round(100 * brightness));
    if (this.range.value !== percent) this.range.value = percent;
    this.writeValue();
  }
}
