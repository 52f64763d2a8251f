// @ts-check
import { byId, loadSetting, onPress, saveSetting, setEnabled, setText } from "./dom.js";
import { say, sideName } from "./words.js";

/** @typedef {import("./position.js").Side} Side */

const FIRST_LESSON = { command: "exercise", course: "lessons", name: "place" };

/** @type {Side} the side that the learner plays in a lesson */
const LEARNER = "light";

/** What a newcomer sees first: one line about the game, and a button that begins the first lesson. */
export class Welcome {
  /** @param {import("./page.js").Page} page */
  constructor({ game, send }) {
    this.game = game;
    this.send = send;
    /** True while a newcomer asks for a seat to begin the first lesson. */
    this.isAsking = false;
    onPress(byId("first-lesson"), () => {
      this.isAsking = !game.you.seat;
      send(this.isAsking ? { seat: [LEARNER] } : FIRST_LESSON);
    });
  }

  /** @param {any} message */
  receive(message) {
    if (message.type !== "you" || message.asking) return;
    if (this.isAsking && message.seat) this.send(FIRST_LESSON);
    this.isAsking = false;
  }

  describe() {
    const { hello, ownSides } = this.game;
    const people = ownSides.filter((side) => !hello?.players?.[side]);
    if (people.length > 1) return say("page.intro.both");
    return people.length ? say("page.intro.side", { side: sideName(people[0]) }) : say("page.intro");
  }

  show() {
    const { state, hello, you, isNow, isConnected } = this.game;
    const hasPlayed = Boolean(you.seat && (state?.exercise || state?.turn));
    if (hasPlayed && !loadSetting("played")) saveSetting("played", "yes");
    const isNew = Boolean(hello && isNow && !hasPlayed && state?.phase !== "resume" && !loadSetting("played"));
    const isSeated = Boolean(you.seat);
    byId("welcome").hidden = !isNew && isSeated;
    byId("first-lesson").hidden = !isNew;
    const place = byId(isSeated ? "game-buttons" : "welcome"); // beside other buttons it takes no room from the board
    if (byId("first-lesson").parentElement !== place) place.append(byId("first-lesson"));
    for (const id of ["do-draw", "do-resign"]) byId(id).hidden = isSeated && isNew; // before the first turn of a first game
    byId("intro").hidden = !isNew || Boolean(you.seat && !hello?.own); // on a shared board, it has been read before the seat was taken
    setText(byId("intro"), this.describe());
    setEnabled(byId("first-lesson"), isConnected);
  }
}
