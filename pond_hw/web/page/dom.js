// @ts-check

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Write a text only if it has changed, so that a live region doesn't announce it twice.
 * @param {Element | null} place
 * @param {string} text
 */
export function setText(place, text) {
  if (place && place.textContent !== text) place.textContent = text;
}

/**
 * @param {string} name
 * @param {string} [text]
 * @param {string} [className]
 */
export function make(name, text = "", className = "") {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/**
 * Enable or disable a button. A disabled button keeps the focus, and a screen reader announces it as unavailable.
 * @param {Element} button
 * @param {boolean} isEnabled
 */
export function setEnabled(button, isEnabled) {
  if (isEnabled) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/**
 * @param {Element} button
 * @param {() => void} act
 */
export function onPress(button, act) {
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") act();
  });
}

/** @param {string} key */
export function loadSetting(key) {
  try {
    return localStorage.getItem(`pond.${key}`);
  } catch {
    return null; // storage is blocked
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function saveSetting(key, value) {
  try {
    localStorage.setItem(`pond.${key}`, value);
  } catch {
    // storage is blocked: the value lasts until the page is closed
  }
}
