"""Tests of the firmware's USB port for the game, on a simulated chip."""

import pytest

INTERFACE, ASSOCIATION, ENDPOINT = 4, 11, 5


@pytest.fixture
def port(chip):
    from game_port import GamePort

    return GamePort(450)


def split_descriptors(configuration):
    found = []
    while configuration:
        length = configuration[0]
        assert 2 <= length <= len(configuration)
        found.append(configuration[:length])
        configuration = configuration[length:]
    return found


def test_descriptors_describe_two_ports(chip, port):
    configuration = chip.usb.configuration
    first, *others = split_descriptors(configuration)
    assert int.from_bytes(first[2:4], "little") == len(configuration)
    interfaces = [each for each in others if each[1] == INTERFACE]
    assert [each[2] for each in interfaces] == [0, 1, 2, 3]
    assert first[4] == len(interfaces)
    assert [each[5:7] for each in interfaces] == [b"\x02\x02", b"\x0a\0"] * 2  # CDC-ACM, CDC data
    assert [tuple(each[2:4]) for each in others if each[1] == ASSOCIATION] == [(0, 2), (2, 2)]
    endpoints = [each[2] for each in others if each[1] == ENDPOINT]
    assert endpoints == [0x81, 0x02, 0x82, 0x83, 0x04, 0x84]
    assert first[8] * 2 == 450
    assert (len(chip.usb.device), chip.usb.device[4:7]) == (18, b"\xef\x02\x01")
    assert chip.usb.device[8:12] == bytes.fromhex("8a2e0500")  # 2e8a:0005


def test_line_coding_is_kept_and_other_requests_are_refused(chip, port):
    answer = chip.usb.on_request
    set_coding, get_coding = bytes.fromhex("21200000020007 00"), bytes.fromhex("a1210000020007 00")
    answer(1, set_coding)[:] = b"\x80\x25\0\0\0\0\x08"
    assert [answer(stage, set_coding) for stage in (2, 3)] == [True, True]
    assert bytes(answer(1, get_coding)) == b"\x80\x25\0\0\0\0\x08"
    assert answer(1, bytes.fromhex("2122030002000000")) is True  # control lines
    assert answer(1, bytes.fromhex("2122030000000000")) is False  # of MicroPython's own port
    assert answer(1, bytes.fromhex("010b000002000000")) is False  # not of the class
    assert answer(1, bytes.fromhex("a122000002000000")) is False


def test_empty_packet_ends_data_that_fills_its_packets(chip, port):
    sizes = []
    submit = chip.usb.submit_xfer
    chip.usb.submit_xfer = lambda endpoint, data: sizes.append(len(data)) or submit(endpoint, data)
    for size in (10, 64, 128, 130):
        assert port.write(b"x" * size) == size
        chip.run_usb()
    assert sizes == [10, 64, 0, 64, 64, 0, 64, 64, 2]
    assert len(chip.sent) == 332


def test_received_bytes_wait_until_there_is_room(chip, port):
    chip.received = bytes(range(250)) * 4
    chip.run_usb()
    data = port.read()
    assert len(data) == 512
    for _ in range(3):
        chip.run_usb()
        data += port.read()
    assert data == bytes(range(250)) * 4


def test_port_works_again_after_the_bus_was_reset(chip, port):
    chip.is_read = False
    port.write(b"before")
    chip.run_usb()
    chip.usb.on_reset()
    port.write(b"after")  # nothing is sent to a computer that has not opened the port
    chip.is_read = True
    chip.usb.open()
    assert chip.sent == b"after"
    chip.received = b"hello"
    chip.run_usb()
    assert port.read() == b"hello"


def test_bytes_written_before_the_port_is_open_are_sent_later(chip, port):
    chip.usb.on_reset()
    assert port.write(b"x" * 600) == 512
    assert chip.sent == b""
    chip.usb.open()
    assert chip.sent == b"x" * 512


def test_reset_at_the_moment_of_a_transfer_is_no_error(chip, port):
    def submit(endpoint, buffer):
        raise OSError(16)

    chip.usb.submit_xfer = submit
    assert port.write(b"x") == 1
