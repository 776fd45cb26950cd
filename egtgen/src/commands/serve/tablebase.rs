//! `/tablebase`: probes of the tables in the JSON form of lila-tablebase, which Lichess's tablebase clients read.
//!
//! Distances are to mate, so `dtz` and `precise_dtz` are null. For a position outside the tables, the response says whether the
//! game is over and what follows from its moves; otherwise it is `unknown`. The fifty-move rule is ignored.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use egtgen::Error;
use egtgen::prober::{CacheOnlyTables, NotCached};
use plyfold_core::table::material::MAX_MEN;
use plyfold_core::table::probe::{ProbeValue, Prober};
use plyfold_core::table::successors::TablePosition as Probed;
use plyfold_core::transform::position_text;
use serde::Serialize;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position, PositionError, Role};

use super::http_error::HttpError;
use super::request_input::UrlParameters;
use super::routes::ServiceState;
use super::tables::{ServedTables, no_tables};
use crate::commands::probe::check_material;

/// The response.
#[derive(Serialize)]
struct TablebaseAnswer {
    #[serde(flatten)]
    standing: PositionStatus,
    category: Category,
    /// The moves, best first.
    moves: Vec<TablebaseMove>,
}

/// A move and the position after it, from the point of view of the side to move there.
#[derive(Serialize)]
struct TablebaseMove {
    uci: String,
    san: String,
    /// Whether the move is a capture or a pawn move.
    zeroing: bool,
    #[serde(skip)]
    capture: Option<Role>,
    #[serde(skip)]
    promotion: Option<Role>,
    #[serde(flatten)]
    standing: PositionStatus,
    category: Category,
}

/// The properties of a position.
#[derive(Serialize)]
struct PositionStatus {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    /// Plies to mate, negative for the side that is mated; 0 in a draw; null in mate itself and where it is not known.
    dtm: Option<i64>,
    #[serde(skip)]
    value: Option<ProbeValue>,
}

/// The category of a position for the side to move. Moves are sorted by the category after them, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Category {
    Loss,
    Unknown,
    Draw,
    Win,
}

impl Category {
    fn from_value(value: Option<ProbeValue>) -> Category {
        match value {
            Some(ProbeValue::Loss(_)) => Category::Loss,
            None => Category::Unknown,
            Some(ProbeValue::Draw) => Category::Draw,
            Some(ProbeValue::Win(_)) => Category::Win,
        }
    }

    /// The category for the other side.
    fn for_opponent(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::Win => Category::Loss,
            same => same,
        }
    }
}

impl PositionStatus {
    /// # Errors
    ///
    /// A table cannot be read.
    fn of_position<E>(
        position: &Chess,
        ask: &impl Fn(&Probed) -> Result<Option<ProbeValue>, E>,
    ) -> Result<PositionStatus, E> {
        let (checkmate, stalemate) = (position.is_checkmate(), position.is_stalemate());
        let insufficient_material = position.is_insufficient_material();
        let value = match () {
            () if checkmate => Some(ProbeValue::Loss(0)),
            () if stalemate || insufficient_material => Some(ProbeValue::Draw),
            () => probe_if_possible(position, ask)?,
        };
        let dtm = match value {
            Some(ProbeValue::Draw) => Some(0),
            Some(value @ ProbeValue::Win(_)) => value.plies().map(i64::from),
            Some(value @ ProbeValue::Loss(1..)) => value.plies().map(|plies| -i64::from(plies)),
            Some(ProbeValue::Loss(0)) | None => None,
        };
        Ok(PositionStatus {
            checkmate,
            stalemate,
            variant_win: false,
            variant_loss: false,
            insufficient_material,
            dtz: None,
            precise_dtz: None,
            dtm,
            value,
        })
    }
}

/// The value of a position in the tables; `None` if no table can have it.
fn probe_if_possible<E>(
    position: &Chess,
    ask: &impl Fn(&Probed) -> Result<Option<ProbeValue>, E>,
) -> Result<Option<ProbeValue>, E> {
    if position.castles().any() || position.board().occupied().count() > MAX_MEN {
        return Ok(None);
    }
    let passed = position.ep_square(EnPassantMode::Legal);
    let Ok(position) = Probed::from_board(position.board().clone(), position.turn(), passed) else { return Ok(None) };
    if check_material(position.material()).is_err() { Ok(None) } else { ask(&position) }
}

/// The value of a position in the tables; `None` if its table is missing.
fn probe_if_present(position: &Probed, tables: &ServedTables) -> Result<Option<ProbeValue>, Error> {
    match tables.prober.value(position) {
        Ok(value) => Ok(Some(value)),
        Err(Error::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

impl TablebaseAnswer {
    /// The response for a position; `ask` gives the value of a position in the tables.
    fn of_position<E>(
        position: &Chess,
        ask: &impl Fn(&Probed) -> Result<Option<ProbeValue>, E>,
    ) -> Result<TablebaseAnswer, E> {
        let mut moves = Vec::new();
        for played in position.legal_moves() {
            let mut after = position.clone();
            let uci = played.to_uci(CastlingMode::Standard).to_string();
            let san = SanPlus::from_move_and_play_unchecked(&mut after, played).to_string();
            let standing = PositionStatus::of_position(&after, ask)?;
            let category = Category::from_value(standing.value);
            moves.push(TablebaseMove {
                uci,
                san,
                zeroing: played.is_zeroing(),
                capture: played.capture(),
                promotion: played.promotion(),
                standing,
                category,
            });
        }
        // The order of lila-tablebase: the winner prefers short mates and captures, the loser long ones and none.
        moves.sort_by_key(|played| {
            let PositionStatus { checkmate, stalemate, insufficient_material, dtm, .. } = played.standing;
            let is_lost = played.category == Category::Win;
            (
                played.category,
                Reverse(checkmate),
                (Reverse(stalemate), Reverse(insufficient_material)),
                Reverse(dtm),
                (played.zeroing == is_lost, played.capture.is_some() == is_lost),
                (Reverse(played.capture), Reverse(played.promotion)),
            )
        });
        let standing = PositionStatus::of_position(position, ask)?;
        let by_moves = moves.first().map_or(Category::Unknown, |best| best.category.for_opponent());
        let category = if standing.value.is_some() { Category::from_value(standing.value) } else { by_moves };
        Ok(TablebaseAnswer { standing, category, moves })
    }
}

/// Answers a GET.
///
/// # Errors
///
/// The FEN is not a position, or a table cannot be read.
pub async fn get(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let parameters = UrlParameters::parse(request.uri(), &["fen"])?;
    let fen = parameters.required("fen")?;
    let setup = position_text::read_fen(fen).map_err(|fault| HttpError::misread("fen", None, fault))?;
    let position = Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| HttpError::in_field("fen", fen, error.to_string()))?;
    let answer = match &service.tables {
        None => TablebaseAnswer::of_position(&position, &|_| Ok::<_, NotCached>(None)),
        Some(tables) => {
            let cached = Prober::new(CacheOnlyTables(tables.prober.source()));
            TablebaseAnswer::of_position(&position, &|position| cached.value(position).map(Some))
        }
    };
    // A cached value does not wait for requests that read tables.
    if let Ok(answer) = answer {
        return service.json(&answer).await;
    }
    let again = Arc::clone(&service);
    let answer = service.run_table_read(move || {
        let tables = again.tables.as_ref().ok_or_else(no_tables)?;
        TablebaseAnswer::of_position(&position, &|position| probe_if_present(position, tables))
            .map_err(|error| tables.table_error(&error))
    });
    service.json(&answer.await??).await
}
