"""Find faults of the layout of a page by script."""

import json

MIN_BOARD_SHARE = 0.5
"""Minimum size of the board, as a share of the smaller side of the window."""


def find_overflowing_elements(page):
    """List elements that stick out on the right, which would make the page scroll sideways."""
    return page.evaluate(
        """() => [...document.body.querySelectorAll("*")]
          .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
          .map((each) => each.outerHTML.slice(0, 100))"""
    )


def find_small_buttons(page, least=44):
    """List buttons and fields that are too small for a thumb: less than `least` pixels wide or high."""
    found = page.evaluate(
        """(least) => [...document.querySelectorAll("button, select, [role=button], input, summary")]
          .map((each) => [each.outerHTML.slice(0, 100), each.getBoundingClientRect()])
          .filter(([_, box]) => box.width && (box.width < least || box.height < least))
          .map(([html, box]) => [html, box.width, box.height])""",
        least,
    )
    return [json.dumps(each) for each in found]


CUT_TEXTS = """() => {
  const found = [];
  const isSeen = (each) => each.checkVisibility() && each.clientWidth > 1;
  const pen = document.createElement("canvas").getContext("2d");
  for (const field of [...document.querySelectorAll("select")].filter(isSeen)) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    pen.font = font;
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
    for (const { text } of field.options) if (pen.measureText(text).width > room) found.push(`${field.id}: ${text}`);
  }
  const texts = document.querySelectorAll("header *, main *, .sheet *, #notices *, #connection");
  const hasText = (each) => [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const each of [...texts].filter(isSeen)) {
    if (each.closest("svg, select, input, .name, .who")) continue;  // names may be shortened
    if (!hasText(each) && each.tagName !== "BUTTON") continue;
    if (each.scrollWidth > each.clientWidth + 1) found.push(`${each.id || each.className || each.tagName}: ${each.innerText}`);
  }
  return found;
}"""


def find_cut_texts(page):
    """List texts that are wider than their element."""
    return page.evaluate(CUT_TEXTS)


COVERED_ELEMENTS = """() => {
  scrollTo(0, 0);
  const found = [];
  const boxOf = (each) => each.getBoundingClientRect();
  const isSeen = (each) => each.checkVisibility();
  if ([...document.querySelectorAll(".cover")].some(isSeen)) return found;
  const byId = (id) => document.getElementById(id);
  const bars = [byId("play-buttons"), byId("replay")].filter((each) => isSeen(each) && getComputedStyle(each).position === "fixed");
  const edge = Math.min(innerHeight, ...bars.map((each) => boxOf(each).top));
  const places = "#play-buttons, #offer, #exercise, #resume-buttons, .banner" + (innerHeight < 500 ? "" : ", #game-buttons");
  for (const each of document.querySelectorAll(places.replaceAll(/[^,]+/g, "$& button"))) {
    if (!isSeen(each) || bars.some((bar) => bar.contains(each))) continue;
    const { top, bottom } = boxOf(each);
    if (bars.length && top < edge && bottom > edge + 0.5) found.push(`half under the bar: ${each.innerText}`);
    if (each.closest("#offer") && bottom > edge + 0.5) found.push(`below the screen: ${each.innerText}`);
  }
  const message = byId("message");
  const isQuiet = message.parentElement.classList.contains("quiet");  // it is only for screen readers
  const isBelow = message.innerText && Math.min(boxOf(message).top + 36, boxOf(message).bottom) > edge;
  if (isSeen(message) && !isQuiet && isBelow) found.push(`below the screen: ${message.innerText}`);
  const running = byId("past-running");
  if (isSeen(running) && boxOf(running).bottom > edge + 0.5) found.push(`below the screen: ${running.innerText}`);
  const notices = byId("notices");
  if (isSeen(notices)) {
    const { top, bottom } = boxOf(notices);
    const headline = boxOf(byId("turn"));
    if (top < headline.bottom && bottom > headline.top) found.push(`over the headline: ${notices.innerText}`);
    if (bottom > edge) found.push(`over the bar: ${notices.innerText}`);
  }
  return found;
}"""


def find_covered_elements(page):
    """List buttons, messages and notices that overlap the bar or the headline, or are below the screen."""
    return page.evaluate(COVERED_ELEMENTS)


