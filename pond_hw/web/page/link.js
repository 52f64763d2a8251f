// @ts-check
import { byId, make, onPress, setText } from "./dom.js";

/** @typedef {import("./game.js").Game} Game */

/** Link to another home that plays the same game: who is there, and what they ask. */
export class LinkCard {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    this.written = "";
  }

  show() {
    const link = this.game.state?.link;
    byId("link").hidden = !link;
    if (!link) return;
    setText(byId("link-text"), link.text);
    setText(byId("link-question"), link.question);
    const written = JSON.stringify(link.answers);
    if (written === this.written) return; // keeps the focus
    this.written = written;
    const buttons = link.answers.map(({ label, send }) => {
      const button = make("button", label);
      button.setAttribute("type", "button");
      onPress(button, () => this.send(send));
      return button;
    });
    byId("link-answers").replaceChildren(...buttons);
  }
}
