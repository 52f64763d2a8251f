// @ts-check

const WIDTH = 1080;
const HEAD = 190;
const EDGE = 40;
const FONT = "system-ui, sans-serif";

/**
 * @param {Path2D} path
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {number} radius
 */
function addRoundedRectangle(path, x, y, width, height, radius) {
  const [right, bottom] = [x + width, y + height];
  path.moveTo(x + radius, y);
  path.arcTo(right, y, right, bottom, radius);
  path.arcTo(right, bottom, x, bottom, radius);
  path.arcTo(x, bottom, x, y, radius);
  path.arcTo(x, y, right, y, radius);
  path.closePath();
}

/**
 * Draw a shape of the board.
 * @param {CanvasRenderingContext2D} pen
 * @param {SVGGraphicsElement} shape
 */
function drawShape(pen, shape) {
  const { fill, stroke, strokeWidth, strokeDasharray, strokeLinecap, opacity, display } = getComputedStyle(shape);
  if (display === "none" || opacity === "0") return;
  const number = (/** @type {string} */ name) => Number(shape.getAttribute(name) ?? 0);
  if (shape.tagName === "text") {
    pen.font = `600 15px ${FONT}`;
    pen.textAlign = "center";
    pen.fillStyle = fill;
    pen.fillText(shape.textContent ?? "", number("x"), number("y"));
    return;
  }
  const path = new Path2D(shape.getAttribute("d") ?? "");
  if (shape.tagName === "circle") path.arc(number("cx"), number("cy"), number("r"), 0, 2 * Math.PI);
  else if (shape.tagName === "rect") addRoundedRectangle(path, number("x"), number("y"), number("width"), number("height"), number("rx"));
  if (!/none|url/.test(fill)) { // unlit lamps are left out
    pen.fillStyle = fill;
    pen.fill(path);
  }
  if (stroke === "none") return;
  pen.strokeStyle = stroke;
  pen.lineWidth = parseFloat(strokeWidth);
  pen.lineCap = /** @type {CanvasLineCap} */ (strokeLinecap);
  pen.setLineDash(strokeDasharray === "none" ? [] : strokeDasharray.split(",").map(parseFloat));
  pen.stroke(path);
}

/**
 * Draw the board as it is shown, below two lines of text.
 * @param {SVGSVGElement} board
 * @param {string} title
 * @param {string} about
 * @returns {Promise<Blob | null>} PNG file
 */
export function drawPicture(board, title, about) {
  const { width, height } = board.viewBox.baseVal;
  const scale = (WIDTH - 2 * EDGE) / width;
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEAD + height * scale + EDGE;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = "#0c1a1d";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = "#e8f0ed";
  pen.font = `700 56px ${FONT}`;
  pen.fillText(title, EDGE, 90, WIDTH - 2 * EDGE);
  pen.fillStyle = "#a9bfbb";
  pen.font = `32px ${FONT}`;
  pen.fillText(about, EDGE, 145, WIDTH - 2 * EDGE);
  const origin = /** @type {DOMMatrix} */ (board.getScreenCTM()).inverse();
  for (const shape of Array.from(board.querySelectorAll("rect, circle, path, text"))) {
    if (shape.closest("defs, .focus")) continue;
    const graphic = /** @type {SVGGraphicsElement} */ (shape);
    const { a, b, c, d, e, f } = origin.multiply(/** @type {DOMMatrix} */ (graphic.getScreenCTM()));
    pen.setTransform(a * scale, b * scale, c * scale, d * scale, EDGE + e * scale, HEAD + f * scale);
    drawShape(pen, graphic);
  }
  return new Promise((done) => canvas.toBlob(done));
}
