// @ts-check
import { sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/**
 * Meaning of a press on a cell: an action, a chosen piece (null for none), or a message that says why it is neither.
 * @typedef {{action: string} | {select: string | null} | {messageId: string, params?: Record<string, string>}} Meaning
 */

/**
 * Return the reason why this page can't play now, or null.
 * @param {Game} game
 * @returns {{messageId: string, params?: Record<string, string>} | null}
 */
export function findObstacle(game) {
  const { state, position } = game;
  if (!game.isConnected || !state || !position) return { messageId: "page.connection.gone" };
  if (!game.you.seat) return { messageId: "page.press.watching" };
  if (game.past) return { messageId: "page.past.press" };
  if (game.replayAt !== null) return { messageId: "page.press.old" };
  if (state.outcome) return { messageId: "page.press.over" };
  if (["resume", "menu", "exercise"].includes(state.phase)) return { messageId: "page.press.choose_first" };
  if (!game.isOn) return { messageId: "page.press.hands" };
  if (!game.mayAct && !game.isTrying) return { messageId: "page.press.not_your_turn", params: { side: sideName(position.toMove) } };
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
  if (selected) return { messageId: "page.press.out_of_reach", params: { cell } };
  const piece = position?.pieces.get(cell);
  if (!piece) return legal.includes(`@${cell}`) ? { action: `@${cell}` } : { messageId: "page.press.no_eggs" };
  if (piece.owner !== position?.toMove) return { messageId: "page.press.other", params: { cell, side: sideName(piece.owner) } };
  return piece.symbol === "egg" ? { messageId: "page.press.egg" } : { messageId: "page.press.stuck", params: { cell } };
}
