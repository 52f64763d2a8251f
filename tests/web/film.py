"""Film the page: the frames of a scoring turn and of a win, as a phone shows them.

    .venv/bin/python -m tests.web.film FOLDER              # both scenes
    .venv/bin/python -m tests.web.film FOLDER score        # only this one

Each scene becomes a folder of frames, named by milliseconds since the first change, and one picture with all of them. The
page's time between two frames is printed, too.
"""

import base64
import io
import shutil
import statistics
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from tests.web.browser import PHONE, Phone, open_browser
from tests.web.browser_players import Player
from tests.web.measure import COUNT_FRAMES
from tests.web.served_page import ServedPage

SCENES = {
    "score": ("standard", "e.TF/EfEe/ft.f/EFeE l 6 6 0 0", "d4b4", 3500),
    "win": ("mini", ".f.f/TF../.Tef/ee.T l 0 0 6 4", "a3a2", 6000),
}
"""Scenes: the pond, the position, the turn that Light plays, and the duration in milliseconds."""

COLUMNS = 8
HEIGHT = 420
"""Height in pixels of a frame in the picture with all frames."""


class Camera:
    """Records what a page shows, frame by frame."""

    def __init__(self, page):
        self.page, self.frames = page, []
        self.debugger = page.context.new_cdp_session(page)
        self.debugger.on("Page.screencastFrame", self._keep)

    def _keep(self, event):
        self.frames.append((event["metadata"]["timestamp"], base64.b64decode(event["data"])))
        self.debugger.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    def record(self, act, milliseconds):
        """Record while and after `act` is done. Return the times between the page's frames, in milliseconds."""
        self.debugger.send("Page.startScreencast", {"format": "png"})
        self.page.wait_for_timeout(300)
        self.frames = self.frames[-1:]
        self.page.evaluate(f"() => {{ globalThis.counted = ({COUNT_FRAMES})({milliseconds}); }}")
        act()
        times = self.page.evaluate("counted")
        self.debugger.send("Page.stopScreencast")
        return [after - before for before, after in pairwise(times)]


def film(scene, folder):
    """Film a scene. Return the times between the page's frames, in milliseconds."""
    variant, position, action, milliseconds = SCENES[scene]
    with tempfile.TemporaryDirectory(prefix="pond") as board_folder, open_browser() as browser:
        table = ServedPage(Path(board_folder), "--variant", "mini", "--names", "Ann,Ben")
        try:
            phone = Phone(browser, table.address, PHONE, reduced_motion="no-preference").open()
            ann = Player(phone, table).take_seat("light")
            with table.connect() as program:
                program.send({"command": "set_up", "variant": variant, "position": position})
            ann.page.wait_for_timeout(3500)  # the notice about the seat goes
            ann.cell(action[:2]).tap()
            ann.expect_cell(action[2:], "empty, the chosen piece")
            camera = Camera(ann.page)
            times = camera.record(lambda: ann.cell(action[2:]).tap(), milliseconds)
            phone.close()
        finally:
            table.close()
    save_frames(camera.frames, folder / scene)
    return times


def save_frames(frames, folder):
    from PIL import Image

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begin = frames[1][0] if len(frames) > 1 else frames[0][0]
    pictures = []
    for at, content in frames:
        name = f"{max(0, round(1000 * (at - begin))):05}"
        (folder / f"{name}.png").write_bytes(content)
        with Image.open(io.BytesIO(content)) as opened:
            picture = opened.convert("RGB")
        pictures.append(picture.resize((picture.width * HEIGHT // picture.height, HEIGHT)))
    width = pictures[0].width
    rows = -(-len(pictures) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (width + 4), rows * (HEIGHT + 4)), "white")
    for index, picture in enumerate(pictures):
        sheet.paste(picture, (index % COLUMNS * (width + 4), index // COLUMNS * (HEIGHT + 4)))
    sheet.save(folder.with_suffix(".png"))


def main():
    folder, *scenes = sys.argv[1:]
    for scene in scenes or SCENES:
        times = film(scene, Path(folder))
        late = sum(time > 1.5 * 1000 / 60 for time in times)
        print(
            f"{scene}: {len(times)} frames, median {statistics.median(times):.1f} ms, longest {max(times):.0f} ms, {late} late"
        )


if __name__ == "__main__":
    main()
