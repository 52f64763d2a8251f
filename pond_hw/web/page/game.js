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
 * @property {boolean} [own] true on a visitor's own board
 * @property {string[]} [programs] available computer players
 * @property {Partial<Record<Side, string | null>>} [players] computer players
 * @property {Partial<Record<Side, string | null>>} [names] people's names
 * @property {Setting[]} settings
 */
/**
 * @typedef {object} Setting handicap setting
 * @property {string} name
 * @property {string} field field of the value in a request
 * @property {unknown[]} values in display order
 * @property {unknown} default
 * @property {boolean} of_side true if each side has its own value; false if there is one for the table
 */
/** @typedef {"seat" | "resign" | "draw" | "new" | "rematch" | "discard" | "undo" | "redo" | "revoke" | "setting"} RequestKind */
/** @typedef {{colour: string, number: number}} Sign on phone and board, which tells people which phone is asking */
/** @typedef {{sides: Side[] | null, for: RequestKind, cells: number, pressed: number, seconds: number, sign: Sign | null}} Asking */
/** @typedef {{seat: {number: number, sides: Side[]} | null, may_watch: boolean, asking: Asking | null}} You */
/**
 * @typedef {object} State
 * @property {string} variant
 * @property {string} position
 * @property {number} [target] the score that ends the game
 * @property {string} phase
 * @property {string | null} [selected]
 * @property {string[]} [targets]
 * @property {number} turn number of the last turn; 0 before the first
 * @property {LastTurn | null} [last]
 * @property {{winner: Side | null, reason: string} | null} [outcome]
 * @property {string} [message]
 * @property {import("./message_line.js").Sentence[]} [sentences] sentences of the message
 * @property {string} [trouble]
 * @property {string} [unsaved]
 * @property {boolean} [undo]
 * @property {boolean} [redo]
 * @property {string[]} [legal]
 * @property {{action: string | null} | null} [hint]
 * @property {boolean} [board_asks]
 * @property {number} [brightness]
 * @property {Record<Side, HelpLevel>} [help] help levels; full if missing
 * @property {boolean} [turn_key] true if turns must be ended
 * @property {{next: RepairStep | null, take_off: string[]}} [wood] only on a board with pieces
 * @property {Link} [link] only in a game linked to another home
 * @property {Exercise} [exercise] current lesson or puzzle, whose position is shown
 */
/**
 * @typedef {object} Exercise
 * @property {string | null} course course, such as `lessons`
 * @property {string} title
 * @property {number} step
 * @property {number} steps
 * @property {string[]} lit cells that are lit as a pointer
 * @property {boolean} done
 * @property {boolean} last true for the last exercise of its course
 * @property {number} number place in its course, from 1
 * @property {number} count number of exercises in its course
 * @property {boolean} asks true while the board asks how to continue
 * @property {Record<Side, string | null>} players engines that play a side
 * @property {string} [next] title of the next exercise, possibly from another course
 */
/**
 * @typedef {object} Link link to another home
 * @property {string | null} name name of the player there
 * @property {string} text who is there, and what is awaited
 * @property {string} question what the other home asks; empty if nothing
 * @property {{label: string, send: Record<string, unknown>}[]} answers possible answers, each with the request to send
 * @property {boolean} fixed_players true if a new game has the same players
 */
/** @typedef {"none" | "targets" | "full" | "warnings"} HelpLevel */
/** @typedef {{from?: string | null, to?: string | null}} RepairStep piece to move; null means beside the board */
/** @typedef {LastTurn & {side: Side, position: string}} Turn */
/** @typedef {LastTurn & {position: string, message: string}} Preview effect of an action */
/**
 * @typedef {object} Shown position with the turn that led to it
 * @property {"now" | "old" | "preview" | "past"} kind
 * @property {Position} position
 * @property {LastTurn | null} last
 */

const ACTING_PHASES = ["act", "in_hand", "take_off"];
const ANSWER_TIMEOUT_MS = 2000;

/** @returns {You} */
function noSeat() {
  return { seat: null, may_watch: true, asking: null };
}

/** State of the page: messages of the server, and the user's choices. */
export class Game {
  constructor() {
    /** @type {Hello | null} */
    this.hello = null;
    this.you = noSeat();
    /** @type {State | null} */
    this.state = null;
    this.start = "";
    /** @type {Turn[]} */
    this.turns = [];
    this.isConnected = false;
    /** @type {number | null} number of turns in the viewed position; null for the newest */
    this.replayAt = null;
    /** @type {PastGame | null} saved game that is viewed instead */
    this.past = null;
    /** @type {string | null} cell of the chosen piece */
    this.selected = null;
    this.isTrying = false;
    /** @type {Preview | null} */
    this.preview = null;
    this.waitsUntil = 0;
  }

  /** @param {Hello} hello */
  applyHello(hello) {
    this.hello = hello;
    this.isConnected = true;
  }

  /** @param {You} you */
  applyYou(you) {
    this.you = you;
    if (you.seat) return;
    this.selected = null;
    this.stopTrying();
    this.past = null;
    if (you.may_watch) return;
    this.state = null;
    this.turns = [];
    this.replayAt = null;
  }

