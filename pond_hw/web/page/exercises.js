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
    onPress(byId("exercise-list-all"), () => this.ask());
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
    const { course, title, number, count, step, steps, done, last, next } = exercise;
    const isLesson = course === "lessons";
    setText(byId("exercise-title"), title);
    const at = [
      isLesson && number ? say("page.exercise.number", { number, count }) : "",
      steps > 1 ? say("page.exercise.step", { step, steps }) : "",
    ];
    setText(byId("exercise-step"), at.filter(Boolean).join(" · "));
    byId("exercise-choices").hidden = !you.seat;
    byId("exercise-play").hidden = !(done && last && isLesson);
    byId("exercise-next").hidden = !next || (isLesson && !done);
    setText(byId("exercise-next"), isLesson ? say("page.exercise.next", { title: next ?? "" }) : say("page.exercise.next_puzzle"));
    byId("exercise-next").classList.toggle("main", done && !last);
    byId("exercise-again").hidden = done || !isLesson;
    byId("exercise-list-all").hidden = !course;
    setText(byId("exercise-list-all"), say(`page.exercise.list.${isLesson ? "lessons" : "puzzles"}`));
    for (const choice of ["play", "list-all", ...CHOICES]) setEnabled(byId(`exercise-${choice}`), isConnected);
  }
}
