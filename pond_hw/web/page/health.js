// @ts-check
import { byId, make, onPress, setText } from "./dom.js";
import { getLanguage, join, say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {{board: string, masked: string[], failures: number, failure?: string, dimmed: boolean}} Health */

/** @typedef {{summary: string, findings: {grade: "warning" | "fault", text: string, mend: string}[]}} Doctor */

const TIMEOUT_MS = 5000;
const DOCTOR_TIMEOUT_MS = 60000;

/**
 * Return the board's health as sentences, each marked as good or bad.
 * @param {Health} health
 * @returns {{text: string, isGood: boolean}[]}
 */
function describeHealth({ board, masked, failures, failure, dimmed }) {
  const sensors = masked.length
    ? say("page.health.sensors.ignored", { cells: join(masked) })
    : say("page.health.sensors.fine");
  const inside = failures
    ? say("page.health.failures.some", { count: failures, text: failure ?? "" })
    : say("page.health.failures.none");
  return [
    { text: say("page.health.board", { board }), isGood: true },
    { text: sensors, isGood: !masked.length },
    { text: inside, isGood: !failures },
    { text: say(`page.health.lamps.${dimmed ? "dimmed" : "fine"}`), isGood: !dimmed },
  ];
}

/** Dialog with the board's health, requested each time it opens. */
export class HealthView {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    this.isWaiting = false;
    this.isWaitingForDoctor = false;
    /** @type {number | undefined} */
    this.doctorTimer = undefined;
    /** @type {Health | null} */
    this.health = null;
    this.language = "";
    /** @type {number | undefined} */
    this.timer = undefined;
    onPress(byId("open-health"), () => (byId("health").hidden ? this.open() : this.close()));
  }

  open() {
    byId("health").hidden = false;
    byId("open-health").setAttribute("aria-expanded", "true");
    byId("health-list").textContent = "";
    setText(byId("health-say"), say("page.health.wait"));
    this.isWaiting = true;
    this.health = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refuse(say("page.health.late")), TIMEOUT_MS);
    this.send({ ask: "health" });
    this.askDoctor();
  }

  close() {
    byId("health").hidden = true;
    byId("open-health").setAttribute("aria-expanded", "false");
    this.isWaiting = false;
    this.isWaitingForDoctor = false;
  }

  askDoctor() {
    byId("doctor-list").textContent = "";
    setText(byId("doctor-say"), say("page.doctor.wait"));
    this.isWaitingForDoctor = true;
    clearTimeout(this.doctorTimer);
    this.doctorTimer = setTimeout(() => this.refuse(say("page.health.late")), DOCTOR_TIMEOUT_MS);
    this.send({ ask: "doctor" });
  }

  /** @param {any} message */
  receive(message) {
    if (message.type === "health") this.apply(message);
    else if (message.type === "doctor") this.applyDoctor(message);
  }

  /** @param {Doctor} doctor */
  applyDoctor({ summary, findings }) {
    this.isWaitingForDoctor = false;
    setText(byId("doctor-say"), summary);
    const list = byId("doctor-list");
    list.textContent = "";
    for (const { grade, text, mend } of findings) {
      const item = make("li", text, grade === "fault" ? "bad" : "poor");
      if (mend) item.append(make("code", mend));
      list.append(item);
    }
  }

  /** @param {Health} health */
  apply(health) {
    this.isWaiting = false;
    this.health = health;
    this.draw(health);
  }

  /** @param {Health} health */
  draw(health) {
    this.language = getLanguage();
    const news = describeHealth(health);
    const list = byId("health-list");
    list.textContent = "";
    for (const { text, isGood } of news) list.append(make("li", text, isGood ? "good" : "bad"));
    setText(byId("health-say"), news.every(({ isGood }) => isGood) ? "" : say("page.health.remedy"));
  }

  /** @param {string} message */
  refuse(message) {
    if (this.isWaiting) setText(byId("health-say"), message);
    else if (this.isWaitingForDoctor) setText(byId("doctor-say"), message);
    this.isWaiting = false;
    this.isWaitingForDoctor = false;
  }

  show() {
    byId("health-setting").hidden = !this.game.you.seat;
    if (!this.game.you.seat) this.close();
    else if (this.health && this.language !== getLanguage()) this.draw(this.health);
  }
}
