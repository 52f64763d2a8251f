// @ts-check
import { setText } from "./dom.js";

/** @type {Record<string, Record<string, string>>} messages by language, as far as they came with the page */
let known = {};

/** @type {Record<string, string>} */
let words = {};

const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * Store the messages that came with the page, and show those of the preferred language.
 * @param {Record<string, Record<string, string>>} given messages by language
 */
export function setMessages(given) {
  known = given;
  const language = chooseLanguage();
  if (language === getLanguage()) words = known[language];
  else showMessages(language, known[language]);
}

/** Return the language that was saved or that the browser prefers, among those that came with the page. */
function chooseLanguage() {
  const saved = /(?:^|; )pond-language=(\w+)/.exec(document.cookie);
  const codes = [...(saved ? [saved[1]] : []), ...navigator.languages].map((each) => each.slice(0, 2).toLowerCase());
  return codes.find((code) => code in known) ?? getLanguage();
}

/**
 * Return the name of a language in that language, if the page has it.
 * @param {string} code
 */
export function languageName(code) {
  return words[`language.${code}`];
}

/** Codes of all languages of the page. */
export function listLanguages() {
  return Object.keys(words).flatMap((id) => (id.startsWith("language.") ? [id.slice("language.".length)] : []));
}

/** Language of the page. */
export function getLanguage() {
  return document.documentElement.lang;
}

/** Language of the page, with the region of the browser if that has the same language. */
export function getLocale() {
  const language = getLanguage();
  return navigator.languages.find((each) => each.split("-")[0] === language) ?? language;
}

/**
 * Load the messages of a language and show them.
 * @param {string} language
 */
export async function loadMessages(language) {
  if (!(language in known)) {
    const answer = await fetch(`page/words-${language}.json`);
    if (!answer.ok) throw new Error(`no words: ${answer.status}`);
    known[language] = await answer.json();
  }
  showMessages(language, known[language]);
}

/**
 * @param {string} language
 * @param {Record<string, string>} messages
 */
function showMessages(language, messages) {
  words = messages;
  document.documentElement.lang = language;
  for (const place of Array.from(document.querySelectorAll("[data-word]"))) {
    setText(place, say(place.getAttribute("data-word") ?? ""));
  }
  for (const place of Array.from(document.querySelectorAll("[data-label]"))) {
    place.setAttribute("aria-label", say(place.getAttribute("data-label") ?? ""));
  }
}

/**
 * Store the language for the next visit.
 * @param {string} language
 */
export function saveLanguage(language) {
  document.cookie = `pond-language=${language}; path=${new URL(".", location.href).pathname}; max-age=${YEAR_SECONDS}; samesite=lax`;
}

/**
 * Return a message with its arguments.
 * @param {string} id
 * @param {Record<string, string | number>} [params]
 */
export function say(id, params = {}) {
  return (words[id] ?? id).replace(/\{(\w+)\}/g, (gap, name) => String(params[name] ?? gap));
}

/** @param {string} id */
export function hasMessage(id) {
  return id in words;
}

/**
 * Join items: a1, b1 and c1.
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

/** @param {string} name name of a pond in records */
export function pondName(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * Return the name of a person or a program, without the number of a level that has a name.
 * @param {string} name
 */
export function shortPlayerName(name) {
  const text = playerName(name);
  return text === name ? name : text.replace(/ \(.*\)$/, "");
}

/**
 * Return the name of a person or a program.
 * @param {string | null | undefined} name
 */
export function playerName(name) {
  if (!name) return say("page.player.person");
  if (name === "remote") return say("page.link.title");
  if (hasMessage(`page.program.${name}`)) return say(`page.program.${name}`);
  const level = /^level-(\d+)$/.exec(name);
  return level ? say("page.program.level", { level: level[1] }) : name;
}