  /** @param {State} state */
  applyState(state) {
    if (!parsePosition(state.position)) return;
    if (this.state?.position !== state.position) {
      this.selected = null;
      this.preview = null;
    }
    this.state = state;
    this.isConnected = true;
    this.waitsUntil = 0;
    if (this.isTrying && !this.mayTry) this.stopTrying();
    if (this.selected && !this.targetsOf(this.selected).length) this.selected = null;
  }

  /** @param {{from: number, start: string, turns: Turn[]}} news */
  applyTurns({ from, start, turns }) {
    this.start = start;
    this.turns = [...this.turns.slice(0, from), ...turns];
    if (this.replayAt !== null && (this.replayAt > this.turns.length || from === 0)) this.replayAt = null;
  }

  /** @param {Preview} preview */
  applyPreview(preview) {
    this.waitsUntil = 0;
    if (!this.isTrying) return;
    this.preview = preview;
    this.selected = null;
  }

  stopTrying() {
    this.isTrying = false;
    this.preview = null;
  }

  /** Mark the board as disconnected; keep its last position. */
  markLost() {
    this.isConnected = false;
    this.selected = null;
    this.stopTrying();
    this.waitsUntil = 0;
    this.past?.forget();
  }

  /** Block further input until the answer to a request arrives. */
  wait() {
    this.waitsUntil = Date.now() + ANSWER_TIMEOUT_MS;
  }

  get isWaiting() {
    return Date.now() < this.waitsUntil;
  }

  /** Newest position. */
  get position() {
    return this.state && parsePosition(this.state.position);
  }

  /** @returns {string[]} */
  get legal() {
    return this.state?.legal ?? [];
  }

  /** True while the game accepts actions from either side. */
  get isOn() {
    const { state } = this;
    return Boolean(state && !state.outcome && ACTING_PHASES.includes(state.phase));
  }

  /**
   * Return the help level of a side.
   * @param {Side} side
   */
  helpFor(side) {
    return this.state?.help?.[side] ?? "full";
  }

  /**
   * Return the value of a setting, for a side or for the table.
   * @param {Setting} setting
   * @param {Side} [side]
   * @returns {unknown}
   */
  settingValue(setting, side) {
    const value = /** @type {Record<string, any> | null} */ (this.state)?.[setting.name];
    return (side ? value?.[side] : value) ?? setting.default;
  }

  /** Help level of the side to move. */
  get help() {
    return this.helpFor(this.position?.toMove ?? "light");
  }

  /** True if this page has a seat and can try actions. */
  get mayChoose() {
    return Boolean(this.isConnected && this.you.seat && this.isOn && this.legal.length);
  }

  /** True if hints and previews are available. */
  get mayTry() {
    return this.mayChoose && (this.help === "full" || this.help === "warnings");
  }

  /** True if it is the turn of a side that plays here. */
  get mayAct() {
    const side = this.position?.toMove;
    const exercise = this.state?.exercise; // any seat can act in an exercise
    const isOwn = exercise || (side && this.you.seat?.sides.includes(side));
    return Boolean(this.mayChoose && side && isOwn && !(exercise ?? this.hello)?.players?.[side]);
  }

  /** @param {string} cell */
  targetsOf(cell) {
    return this.legal.filter((action) => action.startsWith(cell)).map((action) => parseAction(action).target);
  }

  /** Return the cells for eggs and the movable pieces, or nothing if it is not this page's turn. */
  choices() {
    const isOpen = this.isNow && !this.preview && !this.isWaiting && this.help !== "none";
    if (!isOpen || !(this.isTrying ? this.mayTry : this.mayAct)) return { placing: [], moving: [] };
    const actions = this.legal.map(parseAction);
    const placing = actions.filter(({ source }) => !source).map(({ target }) => target);
    const moving = new Set();
    for (const { source } of actions) if (source) moving.add(source);
    return { placing, moving: /** @type {string[]} */ (Array.from(moving)) };
  }

  /** Game to step through: a past game or the current one. */
  get replayed() {
    return this.past ?? { start: this.start, turns: this.turns };
  }

  /** Number of turns in the viewed position. */
  get at() {
    return this.past ? this.past.at : this.replayAt ?? this.turns.length;
  }

  /** True if the newest position of the current game is shown. */
  get isNow() {
    return !this.past && this.replayAt === null;
  }

  /** @returns {Shown | null} contents of the board */
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
   * Show an old position, or return to the newest.
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
   * Show a saved game, or return to the current one.
   * @param {PastGame | null} past
   */
  openPast(past) {
    this.past = past;
    this.replayAt = null;
    this.selected = null;
    this.stopTrying();
  }

  /**
   * Return the name of the player of a side, if known.
   * @param {Side} side
   */
  nameOf(side) {
    if (this.past) return this.past.listed[side] ?? null;
    const program = this.hello?.players?.[side];
    const person = program === "remote" ? this.state?.link?.name : this.hello?.names?.[side];
    return (program === "remote" && person) || program || person || null;
  }

  /**
   * Sides that this page plays.
   * @returns {Side[]}
   */
  get ownSides() {
    return SIDES.filter((side) => this.you.seat?.sides.includes(side));
  }

  /** Side that a person plays on this page, if it is only one. */
  get ownSide() {
    const sides = this.ownSides.filter((side) => !this.hello?.players?.[side]);
    return sides.length === 1 ? sides[0] : null;
  }
}
