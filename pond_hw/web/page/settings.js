// @ts-check
import { Dialog } from "./dialog.js";
import { byId, loadSetting, make, onPress, saveSetting } from "./dom.js";
import { refitBoard } from "./fit.js";
import { languageName } from "./words.js";

const THEMES = ["auto", "light", "dark"];
const WIDE = "(min-width: 1600px)";
const TELEVISION = "#tv"; // end of the address that opens the television view

/** @param {string} theme */
function applyTheme(theme) {
  const root = document.documentElement;
  if (theme === "auto") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", theme);
}

/** Language, colours, size and speech. */
export class Settings {
  /** @param {{speech: import("./speech.js").Speech, changeLanguage: (language: string) => void, changed: () => void}} parts */
  constructor({ speech, changeLanguage, changed }) {
    this.dialog = new Dialog(byId("settings"));
    onPress(byId("open-settings"), () => this.dialog.open());

    this.languages = /** @type {HTMLSelectElement} */ (byId("language"));
    this.languages.addEventListener("change", () => changeLanguage(this.languages.value));

    const themes = /** @type {HTMLSelectElement} */ (byId("theme"));
    const theme = loadSetting("theme") ?? "auto";
    themes.value = THEMES.includes(theme) ? theme : "auto";
    applyTheme(themes.value);
    themes.addEventListener("change", () => {
      saveSetting("theme", themes.value);
      applyTheme(themes.value);
    });

    this.changed = changed;
    this.isBig = loadSetting("big") === "yes" || location.hash === TELEVISION;
    this.wide = matchMedia(WIDE);
    this.wide.addEventListener("change", () => {
      this.applySize();
      refitBoard();
    });
    onPress(byId("big"), () => this.setBig(!this.isBig));
    onPress(byId("small-again"), () => this.setBig(false));
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement && this.isBig) this.setBig(false);
    });
    this.applySize();

    byId("speech-setting").hidden = !speech.isPossible;
    byId("speech").setAttribute("aria-pressed", String(speech.isOn));
    onPress(byId("speech"), () => {
      speech.setOn(!speech.isOn);
      byId("speech").setAttribute("aria-pressed", String(speech.isOn));
      changed();
    });
  }

  /** @param {string[]} codes */
  offerLanguages(codes) {
    const chosen = document.documentElement.lang;
    this.languages.textContent = "";
    for (const code of codes.filter(languageName)) {
      const option = /** @type {HTMLOptionElement} */ (make("option", languageName(code)));
      option.value = code;
      option.lang = code;
      this.languages.append(option);
    }
    this.languages.value = chosen;
  }

  applySize() {
    const { classList } = document.documentElement;
    classList.toggle("television", this.isBig);
    classList.toggle("large", this.isBig || this.wide.matches);
    byId("big").setAttribute("aria-pressed", String(this.isBig));
    byId("small-again").hidden = !this.isBig;
  }

  /** @param {boolean} isBig */
  setBig(isBig) {
    if (isBig === this.isBig) return;
    this.isBig = isBig;
    saveSetting("big", isBig ? "yes" : "no");
    if (!isBig && location.hash === TELEVISION) history.replaceState(null, "", location.pathname);
    this.applySize();
    this.changed();
    this.dialog.close();
    const root = document.documentElement;
    if (isBig && root.requestFullscreen) root.requestFullscreen().catch(() => {}); // large even without full screen
    else if (!isBig && document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }
}
