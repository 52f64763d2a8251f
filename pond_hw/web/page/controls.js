// @ts-check
import { byId, onPress, setEnabled, setText } from "./dom.js";
import { Moves } from "./moves.js";
import { readTypedAction } from "./position.js";
import { findObstacle } from "./press.js";
import { say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */

const COMMANDS = ["done", "hint", "resign", "draw", "resume", "look", "discard"];

/** A player's input: presses, buttons and typed actions. */
export class Controls extends Moves {
  /**
   * @param {Game} game
   * @param {{send: (message: Record<string, unknown>) => void, notice: (text: string) => void, changed: () => void}} page
   */
  constructor(game, { send, notice, changed }) {
    super(game, { send, notice, changed });
    for (const command of COMMANDS) onPress(byId(`do-${command}`), () => send({ command }));
    onPress(byId("do-undo"), () => send({ command: "undo", turn: game.state?.turn }));
    onPress(byId("do-redo"), () => send({ command: "redo", turn: (game.state?.turn ?? 0) + 1 }));
    onPress(byId("do-what-if"), () => this.toggleTrying());
    onPress(byId("preview-play"), () => this.playPreview());
    this.typed = /** @type {HTMLInputElement} */ (byId("typed"));
    this.isTyping = false;
    onPress(byId("open-typed"), () => this.toggleTyping());
    byId("typed-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.playTyped();
    });
  }

  playTyped() {
    const { game, typed } = this;
    if (game.isWaiting) return;
    const action = readTypedAction(typed.value);
    const obstacle = findObstacle(game);
    if (obstacle) this.notice(say(obstacle.messageId, obstacle.params));
    else if (!action) {
      this.notice(say("page.typed.wrong", { text: typed.value }));
      typed.select();
    } else {
      this.act(action);
      typed.value = "";
    }
  }

  toggleTyping() {
    this.isTyping = !this.isTyping;
    this.changed();
    if (this.isTyping) this.typed.focus();
  }

  toggleTrying() {
    const { game } = this;
    if (game.isTrying) game.stopTrying();
    else game.isTrying = game.mayTry;
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
    const { state, you, isConnected } = game;
    const isSeated = Boolean(you.seat && state && !game.past);
    byId("play").hidden = !isSeated;
    if (!state || !isSeated) {
      byId("preview").hidden = true;
      return;
    }
    const isResume = state.phase === "resume";
    const isRunning = isConnected && !state.outcome && !isResume && !state.exercise && state.phase !== "menu";
    byId("resume-buttons").hidden = !isResume;
    byId("play-buttons").hidden = isResume;
    byId("game-buttons").hidden = isResume;
    byId("open-typed").hidden = isResume;
    byId("open-typed").setAttribute("aria-expanded", String(this.isTyping));
    byId("typed-form").hidden = isResume || !this.isTyping;
    for (const command of ["resume", "look", "discard"]) setEnabled(byId(`do-${command}`), isConnected);
    setEnabled(byId("do-undo"), isConnected && Boolean(state.undo));
    setEnabled(byId("do-redo"), isConnected && Boolean(state.redo));
    byId("do-done").hidden = !state.turn_key;
    setEnabled(byId("do-done"), isConnected);
    setEnabled(byId("do-hint"), game.mayAct);
    setEnabled(byId("do-what-if"), game.isTrying || game.mayTry);
    byId("do-what-if").setAttribute("aria-pressed", String(game.isTrying));
    setEnabled(byId("do-resign"), isRunning);
    setEnabled(byId("do-draw"), isRunning);
    setEnabled(byId("do-new"), isConnected);
    byId("preview").hidden = !game.isTrying;
    setText(byId("preview-text"), game.preview ? say("page.preview.says", { message: game.preview.message }) : say("page.preview.how"));
    byId("preview-play").hidden = !(game.preview && game.mayAct);
  }
}
