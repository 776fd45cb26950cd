//! Finds what the tables say about a position and about each of its moves, in the categories and in the order of lila-tablebase.
//!
//! egtgen's tables have values without the fifty-move rule, Syzygy tables have it. Once Syzygy tables are there, the fifty-move
//! rule counts: a win of egtgen's tables is then a certain one only if mate comes in time.

use std::cmp::Reverse;

use egtgen::syzygy::{AmbiguousWdl, Dtz, MaybeRounded, Wdl50};
use egtgen::{Error, Tablebase};
use plyfold_tables::material::{MAX_MEN, MaterialProblem, TableMaterial};
use plyfold_tables::probe::ProbeValue;
use plyfold_tables::successors::TablePosition;
use serde::{Serialize, Serializer};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position};

/// The last ply before a draw can be claimed by the fifty-move rule.
const FIFTY_MOVES: u32 = 100;

/// The values that the tables have of a position.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownValue {
    /// The value in egtgen's tables.
    pub value: Option<ProbeValue>,
    /// The distance to the next capture or pawn move in Syzygy tables.
    pub dtz: Option<MaybeRounded<Dtz>>,
    /// The outcome in Syzygy tables right after a capture or a pawn move, if they do not have the distance.
    pub wdl: Option<Wdl50>,
}

impl KnownValue {
    /// Asks the tables.
    ///
    /// # Errors
    ///
    /// A table cannot be read.
    pub fn of_position(position: &Chess, tables: &Tablebase) -> Result<KnownValue, Error> {
        let value = table_position(position).map_or(Ok(None), |position| tables.value(&position))?;
        let dtz = tables.syzygy().dtz(position)?;
        let wdl = if dtz.is_none() { tables.syzygy().wdl(position)? } else { None };
        Ok(KnownValue { value, dtz, wdl })
    }

    /// The distance as Syzygy tables store it.
    pub fn dtz(self) -> Option<i32> {
        self.dtz.map(|dtz| dtz.ignore_rounding().0)
    }

    /// The distance if it is certain to the ply.
    pub fn precise_dtz(self) -> Option<i32> {
        self.dtz.and_then(MaybeRounded::precise).map(|dtz| dtz.0)
    }
}

/// The position as egtgen's tables have it; `None` if none of them can.
pub fn table_position(position: &Chess) -> Option<TablePosition> {
    if position.castles().any() || position.board().occupied().count() > MAX_MEN {
        return None;
    }
    let passed = position.ep_square(EnPassantMode::Legal);
    let position = TablePosition::from_board(position.board().clone(), position.turn(), passed).ok()?;
    check_material(position.material()).is_ok().then_some(position)
}

/// Checks that a material can have tables; lone kings need none.
pub fn check_material(material: TableMaterial) -> Result<(), MaterialProblem> {
    match TableMaterial::parse(&material.to_string()) {
        Ok(_) => Ok(()),
        Err(error) if error.problem == MaterialProblem::OnlyKings => Ok(()),
        Err(error) => Err(error.problem),
    }
}

/// The category of a position for the side to move. Moves are sorted by the category after them, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Loss,
    Unknown,
    /// A loss, or a draw if a move was wasted since the last capture or pawn move: Syzygy's distance is rounded.
    SyzygyLoss,
    /// A loss, or a draw by the fifty-move rule: the distance to the next capture or pawn move is not known.
    MaybeLoss,
    BlessedLoss,
    Draw,
    CursedWin,
    MaybeWin,
    SyzygyWin,
    Win,
}

impl Serialize for Category {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Category {
    /// The outcome without the fifty-move rule, in one word.
    pub fn outcome(self) -> &'static str {
        match self {
            Category::Unknown => "unknown",
            Category::Draw => "draw",
            won if won.is_won() => "win",
            _ => "loss",
        }
    }

