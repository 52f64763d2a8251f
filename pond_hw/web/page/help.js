// @ts-check
import { byId, make, onPress, setEnabled, setText } from "./dom.js";
import { SIDES } from "./position.js";
import { hasMessage, say } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Setting} Setting */
/** @typedef {import("./position.js").Side} Side */

/** Handicap settings that the board lists. */
export class Help {
  /**
   * @param {Game} game
   * @param {(message: Record<string, unknown>) => void} send
   */
  constructor(game, send) {
    this.game = game;
    this.send = send;
    this.built = "";
  }

  show() {
    const { you, isConnected, hello } = this.game;
    const place = byId("help-setting");
    const names = hello?.settings.map(({ name }) => name).join() ?? "";
    if (hello && names !== this.built) { // another kind of board has other settings
      this.built = names;
      place.textContent = "";
      this.build(place, hello.settings);
    }
    byId("game-settings").hidden = !you.seat;
    place.hidden = !you.seat;
    for (const setting of hello?.settings ?? []) {
      if (!setting.of_side) {
        byId(fieldId(setting)).setAttribute("aria-pressed", String(this.game.settingValue(setting)));
        setEnabled(byId(fieldId(setting)), isConnected);
      }
      for (const side of setting.of_side ? SIDES : []) {
        const list = /** @type {HTMLSelectElement} */ (byId(fieldId(setting, side)));
        list.value = optionValue(this.game.settingValue(setting, side));
        list.disabled = !isConnected;
      }
    }
  }

  /**
   * @param {Element} place
   * @param {Setting[]} settings
   */
  build(place, settings) {
    for (const setting of settings) {
      if (!setting.of_side) {
        place.append(this.makeSwitch(setting));
        continue;
      }
      for (const side of SIDES) place.append(...this.makeList(setting, side));
      const how = `page.${setting.name}.how`;
      if (hasMessage(how)) place.append(makeWith("p", how, { id: `${fieldId(setting)}-how`, class: "soft" }));
    }
  }

  /** @param {Setting} setting */
  makeSwitch(setting) {
    const button = makeWith("button", `page.${setting.name}`, { id: fieldId(setting), type: "button", class: "switch" });
    onPress(button, () => {
      this.send({ command: setting.name, [setting.field]: !this.game.settingValue(setting) });
    });
    return button;
  }

  /**
   * @param {Setting} setting
   * @param {Side} side
   */
  makeList(setting, side) {
    const id = fieldId(setting, side);
    const list = /** @type {HTMLSelectElement} */ (make("select"));
    list.id = id;
    if (hasMessage(`page.${setting.name}.how`)) list.setAttribute("aria-describedby", `${fieldId(setting)}-how`);
    for (const value of setting.values) {
      const words = `page.${setting.name}.${value ?? "any"}`;
      const option = hasMessage(words) ? makeWith("option", words, {}) : make("option", String(value));
      option.setAttribute("value", optionValue(value));
      list.append(option);
    }
    list.addEventListener("change", () => {
      const value = setting.values.find((each) => optionValue(each) === list.value);
      this.send({ command: setting.name, side, [setting.field]: value });
    });
    return [makeWith("label", `page.${setting.name}.${side}`, { for: id }), list];
  }
}

/**
 * @param {Setting} setting
 * @param {Side} [side]
 */
function fieldId(setting, side) {
  const name = setting.name.replace("_", "-");
  return side ? `${side}-${name}` : name;
}

/** @param {unknown} value */
function optionValue(value) {
  return String(value ?? "");
}

/**
 * Make an element with text in the language of the page.
 * @param {string} name
 * @param {string} words
 * @param {Record<string, string>} attributes
 */
function makeWith(name, words, attributes) {
  const made = make(name);
  made.setAttribute("data-word", words);
  setText(made, say(words));
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}
