"""Handling of touches by fingers and pieces, and of answers to prompts.

A touch first answers an open prompt or phone request. Otherwise, it is a press on a board with buttons. On a board with
pieces, `pieces` interprets it once the board is stable.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Side, parse_variant
from pond_hw.session.game import exercise_play
from pond_hw.session.game import session_events as events
from pond_hw.session.game.help_requests import ask_hint, change_setting
from pond_hw.session.game.link_changes import ask_for_undo
from pond_hw.session.game.menu import describe_menu, list_menu, make_help_event
from pond_hw.session.game.new_game import choose_resume, start_new_game
from pond_hw.session.game.permission import PermissionRequest
from pond_hw.session.game.played_game import GAMES_MENU
from pond_hw.session.game.resume_prompt import ResumeChoice
from pond_hw.session.game.session_state import SessionState
from pond_hw.session.game.turns import take_actions, take_in_exercise, take_or_warn, undo_turns
from pond_hw.session.pieces import (
    NO_DIFFERENCE,
    BoardEvent,
    BoardState,
    CertainMoves,
    ChooseVariant,
    ChoosingVariant,
    ConfirmationState,
    EndedTurns,
    InSync,
    Intent,
    KeyPress,
    Mismatch,
    Moves,
    PendingConfirmation,
    RefusedPress,
    TakeBack,
    count_turns_to_fit,
    describe_hand_tasks,
    describe_interpretation,
    find_actions_to_fit,
    interpret_occupancy,
    look_at_board,
)
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.turn_messages import explain_refusal, find_targets, prompt_turn


def handle_touch(touch: Touch, session: SessionState) -> SessionState:
    if session.cells_lit:
        session = replace(session, cells_lit=False)
    if session.permission and not session.trouble:
        return answer_request(session, session.permission, touch)
    if session.resume_prompt:
        return _touch_resume_prompt(session, touch)
    if session.exercise and session.exercise.prompt:
        return exercise_play.touch_exercise_prompt(session, session.exercise, touch)
    if session.board_state:
        touched_session = replace(session, board_state=session.board_state.after_touch(*touch))
        return touched_session if session.trouble else _look_at_board(touched_session, touch.instant)
    if not touch.down:
        return session
    if session.trouble:
        return session.refuse_event(touch.instant, session.trouble)
    return press_cell(session, touch.cell, touch.instant)


def _touch_resume_prompt(session: SessionState, touch: Touch) -> SessionState:
    assert session.resume_prompt
    session, prompt, cell = exercise_play.choose_by_touch(session, session.resume_prompt, touch)
    session = replace(session, resume_prompt=prompt)
    if cell is None:
        return session
    if prompt.is_looking:
        return session.with_resume_message(prompt._replace(is_looking=False))
    for resume_choice in ResumeChoice:
        if cell == resume_choice.value:
            return choose_resume(events.ChooseResume(resume_choice, touch.instant), session)
    if session.board_state:
        return session
    return session.refuse_event(touch.instant, *session.describe_resume_prompt(), cell=cell)


def press_cell(session: SessionState, cell: Cell, instant: float) -> SessionState:
    """Apply a press of a cell on a board with buttons.

    Outside of the menu, its meaning depends on the cell and on the selection:

        pressed cell                      no selection     a piece selected
        an empty cell                     place an egg     -
        a legal target                                     move there
        the selected piece                                 deselect it
        one's own tadpole or frog that
        can move                          select it        select it instead
        anything else                     -                -
    """
    grid_size, position, selected_cell = session.variant.size, session.position, session.selected_cell
    if session.open_menu:
        if cell in list_menu(session):
            return choose_from_menu(session, cell, instant)
        return session.with_changes().with_messages()
    if session.exercise_due < inf:
        return session.refuse_event(instant, Message("exercise.wait"), cell=cell)
    if cell not in position.grid.mask_by_cell:
        return session.refuse_event(instant, Message("illegal.outside", cell=cell, size=grid_size), cell=cell)
    if session.outcome:
        return session.refuse_after_end(instant, cell)
    if cell == selected_cell:
        return session.with_changes(messages=(prompt_turn(position),))
    if session.exercise and cell in session.exercise.lit_cells and cell not in session.legal_targets:
        selected_cell = selected_cell if position.piece_at(cell) else None  # drop the earlier selection
    if cell in session.legal_targets or not (selected_cell or position.piece_at(cell)):
        return take_or_warn(session, Action(selected_cell, cell), instant)
    if find_targets(position, cell):
        selected_session = session.with_changes(selected_cell=cell)
        return replace(selected_session, messages=selected_session.describe_options())
    return session.refuse_event(instant, explain_refusal(position, selected_cell, cell), cell=cell)


def pass_time(event: events.ClockTick, session: SessionState) -> SessionState:
    """Apply everything that is due at this time."""
    if session.permission and event.instant >= session.permission.next_due:
        session = end_request(session, session.permission)
    if session.hint and event.instant >= session.hint.visible_until:
        session = session.without_hint(session)
    if session.open_menu and not session.board_state and event.instant >= session.menu_until:
        session = session.with_changes().with_messages()
    if event.instant >= session.exercise_due:
        if session.exercise and session.is_refuting:
            session = exercise_play.continue_refutation(session, session.exercise, event.instant)
        elif action := exercise_play.find_due_reply(session):
            session = take_in_exercise(session, action, event.instant, by_hand=False)
        else:
            session = exercise_play.advance(session, event.instant)
    return _look_at_board(session, event.instant) if event.instant >= session.next_due else session


def _look_at_board(session: SessionState, instant: float) -> SessionState:
    """Interpret the board repeatedly until nothing changes."""
    while not session.is_refuting:
        assert session.board_state
        board_state, intent = look_at_board(session, session.board_state, instant)
        session = _with_board_state(session, board_state, instant)
        if intent is None:
            return session
        looked_at = session.board_state
        session = _apply_intent(session, intent, instant)
        if session.board_state is looked_at:  # another look would find nothing new
            return session
    return session


def _with_board_state(session: SessionState, new_state: BoardState, instant: float) -> SessionState:
    """Replace the board state. Update the messages if the interpretation has changed."""
    old_state = session.board_state
    assert old_state
    before, after, masked_before = old_state.confirmation, new_state.confirmation, old_state.sensors.announced_masked
    session = replace(session, board_state=new_state)
    if not isinstance(after.interpretation, ChoosingVariant):
        session = replace(session, open_menu=None) if session.open_menu else session
    elif session.exercise:
        return exercise_play.pause_exercise(events.PauseExercise(instant), session)
    if exercise_play.is_hint_gesture(session, before, after):
        return ask_hint(events.AskHint(instant), session)
    masked_after = new_state.sensors.announced_masked
    meaning_changed = (before.interpretation, masked_before) != (after.interpretation, masked_after)
    if not meaning_changed and old_state.tasks.has_same_cells(new_state.tasks):
        return session
    shown_refusal = session.refusal
    if meaning_changed:
        refused_cell = find_refused_cell(before, after)
        shown_refusal = ShownRefusal(refused_cell, instant) if refused_cell else None
    return replace(
        session,
        messages=describe_interpretation(session, new_state, masked_before, session.describe_next()),
        refusal=shown_refusal,
        turn_is_fresh=session.turn_is_fresh and isinstance(after.interpretation, InSync),
    )


def find_refused_cell(before: ConfirmationState, now: ConfirmationState) -> Cell | None:
    """Return the cell of the misplaced piece if a player has just made an illegal change.

    If the board already differed from the game, no single change is to blame.
    """
    new_mismatch = now.interpretation
    if not isinstance(new_mismatch, Mismatch) or isinstance(before.interpretation, Mismatch):
        return None
    missing, extra, wrong_owner = new_mismatch.difference
    wrong_cells = extra or wrong_owner or missing
    return min(wrong_cells) if before.agreement.counts_actions and len(wrong_cells) == 1 else None


def _apply_intent(session: SessionState, intent: Intent, instant: float) -> SessionState:
    applied = _follow_intent(session, intent, instant)
    if applied.follows_log and (_is_undo(intent) or events.ChangeAsked in map(type, applied.game_events)):
        # The other home has not agreed: the pieces must be put back.
        return replace(applied.after_wakeup(instant), messages=applied.messages[:1])
    return applied


def _is_undo(intent: Intent) -> bool:
    return isinstance(intent, TakeBack) or (isinstance(intent, Moves) and intent.corrected_count > 0)


def _follow_intent(session: SessionState, intent: Intent, instant: float) -> SessionState:
    match intent:
        case Moves(_, corrected_count) if corrected_count and session.follows_log:
            return ask_for_undo(session, corrected_count, instant)
        case Moves(actions, corrected_count):
            return take_actions(session, actions, instant, by_hand=True, corrected_count=corrected_count)
        case EndedTurns(actions, forgotten_by):
            return _take_ended_turns(session, actions, forgotten_by, instant)
        case RefusedPress(reason, cell):
            return session.refuse_event(instant, reason, cell=cell)
        case TakeBack(turn_count):
            return undo_turns(events.UndoTurns(instant, turn_count), session)
        case ChooseVariant(menu_cell):
            return choose_from_menu(session, menu_cell, instant)
    raise TypeError(f"Unknown intent: {intent}")


def _take_ended_turns(
    session: SessionState, actions: tuple[Action, ...], forgotten_by: Side | None, instant: float
) -> SessionState:
    taken = take_actions(session, actions, instant, by_hand=True)
    if forgotten_by is None:
        return taken
    return replace(taken, messages=(Message("turn_key.both_count", side=str(forgotten_by)), *taken.messages))


def end_turn(event: events.EndTurn, session: SessionState) -> SessionState:
    """Take the turn that the pieces show after a turn key was pressed."""
    instant, board_state = event.instant, session.board_state
    if board_state is None:
        return session.refuse_event(instant, Message("board.has_buttons"))
    if session.is_refuting:
        return session.refuse_event(instant, Message("exercise.wait"))
    if session.outcome:
        return session.refuse_after_end(instant)
    earlier = board_state.press
    if earlier and earlier.side is not event.side:  # the other side continues: stop waiting for late sensors
        return end_turn(event, _look_at_board(session, earlier.last_read))
    pressed = replace(board_state, press=KeyPress(event.side, instant, instant))
    return _look_at_board(replace(session, board_state=pressed), instant)


def accept_board(event: events.BoardIsRight, session: SessionState) -> SessionState:
    """Adapt the game to the pieces on the board."""
    instant, board_state = event.instant, session.board_state
    if board_state is None:
        return session.refuse_event(instant, Message("board.has_buttons"))
    if session.is_refuting:
        return session.refuse_event(instant, Message("exercise.wait"))
    if session.declared_outcome:
        return session.refuse_event(instant, Message("board.game_ended"))
    match board_state.confirmation.interpretation:
        case PendingConfirmation(Moves() as moves) if board_state.confirmation.confirm_window:
            return _look_at_board(_apply_intent(session, moves, instant), instant)
    agreement = board_state.confirmation.agreement.after(BoardEvent.PIECE_MISPLACED)
    doubtful_state = replace(board_state, confirmation=replace(board_state.confirmation, agreement=agreement))
    interpretation = interpret_occupancy(session, doubtful_state)
    match interpretation:
        case Mismatch(offered_action=Action() as offered_action):
            return _look_at_board(take_actions(session, (offered_action,), instant, by_hand=True), instant)
        case CertainMoves(moves) | PendingConfirmation(Moves() as moves):
            return _look_at_board(_apply_intent(session, moves, instant), instant)
    if board_state.find_difference(session.position) == NO_DIFFERENCE:
        take_off = (task for task in describe_hand_tasks(board_state.tasks) if task.id == "hands.take_off")
        return session.refuse_event(instant, Message("board.agrees"), *take_off)
    turn_count = count_turns_to_fit(session, board_state)
    if turn_count:
        return _look_at_board(undo_turns(events.UndoTurns(instant, turn_count), session), instant)
    if actions := find_actions_to_fit(session.position, board_state):
        return _look_at_board(take_actions(session, actions, instant, by_hand=True), instant)
    return session.refuse_event(instant, Message("board.never_stood_so"))


def mask_sensor(event: events.MaskSensor, session: SessionState) -> SessionState:
    cell, instant, board_state = event.cell, event.instant, session.board_state
    if board_state is None:
        return session.refuse_event(instant, Message("board.has_buttons"))
    if cell not in session.board_grid.mask_by_cell:
        return session.refuse_event(instant, Message("illegal.no_such_cell", cell=cell, size=session.size))
    masked_state = board_state.with_known_sensor(cell, event.is_bad, instant)
    if masked_state is board_state:
        return session
    return _look_at_board(replace(session, board_state=masked_state), instant)


MENU_SECONDS = 60.0
"""Seconds without a press after which the menu closes on a board with buttons, in case a button is stuck."""


def open_menu(event: events.OpenGameMenu, session: SessionState) -> SessionState:
    """Open the menu of a board with buttons. During an exercise, ask how to continue instead."""
    if session.exercise:
        return exercise_play.pause_exercise(events.PauseExercise(event.instant), session)
    if session.board_state:  # it opens when the board is cleared
        return session
    return _open_page(session.with_changes(hint=None), GAMES_MENU, event.instant)


def choose_from_menu(session: SessionState, cell: Cell, instant: float) -> SessionState:
    choice = list_menu(session)[cell]
    match choice.kind:
        case "phones":
            return send_phones_away(events.SendPhonesAway(instant), session)
        case "course" | "page":
            return _open_page(session, choice.name, instant)
        case "value":
            assert session.open_menu
            return _choose_value(session, session.open_menu, choice.name, instant)
        case "exercise":
            assert session.open_menu
            return exercise_play.start_exercise(events.StartExercise(session.open_menu, instant, choice.name), session)
    return start_new_game(events.NewGame(parse_variant(choice.name), instant), session)


def _open_page(session: SessionState, page: str, instant: float) -> SessionState:
    has_pieces = session.board_state is not None
    open_menu = None if has_pieces and page == GAMES_MENU else page  # None stands for the first page
    opened = replace(session, open_menu=open_menu, menu_until=instant + MENU_SECONDS)
    return replace(opened, messages=describe_menu(opened, None, has_pieces=has_pieces))


def _choose_value(session: SessionState, page: str, value: str, instant: float) -> SessionState:
    """Set the chosen value and keep the page open to show it."""
    changed = change_setting(make_help_event(page, value, instant), session)
    if changed.board_state and changed.board_state is not session.board_state:  # the game was restarted
        confirmation = replace(changed.board_state.confirmation, interpretation=ChoosingVariant())
        changed = replace(changed, board_state=replace(changed.board_state, confirmation=confirmation))
    opened = _open_page(changed, page, instant)
    return replace(opened, messages=(changed.messages[0], *opened.messages))


def ask_permission(event: events.AskPermission, session: SessionState) -> SessionState:
    """Show a phone's request, unless another one is pending."""
    return session if session.permission else replace(session, permission=PermissionRequest(event))


