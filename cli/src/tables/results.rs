//! The table of each result.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::reduce::QueryResults;
use plyfold_core::reduce::groups::GroupTable;
use plyfold_core::reduce::heatmap::Heatmap;
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::partition::PartitionSet;
use plyfold_core::reduce::structures::TopStructures;

use super::result_table::{ColumnType, ResultTable, TableCell, TableColumn};
use crate::diagram::squares;
use crate::game_row::{GameRow, member_of_number};
use crate::key_argument::KeyArgument;
use crate::positions::{PositionAnnotations, PositionFormat, PositionStream};
use crate::report::{EndgamesReport, GroupsReport, NextMovesReport, PartitionReport};

/// Makes the cell of a column.
type GameCell<'a> = fn(&mut GameRow<'a>) -> TableCell<'a>;

/// The columns of a game's headers, up to its plies.
pub fn game_columns<'a>() -> Vec<(TableColumn, GameCell<'a>)> {
    vec![
        (TableColumn::number("number"), |game| game.number.into()),
        (TableColumn::text("white"), |game| game.white.into()),
        (TableColumn::text("black"), |game| game.black.into()),
        (TableColumn::number("white_elo").optional(), |game| game.white_elo.map(u64::from).into()),
        (TableColumn::number("black_elo").optional(), |game| game.black_elo.map(u64::from).into()),
        (TableColumn::text("result"), |game| game.result.into()),
        (TableColumn::text("eco").optional(), |game| game.eco.take().into()),
        (TableColumn::text("date"), |game| std::mem::take(&mut game.date).into()),
        (TableColumn::text("event"), |game| game.event.into()),
        (TableColumn::text("site"), |game| game.site.into()),
        (TableColumn::number("plies"), |game| u64::from(game.plies).into()),
    ]
}

/// Games by their numbers from 0, with their headers.
pub fn games<'a>(corpus: &'a JoinedCorpus<'a>, ids: impl Iterator<Item = GameId> + 'a) -> ResultTable<'a> {
    let mut columns = game_columns();
    columns.extend([
        (TableColumn::text("ending"), (|game| game.ending.into()) as GameCell<'a>),
        (TableColumn::text("time_class"), |game| game.time_class.into()),
        (TableColumn::text("round").optional(), |game| game.round.into()),
        (TableColumn::text("white_title").optional(), |game| game.white_title.into()),
        (TableColumn::text("black_title").optional(), |game| game.black_title.into()),
        (TableColumn::text("time_control").optional(), |game| game.time_control.into()),
        (TableColumn::text("annotator").optional(), |game| game.annotator.into()),
    ]);
    if corpus.members().len() > 1 {
        let cells: [GameCell<'a>; 2] = [|game| game.corpus.into(), |game| game.corpus_number.into()];
        columns.extend(member_columns().into_iter().zip(cells));
    }
    let (columns, cells): (Vec<TableColumn>, Vec<GameCell<'a>>) = columns.into_iter().unzip();
    let row = move |mut game: GameRow<'a>| cells.iter().map(|cell| cell(&mut game)).collect();
    ResultTable::new(columns, ids.filter_map(|id| GameRow::from_game(corpus, id)).map(row))
}

/// Of a library: the corpus that has a game, and the game's number there.
fn member_columns() -> [TableColumn; 2] {
    [TableColumn::text("corpus").optional(), TableColumn::number("corpus_number").optional()]
}

/// Positions in the order of the stream; with the numbers of their games, also what the texts say of them.
pub fn positions<'a>(corpus: &'a JoinedCorpus<'a>, mut stream: PositionStream<'a>) -> ResultTable<'a> {
    let form = stream.form;
    let is_library = corpus.members().len() > 1 && form.has_ref();
    stream.with_annotations = form.has_ref();
    let mut columns = Vec::new();
    if form.has_ref() {
        columns.extend([TableColumn::number("game"), TableColumn::number("ply")]);
    }
    if form.has_fen() {
        columns.push(TableColumn::text("fen"));
    }
    if form == PositionFormat::Hash {
        columns.push(TableColumn::text("hash"));
    }
    if stream.has_images() {
        columns.push(TableColumn::text("images"));
    }
    if form.has_ref() {
        columns.extend([
            TableColumn::new(ColumnType::Signed, "eval").optional(),
            TableColumn::number("clock").optional(),
            TableColumn::text("judgement").optional(),
        ]);
    }
    if is_library {
        columns.extend(member_columns());
    }
    let rows = stream.map(move |position| {
        let mut row = Vec::with_capacity(3);
        if form.has_ref() {
            row.extend([position.game.into(), u64::from(position.ply).into()]);
        }
        row.extend(position.fen.map(TableCell::from));
        row.extend((form == PositionFormat::Hash).then(|| format!("{:016x}", position.hash).into()));
        row.extend(position.images.map(|names| TableCell::from(names.join(", "))));
        if let Some(PositionAnnotations { eval, clock, judgement }) = position.annotations {
            let eval = eval.map_or(TableCell::Empty, |eval| TableCell::Signed(eval.into()));
            row.extend([eval, clock.map(|clock| u64::from(clock.unsigned_abs())).into(), judgement.into()]);
        }
        if is_library {
            let (name, number) = member_of_number(corpus, position.game).unzip();
            row.extend([name.into(), number.into()]);
        }
        row
    });
    ResultTable::new(columns, rows)
}

