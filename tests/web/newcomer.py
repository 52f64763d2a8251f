"""Walk the path of a newcomer, from opening the page to the first own score, and count taps and words.

    .venv/bin/python -m tests.web.newcomer         # in English
    .venv/bin/python -m tests.web.newcomer de

The newcomer takes the path that the page offers first: the lessons. They read each text once, when it becomes visible.
Touches of the board itself are counted separately.
"""

import re
import sys
import tempfile
from pathlib import Path
from time import sleep

from pond_hw.exercises import load_lessons
from pond_hw.rules import Action, Position, parse_variant, play
from tests.waiting import wait_for
from tests.web.browser import Phone, open_browser
from tests.web.browser_players import UNSEEN_SECONDS
from tests.web.served_page import ServedPage

FIRST_LESSON = "#first-lesson"

SETTLE_MS = 400

LIST_TEXTS = """() => {
  const found = [];
  const isClipped = (each) => getComputedStyle(each).clipPath === "inset(50%)";
  const isForScreenReaders = (each) => each && (isClipped(each) || isForScreenReaders(each.parentElement));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const place = node.parentElement;
    if (isForScreenReaders(place)) continue;
    if (!node.data.trim() || place.closest("svg, script, style, option, noscript") || !place.checkVisibility()) continue;
    range.selectNodeContents(node);
    const { left, top, width, height } = range.getBoundingClientRect();
    const top_element = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 8));
    if (width > 1 && top_element && (place.contains(top_element) || top_element.contains(place))) found.push(node.data);
  }
  for (const field of document.querySelectorAll("select")) {
    if (field.checkVisibility()) found.push(field.selectedOptions[0]?.text ?? "");
  }
  return found;
}"""
"""Script that lists the texts on the screen that nothing covers."""


def count_words(texts):
    return sum(len(re.findall(r"\w+", text)) for text in texts)


class Newcomer:
    """A person who has never seen the page.

    Args:
        phone: phone with the open page.
        table: table with the board.

    Attributes:
        taps: number of taps on the phone.
        touches: number of touches of the board.
        words: number of words read.
    """

    def __init__(self, phone, table):
        self.page, self.table = phone.page, table
        self.taps = self.touches = self.words = 0
        self.known = set()
        self.lessons = {lesson.name: lesson for lesson in load_lessons(None).course.exercises}

    def read(self, screen):
        """Read what is new on the screen."""
        self.page.wait_for_timeout(SETTLE_MS)
        texts = [" ".join(text.split()) for text in self.page.evaluate(LIST_TEXTS)]
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(new)
        self.words += count_words(new)
        print(f"{self.taps:3} taps, {count_words(new):3} new words of {count_words(texts):3}: {screen}")

    def tap(self, place, screen):
        place.tap()
        self.taps += 1
        self.read(screen)

    def press_board(self):
        """Press the cells that light up on the board."""
        with self.table.connect() as hand:
            asked = wait_for(lambda: hand.send({"ask": "state"}).get("asks"), "the cell that lights up")
            sleep(UNSEEN_SECONDS)
            while asked:
                asked = hand.send({"touch": asked["cell"]}).get("asks")
                self.touches += 1
        self.page.get_by_role("dialog").wait_for(state="hidden")

    def begin_lesson(self):
        """Take a seat and begin the first lesson."""
        self.tap(self.page.locator(FIRST_LESSON), "asking for a seat")
        self.press_board()
        self.page.locator("#exercise").wait_for()
        self.read("first lesson")

    def learn_to_score(self):
        """Do the lessons until one of them scores. Read all texts."""
        with self.table.connect() as program:
            while True:
                exercise = program.send({"ask": "state"})["exercise"]
                if exercise["done"]:
                    self.tap(self.page.locator("#exercise-next"), "next lesson")
                    continue
                action, has_scored = self.find_answer(program.state)
                for cell in re.findall("[a-e][1-5]", action):
                    place = self.page.get_by_role("gridcell", name=re.compile(f"^{cell}, "))
                    self.tap(place, f"{action} in {exercise['title']!r}")
                if has_scored:
                    return
                before = exercise["step"], exercise["done"]
                self.wait_for_step(program, before)

    def wait_for_step(self, program, before):
        """Wait for the next step, and read on."""

        def has_changed():
            exercise = program.send({"ask": "state"}).get("exercise", {})
            return (exercise.get("step"), exercise.get("done")) != before and (
                exercise["done"] or program.state["legal"]
            )

        wait_for(has_changed, "the next step")
        self.read("next step")

    def find_answer(self, state):
        """Return an action that the step wants, and True if it scores for its side."""
        goal = self.lessons[state["exercise"]["name"]].steps[state["exercise"]["step"] - 1].goal
        position = Position.from_notation(state["position"], parse_variant(state["variant"]))
        for action in state["legal"]:
            turn = play(position, Action.from_notation(action))
            if goal.is_met_by(turn):
                return action, bool(turn.scored_cells[turn.side])
        raise AssertionError(f"no action reaches the goal of {state['exercise']}")


def walk(language):
    """Walk the path once, and print the numbers."""
    with open_browser() as browser, tempfile.TemporaryDirectory(prefix="pond") as folder:
        table = ServedPage(Path(folder))
        phone = Phone(browser, table.address, locale=language)
        newcomer = Newcomer(phone.open(), table)
        newcomer.read("first screen")
        newcomer.begin_lesson()
        newcomer.learn_to_score()
        print(f"{newcomer.taps} taps, {newcomer.touches} touches of the board, {newcomer.words} words read")
        phone.close()
        table.close()


if __name__ == "__main__":
    walk(*(sys.argv[1:] or ["en"]))
