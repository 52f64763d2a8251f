// @ts-check
import { CELL, drawPiece, element } from "./cells.js";
import { byId, make } from "./dom.js";
import { parseAction, SIDES } from "./position.js";

/** @typedef {import("./position.js").Piece} Piece */
/** @typedef {import("./position.js").Side} Side */
/** @typedef {import("./position.js").LastTurn} LastTurn */
/** @typedef {import("./board.js").View} View */
/** @typedef {NonNullable<View["played"]>} Played */
/** @typedef {{piece: Piece, from: number, until: number, pops: boolean}} Shape what a cell shows for some time */
/**
 * @typedef {object} Plan timetable of a turn, in milliseconds from its beginning
 * @property {Map<string, Shape[]>} shapes what each changed cell shows, one after the other
 * @property {number} setsAt when the sets light up
 * @property {number} flyAt when the scored pieces fly off
 * @property {number} endAt
 */
/** @typedef {{sound: import("./position.js").PieceSymbol | "score", at: number}} Moment something to hear */

// A program answers after 1.8 s, so everything but the last of the points is over by then.
const MOVE_MS = 300;
const POP_MS = 240;
const GROW_STEP_MS = 90;
const GROW_SPREAD_MS = 400;
const SET_MS = 360;
const FLY_MS = 460;
const FLY_STEP_MS = 40;
const POINTS_MS = 1100;
const WAVE_STEP_MS = 70;
const WAVE_MS = 1200;

const POP = [
  { opacity: 0, transform: "scale(0.4)" },
  { opacity: 1, transform: "scale(1.2)", offset: 0.6 },
  { opacity: 1, transform: "scale(1)" },
];

/**
 * Return the angle of a cell around another, clockwise from the top.
 * @param {string} center
 * @param {string} cell
 */
function angleOf(center, cell) {
  const across = cell.charCodeAt(0) - center.charCodeAt(0);
  const up = cell.charCodeAt(1) - center.charCodeAt(1);
  return (Math.atan2(across, up) + 2 * Math.PI) % (2 * Math.PI);
}

/**
 * @param {LastTurn} last
 * @param {Played} played
 * @param {number} moveMs duration of the move
 * @returns {Plan}
 */
function planTurn({ action, developed, sets, scored }, { grown }, moveMs) {
  const { source, target } = parseAction(action);
  const changes = [...developed].sort((one, other) => angleOf(target, one.cell) - angleOf(target, other.cell));
  const step = Math.min(GROW_STEP_MS, GROW_SPREAD_MS / changes.length);
  const setsAt = moveMs + (changes.length ? (changes.length - 1) * step + POP_MS : 0);
  const flyAt = setsAt + (sets.length ? SET_MS : 0);
  const flying = SIDES.flatMap((side) => scored[side]);
  const endAt = flying.length ? flyAt + FLY_MS + POINTS_MS : setsAt;
  /** @type {Plan["shapes"]} */
  const shapes = new Map();
  for (const cell of [target, ...changes.map((change) => change.cell), ...flying]) {
    const piece = grown.get(cell);
    if (!piece || shapes.has(cell)) continue;
    const index = changes.findIndex((change) => change.cell === cell);
    const growsAt = moveMs + index * step;
    const begin = { from: source && cell === target ? moveMs : 0, pops: !source && cell === target };
    shapes.set(cell, index < 0
      ? [{ piece, ...begin, until: flyAt }]
      : [{ piece: { ...piece, symbol: changes[index].from }, ...begin, until: growsAt }, { piece, from: growsAt, until: flyAt, pops: true }]);
  }
  return { shapes, setsAt, flyAt, endAt };
}

/**
 * Animation of a turn. The board shows the new position and takes presses from the start; older pieces are drawn above it
 * for a while.
 */
export class TurnAnimation {
  /**
   * @param {import("./board.js").Board} board
   * @param {(moment: Moment) => void} [play] called with each sound of a turn, when the turn begins
   * @param {() => void} [arrived] called when scored pieces have reached the score
   */
  constructor(board, play = () => {}, arrived = () => {}) {
    this.board = board;
    this.play = play;
    this.arrived = arrived;
    /** Numbers of scored pieces that have not reached the score yet. */
    this.underWay = { light: 0, dark: 0 };
    this.stillness = matchMedia("(prefers-reduced-motion: reduce)");
    this.stage = make("div", "", "stage");
    this.stage.setAttribute("aria-hidden", "true");
    document.body.append(this.stage);
    /** @type {Animation[]} */
    this.running = [];
    /** @type {number[]} */
    this.timers = [];
    this.endsAt = 0;
    this.dragged = ""; // move that a hand has already shown
    window.addEventListener("resize", () => this.end());
  }

