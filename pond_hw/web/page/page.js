// @ts-check
import { Board, lampOf, pictureOf } from "./board.js";
import { parseAction, parsePosition, playTurn, samePieces, SIDE_NAME } from "./position.js";

/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./position.js").LastTurn} LastTurn */
/**
 * @typedef {object} State the protocol's state, as far as this page uses it
 * @property {string} variant
 * @property {string} position
 * @property {number} [target] the score that ends the game
 * @property {string} phase
 * @property {string | null} [selected]
 * @property {string[]} [targets]
 * @property {LastTurn | null} [last]
 * @property {{winner: Side | null, reason: string} | null} [outcome]
 * @property {string} [message]
 * @property {string} [trouble]
 * @property {string} [unsaved]
 */

const NO_ANSWER = "The board doesn't answer. Trying again.";
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;
const LONG_AWAY_MS = 30000;
const MOST_TURNS = 200;

/** @type {Side[]} */
const SIDES = ["light", "dark"];

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Writes only what is new, so that a live region doesn't say the same thing twice.
 * @param {Element | null} place
 * @param {string} text
 */
function write(place, text) {
  if (place && place.textContent !== text) place.textContent = text;
}

/**
 * @param {string} name
 * @param {string} text
 */
function made(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

// The turns since you looked

/** @type {string[]} the positions before, between and after the turns in the list, oldest first */
let linesSeen = [];
const turns = byId("turns");

/**
 * @param {LastTurn} turn
 * @param {Side} side
 * @param {boolean} missed whether there were turns in between that this page hasn't seen
 */
function describeTurn(turn, side, missed) {
  const { source, target } = parseAction(turn.action);
  const item = document.createElement("li");
  item.className = side;
  item.append(made("b", SIDE_NAME[side]), source ? ` moved ${source} to ${target}.` : ` placed an egg on ${target}.`);
  const more = missed ? ["You missed what came before."] : [];
  if (turn.developed.length) more.push(`Developed: ${turn.developed.map((change) => change.cell).join(", ")}.`);
  for (const owner of SIDES) {
    if (turn.scored[owner].length) more.push(`${SIDE_NAME[owner]} scored ${turn.scored[owner].length}.`);
  }
  if (more.length) item.append(made("small", more.join(" ")));
  return item;
}

/** @param {number} count */
function takeBack(count) {
  for (let left = count; left > 0; left -= 1) {
    turns.firstElementChild?.remove();
    linesSeen.pop();
  }
}

/**
 * Brings the list of turns up to date.
 * @param {Position} position
 * @param {State} state
 * @returns {import("./position.js").Pieces | null} the pieces before the score step, if a turn has just been played
 */
function followTurns(position, state) {
  const line = state.position;
  const last = state.last ?? null;
  if (!last || !linesSeen.length) {
    turns.textContent = "";
    linesSeen = [line];
    return null;
  }
  const newest = linesSeen.length - 1;
  if (line === linesSeen[newest]) return null;
  /** @param {number} index */
  const playedFrom = (index) => {
    const start = parsePosition(linesSeen[index]);
    const played = start?.size === position.size ? playTurn(start, last) : null;
    return played && samePieces(played.after, position.pieces) ? played.before : null;
  };
  let from = newest;
  let arriving = playedFrom(from);
  if (!arriving) {
    const known = linesSeen.lastIndexOf(line);
    if (known >= 0) {
      takeBack(newest - known);
      return null;
    }
    // A turn may have replaced others: they were taken back, and this one was played instead.
    while (!arriving && from > 0) arriving = playedFrom(from -= 1);
    if (arriving) takeBack(newest - from);
  }
  turns.prepend(describeTurn(last, position.toMove === "light" ? "dark" : "light", !arriving));
  linesSeen.push(line);
  if (linesSeen.length > MOST_TURNS + 1) {
    linesSeen.shift();
    turns.lastElementChild?.remove();
  }
  return arriving;
}

// A state

const board = new Board(byId("board"));

/** @param {State} state @param {Position} position */
function headline(state, position) {
  if (state.outcome) return state.outcome.winner ? `${SIDE_NAME[state.outcome.winner]} wins` : "It's a draw";
  if (state.phase === "resume") return "An unfinished game";
  if (state.phase === "menu") return "A new game";
  return `${SIDE_NAME[position.toMove]}'s turn`;
}

/** @param {State} state @param {Position} position */
function sideInFront(state, position) {
  if (state.outcome) return state.outcome.winner;
  return state.phase === "resume" || state.phase === "menu" ? null : position.toMove;
}

/** @param {State} state */
function showState(state) {
  const position = parsePosition(state.position);
  if (!position) return;
  const arriving = followTurns(position, state);
  board.show({
    size: position.size,
    pieces: position.pieces,
    last: state.last ?? null,
    selected: state.selected ?? null,
    targets: state.targets ?? [],
    arriving,
  });
  byId("no-turns").hidden = turns.childElementCount > 0;
  const title = headline(state, position);
  const side = sideInFront(state, position);
  write(byId("turn"), title);
  document.title = `${title} – Pond`;
  const lamp = byId("turn-lamp");
  lamp.textContent = "";
  if (side) lamp.append(lampOf(side));
  write(byId("message"), state.message ?? "");
  write(byId("trouble"), state.trouble ?? "");
  write(byId("unsaved"), state.unsaved ?? "");
  write(byId("variant"), state.variant);
  const target = state.target ?? null;
  for (const each of SIDES) {
    const panel = byId(each);
    panel.classList.toggle("front", each === side);
    write(panel.querySelector(".score-number"), String(position.score[each]));
    write(panel.querySelector(".target"), target === null ? "" : `of ${target}`);
    write(panel.querySelector(".spawn-number"), String(position.spawn[each]));
  }
}

/** @param {Record<string, unknown>} names */
function showPlayers(names) {
  for (const side of SIDES) {
    const name = names[side];
    const known = typeof name === "string" && name !== "";
    write(byId(side).querySelector(".name"), known ? `${SIDE_NAME[side]}: ${name}` : SIDE_NAME[side]);
  }
}

/** @param {boolean} answers */
function showConnection(answers) {
  document.body.classList.toggle("gone", !answers);
  write(byId("connection"), answers ? "" : NO_ANSWER);
}

// What comes from the server

/** @param {unknown} data */
function receive(data) {
  let message;
  try {
    message = JSON.parse(String(data));
  } catch {
    return;
  }
  switch (message?.type) {
    case "hello":
      write(byId("footer"), message.version ? `You are watching. Pond ${message.version}` : "You are watching.");
      showPlayers(message.names ?? {});
      showConnection(true);
      break;
    case "state":
      showState(message);
      showConnection(true);
      break;
    case "gone":
      showConnection(false);
      break;
  }
}

/** @type {WebSocket | null} */
let socket = null;
let retryMs = FIRST_RETRY_MS;
/** @type {number | undefined} */
let retryTimer;

function connect() {
  clearTimeout(retryTimer);
  socket?.close();
  const opened = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/live`);
  socket = opened;
  opened.addEventListener("message", (event) => {
    if (opened !== socket) return;
    retryMs = FIRST_RETRY_MS;
    receive(event.data);
  });
  opened.addEventListener("close", () => {
    if (opened !== socket) return;
    socket = null;
    showConnection(false);
    // A bit of chance, so that many phones don't all come back at the same moment.
    retryTimer = setTimeout(connect, retryMs * (0.8 + 0.4 * Math.random()));
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
  });
}

// A phone that slept may hold a connection that is dead without knowing it.
let hiddenSince = 0;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenSince = Date.now();
  else if (!socket || Date.now() - hiddenSince > LONG_AWAY_MS) connect();
});
window.addEventListener("online", connect);

// The key

/** @type {[import("./position.js").PieceSymbol, string][]} */
const KEY_PIECES = [["egg", "Egg"], ["tadpole", "Tadpole"], ["frog", "Frog"]];
/** @type {[string, string][]} */
const KEY_MARKS = [
  ["ended", "Last turn"], ["grew", "Developed"], ["left", "Left or scored"],
  ["selected", "Chosen"], ["target", "Can go here"],
];

for (const [symbol, text] of KEY_PIECES) {
  const item = document.createElement("li");
  item.append(...SIDES.map((owner) => pictureOf({ owner, symbol }, [])), made("span", text));
  byId("key").append(item);
}
for (const [mark, text] of KEY_MARKS) {
  const item = document.createElement("li");
  item.append(pictureOf(null, [mark]), made("span", text));
  byId("key").append(item);
}

connect();
