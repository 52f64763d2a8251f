// @ts-check
import { CELL, drawCell, element, makeLamps, STEP } from "./cells.js";
import { cellName, parseAction } from "./position.js";
import { say } from "./words.js";

/** @typedef {import("./position.js").Piece} Piece */
/** @typedef {import("./position.js").Pieces} Pieces */
/** @typedef {import("./position.js").LastTurn} LastTurn */
/** @typedef {import("./cells.js").CellLook} CellLook */
/**
 * @typedef {object} View contents of the board
 * @property {number} size
 * @property {Pieces} pieces
 * @property {LastTurn | null} last
 * @property {string | null} selected
 * @property {string[]} targets
 * @property {string[]} placing cells where an egg can be placed
 * @property {string[]} moving cells with a piece that can move
 * @property {string[]} hinted
 * @property {Map<string, import("./position.js").Side> | null} standing owners of the pieces on the board; null on a board with buttons
 * @property {string[]} lifting cells with a piece that must be lifted
 * @property {string[]} putting cells where a piece is missing that must be put down next
 * @property {{grown: Pieces} | null} played pieces before the score step, if the last turn is new
 */

const LEFT = 26;
const TOP = 10;

/**
 * @param {string} cell
 * @param {CellLook} look
 */
function nameCell(cell, { piece, token, marks }) {
  const content = piece
    ? say("page.cell.piece", { cell, piece: say(`page.piece.${piece.owner}.${piece.symbol}`) })
    : token ? say("page.cell.piece", { cell, piece: say(`page.piece.${token}`) }) : say("page.cell.empty", { cell });
  return [content, ...marks.map((mark) => say(`page.mark.${mark}`))].join(", ");
}

/**
 * @param {string} cell
 * @param {View} view
 * @returns {CellLook}
 */
function lookAt(cell, { pieces, last, selected, targets, placing, moving, hinted, standing, lifting, putting }) {
  const piece = pieces.get(cell) ?? null;
  const marks = [];
  if (last) {
    const { source, target } = parseAction(last.action);
    const hasGrown = last.developed.some((each) => each.cell === cell);
    const isScored = last.scored.light.includes(cell) || last.scored.dark.includes(cell);
    if (cell === target) marks.push("ended");
    else if (isScored || cell === source) marks.push("left");
    else if (hasGrown) marks.push("grew");
  }
  if (cell === selected) marks.push("selected");
  if (targets.includes(cell)) marks.push("target");
  if (placing.includes(cell)) marks.push("place");
  if (moving.includes(cell)) marks.push("move");
  if (hinted.includes(cell)) marks.push("hint");
  const token = standing?.get(cell) ?? null;
  if (standing && piece && !token) marks.push("missing");
  if (lifting.includes(cell)) marks.push("take");
  if (putting.includes(cell)) marks.push("put");
  return { piece, token, marks };
}

/** Board as an SVG grid with arrow-key navigation. */
export class Board {
  /**
   * @param {Element} svg
   * @param {(cell: string) => void} press called with each cell that is pressed
   * @param {(look: CellLook) => Element[]} [draw] draws a cell
   */
  constructor(svg, press, draw = drawCell) {
    this.svg = svg;
    this.press = press;
    this.draw = draw;
    this.size = 0;
    this.isTurned = false;
    this.words = "";
    /** @type {Map<string, {group: SVGElement, looks: string}>} */
    this.cells = new Map();
    this.current = "";
    this.overlay = element("g");
    svg.addEventListener("keydown", (event) => this.moveFocus(/** @type {KeyboardEvent} */ (event)));
    svg.addEventListener("focusin", (event) => this.setTabStop(/** @type {Element} */ (event.target)));
    svg.addEventListener("click", (event) => {
      const group = /** @type {Element} */ (event.target).closest("[data-cell]");
      const cell = group?.getAttribute("data-cell");
      if (cell) this.press(cell);
    });
  }

  /**
   * Show the board from Dark's side, or from Light's.
   * @param {boolean} isTurned
   */
  turn(isTurned) {
    if (isTurned !== this.isTurned) this.size = 0; // builds it anew
    this.isTurned = isTurned;
  }

