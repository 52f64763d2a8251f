// @ts-check
import { byId, setText } from "./dom.js";
import { say } from "./words.js";

/** @typedef {{folder: string, bytes: number, beginnings?: Record<string, any[]>}} Build */

/** @type {Build} */
export const build = JSON.parse(byId("build").textContent ?? "");

const progress = /** @type {HTMLProgressElement} */ (byId("loading"));

/** True while the board is being loaded. */
export function isLoading() {
  return !progress.hidden;
}

/** Connection to the board in the worker. */
export class WorkerConnection {
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

  connect() {
    const { unsupported } = document.documentElement.dataset; // set by old_browser.js
    if (unsupported) this.lose(say(unsupported));
    else this.start();
  }

  /** Start the board. */
  start() {
    this.startWorker(null);
  }

  /** @param {Record<string, string> | null} start board and first game of a board that saves nothing; null for the visitor's own */
  startWorker(start) {
    this.isLost = false;
    setText(byId("connection"), "");
    this.worker = new Worker(`${build.folder}/game_worker.js`, { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = () => this.fail();
    this.worker.postMessage({ start });
    this.showProgress(0);
    this.begin();
    this.unsent.splice(0).forEach((message) => this.send(message));
  }

  /** @param {{loaded?: number, news?: string[], fault?: string}} data */
  hear({ loaded, news, fault }) {
    if (loaded !== undefined) this.showProgress(loaded);
    if (fault !== undefined) this.fail(fault);
    for (const text of news ?? []) this.receive(JSON.parse(text));
    if (news && !this.isConnected) this.finishLoading();
  }

  finishLoading() {
    this.isConnected = true;
    progress.hidden = true;
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
    return true;
  }
}
