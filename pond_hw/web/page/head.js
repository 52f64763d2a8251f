// @ts-check
import { byId, write } from "./dom.js";
import { SIDES } from "./position.js";
import { playerName, say, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./position.js").Position} Position */

/**
 * What the page is about now, and the side that comes first.
 * @param {Game} game
 * @returns {{title: string, side: Side | null}}
 */
export function headline(game) {
  const { state, position, past } = game;
  if (!state || !position) return { title: say(game.you.may_watch ? "page.head.waiting" : "page.head.no_seat"), side: null };
  if (past) {
    const winner = past.isAtEnd ? past.outcome?.winner ?? null : null;
    return { title: say("page.games.number", { number: past.number }), side: winner };
  }
  if (game.replayAt !== null) return { title: say("page.replay.at", { turn: game.replayAt, turns: game.turns.length }), side: null };
  const winner = state.outcome?.winner ?? null;
  if (state.outcome) return { title: winner ? say("page.head.wins", { side: sideName(winner) }) : say("page.head.draw"), side: winner };
  if (state.phase === "resume") return { title: say("page.head.unfinished"), side: null };
  if (state.phase === "menu") return { title: say("page.head.new"), side: null };
  if (state.exercise?.asks) return { title: say("page.head.exercise"), side: null };
  const side = position.toMove;
  const isOwn = game.ownSides.length === 1 && game.ownSides[0] === side;
  return { title: say(isOwn ? "page.head.yours" : "page.head.turn", { side: sideName(side) }), side };
}

/**
 * @param {Game} game
 * @param {Position} position
 * @param {Side | null} front
 */
export function showScore(game, position, front) {
  const { past } = game;
  const target = past ? null : game.state?.target ?? null;
  for (const side of SIDES) {
    const panel = byId(side);
    const known = game.nameOf(side);
    const isOwn = !past && game.ownSides.includes(side) && !game.hello?.players?.[side];
    const name = past || (known && !isOwn) ? playerName(known) : isOwn ? say("page.score.you") : "";
    panel.classList.toggle("front", side === front);
    write(panel.querySelector(".side-name"), sideName(side));
    write(panel.querySelector(".name"), name);
    write(panel.querySelector(".score-number"), String(position.score[side]));
    write(panel.querySelector(".target"), target === null ? "" : say("page.score.of", { target }));
    write(panel.querySelector(".spawn"), say("page.score.spawn", { count: position.spawn[side] }));
  }
}
