// @ts-check
import { byId, setText } from "./dom.js";
import { SIDES } from "./position.js";
import { playerName, say, shortPlayerName, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./position.js").Position} Position */

/**
 * Return the headline and the side it is about.
 * @param {Game} game
 * @param {Side | null} own side of the reader, if it is one side
 * @returns {{title: string, side: Side | null}}
 */
export function headline(game, own) {
  const { state, position, past } = game;
  if (!state || !position) return { title: say(game.you.may_watch ? "page.head.waiting" : "page.head.no_seat"), side: null };
  if (past) {
    const winner = past.isAtEnd ? past.outcome?.winner ?? null : null;
    return { title: say("page.games.number", { number: past.number }), side: winner };
  }
  if (game.replayAt !== null) return { title: say("page.replay.at", { turn: game.replayAt, turns: game.turns.length }), side: null };
  const winner = state.outcome?.winner ?? null;
  if (winner) return { title: say(winner === own ? "page.head.you_win" : "page.head.wins", { side: sideName(winner) }), side: winner };
  if (state.outcome) return { title: say("page.head.draw"), side: null };
  if (state.phase === "resume") return { title: say("page.head.unfinished"), side: null };
  if (state.phase === "menu") return { title: say("page.head.new"), side: null };
  if (state.exercise?.asks) return { title: say("page.head.exercise"), side: null };
  const side = position.toMove;
  return { title: say(side === own ? "page.head.yours" : "page.head.turn", { side: sideName(side) }), side };
}

/**
 * @param {Game} game
 * @param {Position} position
 * @param {Side | null} front
 * @param {Side | null} own side of the reader, if it is one side
 * @param {Record<Side, number>} [underWay] numbers of scored pieces that don't count yet
 */
export function showScore(game, position, front, own, underWay = { light: 0, dark: 0 }) {
  const { past } = game;
  const target = past ? null : game.state?.target ?? null;
  for (const side of SIDES) {
    const panel = byId(side);
    const known = game.state?.exercise && !past ? null : game.nameOf(side); // a lesson has no other players
    const name = known ? shortPlayerName(known) : past ? playerName(known) : side === own ? say("page.score.you") : "";
    const eggs = position.spawn[side];
    panel.classList.toggle("front", side === front);
    setText(panel.querySelector(".side-name"), sideName(side));
    setText(panel.querySelector(".name"), name);
    setText(panel.querySelector(".score-number"), String(position.score[side] - underWay[side]));
    setText(panel.querySelector(".target"), target === null ? "" : `/${target}`);
    setText(panel.querySelector(".target-words"), target === null ? "" : say("page.score.of", { target }));
    setText(panel.querySelector(".eggs"), String(eggs));
    setText(panel.querySelector(".eggs-words"), say(eggs === 1 ? "page.score.egg" : "page.score.eggs", { count: eggs }));
  }
}
