//! The tables of a player's report. A row has a score and the query of its games.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use plyfold_core::headers::{NamePattern, folded_name};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::output::{Output, OutputResult};
use plyfold_core::reduce::partition::{PARTITION, Partition, PartitionLimit, PartitionRule};
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};

use super::games::{OwnGame, OwnScore};
use super::runs;
use crate::report::ReportSection;

/// The names of the tables, in the order of the report.
pub const SECTIONS: [&str; 11] = [
    "colours",
    "names",
    "white_openings",
    "black_openings",
    "opponents",
    "years",
    "time_classes",
    "events",
    "structures",
    "endgames",
    "runs",
];

/// The memory for the sets of games of the kinds of structures, and of those of endgames, with each colour, in bits. A set takes one for each
/// game of the corpus.
const SET_BITS: u64 = 1 << 30;

/// What is known of a player.
pub struct PlayerGames<'a> {
    /// With White and with Black.
    pub by_colour: [Vec<OwnGame<'a>>; 2],
    /// The queries of both.
    pub queries: [String; 2],
    /// The query of all games.
    pub query: String,
    /// The games of each kind of [`board_outputs`], with White and with Black.
    pub on_board: [Vec<OutputResult>; 2],
}

/// A row before it is written.
pub struct ScoreRow {
    pub name: String,
    pub score: OwnScore,
    pub condition: Option<String>,
}

/// The outputs that find the structures and the endgames of games, in a corpus of so many.
pub fn board_outputs(games: u64) -> Vec<Output> {
    let most = (SET_BITS / games.max(1)) as usize;
    let keys = ["named_structure", "endgame"].into_iter().filter_map(GroupingKey::named);
    let ever = |key| PARTITION.by(key).ruled_by(PartitionRule::Ever);
    keys.map(|key| ever(key).with_sets(PartitionLimit::Largest(most))).collect()
}

