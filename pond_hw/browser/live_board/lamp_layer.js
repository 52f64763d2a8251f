// @ts-check
import { CELL, drawCell, element } from "./cells.js";
import { lampColour } from "./lamp_colour.js";

/** Draw a cell without lamps, pieces and marks. */
export function drawEmptyCell() {
  const [plate, , focus] = drawCell({ piece: null, marks: [] });
  return [plate, focus];
}

/** Lamps of a board, as they would shine on a real one. */
export class LampLayer {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.layer = element("g");
    /** @type {Map<string, {lamps: SVGElement[], shown: string[]}>} */
    this.cells = new Map();
  }

  /** @param {Record<string, number[][]>} colours colours of the lamps by cell, from the top left */
  show(colours) {
    if (this.layer.parentNode !== this.board.svg) this.build(colours);
    for (const [cell, { lamps, shown }] of this.cells) {
      colours[cell]?.forEach((colour, index) => {
        const text = colour.some(Boolean) ? lampColour(colour) : "";
        if (text !== shown[index]) lamps[index].style.fill = shown[index] = text;
      });
    }
  }

  /** @param {Record<string, number[][]>} colours */
  build(colours) {
    this.cells.clear();
    this.layer = element("g", { class: "overlay-pieces", "aria-hidden": "true" });
    for (const cell of this.board.cells.keys()) {
      const group = element("g", { transform: this.board.transformOf(cell) });
      const side = Math.round(Math.sqrt(colours[cell]?.length ?? 0));
      const pitch = (CELL - 8) / side;
      const lamps = Array.from({ length: side * side }, (_, index) => element("circle", {
        class: "off",
        cx: 4 + (index % side + 0.5) * pitch,
        cy: 4 + (Math.floor(index / side) + 0.5) * pitch,
        r: Math.min(0.42 * pitch, 0.3 * CELL),
      }));
      group.append(...lamps);
      this.layer.append(group);
      this.cells.set(cell, { lamps, shown: [] });
    }
    this.board.svg.append(this.layer);
  }
}
