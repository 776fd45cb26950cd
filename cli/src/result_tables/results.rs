//! The tables of games and positions, whose rows are many.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn};

use super::result_table::StreamedTable;
use crate::game_row::{GameRow, member_of_number};
use crate::positions::{PositionAnnotations, PositionFormat, PositionStream};
use crate::tag_columns::ListedTags;

/// Makes the cell of a column.
type GameCell<'a> = fn(&mut GameRow<'a>) -> ResultCell<'a>;

/// The columns of a game's headers, up to its plies.
pub fn game_columns<'a>() -> Vec<(ResultColumn, GameCell<'a>)> {
    vec![
        (ResultColumn::count("number"), |game| game.number.into()),
        (ResultColumn::text("white"), |game| game.white.into()),
        (ResultColumn::text("black"), |game| game.black.into()),
        (ResultColumn::count("white_elo").optional(), |game| game.white_elo.map(u64::from).into()),
        (ResultColumn::count("black_elo").optional(), |game| game.black_elo.map(u64::from).into()),
        (ResultColumn::text("result"), |game| game.result.into()),
        (ResultColumn::text("eco").optional(), |game| game.eco.take().into()),
        (ResultColumn::text("opening").optional(), |game| game.opening.into()),
        (ResultColumn::text("eco_tag").optional(), |game| game.eco_tag.take().into()),
        (ResultColumn::text("date"), |game| std::mem::take(&mut game.date).into()),
        (ResultColumn::text("event"), |game| game.event.into()),
        (ResultColumn::text("site"), |game| game.site.into()),
        (ResultColumn::count("plies"), |game| u64::from(game.plies).into()),
    ]
}

/// Games by their numbers from 0, with their headers.
pub fn games<'a>(corpus: &'a JoinedCorpus<'a>, ids: impl Iterator<Item = GameId> + 'a) -> StreamedTable<'a> {
    let mut columns = game_columns();
    columns.extend([
        (ResultColumn::text("ending"), (|game| game.ending.into()) as GameCell<'a>),
        (ResultColumn::text("time_class"), |game| game.time_class.into()),
        (ResultColumn::text("round").optional(), |game| game.round.into()),
        (ResultColumn::text("white_title").optional(), |game| game.white_title.into()),
        (ResultColumn::text("black_title").optional(), |game| game.black_title.into()),
        (ResultColumn::text("time_control").optional(), |game| game.time_control.into()),
        (ResultColumn::text("annotator").optional(), |game| game.annotator.into()),
    ]);
    if corpus.members().len() > 1 {
        let cells: [GameCell<'a>; 2] = [|game| game.corpus.into(), |game| game.corpus_number.into()];
        columns.extend(member_columns().into_iter().zip(cells));
    }
    let (columns, cells): (Vec<ResultColumn>, Vec<GameCell<'a>>) = columns.into_iter().unzip();
    let row = move |mut game: GameRow<'a>| cells.iter().map(|cell| cell(&mut game)).collect();
    StreamedTable::new(columns, ids.filter_map(|id| GameRow::from_game(corpus, id)).map(row))
}

/// Games as [`games`] has them, with further columns for their tags, which were read in this order.
pub fn games_with_tags<'a>(
    corpus: &'a JoinedCorpus<'a>,
    ids: impl Iterator<Item = GameId> + 'a,
    tags: &'a ListedTags,
) -> StreamedTable<'a> {
    let StreamedTable { mut columns, rows } = games(corpus, ids);
    columns.extend(
        tags.names()
            .iter()
            .map(|name| ResultColumn { name: name.clone().into(), ..ResultColumn::text("tag").optional() }),
    );
    let with_tags = rows.enumerate().map(|(nth, mut row)| {
        row.extend(tags.of_listed(nth).map(ResultCell::from));
        row
    });
    StreamedTable::new(columns, with_tags)
}

/// Of a library: the corpus that has a game, and the game's number there.
fn member_columns() -> [ResultColumn; 2] {
    [ResultColumn::text("corpus").optional(), ResultColumn::count("corpus_number").optional()]
}

/// Positions in the order of the stream; with the numbers of their games, also what the texts say of them.
pub fn positions<'a>(corpus: &'a JoinedCorpus<'a>, mut stream: PositionStream<'a>) -> StreamedTable<'a> {
    let form = stream.form;
    let is_library = corpus.members().len() > 1 && form.has_ref();
    stream.with_annotations = form.has_ref();
    let mut columns = Vec::new();
    if form.has_ref() {
        columns.extend([ResultColumn::count("game"), ResultColumn::count("ply")]);
    }
    if form.has_fen() {
        columns.push(ResultColumn::text("fen"));
    }
    if form == PositionFormat::Hash {
        columns.push(ResultColumn::text("hash"));
    }
    if stream.has_images() {
        columns.push(ResultColumn::text("images"));
    }
    if form.has_ref() {
        columns.extend([
            ResultColumn::new(CellKind::Signed, "eval").optional(),
            ResultColumn::count("clock").optional(),
            ResultColumn::text("judgement").optional(),
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
        row.extend(position.fen.map(ResultCell::from));
        row.extend((form == PositionFormat::Hash).then(|| format!("{:016x}", position.hash).into()));
        row.extend(position.images.map(|names| ResultCell::from(names.join(", "))));
        if let Some(PositionAnnotations { eval, clock, judgement }) = position.annotations {
            let eval = eval.map_or(ResultCell::Empty, |eval| ResultCell::Signed(eval.into()));
            row.extend([eval, clock.map(|clock| u64::from(clock.unsigned_abs())).into(), judgement.into()]);
        }
        if is_library {
            let (name, number) = member_of_number(corpus, position.game).unzip();
            row.extend([name.into(), number.into()]);
        }
        row
    });
    StreamedTable::new(columns, rows)
}
