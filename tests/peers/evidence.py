"""The evidence of queries, read off the plies of a game one by one; `meaning.py` compares it."""


def places(game, condition):
    """The plies at which a condition holds."""
    return [p.ply for p in game.positions if condition(p)]


def rows(condition, least):
    """All plies of rows of so many or more."""

    def evidence(game):
        found, row = set(), []
        for p in game.positions:
            row = row + [p.ply] if condition(p) else []
            if len(row) >= least:
                found.update(row)
        return found

    return evidence


def counted(condition, least, most=None):
    """All plies, if there are so many."""

    def evidence(game):
        plies = places(game, condition)
        return set(plies) if least <= len(plies) <= (most or len(plies)) else set()

    return evidence


def change(condition):
    """The plies at which a condition begins to hold."""

    def evidence(game):
        before = [condition(game.start)] + [condition(p) for p in game.positions]
        return {p.ply for p, was, now in zip(game.positions, before, before[1:]) if now and not was}

    return evidence


def chain(first, second, most=None):
    """The second after the first, and the first as far as the second follows it."""

    def evidence(game):
        ones, others = places(game, first), places(game, second)
        near = lambda one, other: 0 < other - one <= (most or other)
        later = {other for other in others if any(near(one, other) for one in ones)}
        return later | {one for one in ones if any(near(one, other) for other in later)}

    return evidence


def every(*parts):
    """That of all parts, where each has some."""

    def evidence(game):
        found = [part(game) for part in parts]
        return set().union(*found) if all(found) else set()

    return evidence


def some(*parts):
    """That of each part."""
    return lambda game: set().union(*(part(game) for part in parts))


def unless(part, other):
    """That of a part, in games where another condition never holds."""
    return lambda game: part(game) if not places(game, other) else set()


def all_plies(condition, counts=lambda p: True):
    """Every ply that counts, if the condition holds at each of them."""

    def evidence(game):
        plies = [p for p in game.positions if counts(p)]
        return {p.ply for p in plies} if all(condition(p) for p in plies) else set()

    return evidence
