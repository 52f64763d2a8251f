// @ts-check
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { describeGame, describeResult, describeTurns } from "./games.js";
import { drawPicture } from "./picture.js";
import { SIDES } from "./position.js";
import { countFaults } from "./review.js";
import { ValueGraph } from "./value_graph.js";
import { playerName, say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./past_game.js").PastGame} PastGame */

/**
 * Download a file.
 * @param {string} name
 * @param {Blob} content
 */
function save(name, content) {
  const address = URL.createObjectURL(content);
  const link = /** @type {HTMLAnchorElement} */ (make("a"));
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000); // some browsers read the file later
}

/**
 * Copy a text. Without https, a browser has no clipboard for scripts, but copies what is selected.
 * @param {string} text
 * @returns {Promise<boolean>} true if the browser says that it did
 */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = /** @type {HTMLTextAreaElement} */ (make("textarea"));
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

/** Card with the facts and buttons of the viewed past game. */
export class PastCard {
  /**
   * @param {Game} game
   * @param {object} page
   * @param {(message: Record<string, unknown>) => void} page.send
   * @param {(text: string, isRefusal: boolean) => void} page.notice
   * @param {(at: number) => void} page.look
   * @param {() => void} page.changed
   */
  constructor(game, { send, notice, look, changed }) {
    this.game = game;
    this.send = send;
    this.changed = changed;
    this.graph = new ValueGraph(byId("value-graph"), look);
    onPress(byId("past-review"), () => this.askReview());
    onPress(byId("past-save"), () => {
      const { number, record } = /** @type {PastGame} */ (game.past);
      save(`game-${number}.pond`, new Blob([record], { type: "text/plain;charset=utf-8" }));
    });
    onPress(byId("past-copy"), async () => {
      const isCopied = await copy([...this.describe(), "", game.past?.record].join("\n"));
      notice(say(isCopied ? "page.past.copied" : "page.past.not_copied"), !isCopied);
    });
    onPress(byId("past-picture"), () => this.sharePicture());
  }

  /** Return the players with their scores, and the facts of the game. */
  describe() {
    const { listed } = /** @type {PastGame} */ (this.game.past);
    const players = SIDES.map((side) => [playerName(listed[side]), listed.score?.[side]].filter((each) => each !== undefined).join(" "));
    return [players.join(" – "), [describeResult(listed), ...describeGame(listed)].join(" · ")];
  }

  /** Share a picture of the shown position, or download it where the browser can't share. */
  async sharePicture() {
    const [title, about] = this.describe();
    const name = `game-${this.game.past?.number}.png`;
    const picture = await drawPicture(/** @type {any} */ (byId("board")), title, about);
    if (!picture) return;
    const shared = { files: [new File([picture], name, { type: picture.type })], title };
    if (navigator.canShare?.(shared)) navigator.share(shared).catch(() => {}); // the user may change their mind
    else save(name, picture);
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
