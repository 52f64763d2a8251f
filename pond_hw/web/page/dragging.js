// @ts-check
import { CELL, element } from "./cells.js";

/** @typedef {{pointer: number, cell: string, x: number, y: number, isMoving: boolean}} Drag */
/**
 * @typedef {object} Hand what dragging means
 * @property {(cell: string) => boolean} mayLift
 * @property {(cell: string) => Element[]} draw draws what follows the pointer
 * @property {(cell: string) => void} lift called when a drag begins
 * @property {(from: string, to: string | null, isOutside: boolean) => boolean} drop called when it ends, with the cell under
 * the pointer; returns true to keep the piece there until `clear` is called. If the browser takes the pointer away, it ends
 * where it began.
 */

const DRAG_PIXELS = 8;

/** Dragging from cell to cell, by mouse or finger. */
export class Dragging {
  /**
   * @param {Element} svg board
   * @param {Hand} hand
   */
  constructor(svg, hand) {
    this.svg = svg;
    this.hand = hand;
    /** @type {Drag | null} */
    this.drag = null;
    this.skipsClick = false;
    this.carried = /** @type {SVGElement} */ (element("svg", { class: "carried", viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }));
    document.body.append(this.carried);
    svg.addEventListener("pointerdown", (event) => this.start(/** @type {PointerEvent} */ (event)));
    svg.addEventListener("touchstart", ({ target }) => {
      const keepStill = (/** @type {Event} */ event) => {
        if (this.drag) event.preventDefault(); // touch-action isn't enough once the pressed piece is drawn anew
      };
      target?.addEventListener("touchmove", keepStill, { passive: false });
    }, { passive: true });
    svg.addEventListener("click", (event) => {
      if (this.skipsClick) event.stopImmediatePropagation();
      this.skipsClick = false;
    }, true);
    window.addEventListener("pointermove", (event) => this.move(event));
    window.addEventListener("pointerup", (event) => this.end(event, true));
    window.addEventListener("pointercancel", (event) => this.end(event, false));
  }

  /** Cell of the piece that is being dragged. */
  get source() {
    return this.drag?.isMoving ? this.drag.cell : null;
  }

  /** @param {PointerEvent} event */
  start(event) {
    this.skipsClick = false;
    const cell = this.findCell(event);
    if (!cell || this.drag || event.button !== 0 || !this.hand.mayLift(cell)) return;
    this.drag = { pointer: event.pointerId, cell, x: event.clientX, y: event.clientY, isMoving: false };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    if (!drag.isMoving) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PIXELS) return;
      drag.isMoving = true;
      this.svg.setPointerCapture(drag.pointer); // the pressed piece is drawn anew when it is lifted
      const { width } = /** @type {Element} */ (this.svg.querySelector("[data-cell] > .cell")).getBoundingClientRect();
      this.carried.style.width = `${width}px`;
      this.carried.replaceChildren(...this.hand.draw(drag.cell));
      document.body.classList.add("dragging");
      this.hand.lift(drag.cell);
    }
    this.place(event.clientX, event.clientY);
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} isDropped false if the browser took the pointer away
   */
  end(event, isDropped) {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    this.drag = null;
    if (!drag.isMoving) return;
    const cell = this.findCell(event);
    this.skipsClick = cell === drag.cell; // the browser sends a click, too
    const { left, right, top, bottom } = this.svg.getBoundingClientRect();
    const { clientX, clientY } = event;
    const isOutside = clientX <= left || clientX >= right || clientY <= top || clientY >= bottom;
    const isKept = isDropped ? this.hand.drop(drag.cell, cell, isOutside) : this.hand.drop(drag.cell, drag.cell, false);
    const plate = isKept && this.svg.querySelector(`[data-cell="${cell}"] > .cell`)?.getBoundingClientRect();
    if (plate) this.place(plate.left + plate.width / 2, plate.top + plate.height / 2);
    else this.clear();
  }

  /** Let go of a piece that has been kept where it was dropped. */
  clear() {
    if (this.drag?.isMoving) return;
    this.carried.textContent = "";
    document.body.classList.remove("dragging");
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  place(x, y) {
    this.carried.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
  }

  /**
   * Return the cell under the pointer. On a touch screen, the target of an event is where the finger began.
   * @param {PointerEvent} event
   */
  findCell(event) {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]");
    return cell?.getAttribute("data-cell") ?? null;
  }
}
