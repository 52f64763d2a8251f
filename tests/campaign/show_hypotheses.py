"""Show a game of the campaign with the likeliest hypotheses after each sensor change, up to the first failure.

python -m tests.campaign.show_hypotheses patient 77 91           game 91 of seed 77, patient people
python -m tests.campaign.show_hypotheses 0.6-6 31 43 60          at a tempo; the last 60 lines
"""

import sys

import pond_hw.session.pieces.board_state as board_state_module
from tests.campaign.game import CampaignGame, play_game
from tests.campaign.tempo import QuickGame

MAX_HYPOTHESES = 6
"""Maximum number of hypotheses per change."""


def show_hypotheses(log_lines):
    """Add the hypotheses after every step to the log."""
    follow = board_state_module.follow_change

    def follow_and_tell(hypotheses, change, conditions):
        followed = follow(hypotheses, change, conditions)
        now = change.instant + 0.3
        log_lines.append(
            f"          [{change.instant:.2f} {change.cell} {'+' if change.is_occupied else '-'}] {len(followed)}"
        )
        for hypothesis in sorted(followed, key=lambda each: each.total_cost(now))[:MAX_HYPOTHESES]:
            acts = " ".join(map(str, (*["corrected"] * hypothesis.corrected_count, *hypothesis.actions))) or "nothing"
            parts = {
                "up": hypothesis.lifted,
                "unexplained": hypothesis.unexplained,
                "put back": hypothesis.put_back,
                "scored": hypothesis.scored_cells,
            }
            rest = "; ".join(f"{name} {', '.join(sorted(cells))}" for name, cells in parts.items() if cells)
            log_lines.append(
                f"              {hypothesis.total_cost(now):5.2f} {acts}; {rest} {hypothesis.is_believed(now)}"
            )
        return followed

    board_state_module.follow_change = follow_and_tell


def main(tempo, seed, game, most=60):
    """Print the end of the log."""
    log_lines = []
    show_hypotheses(log_lines)
    quick = {} if tempo == "patient" else {"tempo": tuple(map(float, tempo.split("-")))}
    play_game(int(seed), int(game), kind=QuickGame if quick else CampaignGame, log_lines=log_lines, **quick)
    end = next((number for number, line in enumerate(log_lines) if "FAILURE" in line), len(log_lines)) + 1
    print("\n".join(log_lines[max(0, end - int(most)) : end]))


if __name__ == "__main__":
    main(*sys.argv[1:])