/// How many positions have a piece of each kind on each square.
fn heatmap<'a>(heatmap: &Heatmap) -> ResultTable<'a> {
    let columns =
        ["colour", "man", "square"].map(TableColumn::text).into_iter().chain([TableColumn::number("positions")]);
    let mut rows = Vec::new();
    for (colour, counts) in ["white", "black"].into_iter().zip(heatmap.counts()) {
        for (man, counts) in ["pawn", "knight", "bishop", "rook", "queen", "king"].into_iter().zip(counts) {
            let squares_with_counts = squares(u64::MAX).into_iter().zip(counts);
            rows.extend(
                squares_with_counts.map(|(square, count)| vec![colour.into(), man.into(), square.into(), count.into()]),
            );
        }
    }
    ResultTable::new(columns.collect(), rows.into_iter())
}

/// Pawn structures by the number of positions that have them.
fn structures(structures: &TopStructures) -> ResultTable<'_> {
    let texts = ["white", "black", "white_squares", "black_squares"].map(TableColumn::text);
    let columns = [TableColumn::number("rank"), TableColumn::number("positions")].into_iter().chain(texts);
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
    ResultTable::new(columns.collect(), rows)
}

/// The column of a key beside these other columns. If the key has an order, its values are numbers and unknown values are
/// empty.
fn key_column(key: &GroupingKey, others: &[TableColumn]) -> TableColumn {
    let name = match key.name() {
        // `white` and `black` are players as keys, and results as columns.
        name if others.iter().any(|other| other.name == name) => format!("by_{name}"),
        name => name.to_owned(),
    };
    if key.is_ordered() {
        TableColumn::new(ColumnType::Signed, name).optional()
    } else {
        TableColumn::new(ColumnType::Text, name)
    }
}

fn key_cell(column: &TableColumn, name: String) -> TableCell<'static> {
    match column.column_type {
        ColumnType::Signed => name.parse().map_or(TableCell::Empty, TableCell::Signed),
        _ => name.into(),
    }
}

