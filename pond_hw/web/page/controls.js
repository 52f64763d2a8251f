// @ts-check
import { byId, onPress, setEnabled, write } from "./dom.js";
import { readTypedAction } from "./position.js";
import { findObstacle, readPress } from "./press.js";
import { say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */

const COMMANDS = ["done", "hint", "resign", "draw", "resume", "look", "discard"];

/** Input of a player: presses, buttons, typed actions. */
export class Controls {
  /**
   * @param {Game} game
   * @param {{send: (message: Record<string, unknown>) => void, notice: (text: string) => void, changed: () => void}} page
   */
  constructor(game, { send, notice, changed }) {
    this.game = game;
    this.send = send;
    this.notice = notice;
    this.changed = changed;
    for (const command of COMMANDS) onPress(byId(`do-${command}`), () => send({ command }));
    onPress(byId("do-undo"), () => send({ command: "undo", turn: game.state?.turn }));
    onPress(byId("do-redo"), () => send({ command: "redo", turn: (game.state?.turn ?? 0) + 1 }));
    onPress(byId("do-what-if"), () => this.switchTrying());
    onPress(byId("preview-play"), () => this.playPreview());
    this.typed = /** @type {HTMLInputElement} */ (byId("typed"));
    this.isTyping = false;
    onPress(byId("open-typed"), () => this.switchTyping());
    byId("typed-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.playTyped();
    });
  }

  /** @param {string} cell */
  press(cell) {
    const { game } = this;
    if (game.isWaiting) return;
    if (game.preview) game.preview = null; // the press refers to the real position
    const meaning = readPress(game, cell);
    if ("action" in meaning) this.act(meaning.action);
    else if ("word" in meaning) this.notice(say(meaning.word, meaning.gaps));
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
    this.send(game.tries ? { ask: "what_if", action } : { command: "action", action });
    this.changed();
    setTimeout(this.changed, game.waitsUntil - Date.now() + 10); // if nothing answers
  }

  playTyped() {
    const { game, typed } = this;
    if (game.isWaiting) return;
    const action = readTypedAction(typed.value);
    const obstacle = findObstacle(game);
    if (obstacle) this.notice(say(obstacle.word, obstacle.gaps));
    else if (!action) this.notice(say("page.typed.wrong", { text: typed.value }));
    else {
      this.act(action);
      typed.value = "";
    }
  }

  switchTyping() {
    this.isTyping = !this.isTyping;
    this.changed();
    if (this.isTyping) this.typed.focus();
  }

  switchTrying() {
    const { game } = this;
    if (game.tries) game.stopTrying();
    else game.tries = game.mayTry;
    game.selected = null;
    this.changed();
  }

  playPreview() {
    const { game } = this;
    const action = game.preview?.action;
    if (!action || game.isWaiting) return;
    game.stopTrying();
    this.act(action);
    byId("do-what-if").focus(); // the pressed button disappears
  }

  show() {
    const { game } = this;
    const { state, you, answers } = game;
    const isSeated = Boolean(you.seat && state && !game.past);
    byId("play").hidden = !isSeated;
    if (!state || !isSeated) {
      byId("preview").hidden = true;
      return;
    }
    const isResume = state.phase === "resume";
    const isRunning = answers && !state.outcome && !isResume && !state.exercise && state.phase !== "menu";
    byId("resume-buttons").hidden = !isResume;
    byId("play-buttons").hidden = isResume;
    byId("game-buttons").hidden = isResume;
    byId("open-typed").hidden = isResume;
    byId("open-typed").setAttribute("aria-expanded", String(this.isTyping));
    byId("typed-form").hidden = isResume || !this.isTyping;
    for (const command of ["resume", "look", "discard"]) setEnabled(byId(`do-${command}`), answers);
    setEnabled(byId("do-undo"), answers && Boolean(state.undo));
    setEnabled(byId("do-redo"), answers && Boolean(state.redo));
    byId("do-done").hidden = !state.turn_key;
    setEnabled(byId("do-done"), answers);
    setEnabled(byId("do-hint"), game.mayAct);
    setEnabled(byId("do-what-if"), game.tries || game.mayTry);
    byId("do-what-if").setAttribute("aria-pressed", String(game.tries));
    setEnabled(byId("do-resign"), isRunning);
    setEnabled(byId("do-draw"), isRunning);
    setEnabled(byId("do-new"), answers);
    byId("preview").hidden = !game.tries;
    write(byId("preview-text"), game.preview ? say("page.preview.says", { message: game.preview.message }) : say("page.preview.how"));
    byId("preview-play").hidden = !(game.preview && game.mayAct);
  }
}
