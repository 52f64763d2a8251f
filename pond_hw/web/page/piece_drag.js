// @ts-check
import { drawPiece } from "./cells.js";
import { byId } from "./dom.js";
import { Dragging } from "./dragging.js";
import { findObstacle } from "./press.js";
import { say } from "./words.js";

/** Moves by dragging, on boards whose pieces the page doesn't move itself. */
export class PieceDrag {
  /** @param {import("./page.js").Page} page */
  constructor({ game, controls, notice, show, turnAnimation }) {
    this.game = game;
    /** @type {string | null} cell whose piece is dragged, or has been dropped and waits for the answer */
    this.source = null;
    this.dragging = new Dragging(byId("board"), {
      mayLift: (cell) => {
        const isByHand = game.hello?.own && game.hello.pieces;
        return !isByHand && !game.isWaiting && !game.preview && !findObstacle(game) && game.targetsOf(cell).length > 0;
      },
      draw: (cell) => {
        const piece = game.position?.pieces.get(cell);
        return piece ? [drawPiece(piece)] : [];
      },
      lift: (cell) => {
        this.source = cell;
        controls.choose(cell);
        show();
      },
      drop: (from, to, isOutside) => {
        const isMove = to !== null && game.legal.includes(from + to);
        if (isMove) {
          turnAnimation.dragged = from + to;
          controls.act(from + to);
          return true;
        }
        this.source = null;
        controls.choose(null);
        if (to !== from && to && !isOutside) notice(say("page.press.out_of_reach", { cell: to }));
        show();
        return false;
      },
    });
  }

  /** @param {import("./board.js").View} view */
  changeView(view) {
    this.letGo();
    if (!this.source) return;
    view.pieces = new Map(view.pieces);
    view.pieces.delete(this.source);
  }

  /** Forget a dropped piece once its move has been answered. */
  letGo() {
    if (!this.dragging.source && !this.game.isWaiting) this.source = null;
  }

  show() {
    this.letGo();
    if (!this.source) this.dragging.clear();
  }
}
