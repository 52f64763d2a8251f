// @ts-check

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;
const LONG_AWAY_MS = 30000;

/** Connection to the board; reconnects by itself. */
export class Live {
  /**
   * @param {(message: any) => void} receive
   * @param {() => void} begin called whenever a connection has opened
   * @param {() => void} end called whenever a connection is lost
   */
  constructor(receive, begin, end) {
    this.receive = receive;
    this.begin = begin;
    this.end = end;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.retryMs = FIRST_RETRY_MS;
    /** @type {number | undefined} */
    this.retryTimer = undefined;
    this.isLost = false;
    /** @type {object[]} messages to send once the first connection is open */
    this.unsent = [];
    // When a phone wakes up, its connection may be dead without the page noticing.
    let hiddenSince = 0;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) hiddenSince = Date.now();
      else if (!this.socket || Date.now() - hiddenSince > LONG_AWAY_MS) this.connect();
    });
    window.addEventListener("online", () => this.connect());
  }

  connect() {
    clearTimeout(this.retryTimer);
    this.socket?.close();
    const address = new URL("live", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const opened = new WebSocket(address);
    this.socket = opened;
    opened.addEventListener("open", () => {
      if (opened !== this.socket) return;
      this.isLost = false;
      this.begin();
      this.unsent.splice(0).forEach((message) => this.send(message));
    });
    opened.addEventListener("message", (event) => {
      if (opened !== this.socket) return;
      this.retryMs = FIRST_RETRY_MS;
      let message;
      try {
        message = JSON.parse(String(event.data));
      } catch {
        return;
      }
      if (message && typeof message === "object") this.receive(message);
    });
    opened.addEventListener("close", () => {
      if (opened !== this.socket) return;
      this.socket = null;
      this.isLost = true;
      this.unsent = [];
      this.end();
      // Random delay, so that many phones don't reconnect at the same moment.
      this.retryTimer = setTimeout(() => this.connect(), this.retryMs * (0.8 + 0.4 * Math.random()));
      this.retryMs = Math.min(2 * this.retryMs, LAST_RETRY_MS);
    });
  }

  /**
   * @param {object} message
   * @returns {boolean} true if there is a connection, or will be soon
   */
  send(message) {
    if (this.isLost) return false;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.unsent.push(message);
    return true;
  }
}
