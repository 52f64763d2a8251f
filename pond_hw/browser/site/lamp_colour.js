// @ts-check

/**
 * Return the screen colour of a lamp, brightened so that dim lamps are visible.
 * @param {number[]} lamp drive levels of red, green and blue
 */
export function lampColour(lamp) {
  const parts = lamp.map((level) => Math.min(255, Math.floor(255 * (level / 255) ** (1 / 2.2) * 2) + 22));
  return `rgb(${parts.join(", ")})`;
}
