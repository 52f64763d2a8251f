// @ts-check
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { describeGame, describeResult, describeTurns } from "./games.js";
import { SIDES } from "./position.js";
import { countFaults } from "./review.js";
import { ValueGraph } from "./value_graph.js";
import { playerName, say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./past_game.js").PastGame} PastGame */

/**
 * Download a text as a file.
 * @param {string} name
 * @param {string} text
 */
function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = /** @type {HTMLAnchorElement} */ (make("a"));
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000); // some browsers read the file later
}

/** Card with the facts and buttons of the viewed past game. */
export class PastCard {
  /**
   * @param {Game} game
   * @param {{send: (message: Record<string, unknown>) => void, look: (at: number) => void, changed: () => void}} page
   */
  constructor(game, { send, look, changed }) {
    this.game = game;
    this.send = send;
    this.changed = changed;
    this.graph = new ValueGraph(byId("value-graph"), look);
    onPress(byId("past-review"), () => this.askReview());
    onPress(byId("past-save"), () => {
      if (game.past) save(`game-${game.past.number}.pond`, game.past.record);
    });
  }

  askReview() {
    const { past } = this.game;
    if (!past) return;
    past.waitForReview();
    if (past.isForgotten) this.send({ ask: "game", number: past.number }); // the review continues when it arrives
    else this.send({ ask: "analysis" });
    this.changed();
    const look = () => {
      if (past !== this.game.past) return;
      if (past.isReviewing) setTimeout(look, 2000);
      else this.changed();
    };
    look();
  }

  /**
   * Continue the review once the server has read the game again.
   * @param {PastGame} past
   */
  continueReview(past) {
    past.isForgotten = false;
    if (past.isReviewing) this.send({ ask: "analysis" });
  }

  show() {
    const { past, isConnected } = this.game;
    byId("past").hidden = !past;
    if (!past) return;
    const { reviews, turns, isReviewing, isReviewed } = past;
    const turn = reviews.length;
    setText(byId("past-title"), SIDES.map((side) => playerName(past.listed[side])).join(" – "));
    setText(byId("past-about"), [...describeGame(past.listed), describeTurns(past.listed)].join(" · "));
    setText(byId("past-result"), describeResult(past.listed));
    byId("past-review").hidden = isReviewed;
    setEnabled(byId("past-review"), isConnected && !isReviewing);
    byId("past-running").hidden = !isReviewing;
    const bar = /** @type {HTMLProgressElement} */ (byId("past-bar"));
    bar.max = Math.max(1, turns.length);
    bar.value = turn;
    setText(byId("past-progress"), say("page.past.progress", { turn, turns: turns.length }));
    byId("past-found").hidden = !turn;
    setText(byId("past-faults"), turn && isReviewed ? countFaults(reviews) : "");
    this.graph.show(past);
  }

  /** Return the message below the board: the fault found in a turn, or the result of the game. */
  message() {
    const { past } = this.game;
    if (!past) return "";
    const wrong = past.reviews[past.at - 1]?.message ?? "";
    const end = past.isAtEnd ? describeResult(past.listed) : "";
    return [wrong, end].filter(Boolean).join(" ");
  }
}
