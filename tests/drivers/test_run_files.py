"""Tests of the file paths of a running service."""

import os
from pathlib import Path

import pytest

from pond_hw.drivers.run_files import board_lock_files, default_socket, list_sockets, socket_lock_file


def test_service_and_user_have_different_default_sockets():
    both = {"RUNTIME_DIRECTORY": "/run/pond:/run/other", "XDG_RUNTIME_DIR": "/run/user/7"}
    assert default_socket(both) == Path("/run/pond/pond.sock")
    assert default_socket({"XDG_RUNTIME_DIR": "/run/user/7"}) == Path("/run/user/7/pond.sock")
    assert default_socket({}).name == f"pond-{os.getuid()}.sock"
    assert socket_lock_file(default_socket(both)) == Path("/run/pond/pond.sock.lock")


def test_list_sockets_includes_installed_service():
    assert list_sockets({"XDG_RUNTIME_DIR": "/run/user/7"}) == [
        Path("/run/user/7/pond.sock"),
        Path("/run/pond/pond.sock"),
    ]
    assert list_sockets({"RUNTIME_DIRECTORY": "/run/pond"}) == [Path("/run/pond/pond.sock")]


@pytest.mark.parametrize("device", ["", "gpiochip0"])
def test_user_checks_all_lock_folders(device):
    service = board_lock_files(device, {"RUNTIME_DIRECTORY": "/run/pond"})
    person = board_lock_files(device, {"XDG_RUNTIME_DIR": "/run/user/7"})
    assert set(service) < set(person)


def test_each_device_has_its_own_lock_file():
    assert set(board_lock_files("i2c-1")).isdisjoint(board_lock_files("gpiochip0"))
    assert board_lock_files("i2c-1")[0] == Path("/run/lock/pond-i2c-1.lock")