    /// The name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Category::Loss => "loss",
            Category::Unknown => "unknown",
            Category::SyzygyLoss => "syzygy-loss",
            Category::MaybeLoss => "maybe-loss",
            Category::BlessedLoss => "blessed-loss",
            Category::Draw => "draw",
            Category::CursedWin => "cursed-win",
            Category::MaybeWin => "maybe-win",
            Category::SyzygyWin => "syzygy-win",
            Category::Win => "win",
        }
    }

    /// Returns what the fifty-move rule makes of the outcome, to be added to a sentence.
    pub fn fifty_move_note(self) -> &'static str {
        match self {
            Category::BlessedLoss | Category::CursedWin => ", but the fifty-move rule makes it a draw",
            Category::SyzygyLoss | Category::SyzygyWin => ", or draws by the fifty-move rule if a move was wasted",
            Category::MaybeLoss | Category::MaybeWin => ", unless the fifty-move rule makes it a draw",
            Category::Loss | Category::Unknown | Category::Draw | Category::Win => "",
        }
    }

    /// The category for the other side.
    pub fn for_opponent(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::SyzygyLoss => Category::SyzygyWin,
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::SyzygyWin => Category::SyzygyLoss,
            Category::Win => Category::Loss,
            same @ (Category::Unknown | Category::Draw) => same,
        }
    }

    /// The category of a value without the fifty-move rule.
    fn from_value(value: ProbeValue) -> Category {
        match value {
            ProbeValue::Loss(_) => Category::Loss,
            ProbeValue::Draw => Category::Draw,
            ProbeValue::Win(_) => Category::Win,
        }
    }

    /// The category of a distance, `halfmoves` plies after the last capture or pawn move.
    fn from_dtz(dtz: MaybeRounded<Dtz>, halfmoves: u32) -> Category {
        match AmbiguousWdl::from_dtz_and_halfmoves(dtz, halfmoves) {
            AmbiguousWdl::Loss => Category::Loss,
            AmbiguousWdl::MaybeLoss => Category::SyzygyLoss,
            AmbiguousWdl::BlessedLoss => Category::BlessedLoss,
            AmbiguousWdl::Draw => Category::Draw,
            AmbiguousWdl::CursedWin => Category::CursedWin,
            AmbiguousWdl::MaybeWin => Category::SyzygyWin,
            AmbiguousWdl::Win => Category::Win,
        }
    }

    /// The category of an outcome that holds right after a capture or a pawn move.
    fn from_wdl(wdl: Wdl50, halfmoves: u32) -> Category {
        let category = match wdl {
            Wdl50::Loss => Category::Loss,
            Wdl50::BlessedLoss => Category::BlessedLoss,
            Wdl50::Draw => Category::Draw,
            Wdl50::CursedWin => Category::CursedWin,
            Wdl50::Win => Category::Win,
        };
        if halfmoves == 0 { category } else { category.in_doubt() }
    }

    /// The same where the fifty-move rule may already have made the game a draw.
    fn after_fifty_moves(self) -> Category {
        match self {
            Category::Loss | Category::SyzygyLoss | Category::MaybeLoss => Category::BlessedLoss,
            Category::Win | Category::SyzygyWin | Category::MaybeWin => Category::CursedWin,
            same => same,
        }
    }

    /// The same if it is not known whether the fifty-move rule allows it.
    fn in_doubt(self) -> Category {
        match self {
            Category::Loss => Category::MaybeLoss,
            Category::Win => Category::MaybeWin,
            same => same,
        }
    }

    fn is_won(self) -> bool {
        self > Category::Draw
    }
}

/// The properties of a position.
pub struct Standing {
    pub checkmate: bool,
    pub stalemate: bool,
    pub insufficient_material: bool,
    pub known: KnownValue,
    pub category: Category,
}

/// How positions are judged.
pub struct Judge<A> {
    /// Gives what the tables have of a position.
    pub ask: A,
    /// Whether the fifty-move rule counts.
    pub has_fifty_moves: bool,
}

impl<A: Fn(&Chess) -> Result<KnownValue, E>, E> Judge<A> {
    /// The properties of a position. `before` is the number of plies since the last capture or pawn move, before the last move.
    fn standing(&self, position: &Chess, before: u32) -> Result<Standing, E> {
        let (checkmate, stalemate) = (position.is_checkmate(), position.is_stalemate());
        let insufficient_material = position.is_insufficient_material();
        let asked = (self.ask)(position);
        let known = match () {
            // The rules alone decide, even if no table can be read.
            () if checkmate => KnownValue { value: Some(ProbeValue::Loss(0)), ..asked.unwrap_or_default() },
            () if stalemate || insufficient_material => {
                KnownValue { value: Some(ProbeValue::Draw), ..asked.unwrap_or_default() }
            }
            () => asked?,
        };
        let category = self.category(&known, before, position.halfmoves());
        Ok(Standing { checkmate, stalemate, insufficient_material, known, category })
    }

