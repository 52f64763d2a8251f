"""Draw the animations of the manual, docs/pictures/*.webp, with the real renderer: `make picture`.

`game.webp` is a game on a board with 64 lamps per cell. Each of the others shows one lamp signal, on cells with 1,
4, 16 and 64 lamps side by side.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from pond_hw.board import Touch
from pond_hw.engine import make_simulated_player
from pond_hw.exercises import LESSONS_COURSE, load_lessons
from pond_hw.lights.render import render_scene
from pond_hw.rules import (
    DARK,
    EGG,
    FROG,
    LIGHT,
    STANDARD,
    TADPOLE,
    Action,
    EndReason,
    Outcome,
    Piece,
    Position,
    get_grid,
    parse_variant,
)
from pond_hw.session import (
    ActionValue,
    AskHint,
    CellRole,
    CellView,
    ConfirmWindow,
    HintFound,
    Scene,
    Session,
    SessionEvent,
    SetUpGame,
    SignColour,
    StartExercise,
    TakeAction,
)

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
BOARD_COLOUR, PLATE_COLOUR = (33, 26, 21), (14, 12, 11)
FRAMES_PER_SECOND = 10
POND = parse_variant("3x3/9/5")

Moment = tuple[float, Scene]
"""Time in seconds, and the scene shown from then on."""


def draw_board(scene: Scene, now: float, lamps: int, pixels: int) -> Image.Image:
    """Draw a board from above at a given time. It is drawn at twice the size and scaled down for smooth edges."""
    side, size = round(lamps**0.5), scene.size
    picture = render_scene(scene, now, lamps)
    image = Image.new("RGB", (2 * pixels, 2 * pixels), BOARD_COLOUR)
    drawing = ImageDraw.Draw(image)
    pitch = 2 * pixels / (size + 0.16)
    for index in range(size * size):
        column, row = index % size, size - 1 - index // size
        left, top = (column + 0.08 + 0.07) * pitch, (row + 0.08 + 0.07) * pitch
        width = 0.86 * pitch
        drawing.rounded_rectangle((left, top, left + width, top + width), 0.1 * pitch, PLATE_COLOUR)
        step = 0.88 * width / side
        for lamp in range(lamps):
            offset = 3 * (index * lamps + lamp)
            colour = tuple(round(255 * min(1.0, channel)) for channel in picture[offset : offset + 3])
            if any(colour):
                x = left + 0.06 * width + (lamp % side + 0.5) * step
                y = top + 0.06 * width + (lamp // side + 0.5) * step
                radius = min(0.42 * step, 0.3 * width)
                drawing.ellipse((x - radius, y - radius, x + radius, y + radius), colour)
    return image.resize((pixels, pixels), Image.Resampling.LANCZOS)


def game_moments(light_seed: int, dark_seed: int, turn_count: int) -> Iterator[Moment]:
    """Yield the moments of a game between two programs, with one turn every 1.8 s."""
    players = make_simulated_player("greedy", light_seed), make_simulated_player("greedy", dark_seed)
    session = Session.start_game(STANDARD)
    yield 0.0, session.view.scene
    for turn in range(turn_count):
        now, actions = 1.0 + 1.8 * turn, list[Action]()
        player = players[turn % 2]
        assert player
        player.request_action(session.record, actions.append)
        session = session.after(TakeAction(actions[0], now))
        yield now, session.view.scene


def film(moments: list[Moment], until: float, draw: Callable[[Scene, float], Image.Image]) -> list[Image.Image]:
    images = []
    for number in range(round(until * FRAMES_PER_SECOND)):
        now = number / FRAMES_PER_SECOND
        scene = [scene for start_time, scene in moments if start_time <= now + 1e-9][-1]
        images.append(draw(scene, now))
    return images


def save(name: str, images: list[Image.Image]) -> None:
    """Save images as a looping animation."""
    images[0].save(
        FOLDER / f"{name}.webp",
        save_all=True,
        append_images=images[1:],
        duration=1000 // FRAMES_PER_SECOND,
        loop=0,
        quality=35,
        method=6,
    )


def gallery() -> Iterator[tuple[str, list[Moment], float]]:
    """Yield the name, moments and duration in seconds of each animation."""
    start = Position.from_notation("F.t/.T./e.E l 5 6 1 1", POND)
    game = replace(Session.start_game(POND), custom_start=start)

    def after(*events: SessionEvent) -> list[Moment]:
        session, moments = game, [(0.0, game.view.scene)]
        for event in events:
            session = session.after(event)
            moments.append((event.instant, session.view.scene))
        return moments

    def shown(**changes: Any) -> list[Moment]:
        return [(0.0, game.view.scene._replace(**changes))]

    def marked(**cells: CellView) -> list[Moment]:
        return shown(cell_views={**game.view.cells, **cells}, confirm_window=ConfirmWindow(0.0, 3.0))

    chosen, egg, dark_egg = Touch("b2", True, 0.6), Piece(LIGHT, EGG), Piece(DARK, EGG)
    yield "your-turn", after(), 3.0
    yield "chosen", after(chosen), 3.0
    lesson = replace(Session.start_game(POND), courses=(load_lessons(None).course,))
    yield "lesson", [(0.0, lesson.after(StartExercise(LESSONS_COURSE, 0.0, "place")).view.scene)], 3.0
    yield "moved", after(chosen, Touch("b1", True, 2.0)), 4.5
    yield "placed", after(Touch("c2", True, 0.6)), 3.0
    start = Position.from_notation("F.f/.t./E.. l 6 6 1 1", POND)
    scoring = Session.start_game(POND).after(SetUpGame(start, 0.0))
    scored = scoring.after(TakeAction(Action(None, "b3"), 0.6))
    yield "scored", [(0.0, scoring.view.scene), (0.6, scored.view.scene)], 4.0
    yield "refused", after(Touch("a1", True, 0.6)), 2.5
    yield "hint", after(AskHint(0.3), HintFound(Action("b2", "b1"), ActionValue(1.0), 0.6)), 3.0
    yield "won", shown(outcome=Outcome(LIGHT, EndReason.SCORE), to_move=None), 6.0
    yield "draw", shown(outcome=Outcome(None, EndReason.AGREEMENT), to_move=None), 6.0
    yield "turn-over", marked(b2=CellView(Piece(LIGHT, FROG), CellRole.FLIP)), 3.0
    yield "take-off", marked(a1=CellView(dark_egg, CellRole.TAKE_OFF)), 3.0
    yield "put-back", marked(b3=CellView(egg, CellRole.PUT)), 3.0
    yield "about-to-count", marked(b1=CellView(egg, CellRole.PENDING)), 3.0
    yield "bad-sensor", marked(b2=CellView(Piece(LIGHT, TADPOLE), CellRole.PLAIN, is_masked=True)), 3.0
    choices = {"a1": CellRole.DEFAULT_CHOICE, "b1": CellRole.CHOICE, "c1": CellRole.TAKE_OFF}
    empty = dict.fromkeys(get_grid(3).cells, CellView())
    yield (
        "unfinished-game",
        shown(cell_views={**empty, **{cell: CellView(None, role) for cell, role in choices.items()}}),
        3.0,
    )
    yield "phone-asks", shown(asked_cell="c2", asked_colour=SignColour.GREEN), 3.0
    yield "not-saved", shown(is_unsaved=True), 6.0
    yield "trouble", shown(has_trouble=True), 3.0


def draw_side_by_side(scene: Scene, now: float) -> Image.Image:
    """Draw the same board with 1, 4, 16 and 64 lamps per cell, side by side."""
    wide = Image.new("RGB", (4 * 150 + 3 * 10, 150), (255, 255, 255))
    for column, lamps in enumerate((1, 4, 16, 64)):
        wide.paste(draw_board(scene, now, lamps, 150), (column * 160, 0))
    return wide


if __name__ == "__main__":
    save("game", film(list(game_moments(1, 107, 14)), 27.0, lambda scene, now: draw_board(scene, now, 64, 320)))
    for name, moments, seconds in gallery():
        save(name, film(moments, seconds, draw_side_by_side))