/// The groups of a key.
fn groups<'a>(groups: GroupsReport, key: &GroupingKey) -> ResultTable<'a> {
    let numbers = ["positions", "games", "white", "draw", "black", "unknown", "first_game", "first_ply"];
    let mut columns = Vec::from(numbers.map(TableColumn::number));
    let first = key_column(key, &columns);
    columns.insert(0, first.clone());
    let rows = groups.groups.into_iter().map(move |group| {
        let [white, draw, black, unknown] = group.results.as_array();
        let (game, ply) = (group.first_game, u64::from(group.first_ply));
        let numbers = [group.positions, group.games, white, draw, black, unknown, game, ply].map(TableCell::Number);
        [key_cell(&first, group.name)].into_iter().chain(numbers).collect()
    });
    ResultTable::new(columns, rows)
}

/// The parts of a key.
fn partition<'a>(partition: PartitionReport, key: &GroupingKey) -> ResultTable<'a> {
    let games = TableColumn::number("games");
    let first = key_column(key, std::slice::from_ref(&games));
    let columns = vec![first.clone(), games];
    let rows = partition.parts.into_iter().map(move |part| vec![key_cell(&first, part.name), part.games.into()]);
    ResultTable::new(columns, rows)
}

/// Endgames by material.
fn endgames<'a>(endgames: EndgamesReport) -> ResultTable<'a> {
    let numbers = [
        "games",
        "won",
        "drawn",
        "lost",
        "unknown",
        "first_threw_away_win",
        "first_threw_away_draw",
        "second_threw_away_win",
        "second_threw_away_draw",
    ];
    let columns = [TableColumn::text("material")].into_iter().chain(numbers.map(TableColumn::number));
    let rows = endgames.endgames.into_iter().map(|endgame| {
        let numbers = endgame.numbers().map(TableCell::Number);
        [endgame.material.into()].into_iter().chain(numbers).collect()
    });
    ResultTable::new(columns.collect(), rows)
}

/// Next moves.
fn next<'a>(next: NextMovesReport) -> ResultTable<'a> {
    let columns = ["san", "uci"].map(TableColumn::text).into_iter();
    let columns =
        columns.chain(["games", "times", "white", "draw", "black", "unknown"].map(TableColumn::number)).chain([
            TableColumn::number("average_elo").optional(),
            TableColumn::new(ColumnType::Signed, "performance").optional(),
            TableColumn::text("last_played").optional(),
        ]);
    let rows = next.moves.into_iter().map(|one| {
        let [white, draw, black, unknown] = one.results.as_array();
        let numbers = [one.games, one.times, white, draw, black, unknown].map(TableCell::Number);
        let performance = one.performance.map_or(TableCell::Empty, TableCell::Signed);
        let rated = [one.average_elo.map(u64::from).into(), performance, one.last_played.into()];
        [one.san.into(), one.uci.into()].into_iter().chain(numbers).chain(rated).collect()
    });
    ResultTable::new(columns.collect(), rows)
}

/// The table of the one result that was asked for, with at most `most` rows of a key, of next moves or of endgames. Games and positions
/// have tables of their own.
pub fn of_results<'a>(
    found: &'a QueryResults,
    corpus: &JoinedCorpus<'_>,
    (by, parts_by): (Option<&KeyArgument>, Option<&KeyArgument>),
    most: usize,
) -> Option<ResultTable<'a>> {
    let of_groups = |(by, found): (&KeyArgument, &GroupTable)| {
        let mut report = GroupsReport::from(found);
        report.groups.truncate(most);
        groups(report, &by.key)
    };
    let of_parts = |(by, parts): (&KeyArgument, &Vec<PartitionSet>)| {
        partition(PartitionReport::new(by.key.name(), by.rule_name(), parts, most), &by.key)
    };
    let table = found.heatmap.as_ref().map(heatmap);
    table
        .or_else(|| found.structures.as_ref().map(structures))
        .or_else(|| by.zip(found.groups.first()).map(of_groups))
        .or_else(|| parts_by.zip(found.partitions.first()).map(of_parts))
        .or_else(|| found.next_moves.as_ref().map(|found| next(NextMovesReport::new(found, corpus, most))))
        .or_else(|| found.endgames.as_ref().map(|found| endgames(EndgamesReport::new(found, most))))
}
