// @ts-check
import { byId } from "./dom.js";

/** Calls a player who looks elsewhere when it is their turn: by a sound, and in the title and icon of a hidden page. */
export class Attention {
  /** @param {Pick<import("./page.js").Page, "game" | "sounds" | "turnAnimation">} page */
  constructor({ game, sounds, turnAnimation }) {
    this.game = game;
    this.sounds = sounds;
    this.turnAnimation = turnAnimation;
    this.icon = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
    /** @type {boolean | null} null until the first state */
    this.wasWanted = null;
    document.addEventListener("visibilitychange", () => this.show());
  }

  /** True if this page has to act, after another player or a program. */
  get isWanted() {
    const { game } = this;
    return Boolean(game.mayAct && !game.state?.exercise && game.ownSide === game.position?.toMove);
  }

  show() {
    const { state } = this.game;
    const { isWanted } = this;
    const isNew = isWanted && this.wasWanted === false;
    if (state) this.wasWanted = isWanted;
    if (isNew && state?.last) this.sounds.play("turn", this.turnAnimation.remaining);
    const calls = isWanted && document.hidden;
    document.title = `${calls ? "● " : ""}${byId("turn").textContent} – Pond`;
    const icon = calls ? "page/icon-turn.svg" : "page/icon.svg";
    if (this.icon.getAttribute("href") !== icon) this.icon.href = icon;
  }
}
