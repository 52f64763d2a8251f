// @ts-check
import { element } from "./cells.js";
import { Dialog } from "./dialog.js";
import { byId, make, onPress, setText } from "./dom.js";
import { lampColour } from "./lamp_colour.js";
import { cellName } from "./position.js";
import { say } from "./words.js";

/** @typedef {"good" | "warning" | "fault" | "unexamined"} CellMark */
/** @typedef {{grade: string, told: string, cause: string, cure: string}} Finding */
/**
 * @typedef {object} TrialMessage message about a running trial
 * @property {string} language
 * @property {string} asks
 * @property {{key: string, says: string}[]} choices
 * @property {[number, number]} done
 * @property {Record<string, number[][]>} seen
 * @property {boolean} over
 * @property {Finding[]} [found]
 * @property {Record<string, CellMark>} [marks]
 * @property {{fault: string, cells: string[]}} [broken]
 * @property {boolean} [is_found]
 */

const SIZE = 4;
const SIGNS = { good: "✓", warning: "!", fault: "✗", unexamined: "?" };
const BRIGHT = 12; // darker lamps only glow

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Board whose cells are held down with a finger, the mouse or a key. */
class BenchBoard {
  /**
   * @param {HTMLElement} place
   * @param {{press: (cell: string) => void, release: (cell: string) => void}} hands
   */
  constructor(place, hands) {
    this.place = place;
    this.hands = hands;
    /** @type {Map<string, {button: HTMLElement, lamps: SVGElement[], sign: HTMLElement}>} */
    this.cells = new Map();
    for (let row = SIZE - 1; row >= 0; row -= 1) {
      for (let column = 0; column < SIZE; column += 1) this.addCell(cellName(column, row));
    }
    this.setTabStop(cellName(0, SIZE - 1));
    place.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch is a press
  }

  /** @param {string} cell */
  addCell(cell) {
    const button = make("button");
    button.setAttribute("type", "button");
    const picture = element("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" });
    const lamps = [[13, 13], [27, 13], [13, 27], [27, 27]].map(([cx, cy]) => element("circle", { cx, cy, r: 5 }));
    picture.append(...lamps);
    const sign = make("strong");
    sign.setAttribute("aria-hidden", "true");
    button.append(picture, make("span", cell), sign);
    this.place.append(button);
    this.cells.set(cell, { button, lamps, sign });

    button.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      button.setPointerCapture(event.pointerId);
      this.setTabStop(cell);
      this.setDown(cell, true);
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) {
      button.addEventListener(name, () => this.setDown(cell, false));
    }
    button.addEventListener("keydown", (event) => this.useKey(event, cell));
    button.addEventListener("keyup", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault(); // Firefox clicks when Space is released
      this.setDown(cell, false);
    });
    button.addEventListener("click", (event) => {
      if (event.detail) return; // the pointer has pressed already; a screen reader only clicks
      this.setDown(cell, true);
      this.setDown(cell, false);
    });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string} cell
   */
  useKey(event, cell) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault(); // no click
      if (!event.repeat) this.setDown(cell, true);
    } else if (STEPS[event.key]) {
      event.preventDefault();
      const [right, up] = STEPS[event.key];
      const next = cellName(cell.charCodeAt(0) - "a".charCodeAt(0) + right, Number(cell.charAt(1)) - 1 + up);
      if (!this.cells.has(next)) return;
      this.setTabStop(next);
      this.focus();
    }
  }

  /**
   * @param {string} cell
   * @param {boolean} isDown
   */
  setDown(cell, isDown) {
    const classes = this.cells.get(cell)?.button.classList;
    if (classes?.contains("down") === isDown) return;
    classes?.toggle("down", isDown);
    if (isDown) this.hands.press(cell);
    else this.hands.release(cell);
  }

  /**
   * Make a cell the only one that the tab key reaches.
   * @param {string} current
   */
  setTabStop(current) {
    this.current = current;
    this.cells.forEach(({ button }, cell) => { button.tabIndex = cell === current ? 0 : -1; });
  }

  focus() {
    this.cells.get(this.current ?? "")?.button.focus({ preventScroll: true });
  }

  /**
   * @param {Record<string, number[][]>} seen colours of the lamps by cell; without them, all are off
   * @param {Record<string, CellMark>} marks
   */
  show(seen, marks = {}) {
    for (const [cell, { button, lamps, sign }] of this.cells) {
      const levels = seen[cell] ?? [];
      lamps.forEach((lamp, index) => {
        const colour = levels[index]?.some(Boolean) ? lampColour(levels[index]) : "";
        Object.assign(lamp.style, { fill: colour, stroke: colour });
      });
      const isLit = levels.some((lamp) => Math.max(...lamp) > BRIGHT);
      const mark = marks[cell];
      setText(sign, mark ? SIGNS[mark] : "");
      button.classList.remove(...Object.keys(SIGNS));
      if (mark) button.classList.add(mark);
      const state = mark ?? (isLit ? "lit" : "");
      button.setAttribute("aria-label", state ? say(`page.trial.cell.${state}`, { cell }) : cell);
    }
  }

  /** @param {string | null} chosen */
  choose(chosen) {
    this.cells.forEach(({ button }, cell) => {
      if (cell === chosen) button.setAttribute("aria-pressed", "true");
      else button.removeAttribute("aria-pressed");
    });
  }
}

