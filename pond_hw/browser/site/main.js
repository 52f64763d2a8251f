// @ts-check
import { build, isLoading, WorkerConnection } from "./connection.js";
import { addOwnParts } from "./own_board.js";
import { startPage } from "./page.js";
import { SetupTrial } from "./trial.js";
import { getLanguage, say } from "./words.js";

const LOCK = "pond games";
const NOTICE_MS = 2000;
const SHOWN_KEY = "pond-shown";
/** Types of messages that show the saved position at once when the page is loaded again. */
const SHOWN_TYPES = ["hello", "you", "state", "table", "turns"];

/** The messages that were shown last, kept for the next visit. */
class ShownMessages {
  constructor() {
    /** @type {Record<string, any>} */
    this.messages = {};
  }

  /** Return the messages of the last visit, or else those of a new board. */
  read() {
    try {
      const { folder, language, messages } = JSON.parse(localStorage.getItem(SHOWN_KEY) ?? "");
      if (folder === build.folder && language === getLanguage()) return Object.values(messages);
    } catch {
      // This is the first visit, or the browser stores nothing.
    }
    return build.beginnings?.[getLanguage()] ?? [];
  }

  /** @param {any} message */
  keep(message) {
    if (!SHOWN_TYPES.includes(message.type)) return;
    this.messages[message.type] = message;
    try {
      localStorage.setItem(SHOWN_KEY, JSON.stringify({ folder: build.folder, language: getLanguage(), messages: this.messages }));
    } catch {
      // The browser stores nothing, or has no room.
    }
  }
}

const shown = new ShownMessages();

/** Connection to the visitor's own board. Only one page at a time has it, because all pages have the same saved games. */
class OwnConnection extends WorkerConnection {
  /** @param {ConstructorParameters<typeof WorkerConnection>} page */
  constructor(...[receive, begin, end]) {
    super((message) => {
      shown.keep(message);
      receive(message);
    }, begin, end);
  }

  async start() {
    if (!navigator.locks) { // this browser only has them at https addresses
      super.start();
      return;
    }
    const keep = () => new Promise(() => super.start()); // until the page is closed
    await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => (lock ? keep() : null));
    this.lose(say("page.own.elsewhere"));
    await navigator.locks.request(LOCK, keep);
  }

  finishLoading() {
    super.finishLoading();
    navigator.serviceWorker?.register("service_worker.js").catch(console.warn);
    addEventListener("pointerdown", () => navigator.storage?.persist?.(), { once: true }); // some browsers ask the visitor
  }
}

/** Notice that the page is loading, on a visit that takes long enough to read it. */
class LoadingNotice {
  /** @param {import("./page.js").Page} page */
  constructor({ notice }) {
    setTimeout(() => isLoading() && notice(say("page.own.loading"), false), NOTICE_MS);
  }

  show() {}
}

startPage({
  Live: OwnConnection,
  addParts: (page) => [...addOwnParts(page), new SetupTrial(page.send), new LoadingNotice(page)],
  readBeginning: () => shown.read(),
});
