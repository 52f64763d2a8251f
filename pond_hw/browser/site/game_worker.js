// @ts-check
// A board and its games, in a worker. Messages from the page: first {start}, then {text}. Messages to it: {loaded}, {news} or
// {fault}. `start` is null for the visitor's own board; otherwise it has fields for `BoardStart.parse`, and nothing is saved.
import { startPython } from "./start_python.js";

const GAMES_FOLDER = "/games";

/** @type {string[]} messages from the page that have not been handled yet */
const inbox = [];
/** @type {(string | null)[]} answers of the thinker that have not been handled yet; null if it has failed */
const answers = [];
let wake = () => {};

self.onmessage = ({ data: { start, text } }) => {
  if (text === undefined) run(start).catch((error) => self.postMessage({ fault: String(error) }));
  else {
    inbox.push(text);
    wake();
  }
};

/** @param {number} seconds */
function wait(seconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(1000 * seconds, 2 ** 31 - 1));
    wake = () => {
      clearTimeout(timer);
      resolve(null);
    };
    if (inbox.length || answers.length) wake();
  });
}

/** The worker that thinks. It is started when it is first needed, or when the game has begun. */
class Thinker {
  constructor() {
    /** @type {Worker | null} */
    this.worker = null;
  }

  start() {
    if (this.worker) return this.worker;
    const worker = new Worker(new URL("thinker.js", import.meta.url), { type: "module" });
    /** @param {string | null} answer */
    const hear = (answer) => {
      if (worker !== this.worker) return;
      answers.push(answer);
      wake();
    };
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (event) => {
      event.preventDefault(); // otherwise this worker would fail, too
      hear(null);
    };
    this.worker = worker;
    return worker;
  }

  restart() {
    this.worker?.terminate();
    this.worker = null;
    this.start();
  }
}

/** Saved games, in the browser's storage. */
class Storage {
  /** @param {any} python */
  constructor(python) {
    this.files = python.FS;
    /** @type {string | null} */
    this.fault = null;
  }

  async open() {
    this.files.mkdirTree(GAMES_FOLDER);
    try {
      this.files.mount(this.files.filesystems.IDBFS, {}, GAMES_FOLDER);
      await this.synchronize(true);
    } catch (error) {
      this.fault = String(error);
    }
  }

  async save() {
    try {
      await this.synchronize(false);
      this.fault = null;
    } catch (error) {
      this.fault = String(error);
    }
  }

  /** @param {boolean} isReading */
  synchronize(isReading) {
    return new Promise((resolve, reject) => {
      this.files.syncfs(isReading, (/** @type {unknown} */ error) => (error ? reject(error) : resolve(null)));
    });
  }
}

/**
 * @param {any} board
 * @param {string | null | undefined} answer
 */
function handleAnswer(board, answer) {
  if (answer) board.hear_answer(answer);
  else board.handle_lost_thinker();
}

/** @param {Record<string, string> | null} start */
async function run(start) {
  const python = await startPython({}, (bytes) => self.postMessage({ loaded: bytes }));
  const storage = start ? null : new Storage(python);
  await storage?.open();
  const thinker = new Thinker();
  const { BoardStart, PageBoard } = python.pyimport("pond_hw.browser.page_board");
  const { Path } = python.pyimport("pathlib");
  const { date } = python.pyimport("datetime");
  const board = PageBoard.callKwargs(
    storage ? Path(GAMES_FOLDER) : undefined,
    (/** @type {string} */ question) => thinker.start().postMessage(question),
    () => thinker.restart(),
    { start: BoardStart.parse(python.toPy(start ?? {})), day: date.today() },
  );
  board.report_storage(storage?.fault ?? undefined);
  for (;;) {
    let seconds = board.pump();
    while (inbox.length || answers.length) {
      if (inbox.length) board.hear(inbox.shift());
      else handleAnswer(board, answers.shift());
      seconds = board.pump();
    }
    while (storage && board.has_unsaved_files()) {
      await storage.save(); // the page shows only what has been stored
      board.report_storage(storage.fault ?? undefined);
      seconds = board.pump(); // so that the page says at once that the browser stores nothing
    }
    const list = board.news();
    const news = list.toJs();
    list.destroy();
    if (news.length) self.postMessage({ news });
    thinker.start();
    await wait(seconds);
  }
}
