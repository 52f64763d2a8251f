// @ts-check

/**
 * Return the screen colour of a lamp, brightened so that dim lamps are visible.
 * @param {number[]} lamp drive levels of red, green and blue
 */
export function lampColour(lamp) {
  const levels = lamp.map((level) => 2 * (level / 255) ** (1 / 2.2));
  const most = Math.max(1, ...levels); // a bright lamp keeps its hue
  return `rgb(${levels.map((level) => Math.min(255, Math.round(255 * level / most) + 22)).join(", ")})`;
}
