// @ts-check
import { drawBoardPicture, drawCellPicture } from "./cells.js";
import { Dialog } from "./dialog.js";
import { byId, make, onPress } from "./dom.js";
import { SIDES } from "./position.js";
import { getLanguage, say } from "./words.js";

/** @typedef {import("./position.js").PieceSymbol} PieceSymbol */
/** @typedef {{rows: string, marks?: Record<string, string[]>, caption?: string}} Picture */

/**
 * @param {string[]} cells
 * @returns {Record<string, string[]>}
 */
function targets(...cells) {
  return Object.fromEntries(cells.map((cell) => [cell, ["target"]]));
}

/** Pictures beside the rules. Each shows a real turn. */
/** @type {Record<string, Picture[]>} */
const PICTURES = {
  place: [{ rows: ".../.../..." }, { rows: ".../.E./...", marks: { b2: ["ended"] } }],
  tadpole: [{ rows: ".../.T./...", marks: { b2: ["selected"], ...targets("a2", "b1", "b3", "c2") } }],
  frog: [{ rows: ".../.../Fe.", marks: { a1: ["selected"], ...targets("a2", "a3", "c1") } }],
  grow: [
    { rows: ".e./..T/.F.", caption: "before" },
    { rows: ".e./.ET/.F.", marks: { b2: ["ended"] }, caption: "act" },
    { rows: ".t./.EF/.E.", marks: { b1: ["grew"], b2: ["ended"], b3: ["grew"], c2: ["grew"] }, caption: "grow" },
  ],
  score: [
    { rows: "E../F.f/..t", caption: "before" },
    { rows: "E../EEe/..t", marks: { a2: ["grew"], b2: ["ended"], c2: ["grew"] }, caption: "grow" },
    { rows: "E../.../..t", marks: { a2: ["left"], b2: ["left"], c2: ["left"] }, caption: "score" },
  ],
};

/** @type {[string, string[]][]} headings with their paragraphs, which may have pictures */
const CHAPTERS = [
  ["goal", ["goal", "circle", "steps"]],
  ["act", ["act", "place", "tadpole", "frog"]],
  ["grow", ["grow"]],
  ["score", ["score", "careful"]],
  ["end", ["end", "stuck", "agree"]],
];

/** @type {PieceSymbol[]} */
const SYMBOLS = ["egg", "tadpole", "frog"];
const MARKS = ["ended", "grew", "left", "selected", "target", "place", "move", "hint"];

/** @param {string} paragraph */
function drawPictures(paragraph) {
  const row = make("div", "", "pictures");
  for (const { rows, marks, caption } of PICTURES[paragraph]) {
    const figure = make("figure");
    figure.append(drawBoardPicture(rows, marks));
    if (caption) figure.append(make("figcaption", say(`page.step.${caption}`)));
    row.append(figure);
  }
  return row;
}

/** Draw the circle of egg, tadpole, frog and egg. */
function drawCircle() {
  const row = make("p", "", "circle");
  row.setAttribute("aria-hidden", "true"); // the text beside the picture says the same
  [...SYMBOLS, SYMBOLS[0]].forEach((symbol, index) => {
    if (index) row.append(make("span", "→"));
    row.append(drawCellPicture({ owner: "light", symbol }, []));
  });
  return row;
}

function drawKey() {
  const list = make("ul", "", "key");
  for (const symbol of SYMBOLS) {
    for (const owner of SIDES) {
      const item = make("li");
      item.append(drawCellPicture({ owner, symbol }, []), make("span", say(`page.piece.${owner}.${symbol}`)));
      list.append(item);
    }
  }
  for (const mark of MARKS) {
    const item = make("li");
    item.append(drawCellPicture(null, [mark]), make("span", say(`page.key.${mark}`)));
    list.append(item);
  }
  return list;
}

/** Dialog with the rules and pictures. */
export class Rules {
  constructor() {
    this.dialog = new Dialog(byId("rules"));
    this.language = "";
    onPress(byId("open-rules"), () => {
      this.draw();
      this.dialog.open();
    });
  }

  draw() {
    if (this.language === getLanguage()) return;
    this.language = getLanguage();
    const text = byId("rules-text");
    text.textContent = "";
    for (const [heading, paragraphs] of CHAPTERS) {
      text.append(make("h3", say(`page.rules.title.${heading}`)));
      for (const paragraph of paragraphs) {
        text.append(make("p", say(`page.rules.${paragraph}`)));
        if (paragraph === "circle") text.append(drawCircle());
        if (PICTURES[paragraph]) text.append(drawPictures(paragraph));
      }
    }
    text.append(make("h3", say("page.rules.title.key")), drawKey());
  }
}
