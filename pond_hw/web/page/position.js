// @ts-check

/** @typedef {"light" | "dark"} Side */
/** @typedef {"egg" | "tadpole" | "frog"} PieceSymbol */
/** @typedef {{owner: Side, symbol: PieceSymbol}} Piece */
/** @typedef {Map<string, Piece>} Pieces  by cell; empty cells are left out */
/** @typedef {{light: number, dark: number}} BySide */
/**
 * @typedef {object} Position
 * @property {number} size rows of the board
 * @property {Pieces} pieces
 * @property {Side} toMove
 * @property {BySide} spawn
 * @property {BySide} score
 */
/**
 * @typedef {object} LastTurn
 * @property {string} action
 * @property {{cell: string, owner: Side, from: PieceSymbol, to: PieceSymbol}[]} developed
 * @property {string[][]} sets
 * @property {{light: string[], dark: string[]}} scored
 */
/** @typedef {{before: Pieces, after: Pieces}} PlayedTurn  pieces before and after the score step */

/** @type {Record<string, PieceSymbol>} */
const SYMBOLS = { e: "egg", t: "tadpole", f: "frog" };

/** @type {Side[]} */
export const SIDES = ["light", "dark"];

/**
 * @param {number} column column from the left; 0 is a
 * @param {number} row row from the bottom; 0 is 1
 */
export function cellName(column, row) {
  return "abcde".charAt(column) + (row + 1);
}

/**
 * @param {unknown} line such as "..../.e../.T../.... l 12 12 0 0"
 * @returns {Position | null} null if the line isn't a position
 */
export function parsePosition(line) {
  const match = /^([.etf/]+) ([ld]) (\d+) (\d+) (\d+) (\d+)$/i.exec(String(line));
  if (!match) return null;
  const rows = match[1].split("/");
  const size = rows.length;
  if (size > 5 || rows.some((row) => row.length !== size)) return null;
  /** @type {Pieces} */
  const pieces = new Map();
  rows.forEach((row, fromTop) => {
    Array.from(row).forEach((letter, column) => {
      const symbol = SYMBOLS[letter.toLowerCase()];
      if (!symbol) return;
      const owner = letter === letter.toUpperCase() ? "light" : "dark";
      pieces.set(cellName(column, size - 1 - fromTop), { owner, symbol });
    });
  });
  return {
    size,
    pieces,
    toMove: match[2].toLowerCase() === "l" ? "light" : "dark",
    spawn: { light: Number(match[3]), dark: Number(match[4]) },
    score: { light: Number(match[5]), dark: Number(match[6]) },
  };
}

/**
 * @param {string} action "@b2" or "b2b3"
 * @returns {{source: string | null, target: string}}
 */
export function parseAction(action) {
  return action.startsWith("@")
    ? { source: null, target: action.slice(1) }
    : { source: action.slice(0, 2), target: action.slice(2) };
}

/**
 * Apply a turn to the position before it. The state contains its effects, so no rules are needed here.
 * @param {Position} position
 * @param {LastTurn} turn
 * @returns {PlayedTurn | null} null if the turn can't have been played from that position
 */
export function playTurn(position, turn) {
  const { source, target } = parseAction(turn.action);
  const before = new Map(position.pieces);
  /** @type {Piece | undefined} */
  let actor = { owner: position.toMove, symbol: "egg" };
  if (source) {
    actor = before.get(source);
    before.delete(source);
  }
  if (!actor || actor.owner !== position.toMove || before.has(target)) return null;
  before.set(target, actor);
  for (const { cell, owner, from, to } of turn.developed) {
    if (before.get(cell)?.symbol !== from) return null;
    before.set(cell, { owner, symbol: to });
  }
  const after = new Map(before);
  for (const cell of [...turn.scored.light, ...turn.scored.dark]) after.delete(cell);
  return { before, after };
}

/**
 * @param {Pieces} some
 * @param {Pieces} others
 */
export function samePieces(some, others) {
  if (some.size !== others.size) return false;
  for (const [cell, piece] of some) {
    const other = others.get(cell);
    if (other?.owner !== piece.owner || other.symbol !== piece.symbol) return false;
  }
  return true;
}

/**
 * Parse a typed action: b2 or @b2 places an egg, b2b3 moves a piece.
 * @param {string} text
 * @returns {string | null} the action, or null if it is invalid
 */
export function readTypedAction(text) {
  const match = /^@?([a-e][1-5])$|^([a-e][1-5])-?([a-e][1-5])$/.exec(text.toLowerCase().replace(/\s+/g, ""));
  if (!match) return null;
  return match[1] ? `@${match[1]}` : match[2] + match[3];
}
