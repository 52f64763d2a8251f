// @ts-check
import { keep, recall } from "./dom.js";

/** Reads the messages aloud, if the browser can and somebody wants it. */
export class Speech {
  constructor() {
    this.isPossible = "speechSynthesis" in window && "SpeechSynthesisUtterance" in window;
    this.isOn = this.isPossible && recall("speech") === "on";
    this.newest = "";
  }

  /** @param {boolean} isOn */
  switch(isOn) {
    this.isOn = this.isPossible && isOn;
    keep("speech", this.isOn ? "on" : "off");
    if (this.isOn) this.sayAgain();
    else if (this.isPossible) speechSynthesis.cancel();
  }

  /**
   * A new message.
   * @param {string} text
   */
  tell(text) {
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
    speechSynthesis.cancel(); // what was said before is old
    speechSynthesis.speak(words);
  }
}
