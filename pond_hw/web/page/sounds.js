// @ts-check
import { byId, loadSetting, onPress, saveSetting } from "./dom.js";
import { say } from "./words.js";

/** @typedef {"egg" | "tadpole" | "frog" | "score" | "turn" | "win"} SoundName */
/**
 * @typedef {[OscillatorType, number, number, number, number]} Note waveform, pitch at its beginning and end in Hz, its
 * beginning and length in seconds
 */

/** @param {number} at */
function croak(at) {
  return Array.from({ length: 5 }, (_, index) => /** @type {Note} */ (["sawtooth", 130 + 14 * index, 160 + 14 * index, at + 0.028 * index, 0.024]));
}

/** @type {Record<SoundName, Note[]>} */
const SOUNDS = {
  egg: [["sine", 620, 270, 0, 0.1]],
  tadpole: [["sine", 420, 700, 0, 0.07], ["sine", 560, 930, 0.08, 0.08]],
  frog: [...croak(0), ...croak(0.17)],
  score: [["triangle", 660, 660, 0, 0.12], ["triangle", 880, 880, 0.1, 0.12], ["triangle", 1320, 1320, 0.2, 0.3]],
  turn: [["triangle", 587, 587, 0, 0.14], ["triangle", 784, 784, 0.15, 0.25]],
  win: [523, 659, 784, 1047].map((pitch, index) => ["triangle", pitch, pitch, 0.14 * index, index < 3 ? 0.16 : 0.6]),
};

/** @type {Partial<Record<SoundName, number[]>>} milliseconds of vibration and pauses */
const VIBRATIONS = { score: [30, 40, 30], turn: [60], win: [40, 60, 40, 60, 120] };

const VOLUME = 0.2;
const ATTACK_SECONDS = 0.008;

/**
 * Sounds and vibration. Until the user chooses otherwise, a phone with a seat has them, as other games do, and a page that
 * only watches is silent. A browser plays nothing before the first press.
 */
export class Sounds {
  /** @param {import("./game.js").Game} game */
  constructor(game) {
    this.game = game;
    /** @type {AudioContext | null} */
    this.audio = null;
    this.hasVibration = "vibrate" in navigator && matchMedia("(pointer: coarse)").matches;
    this.vibrates = loadSetting("vibration") !== "off";
    for (const kind of ["click", "keydown"]) document.addEventListener(kind, ({ isTrusted }) => isTrusted && this.allow(), true);
    onPress(byId("sound"), () => {
      saveSetting("sound", this.isOn ? "off" : "on");
      this.show();
      this.allow().then(() => this.play("egg"));
    });
    onPress(byId("vibration"), () => {
      this.vibrates = !this.vibrates;
      saveSetting("vibration", this.vibrates ? "on" : "off");
      this.show();
      this.vibrate("turn");
    });
  }

  get isOn() {
    const chosen = loadSetting("sound");
    return chosen ? chosen === "on" : Boolean(this.game.you.seat);
  }

  /** Begin to use the loudspeaker, as a press allows it. */
  async allow() {
    if (!this.isOn || !("AudioContext" in window)) return;
    this.audio ??= new AudioContext();
    if (this.audio.state !== "running") await this.audio.resume().catch(() => {});
  }

  /**
   * @param {SoundName} name
   * @param {number} [delayMs]
   */
  play(name, delayMs = 0) {
    if (!this.isOn) return;
    if (VIBRATIONS[name]) setTimeout(() => this.vibrate(name), delayMs);
    const { audio } = this;
    if (audio?.state !== "running") return;
    for (const [type, from, to, begin, length] of SOUNDS[name]) {
      const at = audio.currentTime + delayMs / 1000 + begin;
      const oscillator = new OscillatorNode(audio, { type, frequency: from });
      const volume = new GainNode(audio, { gain: 0 });
      oscillator.frequency.setValueAtTime(from, at);
      oscillator.frequency.exponentialRampToValueAtTime(to, at + length);
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(type === "sawtooth" ? VOLUME / 3 : VOLUME, at + ATTACK_SECONDS);
      volume.gain.exponentialRampToValueAtTime(0.001, at + length);
      oscillator.connect(volume).connect(audio.destination);
      oscillator.start(at);
      oscillator.stop(at + length);
    }
  }

  /** @param {SoundName} name */
  vibrate(name) {
    const pattern = VIBRATIONS[name];
    if (pattern && this.isOn && this.vibrates && this.hasVibration && this.audio) navigator.vibrate(pattern);
  }

  show() {
    const button = byId("sound");
    button.setAttribute("aria-pressed", String(this.isOn));
    button.setAttribute("aria-label", say(this.hasVibration ? "page.sound.both" : "page.sound"));
    byId("vibration").hidden = !this.hasVibration;
    byId("vibration").setAttribute("aria-pressed", String(this.vibrates));
  }
}
