// @ts-check
import { Attention } from "./attention.js";
import { Board } from "./board.js";
import { drawLamp } from "./cells.js";
import { Clock } from "./clock.js";
import { Controls } from "./controls.js";
import { Display } from "./display.js";
import { byId, onPress, setText } from "./dom.js";
import { EndCard } from "./end_card.js";
import { Exercises } from "./exercises.js";
import { fitBoard, refitBoard } from "./fit.js";
import { Game } from "./game.js";
import { Games } from "./games.js";
import { headline, showScore } from "./head.js";
import { Help } from "./help.js";
import { MessageLine } from "./message_line.js";
import { NewGame } from "./new_game.js";
import { PastCard } from "./past_card.js";
import { PastGame } from "./past_game.js";
import { PieceDrag } from "./piece_drag.js";
import { Rules } from "./rules.js";
import { Settings } from "./settings.js";
import { Sounds } from "./sounds.js";
import { Speech } from "./speech.js";
import { TurnAnimation } from "./turn_animation.js";
import { TurnList } from "./turns.js";
import { viewGame } from "./view.js";
import { Welcome } from "./welcome.js";
import { getLanguage, listLanguages, loadMessages, pondName, saveLanguage, say, setMessages } from "./words.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./game.js").Shown} Shown */
/**
 * @typedef {object} Connection connection to the board
 * @property {() => void} connect
 * @property {(message: object) => boolean} send returns true if there is a connection, or will be soon
 */
/**
 * Class of the connection. It calls `receive` with each message from the board, and `begin` and `end` when a connection has
 * opened and when it is lost.
 * @typedef {new (receive: (message: any) => void, begin: () => void, end: () => void) => Connection} MakeConnection
 */
/**
 * @typedef {object} Part part of the page
 * @property {() => void} show renders the part
 * @property {(message: any) => void} [receive] called with each message from the board
 * @property {(reason: string) => void} [refuse] called when a request is refused or can't be answered
 * @property {(cell: string) => boolean} [takePress] handles a press on a cell; false leaves it to the others
 * @property {(view: import("./board.js").View) => void} [changeView] changes what the board shows now
 */

const REFUSED_MS = 8000;
const GRANTED_MS = 3000;

/** Messages that are in the page. */
function readBeginning() {
  return JSON.parse(byId("beginning").textContent ?? "");
}

/**
 * Start the page with the texts and messages in it.
 * @param {object} how
 * @param {MakeConnection} how.Live
 * @param {(page: Page) => Part[]} how.addParts makes the parts that not every page has
 * @param {() => any[]} [how.readBeginning] returns the messages that are shown before there is a connection
 */
export function startPage(how) {
  new Page(how).begin();
}

/** The page: it hands messages of the board to its parts, and renders them. */
export class Page {
  /** @param {Parameters<typeof startPage>[0]} how */
  constructor({ Live, addParts, readBeginning: read = readBeginning }) {
    setMessages(JSON.parse(byId("words").textContent ?? ""));
    this.readBeginning = read;
    this.send = this.send.bind(this);
    this.notice = this.notice.bind(this);
    this.show = this.show.bind(this);
    this.game = new Game();
    this.speech = new Speech();
    this.messageLine = new MessageLine(this.show);
    this.live = new Live((message) => this.receive(message), () => this.beginConnection(), () => this.receive({ type: "gone" }));
    const { game, send, notice, show } = this;
    this.controls = new Controls(game, { send, notice, changed: show });
    this.board = new Board(byId("board"), (cell) => this.press(cell));
    this.sounds = new Sounds(game);
    this.turnAnimation = new TurnAnimation(this.board, ({ sound, at }) => this.sounds.play(sound, at), () => this.showStatus());
    this.clock = new Clock(game);
    this.turnList = new TurnList(game, { changed: show, leave: () => this.leavePast() });
    this.pastCard = new PastCard(game, { send, notice, look: (at) => this.turnList.look(at), changed: show });
    this.games = new Games(game, send);
    this.exercises = new Exercises(game, send);
    this.newGame = new NewGame(game, send);
    this.settings = new Settings({ speech: this.speech, changeLanguage: (language) => this.changeLanguage(language), changed: show });
    this.rules = new Rules();
    this.display = new Display(this);
    /** @type {Part[]} */
    this.parts = [
      this.controls, new PieceDrag(this), this.pastCard, this.games, this.exercises, new Help(game, send), this.sounds, new Attention(this), new EndCard(this),
      this.display, this.clock,
      ...addParts(this), new Welcome(this),
    ];
    /** True while this page gives up its own seat. */
    this.isGivingUpSeat = false;
    /** @type {number | undefined} */
    this.noticeTimer = undefined;
    this.noticedSubject = "";
    /** @type {Position | null} position that the board showed before */
    this.shownBefore = null;
    document.addEventListener("click", () => this.hideNotice(), true); // a press counts as read
    window.addEventListener("resize", refitBoard);
    onPress(byId("open-exercises"), () => {
      this.newGame.dialog.close();
      this.exercises.ask();
    });
    onPress(byId("say-again"), () => this.speech.sayAgain());
  }

