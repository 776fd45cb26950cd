"""Invents who plays, where and when: players, events and a calendar of tournaments."""

import dataclasses
import datetime
import math
import random


@dataclasses.dataclass(frozen=True)
class Player:
    """An invented engine player; `slips` is the share of moves that are drawn from several candidates."""

    name: str
    nodes: int
    slips: float
    rated: bool = True

    def elo(self, year):
        """A rating that follows from the nodes: 250 points a doubling, less for slips, a slow drift."""
        return round(1000 + 250 * math.log2(self.nodes / 20) - 600 * self.slips + 3 * (year - 2019))


# Weakest first: an event invites players from one range of this list.
PLAYERS = [
    Player("Wood Pusher 20", 20, 0.35),
    Player("Sunday Fork 30", 30, 0.30),
    Player("Coffee House 40", 40, 0.30),
    Player("Loose Bishop 60", 60, 0.25),
    Player("Petit Éléphant 50", 50, 0.15),
    Player("Doubled Pawns 100", 100, 0.20),
    Player("Tempo Thief 80", 80, 0.10),
    Player("Back Rank 120", 120, 0.10),
    Player("Long Diagonal 150", 150, 0.10),
    Player("Stray Knight 200", 200, 0.15, rated=False),
    Player("Quiet Move 180", 180, 0.08),
    Player("Passed Pawn 220", 220, 0.06),
    Player("Open File 260", 260, 0.05),
    Player("Rook Lift 300", 300, 0.05),
    Player("Königsflügel 360", 360, 0.04),
    Player("Exchange Down 430", 430, 0.03),
    Player("Outpost 520", 520, 0.03),
    Player("Zwischenzug 620", 620, 0.02),
    Player("Minority Attack 750", 750, 0.02),
    Player("Blockade 900", 900, 0.01),
    Player("Seventh Rank 1100", 1100, 0.01),
    Player("Zugzwang 1300", 1300, 0.01),
    Player("Bishop Pair 1600", 1600, 0.0),
    Player("Prophylaxis 2000", 2000, 0.0),
    Player("Opposition 2400", 2400, 0.0),
    Player("Fortress 3000", 3000, 0.0),
]


@dataclasses.dataclass(frozen=True)
class Event:
    """A tournament that is held in several years.

    `band` is the half-open range of PLAYERS that may be invited, `field` the number of invited players (even),
    `cycles` how often each pair meets, `start` the kind of start position.
    """

    name: str
    time_control: str
    rounds_a_day: int
    band: tuple
    field: int
    cycles: int
    years: tuple
    start: str = "opening"
    day_known: bool = True


EVENTS = [
    Event("Harbour Lights Masters", "40/7200:1800", 1, (14, 26), 10, 2, (2015, 2018, 2020, 2023)),
    Event("Lantern Street Open", "900+10", 5, (0, 26), 12, 2, (2016, 2019, 2022)),
    Event("Twelve Bridges Invitational", "5400+30", 1, (16, 26), 8, 2, (2015, 2017, 2019, 2021, 2024)),
    Event("Copper Kettle Blitz", "180+2", 11, (4, 24), 12, 2, (2016, 2018, 2021, 2024)),
    Event("Winter Orchard Congress", "5400+30", 2, (2, 18), 10, 2, (2015, 2017, 2020, 2023)),
    Event("Old Mill Trophy", "3600+15", 3, (6, 20), 10, 2, (2016, 2019, 2022)),
    Event("Night Train Bullet", "60", 22, (0, 16), 10, 2, (2017, 2020, 2024)),
    Event("Granite Valley Memorial", "40/5400+30:1800+30", 1, (12, 26), 10, 2, (2018, 2021, 2023)),
    Event("Paper Boat Rapid", "600+5", 6, (0, 20), 12, 2, (2016, 2019, 2022)),
    Event("Seven Hills Club Championship", "5400", 1, (0, 14), 10, 2, (2015, 2018, 2021)),
    Event("Postcard League", "1/259200", 9, (10, 26), 10, 2, (2017, 2019, 2023), day_known=False),
    Event("Northern Gate Cup", "1500+10", 4, (8, 24), 12, 2, (2020, 2022, 2024)),
    Event("Shuffled Back Rank Cup", "900+10", 5, (6, 26), 6, 2, (2019, 2023), start="chess960"),
    Event("Endgame Clinic", "600+5", 5, (0, 26), 6, 1, (2017, 2020, 2022, 2024), start="position"),
]


@dataclasses.dataclass
class Pairing:
    """A game to be played: the players, the date and the event."""

    event: Event
    date: str
    round: int
    white: Player
    black: Player
    white_elo: int
    black_elo: int


def round_robin(players):
    """The rounds of an all-play-all by the circle method: one player stays, the others rotate."""
    ring = list(players)
    half = len(ring) // 2
    for number in range(len(ring) - 1):
        pairs = list(zip(ring[:half], reversed(ring[half:])))
        yield [(b, a) if (number + i) % 2 else (a, b) for i, (a, b) in enumerate(pairs)]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def calendar(seed):
    """Every pairing of every tournament, in the order of the tournaments' first days."""
    editions = []
    for event in EVENTS:
        for year in event.years:
            rng = random.Random(f"{seed}/{event.name}/{year}")
            first = datetime.date(year, 1, 5) + datetime.timedelta(days=rng.randrange(320))
            invited = rng.sample(PLAYERS[event.band[0] : event.band[1]], event.field)
            elo = {player: player.elo(year) + rng.randrange(-25, 26) for player in invited}
            editions.append((first, event, invited, elo))
    editions.sort(key=lambda edition: (edition[0], edition[1].name))

    pairings = []
    for first, event, invited, elo in editions:
        rounds = list(round_robin(invited))
        for number in range(len(rounds) * event.cycles):
            # The year is part of the event's name, so a tournament that begins late must not run into January.
            day = min(first + datetime.timedelta(days=number // event.rounds_a_day), datetime.date(first.year, 12, 30))
            date = day.strftime("%Y.%m.%d") if event.day_known else day.strftime("%Y.%m.??")
            for a, b in rounds[number % len(rounds)]:
                white, black = (a, b) if number < len(rounds) else (b, a)
                pairings.append(Pairing(event, date, number + 1, white, black, elo[white], elo[black]))
    return pairings