  /** Milliseconds until the animation is over. */
  get remaining() {
    return Math.max(0, this.endsAt - performance.now());
  }

  /**
   * Show a view on the board, and animate the turn that led to it.
   * @param {View} view
   */
  show(view) {
    const hasChanged = this.board.show(view);
    if (view.played && view.last) this.begin(view.last, view.played);
    else if (hasChanged) this.end();
  }

  /** Show only the new position. */
  end() {
    this.endsAt = 0;
    this.timers.splice(0).forEach(clearTimeout);
    this.running.splice(0).forEach((each) => each.cancel());
    this.board.overlay.textContent = "";
    this.stage.textContent = "";
    SIDES.forEach((side) => this.arrive(side));
  }

  /** @param {Side} side */
  arrive(side) {
    if (!this.underWay[side]) return;
    this.underWay[side] = 0;
    this.arrived();
  }

  /**
   * @param {LastTurn} last
   * @param {Played} played
   */
  begin(last, played) {
    this.end();
    const moveMs = last.action === this.dragged ? 0 : MOVE_MS;
    const plan = planTurn(last, played, moveMs);
    this.dragged = "";
    this.playSounds(last, plan);
    if (this.stillness.matches || document.hidden) return;
    const { source, target } = parseAction(last.action);
    for (const [cell, shapes] of plan.shapes) {
      shapes.forEach((shape, index) => this.showShape(cell, shape, index === shapes.length - 1));
    }
    if (source && moveMs) this.move(source, target, plan);
    last.sets.forEach((set) => this.lightSet(set, plan));
    this.endsAt = performance.now() + plan.endAt;
    this.timers.push(setTimeout(() => this.end(), plan.endAt));
    for (const side of SIDES) this.underWay[side] = last.scored[side].length;
    if (last.sets.length) this.after(plan.flyAt, () => SIDES.forEach((side) => this.fly(side, last.scored[side], played)));
  }

  /**
   * @param {LastTurn} last
   * @param {Plan} plan
   */
  playSounds({ action, sets }, { shapes, flyAt }) {
    const { target } = parseAction(action);
    for (const [cell, list] of shapes) {
      list.forEach(({ piece, from }, index) => {
        if (index || cell === target) this.play({ sound: piece.symbol, at: from });
      });
    }
    if (sets.length) this.play({ sound: "score", at: flyAt });
  }

  /**
   * Call a function later. The time begins with the next frame, as that of the animations does.
   * @param {number} duration
   * @param {() => void} act
   */
  after(duration, act) {
    const clock = this.stage.animate([], { duration });
    clock.onfinish = act;
    this.running.push(clock);
  }

  /**
   * @param {Element} thing
   * @param {Keyframe[]} frames
   * @param {KeyframeAnimationOptions} options
   */
  animate(thing, frames, options) {
    this.running.push(thing.animate(frames, { fill: "both", ...options }));
  }

  /**
   * Show a shape of a cell. The last one is the piece on the board itself, unless it has scored.
   * @param {string} cell
   * @param {Shape} shape
   * @param {boolean} isLast
   */
  showShape(cell, { piece, from, until, pops }, isLast) {
    const group = this.board.cells.get(cell)?.group;
    const real = isLast ? group?.querySelector(".piece") : null;
    const things = real ? [real, ...Array.from(group?.querySelectorAll(".rim.grew, .rim.ended") ?? [])] : [this.addPiece(cell, piece)];
    for (const thing of things) {
      const frames = thing.classList.contains("piece") ? POP : [{ opacity: 0 }, { opacity: 1 }];
      if (pops) this.animate(thing, frames, { delay: from, duration: POP_MS, easing: "ease-out", fill: "backwards" });
      else if (from) this.animate(thing, [{ opacity: 0 }, { opacity: 0 }], { duration: from, fill: "none" });
      if (!real) this.animate(thing, [{ opacity: 1 }, { opacity: 0 }], { delay: until, duration: 80, fill: "forwards" });
    }
  }

  /**
   * Draw a piece above a cell.
   * @param {string} cell
   * @param {Piece} piece
   */
  addPiece(cell, piece) {
    const holder = element("g", { transform: this.board.transformOf(cell) });
    const drawn = drawPiece(piece);
    holder.append(drawn);
    this.board.overlay.append(holder);
    return drawn;
  }