    fn category(&self, known: &KnownValue, before: u32, halfmoves: u32) -> Category {
        let by_syzygy = match (known.dtz, known.wdl) {
            (Some(dtz), _) => Some(Category::from_dtz(dtz, halfmoves)),
            (None, Some(wdl)) => Some(Category::from_wdl(wdl, halfmoves)),
            (None, None) => None,
        };
        let by_value = known.value.map(Category::from_value);
        let Some(category) = by_value.or(by_syzygy) else { return Category::Unknown };
        match known.value.and_then(ProbeValue::plies) {
            _ if !self.has_fifty_moves || category == Category::Draw => category,
            _ if before >= FIFTY_MOVES => category.after_fifty_moves(),
            // Mate ends the game before a draw can be claimed.
            Some(0) => category,
            Some(plies) if known.dtz.is_none() && halfmoves.saturating_add(plies) <= FIFTY_MOVES => category,
            Some(_) => by_syzygy.unwrap_or_else(|| category.in_doubt()),
            None => category,
        }
    }
}

impl Standing {
    /// Plies to mate, negative for the side that is mated; 0 in a draw; `None` in mate itself and where it is not known.
    pub fn dtm(&self) -> Option<i64> {
        let value = self.known.value?;
        let plies = value.plies().map(i64::from);
        match value {
            ProbeValue::Draw => Some(0),
            ProbeValue::Win(_) => plies,
            ProbeValue::Loss(0) => None,
            ProbeValue::Loss(_) => plies.map(|plies| -plies),
        }
    }

    /// Greater for the side to move: a long loss, then a short win.
    fn distance_key(distance: Option<i64>) -> impl Ord {
        (Reverse(distance.filter(|distance| *distance < 0)), distance.filter(|distance| *distance > 0).map(Reverse))
    }
}

/// A move and the position after it, from the point of view of the side to move there.
pub struct KnownMove {
    pub played: Move,
    pub san: String,
    pub standing: Standing,
}

impl KnownMove {
    /// Returns what is known for the side that makes the move. Distances include it.
    pub fn known_before(&self) -> KnownValue {
        let Standing { checkmate, known, .. } = self.standing;
        let before = |dtz: MaybeRounded<Dtz>| match Wdl50::from_dtz_after_zeroing(-dtz) {
            wdl if self.played.is_zeroing() || checkmate => MaybeRounded::Precise(Dtz::before_zeroing(wdl)),
            _ => (-dtz).add_plies_saturating(1),
        };
        let value = known.value.map(ProbeValue::before_move);
        KnownValue { value, dtz: known.dtz.map(before), wdl: known.wdl.map(|wdl| -wdl) }
    }

    /// The order of lila-tablebase: the winner prefers short mates, conversions and captures, the loser long mates and neither.
    fn sort_key(&self) -> impl Ord + use<> {
        let Standing { checkmate, stalemate, insufficient_material, known, category } = &self.standing;
        let is_kept = !category.is_won();
        (
            *category,
            Reverse(*checkmate),
            (Reverse(*stalemate), Reverse(*insufficient_material)),
            Standing::distance_key(self.standing.dtm()),
            self.played.is_conversion() != is_kept,
            (self.played.is_zeroing() != is_kept, known.dtz().map(Reverse)),
            (Reverse(self.played.capture()), Reverse(self.played.promotion())),
        )
    }
}

/// A position and its moves, best first.
pub struct KnownPosition {
    pub standing: Standing,
    pub moves: Vec<KnownMove>,
}

