// @ts-check
import { cellName, parseAction, SIDE_NAME } from "./position.js";

/** @typedef {import("./position.js").Piece} Piece */
/** @typedef {import("./position.js").Pieces} Pieces */
/** @typedef {import("./position.js").LastTurn} LastTurn */
/**
 * @typedef {object} View what the board shows
 * @property {number} size
 * @property {Pieces} pieces
 * @property {LastTurn | null} last
 * @property {string | null} selected
 * @property {string[]} targets
 * @property {Pieces | null} arriving the pieces before the score step, if the last turn has only just been played
 */
/** @typedef {{piece: Piece | null, ghost: Piece | null, grows: boolean, marks: string[]}} CellLook */

/** The shapes of the lamps with 64 in a cell, rows from the top. */
const GLYPHS = {
  egg: "........ ...##... ..####.. ..####.. ..####.. ..####.. ...##... ........",
  tadpole: ".##..... ####.... ####.... .###.... ...##... ....##.. .....##. ......##",
  frog: "#......# ##.##.## ######## .######. .######. ######## ##....## #......#",
  target: "...##... ..#..#.. .#....#. #......# #......# .#....#. ..#..#.. ...##...",
};

const PITCH = 9;
const CELL = 8 * PITCH + 8;
const STEP = CELL + 6;
const LEFT = 26;
const TOP = 10;

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function element(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/**
 * @param {keyof typeof GLYPHS} name
 * @param {number} radius of a lamp
 */
function glyphPath(name, radius) {
  let path = "";
  GLYPHS[name].split(" ").forEach((row, y) => {
    Array.from(row).forEach((sign, x) => {
      if (sign === ".") return;
      const d = 2 * radius;
      path += `M${(x + 0.5) * PITCH + 4 - radius} ${(y + 0.5) * PITCH + 4}`;
      path += `a${radius} ${radius} 0 1 0 ${d} 0a${radius} ${radius} 0 1 0 ${-d} 0`;
    });
  });
  return path;
}

/** @param {Piece} piece */
function drawPiece(piece) {
  const radius = piece.owner === "light" ? 4 : 3.1; // Dark's lamps are rings, and the line adds to them
  return element("path", { class: `piece ${piece.owner}`, d: glyphPath(piece.symbol, radius) });
}

/** @param {string} name */
function drawRim(name) {
  return element("rect", { class: `rim ${name}`, x: 1.5, y: 1.5, width: CELL - 3, height: CELL - 3, rx: 9 });
}

/** @param {CellLook} look */
function drawCell(look) {
  const parts = [
    element("rect", { class: "cell", width: CELL, height: CELL, rx: 10 }),
    element("rect", { x: 4, y: 4, width: 8 * PITCH, height: 8 * PITCH, fill: "url(#lamps)" }),
  ];
  if (look.ghost) {
    const ghost = drawPiece(look.ghost);
    ghost.classList.add("leaving");
    parts.push(ghost);
  }
  if (look.piece) {
    const piece = drawPiece(look.piece);
    if (look.grows) piece.classList.add("growing");
    parts.push(piece);
  }
  for (const mark of look.marks) {
    if (mark === "target") parts.push(element("path", { class: "sign", d: glyphPath(mark, 3.2) }));
    else parts.push(drawRim(mark));
  }
  parts.push(element("rect", { class: "focus", x: -1, y: -1, width: CELL + 2, height: CELL + 2, rx: 11 }));
  return parts;
}

/** @type {Record<string, string>} */
const SPOKEN_MARKS = {
  ended: "the last turn ended here",
  grew: "developed in the last turn",
  left: "a piece left here in the last turn",
  selected: "chosen",
  target: "the chosen piece can go here",
};

/**
 * @param {string} cell
 * @param {CellLook} look
 */
function nameCell(cell, { piece, marks }) {
  const content = piece ? `${SIDE_NAME[piece.owner]}'s ${piece.symbol}` : "empty";
  return [`${cell}, ${content}`, ...marks.map((mark) => SPOKEN_MARKS[mark])].join(", ");
}

/**
 * @param {string} cell
 * @param {View} view
 * @returns {CellLook}
 */
function lookAt(cell, { pieces, last, selected, targets, arriving }) {
  const piece = pieces.get(cell) ?? null;
  const marks = [];
  let grew = false;
  let scored = false;
  if (last) {
    const { source, target } = parseAction(last.action);
    grew = last.developed.some((change) => change.cell === cell);
    scored = last.scored.light.includes(cell) || last.scored.dark.includes(cell);
    if (cell === target) marks.push("ended");
    else if (scored || cell === source) marks.push("left");
    else if (grew) marks.push("grew");
  }
  if (cell === selected) marks.push("selected");
  if (targets.includes(cell)) marks.push("target");
  const ghost = (scored && arriving?.get(cell)) || null;
  return { piece, ghost, grows: Boolean(arriving) && grew, marks };
}

/** The board as an SVG; a grid that the arrow keys walk through. */
export class Board {
  /** @param {Element} svg */
  constructor(svg) {
    this.svg = svg;
    this.size = 0;
    /** @type {Map<string, {group: SVGElement, looks: string}>} */
    this.cells = new Map();
    this.current = "";
    svg.addEventListener("keydown", (event) => this.walk(/** @type {KeyboardEvent} */ (event)));
    svg.addEventListener("focusin", (event) => this.stop(/** @type {Element} */ (event.target)));
  }

  /** @param {View} view */
  show(view) {
    if (view.size !== this.size) this.build(view.size);
    for (const [cell, drawn] of this.cells) {
      const look = lookAt(cell, view);
      const looks = JSON.stringify([look.piece, look.marks]);
      if (looks === drawn.looks && !look.ghost && !look.grows) continue;
      drawn.looks = looks;
      drawn.group.textContent = "";
      drawn.group.append(...drawCell(look));
      drawn.group.setAttribute("aria-label", nameCell(cell, look));
      drawn.group.setAttribute("aria-selected", String(look.marks.includes("selected")));
    }
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
    svg.setAttribute("aria-label", "Board");
    svg.setAttribute("aria-readonly", "true");
    svg.removeAttribute("aria-hidden");
    const lamps = element("pattern", { id: "lamps", x: 4, y: 4, width: PITCH, height: PITCH, patternUnits: "userSpaceOnUse" });
    lamps.append(element("circle", { class: "off", cx: PITCH / 2, cy: PITCH / 2, r: 2 }));
    const definitions = element("defs");
    definitions.append(lamps);
    const labels = element("g", { class: "labels", "aria-hidden": "true" });
    svg.append(definitions, labels);
    for (let row = size - 1; row >= 0; row -= 1) {
      const y = TOP + (size - 1 - row) * STEP;
      const line = element("g", { role: "row" });
      const number = element("text", { x: LEFT / 2, y: y + CELL / 2 + 5 });
      number.textContent = String(row + 1);
      labels.append(number);
      for (let column = 0; column < size; column += 1) {
        const cell = cellName(column, row);
        const place = `translate(${LEFT + column * STEP} ${y})`;
        const group = element("g", { role: "gridcell", tabindex: -1, transform: place, "data-cell": cell });
        line.append(group);
        this.cells.set(cell, { group, looks: "" });
      }
      svg.append(line);
    }
    for (let column = 0; column < size; column += 1) {
      const letter = element("text", { x: LEFT + column * STEP + CELL / 2, y: height - 6 });
      letter.textContent = cellName(column, 0).charAt(0);
      labels.append(letter);
    }
    this.current = "";
    this.stop(/** @type {SVGElement} */ (this.cells.get(cellName(0, size - 1))?.group));
  }

  /**
   * Makes a cell the only one that the tab key reaches.
   * @param {Element} group
   */
  stop(group) {
    const cell = group.getAttribute("data-cell");
    if (!cell || cell === this.current) return;
    this.cells.get(this.current)?.group.setAttribute("tabindex", "-1");
    group.setAttribute("tabindex", "0");
    this.current = cell;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const end = this.size - 1;
    let column = this.current.charCodeAt(0) - "a".charCodeAt(0);
    let row = Number(this.current.charAt(1)) - 1;
    switch (event.key) {
      case "ArrowLeft": column -= 1; break;
      case "ArrowRight": column += 1; break;
      case "ArrowUp": row += 1; break;
      case "ArrowDown": row -= 1; break;
      case "Home": column = 0; if (event.ctrlKey) row = end; break;
      case "End": column = end; if (event.ctrlKey) row = 0; break;
      default: return;
    }
    event.preventDefault();
    this.cells.get(cellName(column, row))?.group.focus();
  }
}

/**
 * A small picture of a cell for the key.
 * @param {Piece | null} piece
 * @param {string[]} marks
 */
export function pictureOf(piece, marks) {
  const picture = element("svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" });
  picture.append(...drawCell({ piece, ghost: null, grows: false, marks }));
  return picture;
}

/** @param {"light" | "dark"} side */
export function lampOf(side) {
  return element("circle", { class: side, cx: 10, cy: 10, r: side === "light" ? 7 : 6 });
}
