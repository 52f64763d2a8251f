// @ts-check
import { Board } from "./board.js";
import { drawLamp } from "./cells.js";
import { Controls } from "./controls.js";
import { byId, onPress, setText } from "./dom.js";
import { Exercises } from "./exercises.js";
import { fitBoard } from "./fit.js";
import { Game } from "./game.js";
import { Games } from "./games.js";
import { headline, showScore } from "./head.js";
import { HealthView } from "./health.js";
import { Help } from "./help.js";
import { Lamps } from "./lamps.js";
import { Live } from "./live.js";
import { NewGame } from "./new_game.js";
import { PastCard } from "./past_card.js";
import { PastGame } from "./past_game.js";
import { parseAction, playTurn, samePieces } from "./position.js";
import { Rules } from "./rules.js";
import { claimSeat, Seats } from "./seats.js";
import { Settings } from "./settings.js";
import { Speech } from "./speech.js";
import { TurnList } from "./turns.js";
import { getLanguage, listLanguages, loadMessages, saveLanguage, say, setMessages } from "./words.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./game.js").Shown} Shown */

const REFUSED_MS = 8000;
const GRANTED_MS = 3000;

const game = new Game();
const speech = new Speech();
const live = new Live(receive, beginConnection, () => receive({ type: "gone" }));
const board = new Board(byId("board"), (cell) => controls.press(cell));
const controls = new Controls(game, { send, notice, changed: show });
const turnList = new TurnList(game, { changed: show, leave: leavePast });
const pastCard = new PastCard(game, { send, look: (at) => turnList.look(at), changed: show });
const games = new Games(game, send);
const health = new HealthView(game, send);
const exercises = new Exercises(game, send);
const parts = [controls, pastCard, games, health, exercises, new Lamps(game, send), new Help(game, send)];
const newGame = new NewGame(game, send);
const seats = new Seats(game, send);
new Rules();
const settings = new Settings({ speech, changeLanguage, changed: show });

// Notices

/** @type {number | undefined} */
let noticeTimer;
let noticedSubject = "";

/** Subject of a notice: it is hidden when the game, position or request changes. */
function noticeSubject() {
  const { state, isConnected, past, replayAt } = game;
  const { variant, position, phase, outcome, exercise } = state ?? {};
  return JSON.stringify([isConnected, variant, position, phase, outcome, exercise?.title, exercise?.step, past?.number, replayAt]);
}

/**
 * Show a notice about the user's input, assertively after a refusal.
 * @param {string} text
 * @param {boolean} [isRefusal]
 */
function notice(text, isRefusal = true) {
  clearTimeout(noticeTimer);
  hideNotice(); // so that the same text is announced again
  noticedSubject = noticeSubject();
  byId("notices").hidden = !text;
  byId(isRefusal ? "refused" : "granted").textContent = text;
  noticeTimer = setTimeout(hideNotice, isRefusal ? REFUSED_MS : GRANTED_MS);
}

function hideNotice() {
  setText(byId("refused"), "");
  setText(byId("granted"), "");
  byId("notices").hidden = true;
}

// Rendering

/** @type {Position | null} position that the board showed before */
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
    targets: game.help === "none" ? [] : selected ? game.targetsOf(selected) : isNow ? state?.targets ?? [] : [],
    placing,
    moving,
    hinted: hint ? /** @type {string[]} */ ([source, target].filter(Boolean)) : isNow ? state?.exercise?.lit ?? [] : [],
    arriving: isNews ? played.before : null,
  });
  byId("board-section").className = `board ${kind}`;
}

/** Render the headline, the board and the message. */
function showGame() {
  const { state, you, ownSides } = game;
  const own = ownSides.length === 1 && !settings.isBig ? ownSides[0] : null; // a television has no side of its own
  const { title, side } = headline(game, own);
  setText(byId("turn"), title);
  document.title = `${title} – Pond`;
  const lamp = byId("turn-lamp");
  lamp.textContent = "";
  if (side) lamp.append(drawLamp(side));
  setText(byId("message"), game.past ? pastCard.message() : state?.message ?? "");
  setText(byId("trouble"), state?.trouble ?? "");
  setText(byId("unsaved"), state?.unsaved ?? "");
  setText(byId("board-asks"), state?.board_asks && !you.asking ? say("page.board.asks") : "");
  const variant = state?.exercise ? "" : state?.variant; // the pond of a lesson has no useful name
  setText(byId("variant"), game.past?.listed.variant ?? variant ?? "");
  byId("say-again").hidden = !speech.isOn || !state?.message;
  const shown = game.shown();
  for (const id of ["score", "board-section"]) byId(id).hidden = !shown;
  if (shown) {
    showBoard(shown);
    showScore(game, shown.position, side, own);
  }
  document.body.classList.toggle("seated", Boolean(you.seat));
  document.body.classList.toggle("gone", !game.isConnected);
  document.body.classList.toggle("trying", game.isTrying);
  if (noticedSubject !== noticeSubject()) hideNotice();
}

