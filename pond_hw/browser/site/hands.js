// @ts-check
import { drawPiece, drawToken } from "./cells.js";
import { byId, onPress, setEnabled, setText } from "./dom.js";
import { say } from "./words.js";

/** @typedef {import("./position.js").Side} Side */
/** @typedef {{pointer: number, cell: string, x: number, y: number, isMoving: boolean}} Drag */

const DRAG_PIXELS = 8;

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
    /** @type {Drag | null} */
    this.drag = null;
    this.skipsClick = false;
    this.svg = byId("board");
    this.carried = byId("hand-piece");
    onPress(byId("put-aside"), () => this.send({ aside: true }));
    this.svg.addEventListener("pointerdown", (event) => this.startDrag(event));
    this.svg.addEventListener("touchstart", ({ target }) => {
      const keepStill = (/** @type {Event} */ event) => {
        if (this.drag) event.preventDefault(); // touch-action isn't enough once the pressed piece is drawn anew
      };
      target?.addEventListener("touchmove", keepStill, { passive: false });
    }, { passive: true });
    window.addEventListener("pointermove", (event) => this.moveDrag(event));
    window.addEventListener("pointerup", (event) => this.endDrag(event, true));
    window.addEventListener("pointercancel", (event) => this.endDrag(event, false));
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
    if (this.skipsClick) this.skipsClick = false;
    else if (this.held.length) this.drop(cell);
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

  // Dragging

  /** @param {PointerEvent} event */
  startDrag(event) {
    this.skipsClick = false;
    const cell = this.findCell(event);
    if (!this.isPlaying || !cell || this.drag || event.button !== 0 || this.held.length || !this.standing.has(cell)) return;
    this.drag = { pointer: event.pointerId, cell, x: event.clientX, y: event.clientY, isMoving: false };
  }

  /** @param {PointerEvent} event */
  moveDrag(event) {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    if (!drag.isMoving) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PIXELS) return;
      drag.isMoving = true;
      this.svg.setPointerCapture(drag.pointer); // the pressed piece is drawn anew when it is lifted
      this.drawCarried(drag.cell);
      document.body.classList.add("dragging");
      this.lift(drag.cell);
    }
    this.carried.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -50%)`;
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} isDropped false if the browser took the pointer away
   */
  endDrag(event, isDropped) {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    this.drag = null;
    if (!drag.isMoving) return;
    this.carried.textContent = "";
    document.body.classList.remove("dragging");
    const cell = this.findCell(event);
    this.skipsClick = cell === drag.cell; // the browser sends a click, too
    if (isDropped && !this.isInside(event)) {
      this.origins.pop();
      this.send({ aside: true });
    } else this.drop((isDropped && cell) || drag.cell);
  }

  /**
   * Return the cell under the pointer. On a touch screen, the target of an event is where the finger began.
   * @param {PointerEvent} event
   */
  findCell(event) {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]");
    return cell?.getAttribute("data-cell") ?? null;
  }

  /** @param {PointerEvent} event */
  isInside({ clientX, clientY }) {
    const { left, right, top, bottom } = this.svg.getBoundingClientRect();
    return clientX > left && clientX < right && clientY > top && clientY < bottom;
  }

  /**
   * Draw the piece that follows the pointer, in the size of the board.
   * @param {string} cell
   */
  drawCarried(cell) {
    const owner = this.standing.get(cell);
    const piece = this.game.position?.pieces.get(cell);
    const { width } = /** @type {Element} */ (this.svg.querySelector("[data-cell] > .cell")).getBoundingClientRect();
    this.carried.style.width = `${width}px`;
    this.carried.textContent = "";
    if (owner) this.carried.append(drawToken(owner));
    if (piece && piece.owner === owner) this.carried.append(drawPiece(piece));
  }

  // Messages and rendering

  /** @param {any} message */
  receive(message) {
    if (message.type === "hello" && !message.pieces) this.receive({ type: "table", standing: {}, held: [] });
    if (message.type !== "table") return;
    this.standing = new Map(Object.entries(message.standing));
    this.held = message.held;
    if (!this.drag) this.origins.length = Math.min(this.origins.length, this.held.length);
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
    byId("put-aside").hidden = !owner || Boolean(this.drag);
    setEnabled(byId("put-aside"), this.game.isConnected);
  }
}