CLASHES = """() => {
  const found = [];
  const seen = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const styleOf = (each) => getComputedStyle(each);
  const ancestors = (each) => (each === document.body ? [] : [each, ...ancestors(each.parentElement)]);
  const layerOf = (each) => ancestors(each).find((one) => /fixed|sticky/.test(styleOf(one).position)) ?? document.body;
  const isUnseen = (each) => ancestors(each).some((one) => styleOf(one).clipPath !== "none");
  const isShortened = (each) => each.closest(".name, .who, #variant, [role=gridcell]");
  const sheet = [...document.querySelectorAll(".cover")].findLast(seen);

  const boxes = [];
  const add = (each, box, label, containers) => {
    let { left, top, right, bottom } = box;
    const layer = layerOf(each);
    for (const around of containers) {
      const { overflowX, overflowY } = styleOf(around);
      if (overflowX === "visible" || around.localName === "svg") continue;
      const edge = around.getBoundingClientRect();
      const isCut = (/hidden|clip/.test(overflowY) && (top < edge.top - 2 || bottom > edge.bottom + 2)) ||
        left < edge.left - 1 || right > edge.right + 1;
      if (isCut && !isShortened(each)) found.push(`cut by #${around.id || around.className}: ${label}`);
      [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    if (right - left < 1 || bottom - top < 1) return;
    const isFixed = layer !== document.body;
    if (left < -1 || right > innerWidth + 1 || (isFixed && (top < -1 || bottom > innerHeight + 1)))
      found.push(`outside of the window: ${label}`);
    boxes.push({ each, layer, left, top, right, bottom, label });
  };
  const walker = document.createTreeWalker(sheet ?? document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const each = node.parentElement;
    if (!node.data.trim() || each.closest("script, option, noscript, .stage") || !seen(each) || isUnseen(each)) continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(each, box, node.data.trim().slice(0, 40), ancestors(each));
    if (range.getClientRects().length > 1) for (const word of node.data.matchAll(/[^\\s\u00ad/-]{2,}/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top)));
      if (lines.size > 1 && !each.closest("code")) found.push(`broken word: ${word[0]}`);
    }
  }
  for (const each of (sheet ?? document.body).querySelectorAll("button, select, input, summary, a, #board, .egg"))
    if (seen(each) && !isUnseen(each)) {
      const label = each.innerText || each.id || each.ariaLabel || each.getAttribute("class");
      add(each, each.getBoundingClientRect(), label, ancestors(each).slice(1));
    }

  boxes.forEach((one, index) => boxes.slice(index + 1).forEach((other) => {
    if (one.layer !== other.layer || one.each.contains(other.each) || other.each.contains(one.each)) return;
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    const isIcon = [one, other].some(({ each }) => each.localName === "svg" && each.id !== "board");
    if (width > (isIcon ? -2 : 1) && height > 3) found.push(`overlap: ${one.label} | ${other.label}`);
  }));
  return [...new Set(found)];
}"""


def find_clashes(page):
    """List texts and controls that overlap, that an ancestor cuts off, or that are outside of the window."""
    return page.evaluate(CLASHES)


UNREACHABLE = """() => {
  scrollTo(0, 0);
  const found = [];
  const seen = (each) => each.checkVisibility();
  const boxOf = (each) => each.getBoundingClientRect();
  if ([...document.querySelectorAll(".cover")].some(seen)) return found;
  const bars = [...document.querySelectorAll("#play-buttons, #replay")]
    .filter((each) => seen(each) && getComputedStyle(each).position === "fixed");
  const buttons = ["#offer", "#play-buttons", "#resume-buttons", "#exercise-choices", "#link"];
  if (innerHeight > 700) buttons.push("#game-buttons");
  const wanted = ["#turn, .score-number, #board, .banner, #first-lesson", ...buttons.map((each) => `${each} button`)].join();
  for (const each of [...document.querySelectorAll(wanted)].filter(seen)) {
    const { left, right, bottom } = boxOf(each);
    const below = bars.filter((bar) => !bar.contains(each) && boxOf(bar).left < right && boxOf(bar).right > left);
    const hidden = bottom - Math.min(innerHeight, ...below.map((bar) => boxOf(bar).top));
    if (hidden > 0.5) found.push(`needs scrolling: ${each.innerText || each.id} (${Math.round(hidden)} px)`);
  }
  return found;
}"""


def find_unreachable(page):
    """List what a player needs in a game and cannot reach without scrolling. Dialogs may scroll."""
    return page.evaluate(UNREACHABLE)


BOARD_SHARE = """() => {
  const board = document.getElementById("board");
  const isCovered = [...document.querySelectorAll(".cover")].some((each) => each.checkVisibility());
  if (isCovered || !board.checkVisibility()) return 1;
  return board.getBoundingClientRect().width / Math.min(innerWidth, innerHeight);
}"""


def measure_board(page):
    """Return the size of the board as a share of the smaller side of the window; 1 if it is hidden."""
    return page.evaluate(BOARD_SHARE)


def list_layout_faults(page):
    """List all faults of the layout at the present size, and in the present language."""
    faults = [f"too wide: {each}" for each in find_overflowing_elements(page)]
    faults += [f"too small: {each}" for each in find_small_buttons(page)]
    faults += [f"cut: {each}" for each in find_cut_texts(page)]
    faults += find_covered_elements(page) + find_clashes(page) + find_unreachable(page)
    share = measure_board(page)
    if share < MIN_BOARD_SHARE:
        faults.append(f"small board: {100 * share:.0f} %")
    return faults
