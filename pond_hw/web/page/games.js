// @ts-check
import { Dialog } from "./dialog.js";
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { drawLampPicture } from "./cells.js";
import { SIDES } from "./position.js";
import { getLocale, playerName, pondName, say, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./past_game.js").ListedGame} ListedGame */
/** @typedef {{names: string[], wins: number[], draws: number}} Total results of the games between two players */

/** @type {Intl.DateTimeFormatOptions} */
const TIME = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };

/** @param {ListedGame} listed */
function formatTime({ begun, date }) {
  const time = begun ? new Date(begun) : null;
  return time && !Number.isNaN(time.getTime()) ? new Intl.DateTimeFormat(getLocale(), TIME).format(time) : date ?? "";
}

/**
 * Return the date and board of a game.
 * @param {ListedGame} listed
 */
export function describeGame(listed) {
  return [formatTime(listed), pondName(listed.variant ?? "")].filter(Boolean);
}

/** @param {ListedGame} listed */
export function describeTurns({ turns }) {
  return say("page.games.turns", { turns: turns ?? 0 }).replace(/ /g, "\u00a0"); // keeps the number beside its word
}

/**
 * Return the result of a game.
 * @param {ListedGame} listed
 */
export function describeResult({ state, winner, reason }) {
  if (state !== "finished") return say(`page.games.${state.replace(" ", "_")}`);
  return winner ? say(`page.games.win.${reason}`, { side: sideName(winner) }) : say("page.games.draw");
}

/**
 * Count the results of all finished games between two players with different names.
 * @param {ListedGame[]} games
 * @returns {Total[]}
 */
export function countTotals(games) {
  /** @type {Map<string, Total>} */
  const totals = new Map();
  for (const game of games) {
    const names = SIDES.map((side) => game[side] ?? "");
    if (game.state !== "finished" || names[0] === names[1]) continue;
    const ordered = [...names].sort();
    const key = JSON.stringify(ordered);
    const total = totals.get(key) ?? { names: ordered, wins: [0, 0], draws: 0 };
    totals.set(key, total);
    if (game.winner) total.wins[ordered.indexOf(names[SIDES.indexOf(game.winner)])] += 1;
    else total.draws += 1;
  }
  return Array.from(totals.values());
}

/** List of saved games, with the results of each pair of players. */
export class Games {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    /** @type {ListedGame[]} */
    this.listed = [];
    this.isWaiting = false;
    this.dialog = new Dialog(byId("games"));
    onPress(byId("open-games"), () => this.ask());
  }

  ask() {
    this.isWaiting = true;
    setText(byId("games-say"), say("page.games.wait"));
    this.draw();
    this.dialog.open();
    this.send({ ask: "games" });
  }

  /** @param {ListedGame[]} games games, oldest first */
  apply(games) {
    this.isWaiting = false;
    this.listed = [...games].reverse();
    setText(byId("games-say"), games.length ? "" : say("page.games.none"));
    this.draw();
  }

  /** @param {string} message */
  refuse(message) {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    setText(byId("games-say"), message);
    this.draw();
  }

  /** @param {number} number */
  find(number) {
    return this.listed.find((each) => each.number === number);
  }

  show() {
    const { you, isConnected } = this.game;
    byId("open-games").hidden = !you.seat;
    setEnabled(byId("open-games"), isConnected);
    if (!you.seat) this.dialog.close();
  }

  draw() {
    const totals = countTotals(this.listed);
    byId("totals").hidden = !totals.length;
    byId("games-title-list").hidden = !this.listed.length;
    const body = byId("totals-body");
    body.textContent = "";
    for (const { names, wins, draws } of totals) {
      const row = make("tr");
      const players = make("th", names.map(playerName).join(" – "));
      players.setAttribute("scope", "row");
      row.append(players, make("td", wins.join(" – ")), make("td", String(draws)));
      body.append(row);
    }
    const list = byId("game-list");
    list.textContent = "";
    for (const listed of this.listed) {
      const item = make("li");
      item.append(this.makeRow(listed));
      list.append(item);
    }
  }

  /** @param {ListedGame} listed */
  makeRow(listed) {
    const button = make("button");
    button.setAttribute("type", "button");
    const { number, state, score } = listed;
    button.append(make("span", say("page.games.number", { number }), "game-number"), " ");
    if (state === "unreadable") {
      button.append(make("small", describeResult(listed)));
      setEnabled(button, false);
      return button;
    }
    SIDES.forEach((side) => {
      const player = make("span", "", `player ${side}`);
      const name = make("span", "", "who");
      name.append(make("span", `${sideName(side)}: `, "unseen"), playerName(listed[side]));
      player.append(drawLampPicture(side), name, " ", make("b", String(score?.[side] ?? "")));
      button.append(player, " ");
    });
    const result = `${describeResult(listed)} · ${describeTurns(listed)}`;
    button.append(make("small", result), " ", make("small", describeGame(listed).join(" · ")));
    setEnabled(button, !this.isWaiting); // the board reads one thing at a time
    onPress(button, () => this.send({ ask: "game", number }));
    return button;
  }
}
