// @ts-check
import { byId, loadSetting, make, onPress, saveSetting } from "./dom.js";

/** @typedef {[text: string, isMain: boolean]} Sentence */

/** Line below the board. Only its main sentences are visible until the reader asks for the others; a screen reader has all. */
export class MessageLine {
  /** @param {() => void} changed called when the reader wants more or fewer sentences */
  constructor(changed) {
    this.isOpen = loadSetting("more") === "yes";
    this.written = "";
    onPress(byId("more"), () => {
      this.isOpen = !this.isOpen;
      saveSetting("more", this.isOpen ? "yes" : "no");
      changed();
    });
  }

  /** @param {Sentence[]} sentences */
  show(sentences) {
    const place = byId("message");
    place.classList.toggle("all", this.isOpen);
    byId("more").setAttribute("aria-expanded", String(this.isOpen));
    place.parentElement?.classList.toggle("quiet", !sentences.some(([, isMain]) => isMain));
    byId("more").hidden = sentences.every(([, isMain]) => isMain);
    const written = JSON.stringify(sentences);
    if (written === this.written) return; // a live region announces whatever is written
    this.written = written;
    place.textContent = "";
    for (const [text, isMain] of sentences) place.append(make("span", text, isMain ? "" : "detail"), " ");
  }
}
