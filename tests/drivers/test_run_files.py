"""Where the files of a running service are."""

import os
from pathlib import Path

import pytest

from pond_hw.drivers.run_files import board_lock_files, default_socket, list_sockets, socket_lock_file


def test_the_socket_is_in_the_folder_of_the_service_or_of_the_person():
    both = {"RUNTIME_DIRECTORY": "/run/pond:/run/other", "XDG_RUNTIME_DIR": "/run/user/7"}
    assert default_socket(both) == Path("/run/pond/pond.sock")
    assert default_socket({"XDG_RUNTIME_DIR": "/run/user/7"}) == Path("/run/user/7/pond.sock")
    assert default_socket({}).name == f"pond-{os.getuid()}.sock"
    assert socket_lock_file(default_socket(both)) == Path("/run/pond/pond.sock.lock")


def test_who_connects_looks_where_the_installed_service_is_too():
    assert list_sockets({"XDG_RUNTIME_DIR": "/run/user/7"}) == [
        Path("/run/user/7/pond.sock"),
        Path("/run/pond/pond.sock"),
    ]
    assert list_sockets({"RUNTIME_DIRECTORY": "/run/pond"}) == [Path("/run/pond/pond.sock")]


@pytest.mark.parametrize("device", ["", "gpiochip0"])
def test_a_person_looks_wherever_a_service_may_have_left_its_name(device):
    service = board_lock_files(device, {"RUNTIME_DIRECTORY": "/run/pond"})
    person = board_lock_files(device, {"XDG_RUNTIME_DIR": "/run/user/7"})
    assert set(service) < set(person)


def test_each_device_has_a_file_of_its_own_for_its_holders_name():
    assert set(board_lock_files("i2c-1")).isdisjoint(board_lock_files("gpiochip0"))
    assert board_lock_files("i2c-1")[0] == Path("/run/lock/pond-i2c-1.lock")
