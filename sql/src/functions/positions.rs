//! Scalar functions of positions: `fen(game, ply)`, `signature(fen)`, `transform(fen, op)`, `tb(fen)` and `tb_dtm(fen)`.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int32Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::error::Result;
use datafusion::logical_expr::ptr_eq::PtrEq;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::{GameId, Ply};
use plyfold_core::matsig::MatSig;
use plyfold_core::scan::tables::{ProbedPosition, TableOutcome, TableVerdict, TableVerdicts};
use plyfold_core::transform::Transform;
use plyfold_core::transform::position_text::{read_fen, to_fen};
use shakmaty::Setup;

use crate::error::SqlFailure;
use crate::loaded_shard::ShardNeeds;
use crate::session::SessionLibraries;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum PositionFunction {
    Fen,
    Signature,
    Transform,
    Tb,
    TbDtm,
}

use PositionFunction::{Fen, Tb, TbDtm};

/// The functions: the name, and the types of the arguments.
const FUNCTIONS: [(PositionFunction, &str, &[DataType]); 5] = [
    (Fen, "fen", &[DataType::Int64, DataType::Int64]),
    (PositionFunction::Signature, "signature", &[DataType::Utf8]),
    (PositionFunction::Transform, "transform", &[DataType::Utf8, DataType::Utf8]),
    (Tb, "tb", &[DataType::Utf8]),
    (TbDtm, TB_DTM, &[DataType::Utf8]),
];

const TB_DTM: &str = "tb_dtm";

/// A function and what it reads.
#[derive(PartialEq, Eq, Hash, Debug)]
struct BoundFunction {
    function: PositionFunction,
    name: &'static str,
    libraries: PtrEq<Arc<SessionLibraries>>,
    signature: Signature,
}

/// The functions of a session.
pub(super) fn functions(libraries: &Arc<SessionLibraries>) -> impl Iterator<Item = ScalarUDF> {
    FUNCTIONS.into_iter().map(|(function, name, arguments)| {
        let signature = Signature::exact(arguments.to_vec(), Volatility::Immutable);
        ScalarUDF::from(BoundFunction { function, name, libraries: libraries.clone().into(), signature })
    })
}

/// The session of a function, if it is one of these.
#[cfg(feature = "cluster")]
pub(super) fn libraries_of(function: &ScalarUDF) -> Option<&Arc<SessionLibraries>> {
    function.inner().downcast_ref::<BoundFunction>().map(|function| &*function.libraries)
}

/// The type of what the function of this name returns.
pub(super) fn return_type(name: &str) -> DataType {
    if name == TB_DTM { DataType::Int32 } else { DataType::Utf8 }
}

impl ScalarUDFImpl for BoundFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(return_type(self.name))
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arguments = ColumnarValue::values_to_arrays(&call.args)?;
        let fens = || -> Vec<Option<&str>> { arguments[0].as_string::<i32>().iter().collect() };
        let answers: ArrayRef = match self.function {
            Fen => Arc::new(self.fens(&arguments[0], &arguments[1])?),
            PositionFunction::Signature => Arc::new(texts(fens().into_iter().map(|fen| fen.map(signature)))?),
            PositionFunction::Transform => {
                let pairs = fens().into_iter().zip(arguments[1].as_string::<i32>().iter());
                Arc::new(texts(pairs.map(|(fen, names)| fen.zip(names).map(|(fen, names)| transform(fen, names))))?)
            }
            Tb => Arc::new(
                self.verdicts(fens())?.into_iter().map(|verdict| verdict.map(outcome)).collect::<StringArray>(),
            ),
            TbDtm => {
                let moves = self.verdicts(fens())?.into_iter().map(|verdict| Some(verdict?.moves_to_mate? as i32));
                Arc::new(moves.collect::<Int32Array>())
            }
        };
        Ok(ColumnarValue::Array(answers))
    }
}

impl BoundFunction {
    /// The positions after plies of games of the session's library; NULL where there is no such game or ply.
    fn fens(&self, games: &dyn Array, plies: &dyn Array) -> Result<StringArray> {
        let (games, plies) = (games.as_primitive::<Int64Type>(), plies.as_primitive::<Int64Type>());
        let library = &self.libraries.main;
        let used: BTreeSet<usize> = games.iter().flatten().filter_map(|game| library.shard_of_game(game)).collect();
        let used: Vec<usize> = used.into_iter().collect();
        let shards = library.load_shards(used.clone(), &ShardNeeds::of_parts(ShardParts::MOVES))?;
        let fen = |(game, ply): (Option<i64>, Option<i64>)| {
            let number = game?;
            let span = shards[used.binary_search(&library.shard_of_game(number)?).ok()?].span();
            let game = span.game(span.index_of(GameId(number as u32 - 1))?);
            let ply = u32::try_from(ply?).ok().filter(|&ply| ply as usize <= game.moves.len())?;
            Some(game.board_at(Ply(ply)).fen().to_string())
        };
        Ok(games.iter().zip(plies.iter()).map(fen).collect())
    }

    /// What endgame tables know of positions, for the side to move; nothing without tables of their materials.
    fn verdicts(&self, fens: Vec<Option<&str>>) -> Result<Vec<Option<TableVerdict>>> {
        let Some(tables) = &self.libraries.tables else {
            return Err(SqlFailure::usage("tb(fen) needs endgame tables: name their folders by --tables or --syzygy"));
        };
        let verdict = |fen: Option<&str>| {
            let Some(fen) = fen else { return Ok(None) };
            let setup = read(fen)?;
            if !setup.castling_rights.is_empty() {
                return Ok(None);
            }
            let position = ProbedPosition { board: setup.board, turn: setup.turn, en_passant: setup.ep_square };
            Ok(tables.verdict(&position))
        };
        fens.into_iter().map(verdict).collect()
    }
}

fn texts(answers: impl Iterator<Item = Option<Result<String>>>) -> Result<StringArray> {
    answers.map(Option::transpose).collect()
}

fn read(fen: &str) -> Result<Setup> {
    read_fen(fen).map_err(|error| SqlFailure::usage(format!("not a FEN: {}", error.with_column(fen))))
}

fn signature(fen: &str) -> Result<String> {
    let signature = MatSig::from_setup(&read(fen)?);
    signature.map(|signature| signature.to_string()).map_err(|error| SqlFailure::usage(format!("{fen}: {error}")))
}

fn transform(fen: &str, names: &str) -> Result<String> {
    let mut position = read(fen)?;
    for name in names.split([',', ' ']).filter(|name| !name.is_empty()) {
        let Some(transform) = Transform::named(name) else {
            return Err(SqlFailure::usage(format!(
                "`{name}` is not a transform (`egtgen transform --list` lists them)"
            )));
        };
        position = transform.apply(&position);
    }
    Ok(to_fen(&position))
}

fn outcome(verdict: TableVerdict) -> &'static str {
    match verdict.outcome {
        TableOutcome::Win => "win",
        TableOutcome::Draw => "draw",
        TableOutcome::Loss => "loss",
    }
}