/** Dialog in which the visitor breaks a sensor of a simulated board, and set-up finds it. */
export class SetupTrial {
  /** @param {(message: Record<string, unknown>) => void} send */
  constructor(send) {
    this.send = send;
    this.isRunning = false;
    /** @type {string | null} */
    this.chosen = null;
    this.dialog = new Dialog(byId("trial"), () => this.leave());
    this.board = new BenchBoard(byId("trial-board"), {
      press: (cell) => (this.isRunning ? this.ask({ press: cell }) : this.choose(cell)),
      release: (cell) => this.isRunning && this.ask({ release: cell }),
    });
    for (const button of Array.from(document.querySelectorAll("[data-fault]"))) {
      const fault = button.getAttribute("data-fault");
      onPress(button, () => this.start({ fault, cell: this.chosen }));
    }
    onPress(byId("trial-surprise"), () => this.start("surprise"));
    onPress(byId("trial-again"), () => {
      this.prepare();
      this.board.focus();
    });
    this.dialog.sheet.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const button = this.choiceButton(event.key);
      if (button && !event.repeat) button.click();
    });
    const opener = make("button", say("page.trial.open"));
    opener.setAttribute("type", "button");
    opener.dataset.word = "page.trial.open";
    const heading = make("h3", say("page.trial.heading"));
    heading.dataset.word = "page.trial.heading";
    const settings = byId("settings");
    byId("game-settings").before(heading, opener);
    onPress(opener, () => {
      /** @type {HTMLElement | null} */ (settings.querySelector(".close"))?.click();
      this.open();
    });
  }

  /** @param {Record<string, unknown>} request */
  ask(request) {
    this.send({ trial: request });
  }

  open() {
    this.prepare();
    this.dialog.open();
  }

  leave() {
    if (this.isRunning) this.ask({ stop: true });
    this.isRunning = false;
    this.dialog.close();
  }

  /** Ask for a cell to break. */
  prepare() {
    this.setRunning(false);
    this.board.show({});
    this.choose(null);
    this.showChoices([]);
    byId("trial-about").hidden = false;
    byId("trial-surprise").hidden = false;
    byId("trial-result").hidden = true;
    setText(byId("trial-done"), "");
  }

  /** @param {boolean} isRunning */
  setRunning(isRunning) {
    this.isRunning = isRunning;
    this.dialog.sheet.classList.toggle("trying-sensor", isRunning);
  }

  /** @param {string | null} cell */
  choose(cell) {
    if (!byId("trial-result").hidden && cell) return;
    this.chosen = cell;
    this.board.choose(cell);
    this.say(cell ? say("page.trial.choose_fault", { cell }) : say("page.trial.choose_cell"));
    byId("trial-faults").hidden = !cell;
  }

  /**
   * @param {string} text
   * @param {string} [language] if it differs from the page's
   */
  say(text, language = "") {
    const place = byId("trial-asks");
    if (language) place.lang = language;
    else place.removeAttribute("lang");
    setText(place, text);
  }

  /** @param {string | Record<string, unknown>} how */
  start(how) {
    for (const id of ["trial-about", "trial-faults", "trial-surprise"]) byId(id).hidden = true;
    this.board.choose(null);
    this.setRunning(true);
    this.ask({ start: how });
    this.board.focus();
    byId("trial-title").scrollIntoView();
  }

  show() {} // a trial does not depend on the game

  /** @param {any} message */
  receive(message) {
    if (message.type === "trial" && this.isRunning) this.apply(message); // not if the dialog has just been closed
  }

  /** @param {TrialMessage} message */
  apply(message) {
    const { asks, choices, done, seen, over, language, marks } = message;
    this.board.show(seen, marks);
    this.say(asks, language);
    this.showChoices(choices, language);
    const [tested, total] = done;
    setText(byId("trial-done"), total > 1 ? say("page.trial.done", { tested, total }) : "");
    if (over) this.finish(message);
  }

  /** @param {string} key */
  choiceButton(key) {
    const buttons = /** @type {HTMLElement[]} */ (Array.from(byId("trial-choices").children));
    return buttons.find((button) => button.dataset.key === key);
  }

  /**
   * @param {TrialMessage["choices"]} choices
   * @param {string} language
   */
  showChoices(choices, language = "") {
    const place = byId("trial-choices");
    const shown = JSON.stringify([choices, language]);
    if (place.dataset.shown === shown) return;
    place.dataset.shown = shown;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const focusedKey = focused?.parentElement === place ? focused.dataset.key : undefined;
    place.textContent = "";
    for (const { key, says } of choices) {
      const button = make("button");
      button.setAttribute("type", "button");
      button.setAttribute("aria-keyshortcuts", key);
      button.dataset.key = key;
      button.lang = language;
      const kbd = make("kbd", key);
      kbd.setAttribute("aria-hidden", "true");
      button.append(make("span", says), kbd);
      onPress(button, () => this.ask({ reply: key }));
      place.append(button);
    }
    if (focusedKey) (this.choiceButton(focusedKey) ?? this.board).focus();
  }

  /** @param {TrialMessage} message */
  finish({ language, found = [], broken, is_found: isFound }) {
    this.setRunning(false);
    setText(byId("trial-verdict"), say(isFound ? "page.trial.found" : "page.trial.not_found"));
    const place = byId("trial-findings");
    place.textContent = "";
    place.lang = language;
    for (const { grade, told, cause, cure } of found) {
      if (grade !== "good") place.append(...[told, cause, cure].filter(Boolean).map((text) => make("p", text)));
    }
    const [cell, other] = broken?.cells ?? [];
    setText(byId("trial-broken"), broken ? say(`page.trial.broken.${broken.fault.replace("-", "_")}`, { cell, other }) : "");
    byId("trial-result").hidden = false;
    byId("trial-verdict").focus({ preventScroll: true });
    byId("trial-result").scrollIntoView({ block: "nearest" });
  }
}