  begin() {
    this.settings.offerLanguages(listLanguages());
    for (const message of this.readBeginning()) this.apply(message);
    document.body.classList.add("ready");
    this.showGame();
    requestAnimationFrame(() => setTimeout(() => { // draw the board first
      this.show();
      this.live.connect();
    }));
  }

  // Notices

  /** Subject of a notice: it is hidden when the game, position or request changes. */
  noticeSubject() {
    const { state, isConnected, past, replayAt } = this.game;
    const { variant, position, phase, outcome, exercise } = state ?? {};
    return JSON.stringify([isConnected, variant, position, phase, outcome, exercise?.title, exercise?.step, past?.number, replayAt]);
  }

  /**
   * Show a notice about the user's input, assertively after a refusal.
   * @param {string} text
   * @param {boolean} [isRefusal]
   */
  notice(text, isRefusal = true) {
    clearTimeout(this.noticeTimer);
    this.hideNotice(); // so that the same text is announced again
    this.noticedSubject = this.noticeSubject();
    byId("notices").hidden = !text;
    byId(isRefusal ? "refused" : "granted").textContent = text;
    this.noticeTimer = setTimeout(() => this.hideNotice(), isRefusal ? REFUSED_MS : GRANTED_MS);
  }

  hideNotice() {
    setText(byId("refused"), "");
    setText(byId("granted"), "");
    byId("notices").hidden = true;
  }

  // Rendering

  /** @param {Shown} shown */
  showBoard(shown) {
    const view = viewGame(this.game, shown, this.shownBefore);
    this.shownBefore = shown.position;
    if (shown.kind === "now") for (const part of this.parts) part.changeView?.(view);
    this.display.apply();
    this.turnAnimation.show(view);
    byId("board-section").className = `board ${shown.kind}`;
  }

  /** Side of the reader, if it is one side. A television has none. */
  get ownSide() {
    return this.settings.isBig ? null : this.game.ownSide;
  }

  /** Render the headline, the message and the score. The end of a game waits until its pieces have reached the score. */
  showStatus() {
    const { game, ownSide } = this;
    const { underWay } = this.turnAnimation;
    const { title, side } = headline(game, ownSide);
    const shown = game.shown();
    if (shown) showScore(game, shown.position, side, ownSide, underWay);
    if (game.state?.outcome && !game.past && (underWay.light || underWay.dark)) return;
    setText(byId("turn"), title);
    const lamp = byId("turn-lamp");
    lamp.textContent = "";
    if (side) lamp.append(drawLamp(side));
    this.messageLine.show(game.past ? [[this.pastCard.message(), true]] : game.state?.sentences ?? []);
  }

  /** Render the board and the texts around it. */
  showGame() {
    const { game, speech } = this;
    const { state, you } = game;
    setText(byId("trouble"), state?.trouble ?? "");
    setText(byId("unsaved"), state?.unsaved ?? "");
    const variant = state?.exercise ? "" : state?.variant; // the pond of a lesson has no useful name
    setText(byId("variant"), pondName(game.past?.listed.variant ?? variant ?? ""));
    byId("say-again").hidden = !speech.isOn || !state?.message;
    const shown = game.shown();
    for (const id of ["score", "board-section"]) byId(id).hidden = !shown;
    if (shown) this.showBoard(shown);
    this.showStatus();
    document.body.classList.toggle("seated", Boolean(you.seat));
    document.body.classList.toggle("gone", !game.isConnected);
    document.body.classList.toggle("trying", game.isTrying);
    if (this.noticedSubject !== this.noticeSubject()) this.hideNotice();
  }

  show() {
    const { game } = this;
    this.showGame();
    const hasBoard = !byId("board-section").hidden;
    byId("turns-section").hidden = !hasBoard || !(game.past || game.start); // the turns arrive after the page
    if (hasBoard) this.turnList.show();
    for (const part of this.parts) part.show();
    const version = game.hello?.version;
    setText(byId("version"), version ? say("page.footer.version", { version }) : "");
    fitBoard(this.fittedSituation());
  }