impl PlayerGames<'_> {
    /// All games, by date.
    pub fn by_date(&self) -> Vec<&OwnGame<'_>> {
        let mut games: Vec<&OwnGame<'_>> = self.by_colour.iter().flatten().collect();
        games.sort_by_key(|game| (game.date(), game.id));
        games
    }

    /// The tables.
    pub fn sections(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<ReportSection<'static>> {
        SECTIONS.into_iter().filter(|name| is_wanted(name)).map(|name| self.section(name)).collect()
    }

    /// The table of this name.
    pub fn section(&self, name: &'static str) -> ReportSection<'static> {
        let [white, black] = &self.by_colour;
        let all = || white.iter().chain(black);
        let query = self.query.as_str();
        let of_name = |word: &'static str| {
            move |name: &str| NamePattern::of_name(name).map(|name| format!("{query} and {word} \"{name}\""))
        };
        let opening_of = |query: &str, name: &str| (name != "?").then(|| format!("{query} and opening \"{name}\""));
        let [as_white, as_black] = &self.queries;
        let (title, key, rows) = match name {
            "colours" => ("Score", "colour", self.colours()),
            "names" => ("Names", "name", ranked(by_name(all(), |game| game.name, of_name("player")))),
            "white_openings" => {
                let rows = by_name(white, |game| game.opening, |name| opening_of(as_white, name));
                ("Openings with White", "opening", ranked(rows))
            }
            "black_openings" => {
                let rows = by_name(black, |game| game.opening, |name| opening_of(as_black, name));
                ("Openings with Black", "opening", ranked(rows))
            }
            "opponents" => ("Opponents", "opponent", ranked(by_name(all(), |game| game.opponent, of_name("player")))),
            "years" => ("Years", "year", self.years()),
            "time_classes" => {
                let condition = |name: &str| Some(format!("{query} and time_class {name}"));
                let rows = by_name(all(), |game| game.record.time_class().name(), condition);
                ("Time classes", "time_class", ranked(rows))
            }
            "events" => ("Events", "event", ranked(by_name(all(), |game| game.event, of_name("event")))),
            "structures" => ("Structures", "structure", ranked(self.structures())),
            "endgames" => ("Endgames", "endgame", ranked(self.endgames())),
            _ => {
                let table = runs::table(&self.by_date());
                return ReportSection { name, title: "Longest runs", is_ordered: true, table };
            }
        };
        ReportSection { name, title, is_ordered: name == "years", table: table(key, rows) }
    }

    fn colours(&self) -> Vec<ScoreRow> {
        let [white, black] = &self.by_colour;
        let [as_white, as_black] = &self.queries;
        let row = |name: &str, score, query: &str| ScoreRow { name: name.into(), score, condition: Some(query.into()) };
        vec![
            row("both", OwnScore::of(white.iter().chain(black)), &self.query),
            row("white", OwnScore::of(white), as_white),
            row("black", OwnScore::of(black), as_black),
        ]
    }

    fn years(&self) -> Vec<ScoreRow> {
        let mut years: BTreeMap<u32, OwnScore> = BTreeMap::new();
        self.by_colour.iter().flatten().for_each(|game| years.entry(game.date().year()).or_default().add(game));
        let row = |(year, score)| match year {
            0 => ScoreRow { name: "?".into(), score, condition: None },
            _ => {
                ScoreRow { name: format!("{year}"), score, condition: Some(format!("{} and year {year}", self.query)) }
            }
        };
        years.into_iter().map(row).collect()
    }

    /// The structures with a name, by whose pawns have them: a game has each that was ever on its board.
    fn structures(&self) -> Vec<ScoreRow> {
        let name_of = |structure: &str, is_own: bool| {
            if is_own { structure.to_owned() } else { format!("against {structure}") }
        };
        // A value has all structures of a position: `white carlsbad, black slav_structure`.
        let names = |value: &str, colour: usize| {
            let sides = value.split(", ").filter_map(|one| one.split_once(' '));
            sides.map(|(side, structure)| name_of(structure, (side == "black") == (colour == 1))).collect()
        };
        let condition = |name: &str| {
            let (structure, sides) = match name.strip_prefix("against ") {
                None => (name, ["white", "black"]),
                Some(structure) => (structure, ["black", "white"]),
            };
            let of = |nth: usize| format!("({} and {} {structure})", self.queries[nth], sides[nth]);
            let colours = (0..2).filter(|&colour| !self.by_colour[colour].is_empty());
            Some(colours.map(of).collect::<Vec<String>>().join(" or "))
        };
        self.by_set(0, names, condition)
    }

    /// The kinds of endgames that were ever on the board.
    fn endgames(&self) -> Vec<ScoreRow> {
        let names = |kind: &str, _| (kind != "none yet").then(|| kind.to_owned()).into_iter().collect();
        self.by_set(1, names, |_| None)
    }

    /// The scores in the sets of an output, each of which counts for these names.
    fn by_set(
        &self,
        output: usize,
        names: impl Fn(&str, usize) -> Vec<String>,
        condition: impl Fn(&str) -> Option<String>,
    ) -> Vec<ScoreRow> {
        // A name of which one set is not kept has no score.
        let mut sets_by_name: BTreeMap<String, Option<[Option<GameSet>; 2]>> = BTreeMap::new();
        for (colour, results) in self.on_board.iter().enumerate() {
            let Some(partition) = results.get(output).and_then(OutputResult::of_type::<Partition>) else { continue };
            for set in &partition.sets {
                for name in names(&set.name, colour) {
                    let sets = sets_by_name.entry(name).or_insert_with(|| Some([None, None]));
                    match (sets.as_mut(), &set.games) {
                        (Some(sets), Some(games)) => add(&mut sets[colour], games),
                        _ => *sets = None,
                    }
                }
            }
        }
        let known = sets_by_name.into_iter().filter_map(|(name, sets)| Some((name, sets?)));
        let row =
            |(name, sets): (String, _)| ScoreRow { condition: condition(&name), name, score: self.score_of(&sets) };
        known.map(row).filter(|row| row.score.games() > 0).collect()
    }

    /// The score in sets of games with White and with Black.
    fn score_of(&self, sets: &[Option<GameSet>; 2]) -> OwnScore {
        let of_colour = self.by_colour.iter().zip(sets);
        let games = of_colour.filter_map(|(games, set)| Some((games, set.as_ref()?)));
        OwnScore::of(games.flat_map(|(games, set)| games.iter().filter(|game| set.contains(game.id))))
    }
}

