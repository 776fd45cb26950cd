//! Fills extend squares along files and ranks. The pawn features are built from them.

use shakmaty::Color;

use plyfold_board::board::make::{FILE_A, FILE_H};

/// Every square on a file that has one of `squares`.
pub(in crate::scan) const fn file_fill(mut squares: u64) -> u64 {
    squares |= squares >> 8;
    squares |= squares >> 16;
    squares |= squares >> 32;
    (squares & 0xff) * FILE_A
}

/// The squares to the left and right of `squares`; of whole files, the neighbouring files.
pub(in crate::scan) const fn adjacent_files(squares: u64) -> u64 {
    (squares & !FILE_A) >> 1 | (squares & !FILE_H) << 1
}

/// The squares one step ahead of `squares`, seen from `colour`.
pub(super) const fn one_step_ahead(squares: u64, colour: Color) -> u64 {
    match colour {
        Color::White => squares << 8,
        Color::Black => squares >> 8,
    }
}

/// Every square in front of one of `squares`, seen from `colour`, without `squares` themselves unless another of them is behind.
pub(in crate::scan) const fn front_span(mut squares: u64, colour: Color) -> u64 {
    match colour {
        Color::White => {
            squares |= squares << 8;
            squares |= squares << 16;
            squares |= squares << 32;
            squares << 8
        }
        Color::Black => {
            squares |= squares >> 8;
            squares |= squares >> 16;
            squares |= squares >> 32;
            squares >> 8
        }
    }
}
