// @ts-check
import { cellName, parsePosition } from "./position.js";

/** @typedef {import("./position.js").Piece} Piece */
/**
 * @typedef {object} CellLook
 * @property {Piece | null} piece
 * @property {Piece["owner"] | null} [token] owner of the piece that stands here, on a board with pieces
 * @property {string[]} marks
 */

/** Lamp patterns with 64 lamps in a cell, rows from the top. */
const GLYPHS = {
  egg: "........ ...##... ..####.. ..####.. ..####.. ..####.. ...##... ........",
  tadpole: ".##..... ####.... ####.... .###.... ...##... ....##.. .....##. ......##",
  frog: "#......# ##.##.## ######## .######. .######. ######## ##....## #......#",
  target: "...##... ..#..#.. .#....#. #......# #......# .#....#. ..#..#.. ...##...",
};

const PITCH = 9;
export const CELL = 8 * PITCH + 8;
export const STEP = CELL + 6;

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
export function element(name, attributes = {}) {
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
export function drawPiece(piece) {
  const radius = piece.owner === "light" ? 4 : 3.1; // Dark's lamps are rings, and their stroke adds to the radius
  return element("path", { class: `piece ${piece.owner}`, d: glyphPath(piece.symbol, radius) });
}

/**
 * Draw a piece as it stands on a board.
 * @param {Piece["owner"]} owner
 */
export function drawToken(owner) {
  return element("circle", { class: `token ${owner}`, cx: CELL / 2, cy: CELL / 2, r: 36 });
}

/** @param {string} mark */
function drawMark(mark) {
  if (mark === "target") return element("path", { class: "sign", d: glyphPath(mark, 3.2) });
  if (mark === "hint") {
    const far = CELL - 2;
    const near = CELL - 22;
    const corners = `M2 22V2H22M${near} 2H${far}V22M${far} ${near}V${far}H${near}M22 ${far}H2V${near}`;
    return element("path", { class: "rim hint", d: corners });
  }
  if (mark === "move") {
    const end = CELL - 2.5;
    return element("path", { class: "rim move", d: `M31 2.5H49M31 ${end}H49M2.5 31V49M${end} 31V49` });
  }
  if (mark === "missing") return element("circle", { class: "token missing", cx: CELL / 2, cy: CELL / 2, r: 36 });
  if (mark === "take") return element("path", { class: "arrow", d: "M24 36 40 20 56 36M40 20V60" });
  if (mark === "put") return element("path", { class: "arrow", d: "M24 44 40 60 56 44M40 60V20" });
  if (mark === "place") return element("circle", { class: "able", cx: CELL / 2, cy: CELL / 2, r: 4.5 });
  return element("rect", { class: `rim ${mark}`, x: 1.5, y: 1.5, width: CELL - 3, height: CELL - 3, rx: 9 });
}

/** Unlit lamps of a cell, included once in each picture with cells. */
export function makeLamps() {
  const lamps = element("pattern", { id: "lamps", x: 4, y: 4, width: PITCH, height: PITCH, patternUnits: "userSpaceOnUse" });
  lamps.append(element("circle", { class: "off", cx: PITCH / 2, cy: PITCH / 2, r: 2 }));
  const definitions = element("defs");
  definitions.append(lamps);
  return definitions;
}

/** @param {CellLook} look */
export function drawCell(look) {
  const parts = [
    element("rect", { class: "cell", width: CELL, height: CELL, rx: 10 }),
    element("rect", { x: 4, y: 4, width: 8 * PITCH, height: 8 * PITCH, fill: "url(#lamps)" }),
  ];
  if (look.token) parts.push(drawToken(look.token));
  if (look.piece) parts.push(drawPiece(look.piece));
  parts.push(...look.marks.map(drawMark));
  parts.push(element("rect", { class: "focus", x: -1, y: -1, width: CELL + 2, height: CELL + 2, rx: 11 }));
  return parts;
}

/**
 * Draw a small cell for the legend.
 * @param {Piece | null} piece
 * @param {string[]} marks
 */
export function drawCellPicture(piece, marks) {
  const picture = element("svg", { class: "small", viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" });
  picture.append(...drawCell({ piece, marks }));
  return picture;
}

/**
 * Draw a small board.
 * @param {string} rows such as "..../.e../.T../...."
 * @param {Record<string, string[]>} marks by cell
 */
export function drawBoardPicture(rows, marks = {}) {
  const position = parsePosition(`${rows} l 0 0 0 0`);
  const size = position?.size ?? 0;
  const width = size * STEP + 6;
  const picture = element("svg", { class: "small", viewBox: `0 0 ${width} ${width}`, "aria-hidden": "true" });
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const cell = cellName(column, row);
      const place = `translate(${6 + column * STEP} ${6 + (size - 1 - row) * STEP})`;
      const group = element("g", { transform: place });
      const piece = position?.pieces.get(cell) ?? null;
      group.append(...drawCell({ piece, marks: marks[cell] ?? [] }));
      picture.append(group);
    }
  }
  return picture;
}

/** @param {"light" | "dark"} side */
export function drawLamp(side) {
  return element("circle", { class: side, cx: 10, cy: 10, r: side === "light" ? 7 : 6 });
}

/**
 * Draw the lamp of a side, beside a name.
 * @param {"light" | "dark"} side
 */
export function drawLampPicture(side) {
  const picture = element("svg", { class: "lamp", viewBox: "0 0 20 20", "aria-hidden": "true" });
  picture.append(drawLamp(side));
  return picture;
}