fn add(all: &mut Option<GameSet>, more: &GameSet) {
    match all {
        None => *all = Some(more.clone()),
        Some(all) => all.or(more),
    }
}

/// The games by a name; names that queries do not tell apart are one, as its first game has it.
pub fn by_name<'g, 'a: 'g>(
    games: impl IntoIterator<Item = &'g OwnGame<'a>>,
    name_of: impl Fn(&OwnGame<'a>) -> &'a str,
    condition: impl Fn(&str) -> Option<String>,
) -> Vec<ScoreRow> {
    let mut names: BTreeMap<String, (&str, OwnScore)> = BTreeMap::new();
    let mut folded: BTreeMap<&str, String> = BTreeMap::new();
    for game in games {
        let name = name_of(game);
        let key = folded.entry(name).or_insert_with(|| folded_name(name)).clone();
        match names.entry(key) {
            Entry::Vacant(place) => &mut place.insert((name, OwnScore::default())).1,
            Entry::Occupied(place) => &mut place.into_mut().1,
        }
        .add(game);
    }
    let row = |(name, score): (&str, OwnScore)| ScoreRow {
        condition: condition(name),
        name: if name.is_empty() { "?".into() } else { name.to_owned() },
        score,
    };
    names.into_values().map(row).collect()
}

/// The rows of most games first, equal ones by name.
pub fn ranked(mut rows: Vec<ScoreRow>) -> Vec<ScoreRow> {
    rows.sort_by(|one, other| other.score.games().cmp(&one.score.games()).then_with(|| one.name.cmp(&other.name)));
    rows
}

/// The columns of a score.
pub fn score_columns() -> [ResultColumn; 8] {
    [
        ResultColumn::count("games"),
        ResultColumn::new(CellKind::Results, "won"),
        ResultColumn::new(CellKind::Results, "drawn"),
        ResultColumn::new(CellKind::Results, "lost"),
        ResultColumn::new(CellKind::Results, "unknown"),
        ResultColumn::text("score").optional(),
        ResultColumn::new(CellKind::Rating, "rating").optional(),
        ResultColumn::new(CellKind::Signed, "performance").optional(),
    ]
}

/// The cells of a score, in the order of [`score_columns`].
pub fn score_cells(score: &OwnScore) -> [ResultCell<'static>; 8] {
    let OwnScore { won, drawn, lost, unknown, ratings } = score;
    let [won, drawn, lost, unknown] = [won, drawn, lost, unknown].map(|&games| ResultCell::Count(games));
    let (rating, performance) = (ratings.average().map(u64::from).into(), ratings.performance().into());
    [score.games().into(), won, drawn, lost, unknown, score.percent().into(), rating, performance]
}

/// The table of rows under the name of their key.
pub fn table(key: &'static str, rows: Vec<ScoreRow>) -> ResultTable<'static> {
    let mut columns = vec![ResultColumn::text(key)];
    columns.extend(score_columns());
    columns.push(ResultColumn::condition("condition"));
    let rows = rows.into_iter().map(|ScoreRow { name, score, condition }| {
        let mut row: Vec<ResultCell<'static>> = vec![name.into()];
        row.extend(score_cells(&score));
        row.push(condition.into());
        row
    });
    ResultTable::new(columns, rows)
}
