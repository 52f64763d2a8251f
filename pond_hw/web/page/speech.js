// @ts-check
import { loadSetting, saveSetting } from "./dom.js";

/** Reader for messages, if supported and enabled. */
export class Speech {
  constructor() {
    this.isPossible = "speechSynthesis" in window && "SpeechSynthesisUtterance" in window;
    this.isOn = this.isPossible && loadSetting("speech") === "on";
    this.newest = "";
  }

  /** @param {boolean} isOn */
  setOn(isOn) {
    this.isOn = this.isPossible && isOn;
    saveSetting("speech", this.isOn ? "on" : "off");
    if (this.isOn) this.sayAgain();
    else if (this.isPossible) speechSynthesis.cancel();
  }

  /**
   * Read a new message.
   * @param {string} text
   */
  announce(text) {
    if (!text || text === this.newest) return;
    this.newest = text;
    if (this.isOn) this.sayAgain();
  }

  sayAgain() {
    if (!this.isPossible || !this.newest) return;
    const { lang } = document.documentElement;
    const words = new SpeechSynthesisUtterance(this.newest);
    words.lang = lang;
    const voice = speechSynthesis.getVoices().find((each) => each.lang.toLowerCase().startsWith(lang));
    if (voice) words.voice = voice;
    speechSynthesis.cancel(); // stop the previous message
    speechSynthesis.speak(words);
  }
}
