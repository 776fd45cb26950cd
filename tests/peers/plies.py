"""Whether a game matches, by what holds after each of its plies; `queries.py` combines it with conditions on positions."""


def ever(game, holds):
    return any(holds)


def never(game, holds):
    return not any(holds)


def always(game, holds):
    return all(holds)


def at_least(times):
    return lambda game, holds: sum(holds) >= times


def in_a_row(plies):
    return lambda game, holds: any(all(holds[at : at + plies]) for at in range(len(holds) - plies + 1))


def at_end(game, holds):
    return bool(holds) and holds[-1]


def within(condition):
    """Holds after some ply that counts."""
    return lambda game, holds: any(held and condition(p) for held, p in zip(holds, game.positions))


def became(condition, counts):
    def judged(game, holds):
        before = [condition(game.start)] + holds[:-1]
        changes = zip(game.positions, before, holds)
        return any(counts(p) and not was and now for p, was, now in changes)

    return judged


def ceased(condition):
    def judged(game, holds):
        return any(was and not now for was, now in zip([condition(game.start)] + holds[:-1], holds))

    return judged


def then(*conditions, most=None):
    """One condition after another, each at a later ply than the one before, at most `most` plies later."""

    def judged(game, holds):
        plies = [0]
        for nth, condition in enumerate(conditions):
            these = [p.ply for p in game.positions if condition(p)]
            if nth > 0:
                these = [ply for ply in these if any(0 < ply - one <= (most or ply) for one in plies)]
            plies = these
        return bool(plies)

    return judged


def then_never(condition, other):
    """Every ply after the first at which the condition holds counts, and the other holds at none of them."""

    def judged(game, holds):
        first = next((p.ply for p in game.positions if condition(p)), None)
        return first is not None and not any(other(p) for p in game.positions[first:])

    return judged


def each(*conditions):
    """Every condition at some position, not necessarily the same."""
    return lambda game, holds: all(any(condition(p) for p in game.positions) for condition in conditions)