function show() {
  showGame();
  const hasBoard = !byId("board-section").hidden;
  byId("turns-section").hidden = !hasBoard || !(game.past || game.start); // the turns arrive after the page
  if (hasBoard) turnList.show();
  for (const part of parts) part.show();
  seats.show();
  const version = game.hello?.version;
  setText(byId("version"), version ? say("page.footer.version", { version }) : "");
  fitBoard();
}

// Messages from and to the server

/** True while this page gives up its own seat. */
let isGivingUpSeat = false;

/** @param {Record<string, unknown>} message */
function send(message) {
  if ("seat" in message && message.seat === null) isGivingUpSeat = !game.you.asking;
  if (!live.send(message)) notice(say("page.connection.gone"));
}

function beginConnection() {
  live.send({ language: getLanguage() });
}

function loseBoard() {
  game.markLost();
  const text = say(game.state ? "page.connection.gone" : "page.connection.none");
  setText(byId("connection"), text);
  games.refuse(text);
  exercises.refuse(text);
  health.refuse(text);
}

/** @param {import("./game.js").You} you */
function applyYou(you) {
  const isNew = Boolean(you.seat) && !game.you.seat;
  const hasAsked = Boolean(game.you.asking);
  const isLost = game.you.seat && !you.seat && !isGivingUpSeat;
  if (!you.seat) isGivingUpSeat = false;
  game.applyYou(you);
  if (isLost) notice(say("page.seat.lost"));
  if (!isNew || !hasAsked) return;
  show();
  window.scrollTo(0, 0);
  board.focus();
}

/** @param {import("./past_game.js").GameMessage} message */
function openGame(message) {
  const { past } = game;
  if (past?.isForgotten && past.number === message.number && !games.dialog.isOpen) {
    pastCard.continueReview(past);
    return;
  }
  game.openPast(new PastGame(message, games.find(message.number)));
  games.dialog.close();
  show();
  window.scrollTo(0, 0);
  byId("past-title").focus({ preventScroll: true });
}

function leavePast() {
  game.openPast(null);
  show();
  window.scrollTo(0, 0);
  board.focus();
}

/** @param {any} message */
function receive(message) {
  apply(message);
  show();
}

/** @param {any} message */
function apply(message) {
  switch (message.type) {
    case "hello":
      game.applyHello(message);
      if (message.languages) settings.offerLanguages(message.languages);
      break;
    case "you":
      applyYou(message);
      break;
    case "state":
      game.applyState(message);
      speech.announce(message.message ?? "");
      break;
    case "turns":
      game.applyTurns(message);
      break;
    case "seats":
      game.seats = message.seats;
      break;
    case "what_if":
      game.applyPreview(message);
      speech.announce(message.message ?? "");
      break;
    case "games":
      games.apply(message.games);
      break;
    case "exercises":
      exercises.apply(message.courses);
      break;
    case "game":
      openGame(message);
      break;
    case "analysis":
      game.past?.applyReview(message);
      break;
    case "health":
      health.apply(message);
      break;
    case "doctor":
      health.applyDoctor(message);
      break;
    case "refused":
      game.waitsUntil = 0;
      game.past?.stopReview();
      games.refuse(message.message);
      exercises.refuse(message.message);
      health.refuse(message.message);
      notice(message.message);
      speech.announce(message.message);
      break;
    case "granted":
      if (message.claim) claimSeat(message.claim);
      notice(say(message.for === "seat" ? "page.asking.seated" : "page.asking.granted"), false);
      break;
    case "gone":
      loseBoard();
      break;
  }
  if (game.isConnected) setText(byId("connection"), "");
}

// Start

/** @param {string} language */
async function changeLanguage(language) {
  try {
    await loadMessages(language);
  } catch {
    notice(say("page.connection.none"));
    return;
  }
  saveLanguage(language);
  live.send({ language });
  show();
}

/** Start with the texts and messages in the page. */
function begin() {
  const [words, messages] = ["words", "beginning"].map((id) => JSON.parse(byId(id).textContent ?? ""));
  setMessages(words);
  settings.offerLanguages(listLanguages());
  messages.forEach(apply);
  document.body.classList.add("ready");
  showGame();
  requestAnimationFrame(() => setTimeout(() => { // draw the board first
    show();
    live.connect();
  }));
}

document.addEventListener("click", hideNotice, true); // a press counts as read
window.addEventListener("resize", fitBoard);
onPress(byId("open-exercises"), () => {
  newGame.dialog.close();
  exercises.ask();
});
onPress(byId("say-again"), () => speech.sayAgain());
begin();
