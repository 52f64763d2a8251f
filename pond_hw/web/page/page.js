// @ts-check
import { Board } from "./board.js";
import { lampOf } from "./cells.js";
import { Controls } from "./controls.js";
import { byId, onPress, write } from "./dom.js";
import { Game } from "./game.js";
import { Live } from "./live.js";
import { parseAction, playTurn, samePieces, SIDES } from "./position.js";
import { Rules } from "./rules.js";
import { Seats } from "./seats.js";
import { Settings } from "./settings.js";
import { Speech } from "./speech.js";
import { TurnList } from "./turns.js";
import { chooseLanguage, getLanguage, keepLanguage, loadWords, say, sideName } from "./words.js";

/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./game.js").Shown} Shown */

const REFUSED_MS = 8000;
const GRANTED_MS = 3000;
const WORDS_RETRY_MS = 3000;

const game = new Game();
const speech = new Speech();
const live = new Live(receive, beginConnection, loseBoard);
const board = new Board(byId("board"), (cell) => controls.press(cell));
const controls = new Controls(game, { send, notice, changed: show });
const turnList = new TurnList(game, show);
const seats = new Seats(game, send);
const rules = new Rules();
const settings = new Settings({ speech, changeLanguage, changed: show });

// What is said at the bottom of the page

/** @type {number | undefined} */
let noticeTimer;

/**
 * Says something about what somebody did here: at once if it was refused.
 * @param {string} text
 * @param {boolean} [isRefusal]
 */
function notice(text, isRefusal = true) {
  clearTimeout(noticeTimer);
  hideNotice(); // so that the same words are said again
  byId("notices").hidden = !text;
  byId(isRefusal ? "refused" : "granted").textContent = text;
  noticeTimer = setTimeout(hideNotice, isRefusal ? REFUSED_MS : GRANTED_MS);
}

function hideNotice() {
  write(byId("refused"), "");
  write(byId("granted"), "");
  byId("notices").hidden = true;
}

// What the page shows

/** @type {Position | null} the position that was on the board before */
let shownBefore = null;

/** @param {Shown} shown */
function showBoard({ kind, position, last }) {
  const isNow = kind === "now";
  const played = last && shownBefore && shownBefore.size === position.size ? playTurn(shownBefore, last) : null;
  const isNews = played && samePieces(played.after, position.pieces) && shownBefore?.toMove !== position.toMove;
  shownBefore = position;
  const { state, selected } = game;
  const hint = isNow && !selected ? state?.hint?.action : null;
  const { source = null, target = null } = hint ? parseAction(hint) : {};
  const { placing, moving } = selected ? { placing: [], moving: [] } : game.choices();
  board.show({
    size: position.size,
    pieces: position.pieces,
    last,
    selected: selected ?? (isNow ? state?.selected ?? null : null),
    targets: selected ? game.targetsOf(selected) : isNow ? state?.targets ?? [] : [],
    placing,
    moving,
    hinted: /** @type {string[]} */ ([source, target].filter(Boolean)),
    arriving: isNews ? played.before : null,
  });
  byId("board-section").className = `board ${kind}`;
}

/** @returns {{title: string, side: Side | null}} */
function headline() {
  const { state, position } = game;
  if (!state || !position) return { title: say(game.you.may_watch ? "page.head.waiting" : "page.head.no_seat"), side: null };
  if (game.replayAt !== null) return { title: say("page.replay.at", { turn: game.replayAt, turns: game.turns.length }), side: null };
  const winner = state.outcome?.winner ?? null;
  if (state.outcome) return { title: winner ? say("page.head.wins", { side: sideName(winner) }) : say("page.head.draw"), side: winner };
  if (state.phase === "resume") return { title: say("page.head.unfinished"), side: null };
  if (state.phase === "menu") return { title: say("page.head.new"), side: null };
  const side = position.toMove;
  const isOwn = game.ownSides.length === 1 && game.ownSides[0] === side;
  return { title: say(isOwn ? "page.head.yours" : "page.head.turn", { side: sideName(side) }), side };
}

/**
 * @param {Position} position
 * @param {Side | null} front
 */
