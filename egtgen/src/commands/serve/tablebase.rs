//! `/tablebase`: probes the tables and writes the JSON form of lila-tablebase, which Lichess's tablebase clients read.
//!
//! `dtm` comes from egtgen's tables; `dtz`, `precise_dtz` and the fifty-move rule come from Syzygy tables, and without them `dtz`
//! is null and the fifty-move rule is ignored. For a position outside the tables, the response says whether the game is over and
//! what follows from its moves; otherwise it is `unknown`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use egtgen::prober::{CacheOnlyTables, NotCached};
use plyfold_tables::probe::Prober;
use plyfold_transform::position_text;
use serde::Serialize;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError};

use super::http_error::HttpError;
use super::request_input::UrlParameters;
use super::routes::{ServiceState, run_with_permit};
use super::tables::no_tables;
use crate::commands::known_position::{
    Category, Judge, KnownMove, KnownPosition, KnownValue, MainLine, Standing, table_position,
};

/// The response.
#[derive(Serialize)]
struct TablebaseAnswer<'a> {
    #[serde(flatten)]
    standing: StandingAnswer,
    /// The moves, best first.
    moves: Vec<MoveAnswer<'a>>,
}

/// A move and the position after it, from the point of view of the side to move there.
#[derive(Serialize)]
struct MoveAnswer<'a> {
    uci: String,
    san: &'a str,
    /// Whether the move is a capture or a pawn move.
    zeroing: bool,
    /// Whether the move is a capture or a promotion.
    conversion: bool,
    #[serde(flatten)]
    standing: StandingAnswer,
}

/// The properties of a position.
#[derive(Serialize)]
struct StandingAnswer {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i64>,
    /// Distances of other games and of other tables.
    dtw: Option<i32>,
    dtc: Option<i32>,
    category: Category,
}

impl StandingAnswer {
    fn new(standing: &Standing) -> StandingAnswer {
        StandingAnswer {
            checkmate: standing.checkmate,
            stalemate: standing.stalemate,
            variant_win: false,
            variant_loss: false,
            insufficient_material: standing.insufficient_material,
            dtz: standing.known.dtz(),
            precise_dtz: standing.known.precise_dtz(),
            dtm: standing.dtm(),
            dtw: None,
            dtc: None,
            category: standing.category,
        }
    }
}

impl<'a> TablebaseAnswer<'a> {
    fn new(known: &'a KnownPosition) -> TablebaseAnswer<'a> {
        let answer = |KnownMove { played, san, standing }: &'a KnownMove| MoveAnswer {
            uci: played.to_uci(CastlingMode::Standard).to_string(),
            san,
            zeroing: played.is_zeroing(),
            conversion: played.is_conversion(),
            standing: StandingAnswer::new(standing),
        };
        TablebaseAnswer {
            standing: StandingAnswer::new(&known.standing),
            moves: known.moves.iter().map(answer).collect(),
        }
    }
}

/// The response to a request for the main line.
#[derive(Serialize)]
struct MainLineAnswer {
    mainline: Vec<MainLineMove>,
    /// `w`, `b`, or null for a draw.
    winner: Option<char>,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
}

/// A move of the main line, and the distance after it.
#[derive(Serialize)]
struct MainLineMove {
    uci: String,
    san: String,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
}

impl From<MainLine> for MainLineAnswer {
    fn from(line: MainLine) -> MainLineAnswer {
        let distance = |dtz| {
            let known = KnownValue { dtz, ..KnownValue::default() };
            (known.dtz(), known.precise_dtz())
        };
        let (dtz, precise_dtz) = distance(line.dtz);
        let steps = line.steps.into_iter().map(|step| {
            let (dtz, precise_dtz) = distance(step.dtz);
            MainLineMove {
                uci: step.played.to_uci(CastlingMode::Standard).to_string(),
                san: step.san,
                dtz,
                precise_dtz,
            }
        });
        MainLineAnswer { mainline: steps.collect(), winner: line.winner.map(|winner| winner.char()), dtz, precise_dtz }
    }
}

/// The position of a request.
fn requested_position(request: &Request) -> Result<Chess, HttpError> {
    let parameters = UrlParameters::parse(request.uri(), &["fen"])?;
    let fen = parameters.required("fen")?;
    let setup = position_text::read_fen(fen).map_err(|fault| HttpError::misread("fen", None, fault))?;
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| HttpError::in_field("fen", fen, error.to_string()))
}

/// Answers a GET.
///
/// # Errors
///
/// The FEN is not a position, or a table cannot be read.
pub async fn get(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let position = requested_position(&request)?;
    if let Some(known) = known_without_reading(&service, &position) {
        return service.json(&TablebaseAnswer::new(&known)).await;
    }
    let again = Arc::clone(&service);
    let known = run_with_permit(&service.table_read_permits, move || {
        let tables = again.tables.as_ref().ok_or_else(no_tables)?;
        let ask = |position: &Chess| KnownValue::of_position(position, &tables.tables);
        let judge = Judge { ask, has_fifty_moves: tables.has_syzygy() };
        KnownPosition::new(&position, &judge).map_err(|error| tables.table_error(&error))
    });
    let known = known.await??;
    service.json(&TablebaseAnswer::new(&known)).await
}

/// Returns what is known without reading a file, so that the response does not wait for requests that read tables; `None` if a file
/// may be needed. Syzygy tables may always read one.
fn known_without_reading(service: &ServiceState, position: &Chess) -> Option<KnownPosition> {
    let Some(tables) = &service.tables else {
        let ask = |_: &Chess| Ok::<_, NotCached>(KnownValue::default());
        return KnownPosition::new(position, &Judge { ask, has_fifty_moves: false }).ok();
    };
    if tables.has_syzygy() {
        return None;
    }
    let cached = Prober::new(CacheOnlyTables(tables.own.as_deref()?));
    let ask = |position: &Chess| {
        let value = table_position(position).map(|position| cached.value(&position)).transpose()?;
        Ok::<_, NotCached>(KnownValue { value, ..KnownValue::default() })
    };
    KnownPosition::new(position, &Judge { ask, has_fifty_moves: false }).ok()
}

/// Answers a GET for the main line: by Syzygy tables as lila-tablebase does, otherwise up to mate by egtgen's.
///
/// # Errors
///
/// The FEN is not a position, no table knows it, or a table cannot be read.
pub async fn main_line(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let position = requested_position(&request)?;
    let again = Arc::clone(&service);
    let line = run_with_permit(&service.table_read_permits, move || {
        let tables = again.tables.as_ref().ok_or_else(no_tables)?;
        let line = MainLine::new(&position, &tables.tables).map_err(|error| tables.table_error(&error))?;
        line.ok_or_else(|| {
            HttpError::not_found("no table that is here knows this position, or one on the way is missing")
        })
    });
    let line = MainLineAnswer::from(line.await??);
    service.json(&line).await
}
