// @ts-check
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { parseAction, parsePosition, SIDES } from "./position.js";
import { describeReview } from "./review.js";
import { getLanguage, join, say, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Turn} Turn */

/** Pause between two turns of a game that is played back. */
const TURN_MS = 1600;

/**
 * Describe a turn.
 * @param {Turn} turn
 * @param {string} before position before the turn
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

/** List of turns, and the buttons to step through them. */
export class TurnList {
  /**
   * @param {Game} game
   * @param {{changed: () => void, leave: () => void}} page `changed` is called when another position is shown,
   * `leave` when a past game is closed
   */
  constructor(game, { changed, leave }) {
    this.game = game;
    this.changed = changed;
    this.list = byId("turns");
    this.written = "";
    /** @type {number | undefined} timer of the next turn while a past game is played back */
    this.timer = undefined;
    onPress(byId("replay-play"), () => this.togglePlayback());
    onPress(byId("replay-first"), () => this.look(0));
    onPress(byId("replay-back"), () => this.step(-1));
    onPress(byId("replay-forward"), () => this.step(1));
    onPress(byId("replay-now"), () => this.look(null));
    onPress(byId("old-now"), () => (game.past ? leave() : this.look(null)));
    byId("replay").addEventListener("keydown", (event) => this.handleKey(event, ["ArrowLeft", "ArrowRight", "Home", "End"]));
    this.list.addEventListener("keydown", (event) => this.handleKey(event, ["ArrowDown", "ArrowUp", "End", "Home"]));
    byId("board").addEventListener("keydown", (event) => this.handleKey(event, ["PageUp", "PageDown", "", ""]));
  }

  /** Play a past game back, from its start if its end is shown, or pause. */
  togglePlayback() {
    const { past } = this.game;
    if (this.timer !== undefined) this.look(this.game.at);
    else if (past) {
      this.look(past.isAtEnd ? 0 : past.at);
      this.playOn();
      this.changed();
    }
  }

  playOn() {
    this.timer = setTimeout(() => {
      const { past } = this.game;
      this.timer = undefined;
      if (!past || past.isAtEnd) return;
      past.lookAt(past.at + 1);
      if (!past.isAtEnd) this.playOn();
      this.changed();
    }, TURN_MS);
  }

  /** @param {number | null} at */
  look(at) {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.game.lookAt(at);
    this.changed();
    const { top } = byId("board").getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) byId("score").scrollIntoView({ block: "start" });
  }

  /** @param {number} count */
  step(count) {
    this.look(Math.max(0, this.game.at + count));
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string[]} keys keys for back, forward, first and now
   */
  handleKey(event, keys) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const index = keys.indexOf(event.key);
    if (index < 0 || !this.game.replayed.turns.length) return;
    event.preventDefault();
    if (index === 0) this.step(-1);
    else if (index === 1) this.step(1);
    else this.look(index === 2 ? 0 : null);
  }

  show() {
    const { past, at, replayed, isNow } = this.game;
    const turns = replayed.turns.length;
    this.writeList();
    this.mark();
    setText(byId("turns-title"), say(past ? "page.past.turns" : "page.turns.title"));
    byId("no-turns").hidden = turns > 0;
    byId("replay").hidden = turns === 0;
    setEnabled(byId("replay-first"), at > 0);
    setEnabled(byId("replay-back"), at > 0);
    setEnabled(byId("replay-forward"), at < turns);
    setEnabled(byId("replay-now"), at < turns);
    byId("replay-now").setAttribute("aria-label", say(past ? "page.past.end" : "page.replay.now"));
    const isPlaying = this.timer !== undefined;
    byId("replay-play").hidden = !past;
    byId("replay-play").classList.toggle("playing", isPlaying);
    byId("replay-play").setAttribute("aria-label", say(isPlaying ? "page.replay.pause" : "page.replay.play"));
    setText(byId("replay-at"), say("page.replay.at", { turn: at, turns }));
    byId("old").hidden = isNow;
    const [old, start] = past ? ["page.past.banner", "page.past.start"] : ["page.replay.old", "page.replay.old_start"];
    setText(byId("old-text"), isNow ? "" : say(at ? old : start));
    setText(byId("old-now"), say(past ? "page.past.return" : "page.replay.return"));
    document.body.classList.toggle("replaying", !isNow && turns > 0);
    document.body.classList.toggle("past", Boolean(past));
  }

  /** Mark the viewed turn, and let the tab key reach it. */
  mark() {
    const { at } = this.game;
    for (const button of Array.from(this.list.querySelectorAll("button"))) {
      const isCurrent = button.dataset.at === String(at);
      button.tabIndex = button.dataset.at === String(Math.max(1, at)) ? 0 : -1;
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (isCurrent && this.list.contains(document.activeElement)) button.focus();
    }
  }

  /** Render the turns, newest first. Only new ones are written. */
  writeList() {
    const { past } = this.game;
    const { start, turns } = this.game.replayed;
    const played = turns.map((turn) => [turn.action, turn.position]);
    const written = JSON.stringify([getLanguage(), past?.number, past?.reviews.length, start, played]);
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
      if (past) button.append(...describeReview(past.reviews[index]));
      const item = make("li", "", turn.side);
      item.append(button);
      this.list.prepend(item);
    });
  }
}
