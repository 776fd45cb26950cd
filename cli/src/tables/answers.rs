//! What each answer has as a table.

use plyfold_core::corpus::file::Corpus;
use plyfold_core::reduce::TopStructures;
use plyfold_core::reduce::heatmap::Heatmap;
use plyfold_core::reduce::key::Key;

use super::{Cell, Column, Kind, Table};
use crate::draw::squares;
use crate::facts::Facts;
use crate::positions::{Form, Stream};
use crate::told::{Groups, NextMoves, Partition};

/// Games by their numbers from 0, and their facts.
pub fn games<'a>(corpus: &'a Corpus<'a>, ids: impl Iterator<Item = u32> + 'a) -> Table<'a> {
    let columns = vec![
        Column::number("number"),
        Column::text("white"),
        Column::text("black"),
        Column::number("white_elo").optional(),
        Column::number("black_elo").optional(),
        Column::text("result"),
        Column::text("eco").optional(),
        Column::text("date"),
        Column::text("event"),
        Column::text("site"),
        Column::number("plies"),
        Column::text("ending"),
        Column::text("time_class"),
    ];
    let row = |game: Facts<'a>| {
        vec![
            game.number.into(),
            game.white.into(),
            game.black.into(),
            game.white_elo.map(u64::from).into(),
            game.black_elo.map(u64::from).into(),
            game.result.into(),
            game.eco.into(),
            game.date.into(),
            game.event.into(),
            game.site.into(),
            u64::from(game.plies).into(),
            game.ending.into(),
            game.time_class.into(),
        ]
    };
    Table::new(columns, ids.filter_map(|id| Facts::of(corpus, id)).map(row))
}

/// Positions as they come.
pub fn positions<'a>(stream: Stream<'a>, form: Form) -> Table<'a> {
    let mut columns = Vec::new();
    if form.has_ref() {
        columns.extend([Column::number("game"), Column::number("ply")]);
    }
    if form.has_fen() {
        columns.push(Column::text("fen"));
    }
    if form == Form::Hash {
        columns.push(Column::text("hash"));
    }
    if stream.has_images() {
        columns.push(Column::text("images"));
    }
    let rows = stream.map(move |position| {
        let mut row = Vec::with_capacity(3);
        if form.has_ref() {
            row.extend([position.game.into(), u64::from(position.ply).into()]);
        }
        row.extend(position.fen.map(Cell::from));
        row.extend((form == Form::Hash).then(|| format!("{:016x}", position.hash).into()));
        row.extend(position.images.map(|names| Cell::from(names.join(", "))));
        row
    });
    Table::new(columns, rows)
}

/// How many positions have a man of each kind on each square.
pub fn heatmap<'a>(heatmap: &Heatmap) -> Table<'a> {
    let columns = ["colour", "man", "square"].map(Column::text).into_iter().chain([Column::number("positions")]);
    let mut rows = Vec::new();
    for (colour, counts) in ["white", "black"].into_iter().zip(heatmap.counts()) {
        for (man, counts) in ["pawn", "knight", "bishop", "rook", "queen", "king"].into_iter().zip(counts) {
            let each = squares(u64::MAX).into_iter().zip(counts);
            rows.extend(each.map(|(square, count)| vec![colour.into(), man.into(), square.into(), count.into()]));
        }
    }
    Table::new(columns.collect(), rows.into_iter())
}

/// Pawn structures by how many positions have them.
pub fn structures(structures: &TopStructures) -> Table<'_> {
    let texts = ["white", "black", "white_squares", "black_squares"].map(Column::text);
    let columns = [Column::number("rank"), Column::number("positions")].into_iter().chain(texts);
    let rows = (1u64..).zip(&structures.top).map(|(rank, structure)| {
        vec![
            rank.into(),
            structure.count.into(),
            format!("{:016x}", structure.white).into(),
            format!("{:016x}", structure.black).into(),
            squares(structure.white).join(" ").into(),
            squares(structure.black).join(" ").into(),
        ]
    });
    Table::new(columns.collect(), rows)
}

/// The column of a key beside these others: its values are numbers if they have an order, but for those that are not known.
fn of_key(key: &Key, others: &[Column]) -> Column {
    let name = match key.name() {
        // `white` and `black` are players here, and results there.
        name if others.iter().any(|other| other.name == name) => format!("by_{name}"),
        name => name.to_owned(),
    };
    if key.is_ordered() { Column::of(Kind::Signed, name).optional() } else { Column::of(Kind::Text, name) }
}

fn value(column: &Column, name: String) -> Cell<'static> {
    match column.kind {
        Kind::Signed => name.parse().map_or(Cell::Nothing, Cell::Signed),
        _ => name.into(),
    }
}

/// The groups of a key.
pub fn groups<'a>(groups: Groups, key: &Key) -> Table<'a> {
    let numbers = ["positions", "games", "white", "draw", "black", "unknown", "first_game", "first_ply"];
    let mut columns = Vec::from(numbers.map(Column::number));
    let first = of_key(key, &columns);
    columns.insert(0, first.clone());
    let rows = groups.groups.into_iter().map(move |group| {
        let [white, draw, black, unknown] = group.results.each();
        let (game, ply) = (group.first_game, u64::from(group.first_ply));
        let numbers = [group.positions, group.games, white, draw, black, unknown, game, ply].map(Cell::Number);
        [value(&first, group.name)].into_iter().chain(numbers).collect()
    });
    Table::new(columns, rows)
}

/// The parts of a key.
pub fn partition<'a>(partition: Partition, key: &Key) -> Table<'a> {
    let games = Column::number("games");
    let first = of_key(key, std::slice::from_ref(&games));
    let columns = vec![first.clone(), games];
    let rows = partition.parts.into_iter().map(move |part| vec![value(&first, part.name), part.games.into()]);
    Table::new(columns, rows)
}

/// How games went on.
pub fn next<'a>(next: NextMoves) -> Table<'a> {
    let columns = ["san", "uci"].map(Column::text).into_iter();
    let columns = columns.chain(["games", "times", "white", "draw", "black", "unknown"].map(Column::number)).chain([
        Column::number("average_elo").optional(),
        Column::of(Kind::Signed, "performance").optional(),
        Column::text("last_played").optional(),
    ]);
    let rows = next.moves.into_iter().map(|one| {
        let [white, draw, black, unknown] = one.results.each();
        let numbers = [one.games, one.times, white, draw, black, unknown].map(Cell::Number);
        let performance = one.performance.map_or(Cell::Nothing, Cell::Signed);
        let rated = [one.average_elo.map(u64::from).into(), performance, one.last_played.into()];
        [one.san.into(), one.uci.into()].into_iter().chain(numbers).chain(rated).collect()
    });
    Table::new(columns.collect(), rows)
}
