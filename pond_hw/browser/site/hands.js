// @ts-check
import { drawPiece, drawToken } from "./cells.js";
import { byId, onPress, setEnabled, setText } from "./dom.js";
import { Dragging } from "./dragging.js";
import { say } from "./words.js";

/** @typedef {import("./position.js").Side} Side */

/** Hands that move the pieces of an own board: by dragging, by tapping, and by keyboard. */
export class Hands {
  /** @param {Pick<import("./page.js").Page, "game" | "send">} page */
  constructor({ game, send }) {
    this.game = game;
    this.send = send;
    /** @type {Map<string, Side>} owners of the pieces on the board */
    this.standing = new Map();
    /** @type {Side[]} owners of the pieces in hand */
    this.held = [];
    /** @type {string[]} cells from which pieces were lifted, the newest last */
    this.origins = [];
    onPress(byId("put-aside"), () => this.send({ aside: true }));
    this.dragging = new Dragging(byId("board"), {
      mayLift: (cell) => this.isPlaying && !this.held.length && this.standing.has(cell),
      draw: (cell) => this.drawCarried(cell),
      lift: (cell) => this.lift(cell),
      drop: (from, to, isOutside) => {
        if (isOutside) {
          this.origins.pop();
          this.send({ aside: true });
        } else this.drop(to ?? from);
        return false;
      },
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isPlaying && this.held.length) this.putBack();
    });
  }

  /** True if pieces can be moved now. */
  get isPlaying() {
    const { hello, isConnected, isNow, isTrying, state } = this.game;
    return Boolean(hello?.pieces && isConnected && isNow && !isTrying && state && state.phase !== "resume");
  }

  /** Next step that makes the board match the game. */
  get next() {
    return this.game.state?.wood?.next ?? {};
  }

  /**
   * True if the piece on a cell has to leave the board. In the menu, that chooses what the cell stands for.
   * @param {string} cell
   */
  mustGo(cell) {
    const { state } = this.game;
    const { from, to } = this.next;
    return Boolean(state?.phase === "menu" || state?.wood?.take_off.includes(cell) || (from === cell && to === null));
  }

  // Requests

  /** @param {string} cell */
  lift(cell) {
    this.origins.push(cell);
    this.send({ lift: cell });
  }

  /** @param {string} cell */
  drop(cell) {
    this.origins.pop();
    this.send({ drop: cell });
  }

  putBack() {
    const origin = this.origins[this.origins.length - 1];
    if (origin) this.drop(origin);
    else this.send({ aside: true });
  }

  /**
   * Lift the piece on a cell, put the held piece down there, or place a new one.
   * @param {string} cell
   */
  takePress(cell) {
    if (!this.isPlaying) return false;
    const { position } = this.game;
    const { from, to } = this.next;
    if (this.held.length) this.drop(cell);
    else if (this.standing.has(cell)) {
      if (this.mustGo(cell)) this.send({ take: cell });
      else this.lift(cell);
    } else if (to === cell && from && this.standing.has(from)) {
      this.lift(from);
      this.drop(cell);
    } else {
      const owner = (to === cell ? position?.pieces.get(cell)?.owner : null) ?? position?.toMove;
      this.send({ drop: cell, owner });
    }
    return true;
  }

  /** @param {string} cell */
  drawCarried(cell) {
    const owner = this.standing.get(cell);
    const piece = this.game.position?.pieces.get(cell);
    return owner ? [drawToken(owner), ...(piece?.owner === owner ? [drawPiece(piece)] : [])] : [];
  }

  // Messages and rendering

  /** @param {any} message */
  receive(message) {
    if (message.type === "hello" && !message.pieces) this.receive({ type: "table", standing: {}, held: [] });
    if (message.type !== "table") return;
    this.standing = new Map(Object.entries(message.standing));
    this.held = message.held;
    if (!this.dragging.source) this.origins.length = Math.min(this.origins.length, this.held.length);
  }

  /** @param {import("./board.js").View} view */
  changeView(view) {
    const { hello, state } = this.game;
    if (!hello?.pieces) return;
    view.standing = this.standing;
    const { from, to } = this.next;
    view.lifting = [...(from ? [from] : []), ...(state?.wood?.take_off ?? [])];
    view.putting = to ? [to] : [];
    view.moving = this.held.length ? [] : view.moving;
    view.placing = this.held.length ? [] : view.placing.filter((cell) => !this.standing.has(cell));
  }

  show() {
    const owner = this.held[this.held.length - 1];
    byId("hand").hidden = !this.isPlaying;
    setText(byId("hand-text"), owner ? say("page.own.hand.held", { piece: say(`page.piece.${owner}`) }) : say("page.own.hand.how"));
    byId("put-aside").hidden = !owner || Boolean(this.dragging.source);
    setEnabled(byId("put-aside"), this.game.isConnected);
  }
}
