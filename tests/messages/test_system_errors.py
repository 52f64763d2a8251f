"""Tests of the messages for system errors."""

import pytest

from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error, explain_system_errors
from tests.conftest import each
from tests.messages.says import text


@each(
    "error, expected",
    [
        (OSError(2, "No such file or directory"), "No such file or directory"),
        (OSError("broken"), "broken"),
        (ValueError("embedded null byte"), "embedded null byte"),
        (PondError(Message("delete.nothing")), text(Message("delete.nothing"))),
        (SensorReadError(Message("lamps.lost", text="no bus")), text(Message("lamps.lost", text="no bus"))),
    ],
)
def test_describe_system_error(error, expected):
    assert describe_system_error(error) == expected


@each("error", [FileNotFoundError(2, "No such file or directory"), ValueError("embedded null byte")])
def test_system_errors_are_explained(error):
    with pytest.raises(PondError) as refused, explain_system_errors("file.cannot_read", file="a.pond"):
        raise error
    assert refused.value.message == Message("file.cannot_read", file="a.pond", reason=describe_system_error(error))


def test_pond_errors_are_unchanged():
    ours = Message("file.is_folder", file="a.pond")
    with pytest.raises(PondError) as refused, explain_system_errors("file.cannot_read", file="a.pond"):
        raise PondError(ours)
    assert refused.value.message == ours