  /**
   * @param {string} source
   * @param {string} target
   * @param {Plan} plan
   */
  move(source, target, { shapes }) {
    const first = shapes.get(target)?.[0];
    if (!first) return;
    const [x, y] = this.board.placeOf(source);
    const [toX, toY] = this.board.placeOf(target);
    const frames = [{ transform: `translate(${x - toX}px, ${y - toY}px)` }, { opacity: 1, transform: "none", offset: 0.999 }, { opacity: 0 }];
    this.animate(this.addPiece(target, first.piece), frames, { duration: MOVE_MS, easing: "ease-in-out" });
  }

  /**
   * @param {string} cell
   * @param {string} className
   */
  addLight(cell, className) {
    const light = element("rect", { class: className, width: CELL, height: CELL, rx: 10, transform: this.board.transformOf(cell) });
    this.board.overlay.prepend(light);
    return light;
  }

  /**
   * @param {string[]} set cells of a set
   * @param {Plan} plan
   */
  lightSet(set, { setsAt }) {
    for (const cell of set) {
      this.animate(this.addLight(cell, "glow"), [{ opacity: 0 }, { opacity: 1, offset: 0.35 }, { opacity: 0 }], { delay: setsAt, duration: 1.6 * SET_MS });
    }
  }

  /**
   * Let scored pieces fly to the score of a side.
   * @param {Side} side
   * @param {string[]} cells
   * @param {Played} played
   */
  fly(side, cells, { grown }) {
    const score = byId(side).querySelector(".score-number");
    if (!cells.length || !score) return;
    const goal = centerOf(score);
    cells.forEach((cell, index) => {
      const piece = grown.get(cell);
      const plate = this.board.cells.get(cell)?.group.querySelector(".cell");
      if (!piece || !plate) return;
      const flier = element("svg", { viewBox: `0 0 ${CELL} ${CELL}`, width: plate.getBoundingClientRect().width });
      flier.append(drawPiece(piece));
      this.stage.append(flier);
      const { x, y } = centerOf(plate);
      const at = (/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ scale) =>
        `translate(${left}px, ${top}px) translate(-50%, -50%) scale(${scale})`;
      const frames = [
        { opacity: 1, transform: at(x, y, 1) },
        { opacity: 1, transform: at(x, y, 1.25), offset: 0.2 },
        { opacity: 1, transform: at(goal.x, goal.y, 0.35), offset: 0.95 },
        { opacity: 0, transform: at(goal.x, goal.y, 0.35) },
      ];
      this.animate(flier, frames, { delay: index * FLY_STEP_MS, duration: FLY_MS, easing: "ease-in" });
    });
    const points = make("b", `+${cells.length}`, `points-gained ${side}`);
    this.stage.append(points);
    const below = `translate(${goal.x}px, ${goal.y + score.getBoundingClientRect().height / 2}px) translateX(-50%)`;
    const frames = [
      { opacity: 0, transform: `${below} scale(0.5)` },
      { opacity: 1, transform: `${below} scale(1.2)`, offset: 0.2 },
      { opacity: 1, transform: below, offset: 0.7 },
      { opacity: 0, transform: below },
    ];
    this.animate(points, frames, { delay: FLY_MS - 80, duration: POINTS_MS });
    this.after(FLY_MS - 80, () => this.arrive(side));
    this.animate(score, [{ transform: "none" }, { transform: "scale(1.5)", offset: 0.3 }, { transform: "none" }], { delay: FLY_MS - 80, duration: 450 });
  }

  /**
   * Light the board in a wave for the winner, and raise a card.
   * @param {Side | null} winner
   * @param {Element} card
   */
  celebrate(winner, card) {
    if (this.stillness.matches || document.hidden) return;
    this.animate(card, [{ opacity: 0, transform: "translateY(60%)" }, { opacity: 1, transform: "none" }], { duration: 350, easing: "ease-out", fill: "none" });
    if (!winner) return;
    for (const cell of this.board.cells.keys()) {
      const light = this.addLight(cell, `glow ${winner}`);
      const steps = cell.charCodeAt(0) - "a".charCodeAt(0) + Number(cell.charAt(1));
      const frames = [{ opacity: 0 }, { opacity: 1, offset: 0.2 }, { opacity: 0, offset: 0.5 }, { opacity: 0 }];
      this.animate(light, frames, { delay: WAVE_STEP_MS * steps, duration: WAVE_MS, iterations: 2 });
    }
  }
}

/**
 * Return the center of an element on the page.
 * @param {Element} thing
 */
function centerOf(thing) {
  const { left, top, width, height } = thing.getBoundingClientRect();
  return { x: left + width / 2 + window.scrollX, y: top + height / 2 + window.scrollY };
}
