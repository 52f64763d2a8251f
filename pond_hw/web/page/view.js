// @ts-check
import { parseAction, playTurn, samePieces } from "./position.js";

/**
 * Return what the board shows of a game.
 * @param {import("./game.js").Game} game
 * @param {import("./game.js").Shown} shown
 * @param {import("./position.js").Position | null} before position that the board showed before
 * @returns {import("./board.js").View}
 */
export function viewGame(game, { kind, position, last }, before) {
  const isNow = kind === "now";
  const played = last && before && before.size === position.size ? playTurn(before, last) : null;
  const isNews = played && samePieces(played.after, position.pieces) && before?.toMove !== position.toMove;
  const { state, selected } = game;
  const hint = isNow && !selected ? state?.hint?.action : null;
  const { source = null, target = null } = hint ? parseAction(hint) : {};
  const { placing, moving } = selected ? { placing: [], moving: [] } : game.choices();
  return {
    size: position.size,
    pieces: position.pieces,
    last,
    selected: selected ?? (isNow ? state?.selected ?? null : null),
    targets: game.help === "none" ? [] : selected ? game.targetsOf(selected) : isNow ? state?.targets ?? [] : [],
    placing,
    moving,
    hinted: hint ? /** @type {string[]} */ ([source, target].filter(Boolean)) : isNow ? state?.exercise?.lit ?? [] : [],
    played: isNews ? { grown: played.before } : null,
    standing: null,
    lifting: [],
    putting: [],
  };
}
