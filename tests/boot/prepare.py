"""Prepare the image of an emulated machine as `pond sd-card` does, also for other releases and processors than a Pi's.

python -m tests.boot.prepare IMAGE PACKAGE DISK
"""

import sys
from pathlib import Path

from pond_hw.sd_card.debian_package import read_package
from pond_hw.sd_card.prepared_image import Board, prepare_image
from pond_hw.sd_card.settings import FirstBootSettings

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINotAKeyThatAnybodyHasTheOtherHalfOf player@home"


def main(image, package, disk):
    """Write the prepared disk."""
    looks_like_a_pi = read_package(Path(package))._replace(release=13, processor="arm64")
    settings = FirstBootSettings("lily-pad", "player", KEY, time_zone="Europe/Amsterdam")
    prepare_image(Path(image), Path(disk), looks_like_a_pi, Board("simulated-4x4", page=True), settings)


if __name__ == "__main__":
    main(*sys.argv[1:])
