// @ts-check
import { write } from "./dom.js";

/** @type {Record<string, string>} */
let words = {};

const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * The words that have come with the page, and are in it already.
 * @param {Record<string, string>} given
 */
export function takeWords(given) {
  words = given;
}

/**
 * The name of a language in that language; none if the page does not have it.
 * @param {string} code
 */
export function languageName(code) {
  return words[`language.${code}`];
}

/** The codes of all languages of the page. */
export function listLanguages() {
  return Object.keys(words).flatMap((id) => (id.startsWith("language.") ? [id.slice("language.".length)] : []));
}

/** The language of the page. */
export function getLanguage() {
  return document.documentElement.lang;
}

/**
 * Gets the words of a language and puts them into the page.
 * @param {string} language
 */
export async function loadWords(language) {
  const answer = await fetch(`/page/words-${language}.json`);
  if (!answer.ok) throw new Error(`no words: ${answer.status}`);
  words = await answer.json();
  document.documentElement.lang = language;
  for (const place of Array.from(document.querySelectorAll("[data-word]"))) {
    write(place, say(place.getAttribute("data-word") ?? ""));
  }
  for (const place of Array.from(document.querySelectorAll("[data-label]"))) {
    place.setAttribute("aria-label", say(place.getAttribute("data-label") ?? ""));
  }
}

/**
 * The next time the page comes in this language.
 * @param {string} language
 */
export function keepLanguage(language) {
  document.cookie = `pond-language=${language}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}

/**
 * The words of an id, with their gaps filled.
 * @param {string} id
 * @param {Record<string, string | number>} [gaps]
 */
export function say(id, gaps = {}) {
  return (words[id] ?? id).replace(/\{(\w+)\}/g, (gap, name) => String(gaps[name] ?? gap));
}

/** @param {string} id */
export function hasWords(id) {
  return id in words;
}

/**
 * Several things in a sentence: a1, b1 and c1.
 * @param {string[]} texts
 */
export function join(texts) {
  if (texts.length < 2) return texts.join("");
  return say("page.list.and", { front: texts.slice(0, -1).join(", "), last: texts[texts.length - 1] });
}

/** @param {import("./position.js").Side} side */
export function sideName(side) {
  return say(`page.side.${side}`);
}

/**
 * A player by a name of their own, or a program in words.
 * @param {string | null | undefined} name
 */
export function playerName(name) {
  if (!name) return say("page.player.person");
  if (hasWords(`page.program.${name}`)) return say(`page.program.${name}`);
  const level = /^level-(\d+)$/.exec(name);
  return level ? say("page.program.level", { level: level[1] }) : name;
}
