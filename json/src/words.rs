//! The words of a query in JSON, each with what the tree has for it and its description in the schema.

use plyfold_core::headers::GameResult;
use plyfold_core::query::header::{EloSelector, NameSelector, PlayerSelector};
use plyfold_core::query::material::EndgameKind;
use plyfold_core::query::window::{GamePhase, WindowQuantifier};
use plyfold_core::scan::ConditionEdge;
use plyfold_core::scan::predicate::{NumberComparison, ThrownAway};
use plyfold_core::scan::tables::TableOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the enums of words. For each word: the variant, the word in JSON, what the tree has for it, and its description.
macro_rules! words {
    ($($about:tt $name:ident: $of_tree:ty { $($variant:ident $word:tt = $value:expr, $meaning:tt;)+ })+) => {$(
        #[doc = $about]
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
        pub enum $name {
            $(#[doc = $meaning] #[serde(rename = $word)] $variant,)+
        }

        impl From<$name> for $of_tree {
            fn from(word: $name) -> $of_tree {
                match word { $($name::$variant => $value),+ }
            }
        }

        /// The word for a value; the first one if it has none.
        impl From<$of_tree> for $name {
            fn from(value: $of_tree) -> $name {
                let words = [$($name::$variant),+];
                words.into_iter().find(|&word| <$of_tree>::from(word) == value).unwrap_or(words[0])
            }
        }
    )+};
}

words! {
    "Whether a condition must not be fulfilled, or at every ply."
    Quantifier: WindowQuantifier {
        Never "never" = WindowQuantifier::Never, "It is not fulfilled.";
        Always "always" = WindowQuantifier::Always, "It holds at each ply that counts.";
    }

    "A change from one position to the next."
    Edge: ConditionEdge {
        Became "became" = ConditionEdge::Became, "It holds and did not hold before.";
        Ceased "ceased" = ConditionEdge::Ceased, "It does not hold and did before.";
    }

    "A part of a game, by what is on the board."
    Phase: GamePhase {
        Opening "opening" = GamePhase::Opening,
            "More than ten queens, rooks, bishops and knights, and four or more pieces on both first ranks.";
        Middlegame "middlegame" = GamePhase::Middlegame, "Neither of the others.";
        Endgame "endgame" = GamePhase::Endgame, "At most six queens, rooks, bishops and knights, both sides together.";
    }

    "The result of best play for a side."
    TableResult: TableOutcome {
        Win "win" = TableOutcome::Win, "The side wins.";
        Draw "draw" = TableOutcome::Draw, "Nobody wins.";
        Loss "loss" = TableOutcome::Loss, "The side loses.";
    }

    "What a move threw away."
    Thrown: ThrownAway {
        Win "win" = ThrownAway::Win, "A won position is no longer won.";
        Draw "draw" = ThrownAway::Draw, "A drawn position is lost.";
    }

    "How two numbers compare."
    Comparison: NumberComparison {
        Equal "=" = NumberComparison::Equal, "Equal.";
        Unequal "!=" = NumberComparison::Unequal, "Not equal.";
        Less "<" = NumberComparison::Less, "Less.";
        AtMost "<=" = NumberComparison::AtMost, "Less or equal.";
        More ">" = NumberComparison::More, "More.";
        AtLeast ">=" = NumberComparison::AtLeast, "More or equal.";
    }

    "What each side has besides its king and pawns."
    Endgame: EndgameKind {
        Pawn "pawn" = EndgameKind::Pawn, "Nothing.";
        Knight "knight" = EndgameKind::Knight, "One knight.";
        Bishop "bishop" = EndgameKind::Bishop, "One bishop.";
        Minor "minor" = EndgameKind::Minor, "One knight or one bishop.";
        Rook "rook" = EndgameKind::Rook, "One rook.";
        Queen "queen" = EndgameKind::Queen, "One queen.";
    }

    "The result of a game."
    Outcome: GameResult {
        White "1-0" = GameResult::White, "White won.";
        Black "0-1" = GameResult::Black, "Black won.";
        Draw "1/2-1/2" = GameResult::Draw, "A draw.";
        Unknown "*" = GameResult::Unknown, "Not known.";
    }

    "Whose name it is, or the name of what."
    NameOf: NameSelector {
        White "white" = NameSelector::White, "The white player.";
        Black "black" = NameSelector::Black, "The black player.";
        Player "player" = NameSelector::Player, "One of the players.";
        Winner "winner" = NameSelector::Winner, "The player who won.";
        Loser "loser" = NameSelector::Loser, "The player who lost.";
        Event "event" = NameSelector::Event, "The tournament or match.";
        Site "site" = NameSelector::Site, "The place, or the address of an online game.";
        Source "source" = NameSelector::Source, "The file that the game was imported from.";
        Round "round" = NameSelector::Round,
            "The round of the tournament; a game whose header does not say it matches no name.";
        Annotator "annotator" = NameSelector::Annotator, "Who annotated the game; the same.";
        TimeControl "time_control" = NameSelector::TimeControl,
            "The time control as the header writes it: \"300+3\"; the same.";
    }

    "Whose rating."
    EloOf: EloSelector {
        White "white" = EloSelector::Of(PlayerSelector::White), "White's.";
        Black "black" = EloSelector::Of(PlayerSelector::Black), "Black's.";
        Either "either" = EloSelector::Of(PlayerSelector::Either), "White's or Black's.";
        Both "both" = EloSelector::Of(PlayerSelector::Both), "White's and Black's.";
        Winner "winner" = EloSelector::Of(PlayerSelector::Winner), "That of the player who won.";
        Loser "loser" = EloSelector::Of(PlayerSelector::Loser), "That of the player who lost.";
        Average "average" = EloSelector::Average, "Half of both together, rounded down.";
        Difference "difference" = EloSelector::Difference, "What one has more than the other, whoever that is.";
    }

    "Whose title."
    TitleOf: PlayerSelector {
        White "white" = PlayerSelector::White, "White's.";
        Black "black" = PlayerSelector::Black, "Black's.";
        Either "either" = PlayerSelector::Either, "White's or Black's.";
        Both "both" = PlayerSelector::Both, "White's and Black's.";
        Winner "winner" = PlayerSelector::Winner, "That of the player who won.";
        Loser "loser" = PlayerSelector::Loser, "That of the player who lost.";
    }

    "One player of a game."
    EloPlayer: PlayerSelector {
        White "white" = PlayerSelector::White, "White.";
        Black "black" = PlayerSelector::Black, "Black.";
        Winner "winner" = PlayerSelector::Winner, "The player who won.";
        Loser "loser" = PlayerSelector::Loser, "The player who lost.";
    }
}