  /**
   * @param {View} view
   * @returns {boolean} true if any cell has changed
   */
  show(view) {
    if (view.size !== this.size) this.build(view.size);
    const label = say("page.board.label");
    if (this.words !== label + document.documentElement.lang) {
      this.words = label + document.documentElement.lang;
      this.svg.setAttribute("aria-label", label);
      this.cells.forEach((drawn) => { drawn.looks = ""; });
    }
    let hasChanged = false;
    for (const [cell, drawn] of this.cells) {
      const look = lookAt(cell, view);
      const looks = JSON.stringify(look);
      if (looks === drawn.looks) continue;
      hasChanged = true;
      drawn.looks = looks;
      drawn.group.textContent = "";
      drawn.group.append(...this.draw(look));
      drawn.group.setAttribute("aria-label", nameCell(cell, look));
      drawn.group.setAttribute("aria-selected", String(look.marks.includes("selected")));
      const isAble = look.marks.some((mark) => ["place", "move", "target", "selected"].includes(mark));
      drawn.group.setAttribute("class", [isAble ? "can" : "", look.token || look.marks.includes("move") || look.marks.includes("selected") ? "movable" : ""].join(" ").trim());
    }
    return hasChanged;
  }

  /**
   * Return the place of the top left corner of a cell.
   * @param {string} cell
   */
  placeOf(cell) {
    const column = cell.charCodeAt(0) - "a".charCodeAt(0);
    const row = Number(cell.charAt(1)) - 1;
    const end = this.size - 1;
    return [LEFT + (this.isTurned ? end - column : column) * STEP, TOP + (this.isTurned ? row : end - row) * STEP];
  }

  /** @param {string} cell */
  transformOf(cell) {
    return `translate(${this.placeOf(cell).join(" ")})`;
  }

  /** @param {number} size */
  build(size) {
    const { svg } = this;
    this.size = size;
    this.cells.clear();
    svg.textContent = "";
    const width = LEFT + size * STEP;
    const height = TOP + size * STEP + 18;
    svg.setAttribute("viewBox", `0 0 ${width + 4} ${height}`);
    svg.setAttribute("role", "grid");
    svg.removeAttribute("aria-hidden");
    const labels = element("g", { class: "labels", "aria-hidden": "true" });
    svg.append(makeLamps(), labels);
    const columns = Array.from({ length: size }, (_, index) => (this.isTurned ? size - 1 - index : index));
    for (const row of [...columns].reverse()) {
      const line = element("g", { role: "row" });
      const number = element("text", { x: LEFT / 2, y: this.placeOf(cellName(0, row))[1] + CELL / 2 + 5 });
      number.textContent = String(row + 1);
      labels.append(number);
      for (const column of columns) {
        const cell = cellName(column, row);
        const attributes = { role: "gridcell", tabindex: -1, transform: this.transformOf(cell), "data-cell": cell };
        const group = element("g", attributes);
        line.append(group);
        this.cells.set(cell, { group, looks: "" });
      }
      svg.append(line);
    }
    for (const column of columns) {
      const name = cellName(column, 0);
      const letter = element("text", { x: this.placeOf(name)[0] + CELL / 2, y: height - 6 });
      letter.textContent = name.charAt(0);
      labels.append(letter);
    }
    this.overlay = element("g", { class: "overlay-pieces", "aria-hidden": "true" });
    svg.append(this.overlay);
    this.current = "";
    this.setTabStop(/** @type {SVGElement} */ (this.cells.get(cellName(columns[0], columns[size - 1]))?.group));
  }

  /**
   * Make a cell the only one that the tab key reaches.
   * @param {Element} group
   */
  setTabStop(group) {
    const cell = group.getAttribute("data-cell");
    if (!cell || cell === this.current) return;
    this.cells.get(this.current)?.group.setAttribute("tabindex", "-1");
    group.setAttribute("tabindex", "0");
    this.current = cell;
  }

  focus() {
    this.cells.get(this.current)?.group.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  moveFocus(event) {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const [first, last] = this.isTurned ? [this.size - 1, 0] : [0, this.size - 1];
    const step = Math.sign(last - first);
    let column = this.current.charCodeAt(0) - "a".charCodeAt(0);
    let row = Number(this.current.charAt(1)) - 1;
    switch (event.key) {
      case "ArrowLeft": column -= step; break;
      case "ArrowRight": column += step; break;
      case "ArrowUp": row += step; break;
      case "ArrowDown": row -= step; break;
      case "Home": column = first; if (event.ctrlKey) row = last; break;
      case "End": column = last; if (event.ctrlKey) row = first; break;
      case "Enter": case " ":
        event.preventDefault();
        if (!event.repeat) this.press(this.current);
        return;
      default: return;
    }
    event.preventDefault();
    this.cells.get(cellName(column, row))?.group.focus();
  }
}
