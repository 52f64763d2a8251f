// @ts-check
import { byId } from "./dom.js";

/** Elements that must fit on the first screen below the board. */
const BELOW = ["offer", "message-box", "first-lesson", "exercise-choices", "resume-buttons", "game-buttons"];
const BARS = ["play-buttons", "replay"];
const GAP = 8;

/** @param {string[]} ids ids of elements that not every page has */
function find(ids) {
  return ids.map(byId).filter(Boolean);
}

/** Shrink the board to make room for what is below it, so that the bottom bar doesn't partly cover a button. */
export function fitBoard() {
  if (document.body.classList.contains("dragging")) return; // the board stays still under a finger
  const board = byId("board").getBoundingClientRect();
  const bottom = Math.max(board.bottom, ...find(BELOW).map((each) => each.getBoundingClientRect().bottom));
  const bars = find(BARS).filter((bar) => getComputedStyle(bar).position === "fixed");
  const bar = Math.max(0, ...bars.map((each) => each.getBoundingClientRect().height));
  const others = bottom + window.scrollY - board.height;
  const free = document.documentElement.clientHeight - bar - GAP - others;
  document.documentElement.style.setProperty("--free", `${Math.floor(free)}px`);
}
