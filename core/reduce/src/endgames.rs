//! The endgames of the matching games by material: what was won and drawn when each arose, and what was thrown away in it.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use plyfold_board::board::{Board, ColorCode};
use plyfold_scan::game::{GameSpan, ShardParts};
use plyfold_scan::scan::game_verdicts::GameVerdicts;
use plyfold_scan::scan::predicate::ThrownAway;
use plyfold_scan::scan::reducer::ScanMatch;
use plyfold_scan::scan::tables::BoundTables;
use shakmaty::Color;

use super::key::material;
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};
use super::sorted::sorted;

/// The endgames of the matching games.
pub const ENDGAMES: OutputDefinition = OutputDefinition {
    name: "endgames",
    option: "endgames",
    summary: "The endgames of the matching games by material, as endgame tables judge them: what was won, drawn and thrown away",
    title: "Endgames of the matching games",
    legend: Some(
        "won, drawn, lost: for the side that is named first, when the material arose; threw away: how often a side did in these games",
    ),
    argument: OutputArgument::Nothing,
    takes_positions: |_| false,
    asks_tables: true,
    parts: |_| ShardParts::MOVES | ShardParts::MATERIAL_EVENTS,
    reducer: |arguments, _| Box::new(EndgameReducer::new(arguments.tables.clone())),
    partial_states: PartialStates::of::<Endgames>(),
};

/// Counts the endgames of the games that match.
struct EndgameReducer {
    verdicts: GameVerdicts,
    totals: BTreeMap<Material, EndgameTotals>,
}

/// The pieces of the stronger side and of the other, as packed counts. If both have the same, White is the stronger side.
type Material = (u32, u32);

/// The endgames of the matching games, the most frequent first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Endgames {
    /// How many materials there are.
    pub distinct: u64,
    /// The endgames.
    pub endgames: Vec<EndgameSummary>,
}

/// What happened in the games of one material. The sides are the one whose pieces are named first, and the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EndgameTotals {
    /// The games with this material after some ply.
    pub games: u64,
    /// Of these: games in which the first side won by best play, at the first position with this material that tables know.
    pub won: u64,
    /// Games in which that position was a draw.
    pub drawn: u64,
    /// Games in which the second side won.
    pub lost: u64,
    /// The moves that threw a win away, by the first side and by the second. They were made with this material on the board.
    pub wins_thrown_away: [u64; 2],
    /// The moves that threw a draw away.
    pub draws_thrown_away: [u64; 2],
}

/// The endgames of one material.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndgameSummary {
    /// The material, the stronger side first: `KRPvKR`.
    pub material: String,
    /// What happened.
    pub totals: EndgameTotals,
}

partial_struct!(EndgameTotals { games, won, drawn, lost, wins_thrown_away, draws_thrown_away });
partial_struct!(EndgameSummary { material, totals });
partial_struct!(Endgames { distinct, endgames });

/// A side of an endgame, by the name of its material.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndgameSide {
    /// The side whose pieces are named first; White if both have the same.
    First,
    /// The other side.
    Second,
}

impl Endgames {
    /// The table of these endgames, of which each material has one.
    fn of(endgames: impl Iterator<Item = (String, EndgameTotals)>, max_rows: usize) -> Endgames {
        let endgames = endgames.map(|(material, totals)| EndgameSummary { material, totals });
        let mut endgames = sorted(endgames.collect(), |one: &EndgameSummary, other| {
            (Reverse(one.totals.games), &one.material).cmp(&(Reverse(other.totals.games), &other.material))
        });
        let distinct = endgames.len() as u64;
        endgames.truncate(max_rows);
        Endgames { distinct, endgames }
    }
}

impl Summary for Endgames {
    fn table(&self, _: &OutputArguments) -> ResultTable<'_> {
        let mut columns = vec![ResultColumn::text("material"), ResultColumn::count("games")];
        columns.extend(["won", "drawn", "lost"].map(|name| ResultColumn::new(CellKind::Results, name)));
        columns.push(ResultColumn::count("unknown"));
        columns.extend(THROWN_AWAY.map(|(name, ..)| ResultColumn::count(name)));
        columns.push(ResultColumn::condition("condition"));
        columns.extend(THROWN_AWAY.map(|(name, ..)| ResultColumn::condition_of(name)));
        let rows = self.endgames.iter().map(|endgame| {
            let numbers = endgame.totals.in_columns().map(ResultCell::Count);
            let thrown_away = THROWN_AWAY.map(|(_, side, thrown)| endgame.thrown_away_condition(side, thrown).into());
            let first: [ResultCell<'_>; 1] = [endgame.material.as_str().into()];
            first.into_iter().chain(numbers).chain([endgame.condition().into()]).chain(thrown_away).collect()
        });
        ResultTable::new(columns, rows).of_distinct(self.distinct)
    }

    fn merged(parts: Vec<Endgames>, arguments: &OutputArguments) -> Endgames {
        let mut sums: BTreeMap<String, EndgameTotals> = BTreeMap::new();
        for EndgameSummary { material, totals } in parts.into_iter().flat_map(|part| part.endgames) {
            sums.entry(material).or_default().add(&totals);
        }
        Endgames::of(sums.into_iter(), arguments.max_rows)
    }
}

