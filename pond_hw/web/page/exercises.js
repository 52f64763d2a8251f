// @ts-check
import { Dialog } from "./dialog.js";
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {{name: string, title: string, done?: boolean}} ListedExercise */

const CHOICES = ["next", "again", "leave"];

/** Opponent to play after the last lesson. */
const FIRST_OPPONENT = "level-1";

/** List of lessons and puzzles, and the buttons of the current exercise. */
export class Exercises {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    this.isWaiting = false;
    this.dialog = new Dialog(byId("exercises"));
    onPress(byId("exercise-play"), () => this.play());
    for (const choice of CHOICES) onPress(byId(`exercise-${choice}`), () => send({ command: "exercise", choice }));
  }

  /** Start a game against the weakest level. */
  play() {
    const { hello, you } = this.game;
    const isLight = you.seat?.sides.includes("light");
    const [own, other] = isLight ? ["light", "dark"] : ["dark", "light"];
    const players = { [own]: null, [other]: FIRST_OPPONENT };
    const names = { [own]: hello?.names?.[/** @type {Side} */ (own)] ?? null, [other]: null };
    this.send({ command: "new", players, names });
  }

  ask() {
    this.isWaiting = true;
    setText(byId("exercises-say"), say("page.exercises.wait"));
    byId("exercise-list").textContent = "";
    this.dialog.open();
    this.send({ ask: "exercises" });
  }

  /** @param {Record<string, ListedExercise[]>} courses */
  apply(courses) {
    this.isWaiting = false;
    setText(byId("exercises-say"), "");
    const list = byId("exercise-list");
    list.textContent = "";
    for (const [course, exercises] of Object.entries(courses)) {
      list.append(make("h3", say(`page.exercises.${course}`)));
      const rows = make("ul");
      for (const exercise of exercises) {
        const row = make("li");
        row.append(this.makeButton(course, exercise));
        rows.append(row);
      }
      list.append(rows);
    }
  }

  /**
   * @param {string} course
   * @param {ListedExercise} exercise
   */
  makeButton(course, { name, title, done }) {
    const button = make("button", title);
    button.setAttribute("type", "button");
    if (done) button.append(" ", make("small", say("page.exercises.done")));
    onPress(button, () => {
      this.dialog.close();
      this.send({ command: "exercise", course, name });
      window.scrollTo(0, 0);
    });
    return button;
  }

  /** @param {string} message */
  refuse(message) {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    setText(byId("exercises-say"), message);
  }

  show() {
    const { you, state, past, isConnected } = this.game;
    const exercise = past ? null : state?.exercise;
    if (!you.seat) this.dialog.close();
    byId("exercise").hidden = !exercise;
    if (!exercise) return;
    setText(byId("exercise-title"), exercise.title);
    byId("exercise-step").hidden = exercise.steps === 1;
    setText(byId("exercise-step"), say("page.exercise.step", { step: exercise.step, steps: exercise.steps }));
    byId("exercise-choices").hidden = !you.seat;
    const offersGame = exercise.done && exercise.last && exercise.course === "lessons";
    byId("exercise-play").hidden = !offersGame;
    setEnabled(byId("exercise-play"), isConnected);
    byId("exercise-next").hidden = !exercise.next;
    setText(byId("exercise-next"), say("page.exercise.next", { title: exercise.next ?? "" }));
    for (const choice of CHOICES) {
      const button = byId(`exercise-${choice}`);
      setEnabled(button, isConnected);
      button.classList.toggle("main", exercise.done && !offersGame && choice === (exercise.next ? "next" : "leave"));
    }
  }
}
