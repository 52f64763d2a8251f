// @ts-check
import { byId, setText } from "./dom.js";
import { addOwnParts } from "./own_board.js";
import { startPage } from "./page.js";
import { SetupTrial } from "./trial.js";
import { getLanguage, say } from "./words.js";

/** @typedef {{folder: string, bytes: number, beginnings: Record<string, any[]>}} Build */

const LOCK = "pond games";
const NOTICE_MS = 2000;
const SHOWN_KEY = "pond-shown";
/** Types of messages that show the saved position at once when the page is loaded again. */
const SHOWN_TYPES = ["hello", "you", "state", "table", "turns"];

/** @type {Build} */
const build = JSON.parse(byId("build").textContent ?? "");
const progress = /** @type {HTMLProgressElement} */ (byId("loading"));

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
    return build.beginnings[getLanguage()];
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

/** Connection to the board in the worker. Only one page at a time has it, because all pages have the same saved games. */
class WorkerConnection {
  /**
   * @param {(message: any) => void} receive
   * @param {() => void} begin called when the board can be reached, before it has started
   * @param {() => void} end called when the board can't be reached
   */
  constructor(receive, begin, end) {
    this.receive = receive;
    this.begin = begin;
    this.end = end;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {object[]} messages to send once the worker can be started */
    this.unsent = [];
    this.isLost = false;
    this.isConnected = false;
  }

  async connect() {
    if (document.documentElement.dataset.unsupported) {
      this.isLost = true;
      return;
    }
    if (!navigator.locks) { // this browser only has them at https addresses
      this.startWorker();
      return;
    }
    const keep = () => new Promise(() => this.startWorker()); // until the page is closed
    await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => (lock ? keep() : null));
    this.lose(say("page.own.elsewhere"));
    await navigator.locks.request(LOCK, keep);
  }

  startWorker() {
    this.isLost = false;
    setText(byId("connection"), "");
    this.worker = new Worker(`${build.folder}/game_worker.js`, { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = () => this.fail();
    this.showProgress(0);
    this.begin();
    this.unsent.splice(0).forEach((message) => this.send(message));
  }

  /** @param {{loaded?: number, news?: string[], fault?: string}} data */
  hear({ loaded, news, fault }) {
    if (loaded !== undefined) this.showProgress(loaded);
    if (fault !== undefined) this.fail(fault);
    for (const message of (news ?? []).map((text) => JSON.parse(text))) {
      shown.keep(message);
      this.receive(message);
    }
    if (news && !this.isConnected) this.finishLoading();
  }

  finishLoading() {
    this.isConnected = true;
    progress.hidden = true;
    navigator.serviceWorker?.register("service_worker.js").catch(console.warn);
  }

  /** @param {number} loaded number of bytes */
  showProgress(loaded) {
    progress.hidden = false;
    progress.value = loaded / build.bytes;
  }

  /** @param {string} [fault] */
  fail(fault) {
    if (fault) console.error(fault);
    this.worker?.terminate();
    progress.hidden = true;
    this.lose(this.isConnected ? null : say("page.own.not_loaded"));
  }

  /** @param {string | null} reason null for the page's usual one */
  lose(reason) {
    this.isLost = true;
    this.unsent = [];
    this.end();
    if (reason) setText(byId("connection"), reason);
  }

  /**
   * @param {object} message
   * @returns {boolean} true if there is a connection, or will be soon
   */
  send(message) {
    if (this.isLost) return false;
    if (this.worker) this.worker.postMessage({ text: JSON.stringify(message) });
    else this.unsent.push(message);
    if (this.isConnected) navigator.storage?.persist?.();
    return true;
  }
}

/** Notice that the page is loading, on a visit that takes long enough to read it. */
class LoadingNotice {
  /** @param {import("./page.js").Page} page */
  constructor({ notice }) {
    setTimeout(() => progress.hidden || notice(say("page.own.loading"), false), NOTICE_MS);
  }

  show() {}
}

startPage({
  Live: WorkerConnection,
  addParts: (page) => [...addOwnParts(page), new SetupTrial(page.send), new LoadingNotice(page)],
  readBeginning: () => shown.read(),
});
