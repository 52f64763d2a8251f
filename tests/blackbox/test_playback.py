"""Tests of playback."""

from pond_hw.blackbox import BoardOpened, LampsHealth
from pond_hw.blackbox.playback import BoxRecording, Playback
from pond_hw.board import Frame, HealthEvent
from pond_hw.messages.message import Message
from tests.blackbox.recordings import BLUE, BUS_OFF, NOTES, RED, WIRE_OFF, lit_frame


def test_state_is_known_at_each_time():
    recording = BoxRecording(NOTES)
    assert recording.duration_seconds == 20.5
    for instant, cell, down, level, fault in (
        (0.0, None, (), 0, None),
        (0.999, None, (), 0, None),
        (1.0, None, ("b2",), 1, None),
        (1.5, "b2", ("b2",), 1, None),
        (11.0, "b2", ("b2",), 1, BUS_OFF),
        (12.0, "b2", ("b2",), 1, None),
        (20.0, "b2", (), 1, None),
        (20.5, "d4", (), 1, None),
    ):
        state = recording.state_at(instant)
        frame = lit_frame(cell, BLUE if cell == "d4" else RED) if cell else Frame.dark_frame(4, 1)
        assert state.frame == frame, instant
        assert (state.down_cells, sum(state.sample.levels), state.trouble) == (frozenset(down), level, fault)


def test_events_exclude_frames_and_counts():
    recording = BoxRecording(NOTES)
    assert recording.events == [
        (0.0, Message("recording.board", size=4, count=1)),
        (1.0, Message("recording.sensors_changed", changes="b2=1")),
        (1.0, Message("recording.touch.down", cell="b2")),  # reported late
        (10.0, BUS_OFF),
        (12.0, Message("recording.sensors_back")),
        (20.0, Message("recording.touch.up_owned", cell="b2", side="light")),
    ]
    assert recording.events_until(10.0, 2) == recording.events[2:4]
    assert recording.events_until(0.0, 9) == recording.events[:1]


def test_reopened_board_is_reset():
    lost = HealthEvent(BUS_OFF, 110.0)
    reopened = BoxRecording((*NOTES[:5], lost, BoardOpened(5, 1, 2, 130.0), LampsHealth(WIRE_OFF, 131.0)))
    state = reopened.state_at(30.0)
    assert state == (Frame.dark_frame(5, 1, 2), None, frozenset(), None)
    assert reopened.state_at(31.0).trouble == WIRE_OFF


def test_playback_speed_pause_and_end():
    playback = Playback(BoxRecording(NOTES), 2.0)
    playback.pass_time(3.0)
    assert playback.position_seconds == 6.0
    playback.toggle_pause()
    playback.pass_time(3.0)
    assert playback.position_seconds == 6.0
    playback.stop_at_next()
    assert playback.position_seconds == 10.0
    playback.stop_at_next()
    assert playback.position_seconds == 12.0
    playback.toggle_pause()
    playback.change_speed(2.0)
    playback.pass_time(2.0)
    assert playback.position_seconds == 20.0
    playback.pass_time(1.0)
    assert (playback.position_seconds, playback.playing) == (20.5, False)
    playback.stop_at_next()
    assert playback.position_seconds == 20.5
    playback.toggle_pause()
    assert (playback.position_seconds, playback.playing) == (0.0, True)
    playback.seek_to(-5.0)
    assert playback.position_seconds == 0.0
    for _ in range(40):
        playback.change_speed(2.0)
    assert playback.speed == Playback.MAX_SPEED
