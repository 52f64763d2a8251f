// @ts-check
import { Dialog } from "./dialog.js";
import { byId, make, onPress, setText } from "./dom.js";
import { SIDES } from "./position.js";
import { hasMessage, playerName, pondName, say, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {Record<Side, string | null>} Names */

/** Invisible characters, which are not allowed in names. */
const INVISIBLE_CHARACTERS = /[\p{C}\p{Z}]+/gu;
const MAX_NAME_LENGTH = 30;

/** @param {string} program computer player, or nothing for a person */
function makeOption(program) {
  const option = make("option", playerName(program));
  option.setAttribute("value", program);
  return option;
}

/** Dialog for a new game and its players. */
export class NewGame {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    this.dialog = new Dialog(byId("ponds"));
    this.pond = "";
    onPress(byId("do-new"), () => this.open());
    onPress(byId("begin"), () => this.begin());
    for (const side of SIDES) this.playerField(side).addEventListener("change", () => this.showNames());
  }

  /** @param {Side} side */
  playerField(side) {
    return /** @type {HTMLSelectElement} */ (byId(`${side}-player`));
  }

  /** @param {Side} side */
  nameField(side) {
    return /** @type {HTMLInputElement} */ (byId(`${side}-name`));
  }

  /** @returns {{players: Names, names: Names}} current players; only people have names */
  currentPlayers() {
    const { hello } = this.game;
    const players = { light: hello?.players?.light ?? null, dark: hello?.players?.dark ?? null };
    const names = { light: hello?.names?.light ?? null, dark: hello?.names?.dark ?? null };
    for (const side of SIDES) if (players[side]) names[side] = null;
    return { players, names };
  }

  /** @returns {{players: Names, names: Names}} chosen players */
  chosenPlayers() {
    /** @type {Names} */
    const players = { light: null, dark: null };
    /** @type {Names} */
    const names = { light: null, dark: null };
    for (const side of SIDES) {
      players[side] = this.playerField(side).value || null;
      const name = Array.from(this.nameField(side).value.replace(INVISIBLE_CHARACTERS, " ").trim()).slice(0, MAX_NAME_LENGTH).join("");
      if (!players[side]) names[side] = name || null;
    }
    return { players, names };
  }

  open() {
    const { hello, state } = this.game;
    const { players } = this.currentPlayers();
    byId("players").hidden = !hello?.programs || Boolean(state?.link?.fixed_players);
    for (const side of SIDES) {
      setText(byId(`${side}-player-label`), say("page.ponds.player", { side: sideName(side) }));
      setText(byId(`${side}-name-label`), say("page.ponds.name", { side: sideName(side) }));
      const current = players[side];
      const programs = hello?.programs ?? [];
      const isNamed = (/** @type {string} */ program) => program.startsWith("level-") && hasMessage(`page.program.${program}`);
      const more = make("optgroup");
      more.setAttribute("label", say("page.ponds.more"));
      more.append(...programs.filter((program) => !isNamed(program)).map(makeOption));
      const field = this.playerField(side);
      field.textContent = "";
      field.append(...["", ...programs.filter(isNamed)].map(makeOption), more);
      if (current && !programs.includes(current)) field.append(makeOption(current));
      field.value = current ?? "";
      this.nameField(side).value = hello?.names?.[side] ?? "";
    }
    this.showNames();
    this.showPonds();
    this.dialog.open();
  }

  showNames() {
    for (const side of SIDES) {
      const isPerson = !this.playerField(side).value;
      byId(`${side}-name-label`).hidden = !isPerson;
      this.nameField(side).hidden = !isPerson;
    }
    setText(byId("name-fault"), "");
  }

  showPonds() {
    const { hello, state } = this.game;
    const list = byId("pond-list");
    list.textContent = "";
    const names = hello?.variants ?? [];
    const current = state?.exercise ? undefined : state?.variant; // an exercise's pond doesn't count
    const abouts = new Set();
    for (const name of current && !names.includes(current) ? [current, ...names] : names) {
      const words = `page.pond.${name.replace("-", "_")}`;
      const about = hasMessage(words) ? say(words) : name;
      if (abouts.has(about) && name !== current) continue; // the same pond under another name
      abouts.add(about);
      const button = make("button");
      button.setAttribute("type", "button");
      button.append(make("b", pondName(name)));
      if (about !== name) button.append(" ", make("small", about));
      button.dataset.pond = name;
      button.addEventListener("click", () => this.choose(name));
      const item = make("li");
      item.append(button);
      list.append(item);
    }
    this.choose(current ?? names[0] ?? "");
  }

  /** @param {string} pond */
  choose(pond) {
    this.pond = pond;
    for (const button of Array.from(byId("pond-list").querySelectorAll("button"))) {
      button.setAttribute("aria-pressed", String(button.dataset.pond === pond));
    }
  }

  begin() {
    const chosen = this.chosenPlayers();
    const reserved = ["human", ...(this.game.hello?.programs ?? [])];
    for (const side of SIDES) {
      const name = chosen.names[side];
      if (!name || !reserved.includes(name.toLowerCase())) continue;
      setText(byId("name-fault"), say("page.ponds.taken", { name }));
      this.nameField(side).focus();
      return;
    }
    this.dialog.close();
    const isChanged = JSON.stringify(chosen) !== JSON.stringify(this.currentPlayers());
    this.send({ command: "new", variant: this.pond, ...(isChanged ? chosen : {}) });
  }
}
