// @ts-check
import { Dialog } from "./dialog.js";
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { SIDES } from "./position.js";
import { say, sideName } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {{number: number, sides: Side[], here: boolean}} Seat */

/** @type {Record<string, string>} message keys of requests without a button of their own */
const TITLES = { revoke: "page.seat.take_away", setting: "page.settings.title" };

/** @param {Side[]} sides */
function formatSides(sides) {
  return sides.length > 1 ? say("page.seat.both") : sideName(sides[0]);
}

/**
 * Fetch the cookie of a new seat, and prove that this browser stores it; otherwise the seat is revoked.
 *
 * @param {string} claim
 */
async function claimSeat(claim) {
  const options = { headers: { "x-pond-claim": claim } };
  try {
    await fetch("seat", options);
    await fetch("seat", options);
  } catch {
    // The connection and the seat are lost; the page shows that.
  }
}

/** Seats, and the request that waits for presses on the board. */
export class Seats {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    /** @type {Seat[]} */
    this.seats = [];
    this.written = "";
    this.endsAt = 0;
    /** @type {import("./game.js").Asking | null} */
    this.asking = null;
    this.dialog = new Dialog(byId("asking"), () => this.cancel());
    onPress(byId("asking-cancel"), () => this.cancel());
    for (const side of SIDES) onPress(byId(`ask-${side}`), () => send({ seat: [side] }));
    onPress(byId("ask-both"), () => send({ seat: [...SIDES] }));
    onPress(byId("give-up"), () => send({ seat: null }));
    setInterval(() => this.count(), 250);
  }

  /** @param {any} message */
  receive(message) {
    if (message.type === "seats") this.seats = message.seats;
    else if (message.type === "granted" && message.claim) claimSeat(message.claim);
  }

  cancel() {
    this.send({ seat: null });
    this.dialog.close();
  }

  show() {
    const { hello, you, state, isConnected } = this.game;
    const seats = you.seat ? this.seats : [];
    setText(byId("board-asks"), state?.board_asks && !you.asking ? say("page.board.asks") : "");
    byId("offer").hidden = !hello || Boolean(you.seat);
    byId("seats").hidden = !you.seat;
    setText(byId("offer-title"), say(you.may_watch ? "page.offer.watching" : "page.offer.no_watching"));
    for (const id of ["ask-light", "ask-dark", "ask-both", "give-up"]) setEnabled(byId(id), isConnected);
    setText(byId("own-seat"), you.seat ? say("page.seat.own", { sides: formatSides(you.seat.sides) }) : "");
    this.showAsking();
    const written = JSON.stringify([you.seat, seats, document.documentElement.lang]);
    if (written === this.written) return;
    this.written = written;
    const list = byId("seat-list");
    list.textContent = "";
    for (const seat of seats) if (seat.number !== you.seat?.number) list.append(this.makeSeat(seat));
  }

  /** @param {Seat} seat */
  makeSeat({ number, sides, here }) {
    const item = make("li");
    const presence = say(here ? "page.seat.here" : "page.seat.away");
    const text = make("span", say("page.seat.row", { number, sides: formatSides(sides) }));
    text.append(" ", make("small", presence));
    item.append(text);
    const button = make("button", say("page.seat.take_away"));
    button.setAttribute("type", "button");
    button.setAttribute("aria-label", say("page.seat.take_away_number", { number }));
    onPress(button, () => this.send({ revoke: number }));
    item.append(button);
    return item;
  }

  showAsking() {
    const asking = this.game.isConnected ? this.game.you.asking : null;
    if (!asking) {
      this.asking = null;
      this.dialog.close();
      return;
    }
    if (asking !== this.asking) this.endsAt = Date.now() + 1000 * asking.seconds;
    this.asking = asking;
    const { cells, pressed } = asking;
    const isSeat = asking.for === "seat";
    const title = isSeat ? say("page.asking.seat_for", { sides: formatSides(asking.sides ?? SIDES) }) : say(TITLES[asking.for] ?? `page.button.${asking.for}`);
    setText(byId("asking-title"), title);
    setText(byId("asking-text"), say(cells > 1 ? "page.asking.press_several" : `page.asking.${asking.for}`, { cells }));
    setText(byId("asking-sign"), asking.sign ? say(`page.asking.sign.${asking.sign.colour}`, { number: asking.sign.number }) : "");
    setText(byId("asking-pressed"), cells > 1 ? say("page.asking.pressed", { pressed, cells }) : "");
    const dots = byId("asking-dots");
    dots.textContent = "";
    dots.dataset.sign = asking.sign?.colour;
    for (let index = 0; index < cells; index += 1) dots.append(make("span", "", index < pressed ? "done" : ""));
    this.count();
    this.dialog.open();
  }

  count() {
    if (!this.asking) return;
    const seconds = Math.max(0, Math.ceil((this.endsAt - Date.now()) / 1000));
    setText(byId("asking-seconds"), say("page.asking.seconds", { seconds }));
  }
}
