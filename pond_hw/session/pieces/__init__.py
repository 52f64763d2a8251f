"""From sensors to turns: what the pieces on a board mean. It knows the rules, and nothing of `game`."""