  /** Situation in which the board keeps its size, however long a message is. */
  fittedSituation() {
    const { state, you, past } = this.game;
    const { variant, phase, trouble, unsaved, board_asks: asks, exercise } = state ?? {};
    const isOpen = [byId("welcome").hidden, this.messageLine.isOpen, phase === "resume"];
    return JSON.stringify([getLanguage(), Boolean(you.seat), past?.number, variant, exercise?.title, trouble, unsaved, asks, isOpen]);
  }

  /** @param {string} cell */
  press(cell) {
    if (!this.parts.some((part) => part.takePress?.(cell))) this.controls.press(cell);
  }

  // Messages from and to the board

  /** @param {Record<string, unknown>} message */
  send(message) {
    if ("seat" in message && message.seat === null) this.isGivingUpSeat = !this.game.you.asking;
    if (!this.live.send(message)) this.notice(say("page.connection.gone"));
  }

  beginConnection() {
    this.live.send({ language: getLanguage() });
  }

  /** @param {string} reason */
  refuse(reason) {
    for (const part of this.parts) part.refuse?.(reason);
  }

  describeLoss() {
    return say(this.game.state ? "page.connection.gone" : "page.connection.none");
  }

  loseBoard() {
    this.game.markLost();
    setText(byId("connection"), this.describeLoss());
    this.refuse(this.describeLoss());
  }

  /** @param {import("./game.js").You} you */
  applyYou(you) {
    const { game } = this;
    const isNew = Boolean(you.seat) && !game.you.seat;
    const hasAsked = Boolean(game.you.asking);
    const isLost = game.you.seat && !you.seat && !this.isGivingUpSeat;
    if (!you.seat) this.isGivingUpSeat = false;
    game.applyYou(you);
    if (isLost) this.notice(say("page.seat.lost"));
    if (!isNew || !hasAsked) return;
    this.show();
    window.scrollTo(0, 0);
    this.board.focus();
  }

  /** @param {import("./past_game.js").GameMessage} message */
  openGame(message) {
    const { game, games } = this;
    const { past } = game;
    if (past?.isForgotten && past.number === message.number && !games.dialog.isOpen) {
      this.pastCard.continueReview(past);
      return;
    }
    game.openPast(new PastGame(message, games.find(message.number)));
    games.dialog.close();
    this.show();
    window.scrollTo(0, 0);
    byId("past-title").focus({ preventScroll: true });
  }

  leavePast() {
    this.game.openPast(null);
    this.show();
    window.scrollTo(0, 0);
    this.board.focus();
  }

  /** @param {any} message */
  receive(message) {
    this.apply(message);
    this.show();
  }

  /** @param {any} message */
  apply(message) {
    const { game, speech } = this;
    switch (message.type) {
      case "hello":
        game.applyHello(message);
        if (message.languages) this.settings.offerLanguages(message.languages);
        break;
      case "you":
        this.applyYou(message);
        break;
      case "state":
        game.applyState(message);
        speech.announce(message.message ?? "");
        break;
      case "turns":
        game.applyTurns(message);
        break;
      case "what_if":
        game.applyPreview(message);
        speech.announce(message.message ?? "");
        break;
      case "games":
        this.games.apply(message.games);
        break;
      case "exercises":
        this.exercises.apply(message.courses);
        break;
      case "game":
        this.openGame(message);
        break;
      case "analysis":
        game.past?.applyReview(message);
        break;
      case "refused":
        game.waitsUntil = 0;
        game.past?.stopReview();
        this.refuse(message.message);
        this.notice(message.message);
        speech.announce(message.message);
        break;
      case "granted":
        this.notice(say(message.for === "seat" ? "page.asking.seated" : "page.asking.granted"), false);
        break;
      case "gone":
        this.loseBoard();
        break;
    }
    for (const part of this.parts) part.receive?.(message);
    if (game.isConnected) setText(byId("connection"), "");
  }

  /** @param {string} language */
  async changeLanguage(language) {
    try {
      await loadMessages(language);
    } catch {
      this.notice(say("page.connection.none"));
      return;
    }
    saveLanguage(language);
    if (byId("connection").textContent) setText(byId("connection"), this.describeLoss());
    this.live.send({ language });
    if (this.game.preview) this.live.send({ ask: "what_if", action: this.game.preview.action });
    this.show();
  }
}
