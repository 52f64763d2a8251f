// @ts-check
import { sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/**
 * Meaning of a press on a cell: an action, a chosen piece (null for none), or a message why it is neither.
 * @typedef {{action: string} | {select: string | null} | {word: string, gaps?: Record<string, string>}} Meaning
 */

/**
 * Return why this page can't play now, or null.
 * @param {Game} game
 * @returns {{word: string, gaps?: Record<string, string>} | null}
 */
export function findObstacle(game) {
  const { state, position } = game;
  if (!game.answers || !state || !position) return { word: "page.connection.gone" };
  if (!game.you.seat) return { word: "page.press.watching" };
  if (game.past) return { word: "page.past.press" };
  if (game.replayAt !== null) return { word: "page.press.old" };
  if (state.outcome) return { word: "page.press.over" };
  if (["resume", "menu", "exercise"].includes(state.phase)) return { word: "page.press.choose_first" };
  if (!game.isOn) return { word: "page.press.hands" };
  if (!game.mayAct && !game.tries) return { word: "page.press.not_your_turn", gaps: { side: sideName(position.toMove) } };
  return null;
}

/**
 * @param {Game} game
 * @param {string} cell
 * @returns {Meaning}
 */
export function readPress(game, cell) {
  const obstacle = findObstacle(game);
  if (obstacle) return obstacle;
  const { legal, position, selected } = game;
  if (selected) {
    if (cell === selected) return { select: null };
    if (legal.includes(selected + cell)) return { action: selected + cell };
  }
  if (game.targetsOf(cell).length) return { select: cell };
  if (selected) return { word: "page.press.out_of_reach", gaps: { cell } };
  const piece = position?.pieces.get(cell);
  if (!piece) return legal.includes(`@${cell}`) ? { action: `@${cell}` } : { word: "page.press.no_eggs" };
  if (piece.owner !== position?.toMove) return { word: "page.press.other", gaps: { cell, side: sideName(piece.owner) } };
  return piece.symbol === "egg" ? { word: "page.press.egg" } : { word: "page.press.stuck", gaps: { cell } };
}
