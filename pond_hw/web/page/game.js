// @ts-check
import { parseAction, parsePosition, SIDES } from "./position.js";

/** @typedef {import("./past_game.js").PastGame} PastGame */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./position.js").LastTurn} LastTurn */
/**
 * @typedef {object} Hello
 * @property {number} size
 * @property {string[]} [variants]
 * @property {string} [version]
 * @property {string[]} [languages]
 * @property {boolean} [pieces]
 * @property {string[]} [programs] who may play instead of a person
 * @property {Partial<Record<Side, string | null>>} [players] programs that play
 * @property {Partial<Record<Side, string | null>>} [names] people's names
 * @property {Setting[]} settings
 */
/**
 * @typedef {object} Setting one that evens the odds
 * @property {string} name
 * @property {string} field where a request has its value
 * @property {unknown[]} values in the order in which they are listed
 * @property {unknown} default
 * @property {boolean} of_side whether each side has its own value; else the table has one
 */
/** @typedef {"seat" | "resign" | "draw" | "new" | "discard" | "undo" | "redo" | "revoke" | "setting"} Wish */
/** @typedef {{colour: string, number: number}} Sign what phone and board show, so that people see which phone asks */
/** @typedef {{sides: Side[] | null, for: Wish, cells: number, pressed: number, seconds: number, sign: Sign | null}} Asking */
/** @typedef {{seat: {number: number, sides: Side[]} | null, may_watch: boolean, asking: Asking | null}} You */
/**
 * @typedef {object} State
 * @property {string} variant
 * @property {string} position
 * @property {number} [target] the score that ends the game
 * @property {string} phase
 * @property {string | null} [selected]
 * @property {string[]} [targets]
 * @property {number} turn the number of the last turn; 0 before the first
 * @property {LastTurn | null} [last]
 * @property {{winner: Side | null, reason: string} | null} [outcome]
 * @property {string} [message]
 * @property {string} [trouble]
 * @property {string} [unsaved]
 * @property {boolean} [undo]
 * @property {boolean} [redo]
 * @property {string[]} [legal]
 * @property {{action: string | null} | null} [hint]
 * @property {boolean} [board_asks]
 * @property {number} [brightness]
 * @property {Record<Side, HelpLevel>} [help] how much the board helps; all of it if it does not say
 * @property {boolean} [turn_key] whether turns have to be ended
 * @property {Exercise} [exercise] the lesson or puzzle that is being done; the position is its
 */
/**
 * @typedef {object} Exercise
 * @property {string | null} course what it is from, such as `lessons`
 * @property {string} title
 * @property {number} step
 * @property {number} steps
 * @property {string[]} lit the cells that are lit to say where
 * @property {boolean} done
 * @property {boolean} last whether no other one of its course follows
 * @property {boolean} asks whether the board asks how to go on
 * @property {Record<Side, string | null>} players engines that play a side in it
 * @property {string} [next] the title of the one that follows, which may be of another course
 */
/** @typedef {"none" | "targets" | "full" | "warnings"} HelpLevel */
/** @typedef {LastTurn & {side: Side, position: string}} Turn */
/** @typedef {{number: number, sides: Side[], here: boolean}} Seat */
/** @typedef {LastTurn & {position: string, message: string}} Preview what an action would do */
/**
 * @typedef {object} Shown a position, and how it came about
 * @property {"now" | "old" | "preview" | "past"} kind
 * @property {Position} position
 * @property {LastTurn | null} last
 */

const ACTING_PHASES = ["act", "in_hand", "take_off"];
const ANSWER_MS = 2000;

/** @returns {You} */
function nobody() {
  return { seat: null, may_watch: true, asking: null };
}

/** Everything the page knows: what the server said, and what somebody chose here. */
export class Game {
  constructor() {
    /** @type {Hello | null} */
    this.hello = null;
    this.you = nobody();
    /** @type {State | null} */
    this.state = null;
    /** @type {Seat[]} */
    this.seats = [];
    this.start = "";
    /** @type {Turn[]} */
    this.turns = [];
    this.answers = false;
    /** @type {number | null} how many turns had been played in the position that is looked at; null is now */
    this.replayAt = null;
    /** @type {PastGame | null} a kept game that is looked at instead */
    this.past = null;
    /** @type {string | null} the cell of the piece that somebody chose here */
    this.selected = null;
    this.tries = false;
    /** @type {Preview | null} */
    this.preview = null;
    this.waitsUntil = 0;
  }

  /** @param {Hello} hello */
  takeHello(hello) {
    this.hello = hello;
    this.answers = true;
  }

  /** @param {You} you */
  takeYou(you) {
    this.you = you;
    if (you.seat) return;
    this.selected = null;
    this.stopTrying();
    this.seats = [];
    this.past = null;
    if (you.may_watch) return;
    this.state = null;
    this.turns = [];
    this.replayAt = null;
  }

  /** @param {State} state */
  takeState(state) {
    if (!parsePosition(state.position)) return;
    if (this.state?.position !== state.position) {
      this.selected = null;
      this.preview = null;
    }
    this.state = state;
    this.answers = true;
    this.waitsUntil = 0;
    if (this.tries && !this.mayTry) this.stopTrying();
    if (this.selected && !this.targetsOf(this.selected).length) this.selected = null;
  }

