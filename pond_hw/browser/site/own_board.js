// @ts-check
import { byId, onPress, setEnabled, setText } from "./dom.js";
import { Dialog } from "./dialog.js";
import { Hands } from "./hands.js";
import { SIDES } from "./position.js";
import { say } from "./words.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./page.js").Part} Part */

const WEAKER_LEVEL = 10;
const MAX_FILE_BYTES = 1000000;

/**
 * Make the parts that only the page of a visitor's own board has.
 * @param {Page} page
 * @returns {Part[]}
 */
export function addOwnParts(page) {
  return [new Hands(page), new BoardKind(page), new Import(page), new LevelNote(), new AskFirst(page), new LessonsLink(page)];
}

/** Choice of a new game's kind of board: with buttons or with pieces. */
class BoardKind {
  /** @param {Page} page */
  constructor({ game, newGame, send }) {
    const list = /** @type {HTMLSelectElement} */ (byId("board-kind"));
    const currentKind = () => (game.hello?.pieces ? "pieces" : "buttons");
    onPress(byId("do-new"), () => (list.value = currentKind()));
    onPress(byId("begin"), () => {
      if (!newGame.dialog.isOpen && list.value !== currentKind()) send({ board: list.value });
    });
  }

  show() {}
}

/** Button below the rules that opens the list of lessons and puzzles. */
class LessonsLink {
  /** @param {Page} page */
  constructor({ game, rules, exercises }) {
    this.game = game;
    onPress(byId("rules-exercises"), () => {
      rules.dialog.close();
      exercises.ask();
    });
  }

  show() {
    setEnabled(byId("rules-exercises"), this.game.isConnected);
  }
}

/** Import of saved games from files, one after the other. */
class Import {
  /** @param {Page} page */
  constructor({ game, games, send }) {
    this.game = game;
    this.games = games;
    this.send = send;
    /** @type {File[]} */
    this.waiting = [];
    /** @type {File | null} */
    this.sent = null;
    this.imported = 0;
    /** @type {string[]} */
    this.faults = [];
    this.field = /** @type {HTMLInputElement} */ (byId("import-files"));
    onPress(byId("import"), () => this.field.click());
    this.field.addEventListener("change", () => this.begin(Array.from(this.field.files ?? [])));
  }

  /** @param {File[]} files */
  begin(files) {
    this.field.value = ""; // so that the same file can be chosen again
    this.waiting = files;
    this.imported = 0;
    this.faults = [];
    this.sendNext();
  }

  async sendNext() {
    const file = this.waiting.shift() ?? null;
    this.sent = file;
    const counted = this.imported ? [say("page.own.import.done", { games: this.imported })] : [];
    setText(byId("import-say"), [...counted, ...this.faults].join(" "));
    if (!file) {
      if (this.imported) this.games.ask();
      return;
    }
    if (file.size > MAX_FILE_BYTES) this.fail(say("page.own.import.large"));
    else this.send({ import: await file.text() });
  }

  /** @param {string} reason */
  fail(reason) {
    this.faults.push(`${this.sent?.name}: ${reason}`);
    this.sendNext();
  }

  /** @param {any} message */
  receive(message) {
    if (message.type !== "imported" || !this.sent) return;
    this.imported += message.games ?? 1;
    this.sendNext();
  }

  /** @param {string} reason */
  refuse(reason) {
    if (this.sent) this.fail(reason);
  }

  show() {
    setEnabled(byId("import"), this.game.isConnected);
  }
}

/** Dialog that asks before a game ends, because there is no board that asks for a press. */
class AskFirst {
  /** @param {Page} page */
  constructor({ send }) {
    const dialog = new Dialog(byId("confirm"));
    let command = "";
    for (const each of ["resign", "draw"]) {
      const button = byId(`do-${each}`);
      button.addEventListener("click", (event) => {
        if (button.getAttribute("aria-disabled") === "true") return;
        event.stopImmediatePropagation(); // the button itself would send the command
        command = each;
        setText(byId("confirm-text"), say(`page.own.confirm.${each}`));
        setText(byId("confirm-yes"), say(`page.button.${each}`));
        dialog.open();
      }, true);
    }
    onPress(byId("confirm-yes"), () => {
      dialog.close();
      send({ command });
    });
  }

  show() {}
}

/** Note that the highest levels are weaker in a browser. */
class LevelNote {
  constructor() {
    for (const side of SIDES) this.playerField(side).addEventListener("change", () => this.show());
  }

  /** @param {import("./position.js").Side} side */
  playerField(side) {
    return /** @type {HTMLSelectElement} */ (byId(`${side}-player`));
  }

  show() {
    const levels = SIDES.map((side) => Number(/^level-(\d+)$/.exec(this.playerField(side).value)?.[1] ?? 0));
    setText(byId("level-note"), Math.max(...levels) >= WEAKER_LEVEL ? say("page.own.levels") : "");
  }
}
