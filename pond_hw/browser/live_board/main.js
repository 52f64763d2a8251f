// @ts-check
import { Board } from "./board.js";
import { drawCell, drawLamp } from "./cells.js";
import { isLoading, WorkerConnection } from "./connection.js";
import { byId, onPress, setEnabled, setText } from "./dom.js";
import { Game } from "./game.js";
import { Hands } from "./hands.js";
import { headline, showScore } from "./head.js";
import { drawEmptyCell, LampLayer } from "./lamp_layer.js";
import { Moves } from "./moves.js";
import { TurnAnimation } from "./turn_animation.js";
import { viewGame } from "./view.js";
import { say, setMessages } from "./words.js";

/** @type {Record<string, string>} board and first game, which the address asks for: `board.html#lesson=place` */
const start = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** Connection to a board that saves nothing, so that several pages can have one. */
class UnsavedConnection extends WorkerConnection {
  start() {
    this.startWorker(start);
  }
}

/** A board with the few controls that fit in a page of the manual. */
class LiveBoard {
  constructor() {
    setMessages(JSON.parse(byId("words").textContent ?? ""));
    this.send = this.send.bind(this);
    this.notice = this.notice.bind(this);
    this.show = this.show.bind(this);
    this.game = new Game();
    this.live = new UnsavedConnection((message) => this.receive(message), () => {}, () => this.receive({ type: "gone" }));
    const { game, send, notice, show } = this;
    this.moves = new Moves(game, { send, notice, changed: show });
    this.hands = new Hands(this);
    this.board = new Board(byId("board"), (cell) => this.press(cell), "lamps" in start ? drawEmptyCell : drawCell);
    this.lamps = new LampLayer(this.board);
    this.turnAnimation = new TurnAnimation(this.board);
    /** @type {import("./position.js").Position | null} position that the board showed before */
    this.shownBefore = null;
    for (const command of ["done", "hint"]) onPress(byId(`do-${command}`), () => send({ command }));
    onPress(byId("do-undo"), () => send({ command: "undo", turn: game.state?.turn }));
    onPress(byId("exercise-next"), () => send({ command: "exercise", choice: "next" }));
    onPress(byId("again"), () => location.reload());
    this.show();
    document.body.classList.add("ready");
    this.live.connect();
  }

  /** @param {string} cell */
  press(cell) {
    if ("lamps" in start) this.send({ touch: cell }); // the lamps show what it does
    else if (!this.hands.takePress(cell)) this.moves.press(cell);
  }

  /** @param {object} message */
  send(message) {
    this.live.send(message);
  }

  /** @param {string} text */
  notice(text) {
    setText(byId("notice"), text);
  }

  /** @param {any} message */
  receive(message) {
    const { game } = this;
    if (message.type === "hello") game.applyHello(message);
    else if (message.type === "you") game.applyYou(message);
    else if (message.type === "state") {
      if (message.position !== game.state?.position) this.notice("");
      game.applyState(message);
    } else if (message.type === "refused") {
      game.waitsUntil = 0;
      this.notice(message.message);
    } else if (message.type === "gone") {
      game.markLost();
      setText(byId("connection"), say("page.connection.none"));
    } else if (message.type === "frame") this.lamps.show(message.cells);
    this.hands.receive(message);
    this.show();
  }

  show() {
    const { game } = this;
    const { state, isConnected } = game;
    const { title, side } = headline(game, null);
    setText(byId("turn"), title);
    byId("turn-lamp").replaceChildren(...(side ? [drawLamp(side)] : []));
    setText(byId("message"), state?.message ?? (isLoading() ? say("page.own.loading") : ""));
    const shown = game.shown();
    byId("score").hidden = !shown;
    if (shown) {
      const view = viewGame(game, shown, this.shownBefore);
      this.shownBefore = shown.position;
      this.hands.changeView(view);
      this.turnAnimation.show(view);
      showScore(game, shown.position, side, null);
    }
    document.body.classList.toggle("gone", !isConnected);
    byId("do-done").hidden = !state?.turn_key;
    setEnabled(byId("do-undo"), isConnected && Boolean(state?.undo));
    setEnabled(byId("do-hint"), game.mayAct);
    const next = state?.exercise?.done ? state.exercise.next : null;
    byId("exercise-next").hidden = !next;
    setText(byId("exercise-next"), say("page.exercise.next", { title: next ?? "" }));
    this.hands.show();
  }
}

new LiveBoard();
