// @ts-check
import { byId, make, onPress, setEnabled, write } from "./dom.js";
import { parseAction, parsePosition, SIDES } from "./position.js";
import { getLanguage, join, say, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Turn} Turn */

/**
 * What a turn did, in words.
 * @param {Turn} turn
 * @param {string} before the position before it
 * @returns {{what: string, more: string}}
 */
export function describeTurn(turn, before) {
  const { source, target } = parseAction(turn.action);
  const mover = source ? parsePosition(before)?.pieces.get(source) : null;
  const what = source
    ? say(`page.turn.move.${mover?.symbol === "frog" ? "frog" : "tadpole"}`, { source, target })
    : say("page.turn.place", { cell: target });
  const more = [];
  for (const symbol of ["tadpole", "frog", "egg"]) {
    const cells = turn.developed.filter((each) => each.to === symbol).map((each) => each.cell).sort();
    if (cells.length) more.push(say(`page.turn.${cells.length > 1 ? "many" : "one"}.${symbol}`, { cells: join(cells) }));
  }
  for (const owner of SIDES) {
    const count = turn.scored[owner].length;
    if (count) more.push(say(`page.turn.${count > 1 ? "gains" : "gain"}`, { side: sideName(owner), count }));
  }
  return { what, more: more.join(" ") };
}

/** The turns of the whole game, and the buttons that step through them. */
export class TurnList {
  /**
   * @param {Game} game
   * @param {() => void} changed called when another position is looked at
   */
  constructor(game, changed) {
    this.game = game;
    this.changed = changed;
    this.list = byId("turns");
    this.written = "";
    onPress(byId("replay-first"), () => this.look(0));
    onPress(byId("replay-back"), () => this.step(-1));
    onPress(byId("replay-forward"), () => this.step(1));
    onPress(byId("replay-now"), () => this.look(null));
    onPress(byId("old-now"), () => this.look(null));
    byId("replay").addEventListener("keydown", (event) => this.steer(event, ["ArrowLeft", "ArrowRight", "Home", "End"]));
    this.list.addEventListener("keydown", (event) => this.steer(event, ["ArrowDown", "ArrowUp", "End", "Home"]));
    byId("board").addEventListener("keydown", (event) => this.steer(event, ["PageUp", "PageDown", "", ""]));
  }

  get at() {
    return this.game.replayAt ?? this.game.turns.length;
  }

  /** @param {number | null} at */
  look(at) {
    this.game.lookAt(at);
    this.changed();
    const { top } = byId("board").getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) byId("score").scrollIntoView({ block: "start" });
  }

  /** @param {number} count */
  step(count) {
    this.look(Math.max(0, this.at + count));
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string[]} keys for back, forward, first and now
   */
  steer(event, keys) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const index = keys.indexOf(event.key);
    if (index < 0 || !this.game.turns.length) return;
    event.preventDefault();
    if (index === 0) this.step(-1);
    else if (index === 1) this.step(1);
    else this.look(index === 2 ? 0 : null);
  }

  show() {
    const { game, at } = this;
    const count = game.turns.length;
    this.writeList();
    this.mark();
    const isOld = game.replayAt !== null;
    byId("no-turns").hidden = count > 0;
    byId("replay").hidden = count === 0;
    setEnabled(byId("replay-first"), at > 0);
    setEnabled(byId("replay-back"), at > 0);
    setEnabled(byId("replay-forward"), isOld);
    setEnabled(byId("replay-now"), isOld);
    write(byId("replay-at"), say("page.replay.at", { turn: at, turns: count }));
    byId("old").hidden = !isOld;
    const old = at ? say("page.replay.old", { turn: at, turns: count }) : say("page.replay.old_start");
    write(byId("old-text"), isOld ? old : "");
    document.body.classList.toggle("replaying", isOld);
  }

  /** Marks the turn that is looked at; it is the one that the tab key reaches. */
  mark() {
    const { at } = this;
    for (const button of Array.from(this.list.querySelectorAll("button"))) {
      const isCurrent = button.dataset.at === String(at);
      button.tabIndex = button.dataset.at === String(Math.max(1, at)) ? 0 : -1;
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (isCurrent && this.list.contains(document.activeElement)) button.focus();
    }
  }

  /** Newest first. Only what is new is written. */
  writeList() {
    const { start, turns } = this.game;
    const written = JSON.stringify([getLanguage(), start, turns.map((turn) => [turn.action, turn.position])]);
    if (written === this.written) return;
    this.written = written;
    this.list.textContent = "";
    turns.forEach((turn, index) => {
      const { what, more } = describeTurn(turn, index ? turns[index - 1].position : start);
      const button = make("button");
      button.setAttribute("type", "button");
      button.dataset.at = String(index + 1);
      const line = make("span", "", "what");
      line.append(make("b", sideName(turn.side)), ` ${what}`);
      button.append(make("span", `${index + 1}`, "number"), " ", line);
      if (more) button.append(" ", make("small", more));
      button.addEventListener("click", () => this.look(index + 1));
      const item = make("li", "", turn.side);
      item.append(button);
      this.list.prepend(item);
    });
  }
}