def withdraw_request(event: events.WithdrawRequest, session: SessionState) -> SessionState:
    request = session.permission
    return replace(session, permission=None) if request and request.event.number == event.number else session


def change_seats(event: events.SeatsChanged, session: SessionState) -> SessionState:
    return session if event.seat_count == session.seat_count else replace(session, seat_count=event.seat_count)


def send_phones_away(event: events.SendPhonesAway, session: SessionState) -> SessionState:  # noqa: ARG001
    sent_away = session.with_changes(revocation_count=session.revocation_count + 1)
    return sent_away.with_messages(Message("permission.sent_away"))


def answer_request(session: SessionState, request: PermissionRequest, touch: Touch) -> SessionState:
    """Apply a touch while a phone's request is pending."""
    if session.board_state is None:
        answered = request.after_press(touch)
        if answered is None and request.pressed_count:  # a press beside a lit cell is a slip, not a move
            return replace(session, permission=None)
    elif touch.cell in session.board_state.sensors.masked_cells:  # ignore a masked sensor
        return replace(handle_touch(touch, replace(session, permission=None)), permission=request)
    else:
        answered = request.after_tap(touch)
    if answered is None:
        return handle_touch(touch, end_request(session, request))
    if answered is request:
        return session
    if not answered.is_granted:
        return replace(session, permission=answered)
    return replace(session, permission=None, granted_number=request.event.number)


def end_request(session: SessionState, request: PermissionRequest) -> SessionState:
    """Close a request that was not granted. Handle the first half of a tap, if any, as a normal touch."""
    ended = replace(session, permission=None)
    return handle_touch(request.half_tap, ended) if request.half_tap else ended