  /** @param {{from: number, start: string, turns: Turn[]}} news */
  takeTurns({ from, start, turns }) {
    this.start = start;
    this.turns = [...this.turns.slice(0, from), ...turns];
    if (this.replayAt !== null && (this.replayAt > this.turns.length || from === 0)) this.replayAt = null;
  }

  /** @param {Preview} preview */
  takePreview(preview) {
    this.waitsUntil = 0;
    if (!this.tries) return;
    this.preview = preview;
    this.selected = null;
  }

  stopTrying() {
    this.tries = false;
    this.preview = null;
  }

  /** The board is gone; the last position stays. */
  lose() {
    this.answers = false;
    this.selected = null;
    this.stopTrying();
    this.waitsUntil = 0;
    this.past?.forget();
  }

  /** Something was sent; until its answer comes, nothing else is. */
  wait() {
    this.waitsUntil = Date.now() + ANSWER_MS;
  }

  get isWaiting() {
    return Date.now() < this.waitsUntil;
  }

  /** The newest position. */
  get position() {
    return this.state && parsePosition(this.state.position);
  }

  /** @returns {string[]} */
  get legal() {
    return this.state?.legal ?? [];
  }

  /** Whether the game takes actions now, whoever's turn it is. */
  get isOn() {
    const { state } = this;
    return Boolean(state && !state.outcome && ACTING_PHASES.includes(state.phase));
  }

  /**
   * How much the board helps a side.
   * @param {Side} side
   */
  helpFor(side) {
    return this.state?.help?.[side] ?? "full";
  }

  /**
   * The value of a setting, of a side or of the table.
   * @param {Setting} setting
   * @param {Side} [side]
   * @returns {unknown}
   */
  settingOf(setting, side) {
    const value = /** @type {Record<string, any> | null} */ (this.state)?.[setting.name];
    return (side ? value?.[side] : value) ?? setting.default;
  }

  /** How much the board helps the side to move. */
  get help() {
    return this.helpFor(this.position?.toMove ?? "light");
  }

  /** Whether somebody with a seat may look for an action. */
  get mayChoose() {
    return Boolean(this.answers && this.you.seat && this.isOn && this.legal.length);
  }

  /** Whether hints and what an action would do can be asked for. */
  get mayTry() {
    return this.mayChoose && (this.help === "full" || this.help === "warnings");
  }

  /** Whether somebody plays from here now: it's their turn. */
  get mayAct() {
    const side = this.position?.toMove;
    const exercise = this.state?.exercise; // which is for whoever does it, whatever their side is
    const isOwn = exercise || (side && this.you.seat?.sides.includes(side));
    return Boolean(this.mayChoose && side && isOwn && !(exercise ?? this.hello)?.players?.[side]);
  }

  /** @param {string} cell */
  targetsOf(cell) {
    return this.legal.filter((action) => action.startsWith(cell)).map((action) => parseAction(action).target);
  }

  /** Where an egg may be placed, and which pieces may move; nothing unless somebody may choose here now. */
  choices() {
    const isOpen = this.isNow && !this.preview && !this.isWaiting && this.help !== "none";
    if (!isOpen || !(this.tries ? this.mayTry : this.mayAct)) return { placing: [], moving: [] };
    const actions = this.legal.map(parseAction);
    const placing = actions.filter(({ source }) => !source).map(({ target }) => target);
    const moving = new Set();
    for (const { source } of actions) if (source) moving.add(source);
    return { placing, moving: /** @type {string[]} */ (Array.from(moving)) };
  }

  /** The game that can be stepped through: a past one, or the one that is on. */
  get replayed() {
    return this.past ?? { start: this.start, turns: this.turns };
  }

  /** How many of its turns have been played in the position that is looked at. */
  get at() {
    return this.past ? this.past.at : this.replayAt ?? this.turns.length;
  }

  /** Whether the newest position of the game that is on is looked at. */
  get isNow() {
    return !this.past && this.replayAt === null;
  }

  /** @returns {Shown | null} what the board shows */
  shown() {
    if (this.past) return this.past.shown();
    if (this.replayAt !== null) {
      const last = this.replayAt > 0 ? this.turns[this.replayAt - 1] : null;
      const position = parsePosition(last ? last.position : this.start);
      if (position) return { kind: "old", position, last };
    }
    if (this.preview) {
      const position = parsePosition(this.preview.position);
      if (position) return { kind: "preview", position, last: this.preview };
    }
    return this.position && { kind: "now", position: this.position, last: this.state?.last ?? null };
  }

  /**
   * Looks at an old position, or at the newest one again.
   * @param {number | null} at
   */
  lookAt(at) {
    if (this.past) {
      this.past.lookAt(at);
      return;
    }
    this.replayAt = at === null || at >= this.turns.length ? null : Math.max(0, at);
    this.selected = null;
    this.preview = null;
  }

  /**
   * Looks at a kept game, or at the one that is on again.
   * @param {PastGame | null} past
   */
  openPast(past) {
    this.past = past;
    this.replayAt = null;
    this.selected = null;
    this.stopTrying();
  }

  /**
   * The name of whoever plays a side, if it is known.
   * @param {Side} side
   */
  nameOf(side) {
    if (this.past) return this.past.listed[side] ?? null;
    return this.hello?.players?.[side] || this.hello?.names?.[side] || null;
  }

  /**
   * The sides that somebody plays from here.
   * @returns {Side[]}
   */
  get ownSides() {
    return SIDES.filter((side) => this.you.seat?.sides.includes(side));
  }
}