function showScore(position, front) {
  const target = game.state?.target ?? null;
  for (const side of SIDES) {
    const panel = byId(side);
    const name = game.ownSides.includes(side) ? say("page.score.you") : game.nameOf(side) ?? "";
    panel.classList.toggle("front", side === front);
    write(panel.querySelector(".side-name"), sideName(side));
    write(panel.querySelector(".name"), name);
    write(panel.querySelector(".score-number"), String(position.score[side]));
    write(panel.querySelector(".target"), target === null ? "" : say("page.score.of", { target }));
    write(panel.querySelector(".spawn"), say("page.score.spawn", { count: position.spawn[side] }));
  }
}

function show() {
  const { state, you } = game;
  const { title, side } = headline();
  write(byId("turn"), title);
  document.title = `${title} – Pond`;
  const lamp = byId("turn-lamp");
  lamp.textContent = "";
  if (side) lamp.append(lampOf(side));
  write(byId("message"), state?.message ?? "");
  write(byId("trouble"), state?.trouble ?? "");
  write(byId("unsaved"), state?.unsaved ?? "");
  write(byId("board-asks"), state?.board_asks && !you.asking ? say("page.board.asks") : "");
  write(byId("variant"), state?.variant ?? "");
  byId("say-again").hidden = !speech.isOn || !state?.message;
  const shown = game.shown();
  for (const id of ["score", "board-section", "turns-section"]) byId(id).hidden = !shown;
  if (shown) {
    showBoard(shown);
    showScore(shown.position, side);
    turnList.show();
  }
  controls.show();
  seats.show();
  document.body.classList.toggle("seated", Boolean(you.seat));
  document.body.classList.toggle("gone", !game.answers);
  const version = game.hello?.version;
  write(byId("version"), version ? say("page.footer.version", { version }) : "");
}

// What the server says, and what it is told

/** Whether this page's own seat is about to go because somebody wanted that here. */
let givesUp = false;

/** @param {Record<string, unknown>} message */
function send(message) {
  if ("seat" in message && message.seat === null) givesUp = !game.you.asking;
  if (!live.send(message)) notice(say("page.connection.gone"));
}

function beginConnection() {
  live.send({ language: getLanguage() });
}

function loseBoard() {
  game.lose();
  write(byId("connection"), say(game.state ? "page.connection.gone" : "page.connection.none"));
  show();
}

/** @param {import("./game.js").You} you */
function takeYou(you) {
  const isNew = Boolean(you.seat) && !game.you.seat;
  const hasAsked = Boolean(game.you.asking);
  if (game.you.seat && !you.seat && !givesUp) notice(say("page.seat.lost"));
  if (!you.seat) givesUp = false;
  game.takeYou(you);
  if (!isNew || !hasAsked) return;
  show();
  window.scrollTo(0, 0);
  board.focus();
}

/** @param {any} message */
function receive(message) {
  switch (message.type) {
    case "hello":
      game.takeHello(message);
      if (message.languages) settings.offerLanguages(message.languages);
      break;
    case "you":
      takeYou(message);
      break;
    case "state":
      game.takeState(message);
      speech.tell(message.message ?? "");
      break;
    case "turns":
      game.takeTurns(message);
      break;
    case "seats":
      game.seats = message.seats;
      break;
    case "what_if":
      game.takePreview(message);
      speech.tell(message.message ?? "");
      break;
    case "refused":
      game.waitsUntil = 0;
      notice(message.message);
      speech.tell(message.message);
      break;
    case "granted":
      notice(say(message.for === "seat" ? "page.asking.seated" : "page.asking.granted"), false);
      break;
    case "gone":
      loseBoard();
      return;
    default:
      return;
  }
  if (game.answers) write(byId("connection"), "");
  show();
}

// The beginning

/** @param {string} language */
async function changeLanguage(language) {
  try {
    await loadWords(language);
  } catch {
    notice(say("page.connection.none"));
    return;
  }
  keepLanguage(language);
  live.send({ language });
  rules.draw();
  show();
}

async function begin() {
  try {
    await loadWords(chooseLanguage());
  } catch {
    setTimeout(begin, WORDS_RETRY_MS);
    return;
  }
  settings.offerLanguages(game.hello?.languages ?? ["en", "nl", "de", "fr"]);
  rules.draw();
  document.body.classList.add("ready");
  show();
  live.connect();
}

onPress(byId("hide-notice"), hideNotice);
onPress(byId("say-again"), () => speech.sayAgain());
begin();
