// @ts-check
import { drawLampPicture } from "./cells.js";
import { byId, loadSetting, make, onPress, saveSetting } from "./dom.js";
import { describeTurn } from "./turns.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {{released: boolean, release: () => Promise<void>}} WakeLock */

/** @type {{request: (kind: "screen") => Promise<WakeLock>} | undefined} */
const wakeLock = /** @type {any} */ (navigator).wakeLock;

/** Switches for what this device shows: the board from Dark's side, the thinking time, and a screen that stays on. */
export class Display {
  /** @param {Pick<Page, "game" | "board" | "clock" | "settings" | "show">} page */
  constructor({ game, board, clock, settings, show }) {
    this.game = game;
    this.board = board;
    this.clock = clock;
    this.settings = settings;
    /** @type {WakeLock | null} */
    this.lock = null;
    this.isAsking = false;
    document.addEventListener("visibilitychange", () => this.keepAwake());
    document.addEventListener("keydown", ({ key }) => key === "Escape" && settings.setBig(false));
    for (const name of ["turned", "clock", "awake"]) {
      onPress(byId(`show-${name}`), () => {
        saveSetting(name, this.isOn(name) ? "no" : "yes");
        show();
      });
    }
    byId("show-awake").hidden = !wakeLock;
  }

  /** @param {string} name */
  isOn(name) {
    const chosen = loadSetting(name);
    if (chosen) return chosen === "yes";
    return name === "awake" || (name === "turned" && !this.settings.isBig && this.game.ownSide === "dark");
  }

  /** Apply what must be known before the board is drawn. */
  apply() {
    this.board.turn(this.isOn("turned"));
    this.clock.isOn = this.isOn("clock");
  }

  /**
   * Keep the screen on during a game of this page, or on a television. Browsers allow that only at https addresses and on
   * the same machine. A muted video, which once did the same, no longer does so in Chrome and Safari.
   */
  async keepAwake() {
    const { game, settings } = this;
    const isWanted = this.isOn("awake") && !document.hidden && game.isOn && Boolean(game.you.seat || settings.isBig);
    if (!isWanted) {
      this.lock?.release();
      this.lock = null;
    } else if (wakeLock && !this.isAsking && (!this.lock || this.lock.released)) {
      this.isAsking = true;
      this.lock = await wakeLock.request("screen").catch(() => null); // not while the battery is low
      this.isAsking = false;
    }
  }

  /** Show the last turn, for the television. */
  showLastTurn() {
    const { start, turns } = this.game;
    const turn = turns[turns.length - 1];
    const place = byId("last-turn");
    place.textContent = "";
    if (!turn || !this.settings.isBig) return;
    const { what, more } = describeTurn(turn, turns[turns.length - 2]?.position ?? start);
    place.append(drawLampPicture(turn.side), make("b", what), ` ${more}`);
  }

  show() {
    this.showLastTurn();
    for (const name of ["turned", "clock", "awake"]) byId(`show-${name}`).setAttribute("aria-pressed", String(this.isOn(name)));
    this.keepAwake();
  }
}
