"""Queries on headers with what they mean, tag by tag; `meaning.py` compares them."""

import re


def number(text):
    """A rating; none if it is not known."""
    return int(text) if re.fullmatch("[0-9]+", text or "") and int(text) > 0 else None


def ratings(tags):
    return [number(tags.get(name)) for name in ("WhiteElo", "BlackElo")]


def both_rated(tags, least):
    return all(elo is not None and elo >= least for elo in ratings(tags))


def winner_rated(tags, least):
    elo = {"1-0": ratings(tags)[0], "0-1": ratings(tags)[1]}.get(tags.get("Result"))
    return elo is not None and elo >= least


def year(tags):
    found = re.match("[0-9]{4}", tags.get("Date", ""))
    return int(found[0]) if found else 0


def apart(tags, least):
    one, other = ratings(tags)
    return None not in (one, other) and abs(one - other) >= least


def leads(tags, first, second, margin):
    """Whether the first player's rating is at least the second's plus a margin."""
    of = dict(zip(("white", "black"), ratings(tags)))
    winner, loser = {"1-0": ("white", "black"), "0-1": ("black", "white")}.get(tags.get("Result"), (None, None))
    of.update(winner=of.get(winner), loser=of.get(loser))
    return None not in (of[first], of[second]) and of[first] >= of[second] + margin


def said(tags, name):
    """The value of a tag; empty if it says nothing."""
    value = tags.get(name, "").strip()
    return "" if value in ("?", "-") else value


HEADERS = [
    ("result 1-0", lambda tags: tags.get("Result") == "1-0"),
    ("result draw", lambda tags: tags.get("Result") == "1/2-1/2"),
    ("elo >= 2500", lambda tags: both_rated(tags, 2500)),
    ("white elo 2400..2600", lambda tags: 2400 <= (ratings(tags)[0] or 0) <= 2600),
    ("winner elo >= 2700", lambda tags: winner_rated(tags, 2700)),
    ("elo difference >= 300", lambda tags: apart(tags, 300)),
    ("white elo > black elo", lambda tags: leads(tags, "white", "black", 1)),
    ("black elo >= white elo + 100", lambda tags: leads(tags, "black", "white", 100)),
    ("winner elo - loser elo >= -50", lambda tags: leads(tags, "winner", "loser", -50)),
    ("loser elo >= winner elo + 200", lambda tags: leads(tags, "loser", "winner", 200)),
    # Punctuation is a space, and there is none at the beginning: round `?.3` begins with 3 too.
    ('round "3*"', lambda tags: re.sub("[^0-9a-z]+", " ", said(tags, "Round").lower()).strip().startswith("3")),
    ('annotator "*"', lambda tags: said(tags, "Annotator") != ""),
    ('time_control "*+*"', lambda tags: re.search("[^0-9a-z]", said(tags, "TimeControl").lower()) is not None),
    ("white title GM, IM", lambda tags: said(tags, "WhiteTitle").upper() in ("GM", "IM")),
    ("title GM", lambda tags: said(tags, "WhiteTitle").upper() == said(tags, "BlackTitle").upper() == "GM"),
    ("winner title GM", lambda tags: said(tags, {"1-0": "WhiteTitle", "0-1": "BlackTitle"}.get(tags.get("Result"), "")).upper() == "GM"),
    ("eco B80-B99", lambda tags: "B80" <= tags.get("ECO", "") <= "B99"),
    ("eco C", lambda tags: tags.get("ECO", "").startswith("C")),
    ("year 1985..1995", lambda tags: 1985 <= year(tags) <= 1995),
    ('white "Kasparov*"', lambda tags: tags.get("White", "").lower().startswith("kasparov")),
    (
        'result 1-0 and white "Kasparov*" and eco B80-B99 and year 1985..1995',
        lambda tags: tags.get("Result") == "1-0"
        and tags.get("White", "").startswith("Kasparov")
        and "B80" <= tags.get("ECO", "") <= "B99"
        and 1985 <= year(tags) <= 1995,
    ),
]
