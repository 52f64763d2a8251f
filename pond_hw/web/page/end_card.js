// @ts-check
import { drawLamp } from "./cells.js";
import { byId, onPress, setEnabled, setText } from "./dom.js";
import { SIDES } from "./position.js";
import { findTurningPoint } from "./review.js";
import { playerName, say, sideName } from "./words.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {{winner: Side | null, pair: string}} Counted a game that is in the results: its winner, and its players */

const RESULTS_KEY = "pond.results";
const WAIT_MS = 50;

/** Numbers of games that each pair of players has won, for as long as the browser keeps the tab. */
class Results {
  constructor() {
    /** @type {Record<string, Record<string, number>>} */
    this.wins = {};
    try {
      this.wins = JSON.parse(sessionStorage.getItem(RESULTS_KEY) ?? "{}");
    } catch {
      // storage is blocked
    }
  }

  /**
   * @param {string[]} names names of the two players
   * @param {string | null} winner
   * @param {number} count 1, or -1 to take it back
   */
  add(names, winner, count) {
    const wins = this.of(names);
    if (winner) wins[winner] += count;
    wins[""] += count;
    this.wins[JSON.stringify([...names].sort())] = wins;
    try {
      sessionStorage.setItem(RESULTS_KEY, JSON.stringify(this.wins));
    } catch {
      // storage is blocked
    }
  }

  /**
   * Return the wins of two players, and the number of their games under the empty name.
   * @param {string[]} names
   * @returns {Record<string, number>}
   */
  of(names) {
    return this.wins[JSON.stringify([...names].sort())] ?? { [names[0]]: 0, [names[1]]: 0, "": 0 };
  }
}

/** Card at the end of a game. */
export class EndCard {
  /** @param {Page} page */
  constructor({ game, send, sounds, board, turnAnimation, pastCard, turnList }) {
    this.game = game;
    this.send = send;
    this.sounds = sounds;
    this.turnAnimation = turnAnimation;
    this.pastCard = pastCard;
    this.turnList = turnList;
    this.results = new Results();
    this.card = byId("end");
    this.isOpen = false;
    /** @type {boolean | null} null until the first state */
    this.wasOver = null;
    /** @type {{names: string[], winner: string | null} | null} newest game in the results */
    this.counted = null;
    /** @type {"" | "games" | "game" | "analysis"} message that is awaited to show where the game turned */
    this.awaited = "";
    const close = () => {
      this.close();
      board.focus();
    };
    onPress(byId("end-close"), close);
    this.card.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
    });
    onPress(byId("rematch"), () => send({ command: "rematch" }));
    onPress(byId("see-turn"), () => {
      this.awaited = "games";
      send({ ask: "games" });
    });
  }

  /** Names of the players of Light and Dark. Without a name, they are known by who plays here. */
  get names() {
    const { game } = this;
    return SIDES.map((side) => game.nameOf(side) ?? (game.ownSide ? (side === game.ownSide ? "#me" : "#other") : ""));
  }

  close() {
    this.isOpen = false;
    this.card.hidden = true;
  }

  begin() {
    const { game } = this;
    const winner = game.state?.outcome?.winner ?? null;
    this.isOpen = true;
    this.show();
    if (winner && winner === (game.ownSide ?? winner)) this.sounds.play("win");
    this.turnAnimation.celebrate(winner, this.card);
  }

  /** Add the finished game to the results. */
  count() {
    const { names } = this;
    const winner = this.game.state?.outcome?.winner;
    if (names[0] === names[1]) return;
    this.counted = { names, winner: winner ? names[SIDES.indexOf(winner)] : null };
    this.results.add(names, this.counted.winner, 1);
  }

  /** Follow the state of the game. */
  follow() {
    const { state } = this.game;
    if (!state) return;
    const isOver = Boolean(state.outcome && !state.exercise);
    const isNew = isOver && this.wasOver !== true;
    if (isNew && this.wasOver === false) {
      this.count();
      setTimeout(() => this.game.state?.outcome && this.begin(), this.turnAnimation.remaining + WAIT_MS);
    } else if (isNew) this.isOpen = true;
    if (this.wasOver && !isOver) {
      this.isOpen = false;
      if (state.turn && this.counted) this.results.add(this.counted.names, this.counted.winner, -1);
      this.counted = null;
    }
    this.wasOver = isOver;
  }

  show() {
    this.follow();
    const { game } = this;
    const { state, position, you, isConnected } = game;
    const outcome = state?.outcome;
    this.card.hidden = !(this.isOpen && outcome && position && game.isNow);
    if (this.card.hidden || !outcome || !position) return;
    const { winner } = outcome;
    const title = winner ? (game.ownSide ? (winner === game.ownSide ? "page.head.you_win" : "page.end.lose") : "page.head.wins") : "page.head.draw";
    setText(byId("end-title"), say(title, { side: winner ? sideName(winner) : "" }));
    byId("end-lamp").replaceChildren(...(winner ? [drawLamp(winner)] : []));
    const { names } = this;
    const players = SIDES.map((side, index) => {
      if (names[index] === "#me") return say("page.score.you");
      return game.nameOf(side) ? playerName(game.nameOf(side)) : sideName(side);
    });
    setText(byId("end-score"), `${players[0]} ${position.score.light} – ${position.score.dark} ${players[1]}`);
    const wins = this.results.of(names);
    const show = (/** @type {string} */ name) => (name === "#me" ? say("page.score.you") : name === "#other" ? say("page.end.other") : playerName(name));
    const [one, other] = names;
    const soFar = { one: show(one), other: show(other), one_wins: wins[one], other_wins: wins[other] };
    setText(byId("end-so-far"), wins[""] > 1 ? say("page.end.so_far", soFar) : "");
    byId("end-buttons").hidden = !you.seat;
    setEnabled(byId("rematch"), isConnected);
    setEnabled(byId("see-turn"), isConnected && this.awaited === "");
  }

  // Where the game turned: open it, review it, and go to the turn

  /** @param {any} message */
  receive(message) {
    const { past } = this.game;
    if (message.type !== this.awaited) return;
    if (message.type === "games") {
      this.awaited = "game";
      this.send({ ask: "game", number: Math.max(...message.games.map((/** @type {{number: number}} */ each) => each.number)) });
    } else if (message.type === "game") {
      this.awaited = "analysis";
      this.pastCard.askReview();
    } else if (!past || past.isReviewed) {
      this.awaited = "";
      if (past) this.turnList.look(findTurningPoint(past.reviews));
    }
  }

  refuse() {
    this.awaited = "";
  }
}