impl KnownPosition {
    /// Finds what is known of a position.
    ///
    /// # Errors
    ///
    /// A table cannot be read.
    pub fn new<A: Fn(&Chess) -> Result<KnownValue, E>, E>(
        position: &Chess,
        judge: &Judge<A>,
    ) -> Result<KnownPosition, E> {
        let halfmoves = position.halfmoves();
        let mut moves = Vec::new();
        for played in position.legal_moves() {
            let mut after = position.clone();
            let san = SanPlus::from_move_and_play_unchecked(&mut after, played).to_string();
            moves.push(KnownMove { played, san, standing: judge.standing(&after, halfmoves)? });
        }
        moves.sort_by_key(KnownMove::sort_key);
        let mut standing = judge.standing(position, halfmoves.saturating_sub(1))?;
        settle_rounding(standing.category, &mut moves);
        let by_moves = moves.first().map(|best| best.standing.category.for_opponent());
        match by_moves {
            // The position before the last move tells what rounding hides, and moves tell what no table has.
            Some(Category::Unknown) => {}
            Some(category) if standing.category == Category::Unknown || standing.known.dtz.is_some() => {
                standing.category = category;
            }
            _ => {}
        }
        Ok(KnownPosition { standing, moves })
    }
}

/// Settles the rounding: the best moves keep the result of the position, so it tells which side of a rounded distance is right.
fn settle_rounding(before: Category, moves: &mut [KnownMove]) {
    let (rounded, right) = match before {
        Category::Win => (Category::SyzygyLoss, Category::Loss),
        Category::CursedWin => (Category::SyzygyLoss, Category::BlessedLoss),
        Category::BlessedLoss => (Category::SyzygyWin, Category::CursedWin),
        Category::Loss => (Category::SyzygyWin, Category::Win),
        _ => return,
    };
    for best in moves.iter_mut().take_while(|best| best.standing.category == rounded) {
        best.standing.category = right;
    }
}

/// A line of best play.
pub struct MainLine {
    pub steps: Vec<MainLineStep>,
    /// The distance to the next capture or pawn move in the first position, if the line is of Syzygy tables.
    pub dtz: Option<MaybeRounded<Dtz>>,
    /// Who mates at the end.
    pub winner: Option<Color>,
}

/// A move of a main line, and the distance after it.
pub struct MainLineStep {
    pub played: Move,
    pub san: String,
    pub dtz: Option<MaybeRounded<Dtz>>,
}

impl MainLine {
    /// Best play by Syzygy tables, up to mate or to the end of fifty moves; without them, up to mate by egtgen's tables. `None` if
    /// neither knows the position.
    ///
    /// # Errors
    ///
    /// A table cannot be read.
    pub fn new(position: &Chess, tables: &Tablebase) -> Result<Option<MainLine>, Error> {
        match MainLine::to_zeroing(position.clone(), tables)? {
            None => MainLine::to_mate(position, tables),
            line => Ok(line),
        }
    }

    fn to_zeroing(mut position: Chess, tables: &Tablebase) -> Result<Option<MainLine>, Error> {
        let syzygy = tables.syzygy();
        let Some(dtz) = syzygy.dtz(&position)? else { return Ok(None) };
        let mut steps = Vec::new();
        while !dtz.is_zero() && position.halfmoves() < FIFTY_MOVES && !position.legal_moves().is_empty() {
            let Some((played, dtz)) = syzygy.best_move(&position)? else { return Ok(None) };
            let san = SanPlus::from_move_and_play_unchecked(&mut position, played).to_string();
            steps.push(MainLineStep { played, san, dtz: Some(dtz) });
        }
        Ok(Some(MainLine { steps, dtz: Some(dtz), winner: position.outcome().winner() }))
    }

    /// Best play up to mate by egtgen's tables; `None` if they do not know the position.
    ///
    /// # Errors
    ///
    /// A table cannot be read.
    pub fn to_mate(position: &Chess, tables: &Tablebase) -> Result<Option<MainLine>, Error> {
        let line = match table_position(position).map(|position| tables.distances().main_line(&position)) {
            None | Some(Err(Error::Missing(_))) => return Ok(None),
            Some(line) => line?,
        };
        let mut before = position.clone();
        let step = |played| {
            let san = SanPlus::from_move_and_play_unchecked(&mut before, played).to_string();
            MainLineStep { played, san, dtz: None }
        };
        let steps = line.iter().map(|choice| choice.played).map(step).collect();
        Ok(Some(MainLine { steps, dtz: None, winner: before.outcome().winner() }))
    }
}
