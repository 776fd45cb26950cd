//! The start position of a game, from its Variant and FEN tags.
//!
//! Chess and Chess960 are read alike; castling rights may be X-FEN or Shredder-FEN. A position that no game can lead to is accepted
//! if a game can be played from it: with too much material or with an impossible check. Impossible castling rights and an
//! impossible en passant square are dropped.

use alloc::borrow::Cow;
use alloc::string::ToString;

use plyfold_board::board::start::PackedStart;
use plyfold_transform::playable::playable;
use plyfold_transform::position_text::read_fen;
use shakmaty::{Chess, Color, EnPassantMode, Position, Square};

use super::rejection::RejectionReason;
use super::tags::{KnownTag, TagValues};

/// The start position by the tags, none for the initial position; and whether the game is Chess960.
pub(super) fn start_from_tags(tags: &TagValues<'_>) -> Result<(Option<PackedStart>, bool), RejectionReason> {
    let chess960 = match tags.raw(KnownTag::Variant) {
        None => false,
        Some(_) => is_chess960(&tags.text(KnownTag::Variant))?,
    };
    match tags.raw(KnownTag::Fen).map(<[u8]>::trim_ascii) {
        None | Some([]) => Ok((None, chess960)),
        Some(fen) => {
            let position = parse_fen(fen)?;
            if position == Chess::default() {
                return Ok((None, chess960));
            }
            Ok((Some(PackedStart::from_position(&position)), chess960 || has_chess960_castling(&position)))
        }
    }
}

/// The FEN as it is written; none for the initial position.
pub(super) fn fen_as_written<'t>(tags: &TagValues<'t>) -> Result<Option<Cow<'t, str>>, RejectionReason> {
    match tags.raw(KnownTag::Fen).map(<[u8]>::trim_ascii) {
        None | Some([]) => is_chess960(&tags.text(KnownTag::Variant)).map(|_| None),
        Some(fen) => Ok(Some(super::tags::decode_value(fen))),
    }
}

/// Whether the variant is Chess960 rather than chess; other variants are an error.
fn is_chess960(variant: &str) -> Result<bool, RejectionReason> {
    let letters = variant.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    match letters.collect::<alloc::string::String>().as_str() {
        "" | "standard" | "chess" | "normal" | "fromposition" | "orthodox" | "regular" => Ok(false),
        "chess960" | "960" | "fischerandom" | "fischerrandom" | "fischerrandomchess" | "frc" | "freestyle"
        | "freestylechess" | "chess9lx" | "wildfr" => Ok(true),
        _ => Err(RejectionReason::Variant(variant.trim().to_lowercase().into())),
    }
}

fn parse_fen(fen: &[u8]) -> Result<Chess, RejectionReason> {
    let fen = super::tags::decode_value(fen);
    let setup =
        read_fen(&fen).map_err(|error| RejectionReason::Fen(error.message.into(), fen.chars().take(100).collect()))?;
    playable(setup).map_err(|error| RejectionReason::Position(error.to_string().into()))
}

/// Whether a king or rook that may castle does not stand on its square of the initial position.
fn has_chess960_castling(position: &Chess) -> bool {
    let setup = position.to_setup(EnPassantMode::Legal);
    let usual = [(Color::White, Square::E1), (Color::Black, Square::E8)];
    usual.into_iter().any(|(colour, king)| {
        let rooks = setup.castling_rights & shakmaty::Bitboard::from_rank(king.rank());
        let corners = [Square::new(king as u32 - 4), Square::new(king as u32 + 3)];
        rooks.any()
            && (setup.board.king_of(colour) != Some(king) || rooks.into_iter().any(|rook| !corners.contains(&rook)))
    })
}