/// The moves that throw something away: the column that counts them, and who throws what away.
const THROWN_AWAY: [(&str, EndgameSide, ThrownAway); 4] = [
    ("first_threw_away_win", EndgameSide::First, ThrownAway::Win),
    ("first_threw_away_draw", EndgameSide::First, ThrownAway::Draw),
    ("second_threw_away_win", EndgameSide::Second, ThrownAway::Win),
    ("second_threw_away_draw", EndgameSide::Second, ThrownAway::Draw),
];

impl EndgameSummary {
    /// The query of the games with this material.
    pub fn condition(&self) -> String {
        format!("material {}", self.material)
    }

    /// The query of the games in which a side threw something away with this material on the board. It does not select a game that
    /// begins with the material and with the move that did so, because a start position is no ply.
    pub fn thrown_away_condition(&self, side: EndgameSide, thrown: ThrownAway) -> String {
        let material = &self.material;
        let made_by = |first: &str, second: &str| {
            let mover = if side == EndgameSide::First { first } else { second };
            format!("material {first} {material} then within 1 {mover} threw_away {thrown}")
        };
        match material.split_once('v') {
            Some((first, second)) if first == second => made_by("white", "black"),
            _ => format!("({}) or ({})", made_by("white", "black"), made_by("black", "white")),
        }
    }
}

impl EndgameTotals {
    /// The games in which tables knew no position of the material.
    pub fn unknown(&self) -> u64 {
        self.games - self.won - self.drawn - self.lost
    }

    /// The numbers in the order of the columns: games, won, drawn, lost, unknown; the wins and the draws that the first side threw away,
    /// and those that the second did.
    pub fn in_columns(&self) -> [u64; 9] {
        let EndgameTotals { games, won, drawn, lost, wins_thrown_away: wins, draws_thrown_away: draws } = *self;
        [games, won, drawn, lost, self.unknown(), wins[0], draws[0], wins[1], draws[1]]
    }

    fn add(&mut self, other: &EndgameTotals) {
        self.games += other.games;
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        for side in 0..2 {
            self.wins_thrown_away[side] += other.wins_thrown_away[side];
            self.draws_thrown_away[side] += other.draws_thrown_away[side];
        }
    }
}

/// The material on a board, and the side that is named first.
fn material_of(board: &Board) -> (Material, Color) {
    let [white, black] = [ColorCode::WHITE, ColorCode::BLACK].map(|side| {
        let counts = material::pack_side(|role| board.bitboards[side.piece(role)].count_ones() as u8);
        // The side with more pieces is named first, then the one with the heavier pieces.
        (board.occupied_by(side.color()).count_ones(), counts)
    });
    if black > white { ((black.1, white.1), Color::Black) } else { ((white.1, black.1), Color::White) }
}

impl EndgameReducer {
    /// A reducer without games that asks these tables.
    fn new(tables: BoundTables) -> EndgameReducer {
        EndgameReducer { verdicts: GameVerdicts::new(tables), totals: BTreeMap::new() }
    }
}

impl SummaryReducer for EndgameReducer {
    type Summary = Endgames;

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        if !found_game.verdict {
            return;
        }
        let EndgameReducer { verdicts, totals } = self;
        let (start, moves) = (found_game.start_board, found_game.game.moves);
        // The material before the next ply, and the materials of the game, each with whether a verdict has been counted for it.
        let mut before = material_of(start);
        let mut seen: Vec<(Material, bool)> = Vec::new();
        verdicts.read(start, moves, found_game.event_streams.material, |board, ply| {
            if let Some((side, thrown)) = ply.thrown_away {
                let (material, first) = before;
                let totals = totals.entry(material).or_default();
                let thrown = match thrown {
                    ThrownAway::Draw => &mut totals.draws_thrown_away,
                    ThrownAway::Win | ThrownAway::Anything => &mut totals.wins_thrown_away,
                };
                thrown[usize::from(side != first)] += 1;
            }
            before = material_of(board);
            let (material, first) = before;
            let at = seen.iter().position(|(other, _)| *other == material).unwrap_or_else(|| {
                totals.entry(material).or_default().games += 1;
                seen.push((material, false));
                seen.len() - 1
            });
            if let Some(verdict) = ply.verdict.filter(|_| !seen[at].1) {
                seen[at].1 = true;
                let totals = totals.entry(material).or_default();
                match verdict.winner {
                    None => totals.drawn += 1,
                    Some(winner) if winner == first => totals.won += 1,
                    Some(_) => totals.lost += 1,
                }
            }
        });
    }

    fn merge(&mut self, other: Self) {
        for (material, totals) in &other.totals {
            self.totals.entry(*material).or_default().add(totals);
        }
    }

    fn finish(self, output: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> Endgames {
        let named = |((first, second), totals)| (material::name_of([first, second]), totals);
        Endgames::of(self.totals.into_iter().map(named), output.arguments.max_rows)
    }
}
