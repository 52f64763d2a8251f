// @ts-check
import { byId } from "./dom.js";

/** Elements that must fit on the first screen below the board. */
const BELOW = ["welcome", "message-box", "link", "exercise-choices", "resume-buttons", "game-buttons"];
const BARS = ["play-buttons", "replay"];
const GAP = 8;

/** Situation for which the board has been fitted, and its size. */
let fitted = { situation: "", size: "", free: 0 };

/** @param {string[]} ids ids of elements that not every page has */
function find(ids) {
  return ids.map(byId).filter(Boolean);
}

/**
 * Shrink the board to make room for what is below it, so that the bottom bar doesn't partly cover a button.
 * @param {string} [situation] while it stays the same, the board doesn't grow again after a long message
 */
export function fitBoard(situation = fitted.situation) {
  if (document.body.classList.contains("dragging")) return; // the board stays still under a finger
  const { style, clientHeight, clientWidth } = document.documentElement;
  const board = byId("board").getBoundingClientRect();
  const bottom = Math.max(board.bottom, ...find(BELOW).map((each) => each.getBoundingClientRect().bottom));
  const bars = find(BARS).filter((bar) => getComputedStyle(bar).position === "fixed");
  const bar = Math.max(0, ...bars.map((each) => each.getBoundingClientRect().height));
  const others = bottom + window.scrollY - board.height;
  const free = Math.floor(clientHeight - bar - GAP - others);
  const size = `${clientWidth}x${clientHeight}`;
  const isSame = fitted.situation === situation && fitted.size === size;
  fitted = { situation, size, free: isSame ? Math.min(fitted.free, free) : free };
  style.setProperty("--free", `${fitted.free}px`);
  style.setProperty("--bar", `${bar}px`);
}

/** Fit the board again after the size of the window or of the text has changed. */
export function refitBoard() {
  fitted.size = "";
  fitBoard();
}
