//! White's pass: which positions with White to move reach what is newly lost.

use plyfold_core::table::symmetry::Symmetry;

use super::black::{Cell, Chunk, Spot, others, pawn};
use super::feed::Feed;
use super::geometry::{GEOMETRY, KING_STEPS, attacked, step};
use super::scan;
use super::shape::Men;

/// The moves of the inner white men: `out` gains what reaches `lost` within a chunk.
#[inline(always)]
pub fn inner(cell: &Cell, chunk: &Chunk, lost: &[u64], out: &mut [u64]) {
    let shape = cell.shape;
    let Some(lane) = shape.lane() else { return };
    for row in 0..cell.rows() {
        let words = &lost[64 * row..64 * (row + 1)];
        if words.iter().all(|&word| word == 0) {
            continue;
        }
        let men = cell.men(chunk, row);
        if shape.men[lane].white {
            let Some(occupied) = shape.occupied(chunk.white_king, &men) else { continue };
            let pass = scan::passing(occupied);
            let input = words.try_into().expect("a row with a lane has 64 words");
            let out = (&mut out[64 * row..64 * (row + 1)]).try_into().expect("a row with a lane has 64 words");
            scan::lane(shape.men[lane].role, &pass, input, out);
        }
        for man in (cell.outer..lane).filter(|&man| shape.men[man].white) {
            let Some(occupied) = others(cell, chunk.white_king, &men, man) else { continue };
            let stride = 1 << (6 * (lane - 1 - man));
            let first = row - stride * usize::from(men[man]);
            let rows = scan::Rows { words: &mut *out, base: 64 * first, stride: 64 * stride };
            scan::scatter(shape.men[man].role, men[man], occupied, words, rows);
        }
    }
}

/// The moves of an outer man: `fresh`, chunks by the man's square, gains what reaches `chunk`, whose
/// words are `lost`. Gives the set of these squares.
#[inline(always)]
pub fn outer(cell: &Cell, chunk: &Chunk, man: usize, lost: &[u64], fresh: &mut [u64]) -> u64 {
    let mut touched = 0;
    let to = chunk.men[man];
    let width = cell.shape.row_words();
    for row in 0..cell.rows() {
        let words = &lost[width * row..width * (row + 1)];
        if words.iter().all(|&word| word == 0) {
            continue;
        }
        let men = cell.men(chunk, row);
        let Some(occupied) = others(cell, chunk.white_king, &men, man) else { continue };
        let rows = scan::Rows { words: &mut *fresh, base: width * row, stride: lost.len() };
        touched |= scan::scatter(cell.shape.men[man].role, to, occupied, words, rows);
    }
    touched
}

/// A chunk as a symmetry turns it: the squares of all inner men and of the black king.
#[inline(always)]
pub fn turn(inner: usize, symmetry: Symmetry, from: &[u64], out: &mut [u64]) {
    if symmetry == Symmetry::IDENTITY {
        for (out, word) in out.iter_mut().zip(from) {
            *out |= word;
        }
        return;
    }
    let mut lanes = [0u8; 64];
    for (square, lane) in (0..).zip(&mut lanes) {
        *lane = symmetry.square(square);
    }
    if inner == 0 {
        out[0] |= symmetry.word(from[0]);
        return;
    }
    for (row, words) in from.chunks_exact(64).enumerate() {
        if words.iter().all(|&word| word == 0) {
            continue;
        }
        let mut turned = [0u64; 64];
        for (turned, word) in turned.iter_mut().zip(words) {
            *turned = symmetry.word(*word);
        }
        let there = (0..inner - 1).fold(0, |there, man| there | usize::from(lanes[row >> (6 * man) & 63]) << (6 * man));
        let out = &mut out[64 * there..64 * (there + 1)];
        for (turned, &lane) in turned.iter().zip(&lanes) {
            out[usize::from(lane)] |= turned;
        }
    }
}

/// White's captures, promotions and pawn moves: `out` gains what they win of a chunk.
#[inline(always)]
pub fn conversions(cell: &Cell, chunk: &Chunk, out: &mut [u64]) {
    let shape = cell.shape;
    let width = shape.row_words();
    for row in 0..cell.rows() {
        let Some(spot) = cell.spot(chunk, row) else { continue };
        let out = &mut out[width * row..width * (row + 1)];
        for (man, feed) in cell.feeds.men.iter().enumerate().filter(|(man, _)| !shape.men[*man].white) {
            let Some(feed) = feed.as_ref().filter(|feed| feed.is_live) else { continue };
            if Some(man) == shape.lane() {
                capture_lane(cell, &spot, feed, out);
            } else {
                capture(cell, &spot, spot.men[man], feed, out);
            }
        }
        for (square, _, feed) in cell.feeds.pawns.iter().filter(|(_, white, _)| !white) {
            if let Some(feed) = feed.as_ref().filter(|feed| feed.is_live) {
                capture(cell, &spot, *square, feed, out);
            }
        }
        for found in cell.feeds.white.iter().filter(|found| found.feed.is_live) {
            pawn(cell, found, &found.feed.fresh, &spot, out);
        }
    }
}

/// White takes the lane man, wherever it stands.
#[inline(always)]
fn capture_lane(cell: &Cell, spot: &Spot, feed: &Feed, out: &mut [u64]) {
    let Spot { white_king, men, occupied } = *spot;
    let geometry = &**GEOMETRY;
    for to in KING_STEPS.iter().filter_map(|&by| step(white_king, by)).filter(|to| occupied >> to & 1 == 0) {
        out[usize::from(to)] |= feed.fresh[feed.at(to, &men)];
    }
    let lane = cell.shape.lane().unwrap_or(0);
    for man in (0..lane).filter(|&man| cell.shape.men[man].white) {
        let from = men[man];
        let mut reach = attacked(cell.shape.men[man].role, from, occupied) & !occupied;
        while reach != 0 {
            let to = reach.trailing_zeros() as u8;
            reach &= reach - 1;
            let mut after = men;
            after[man] = to;
            let between = geometry.between[usize::from(from)][usize::from(to)];
            out[usize::from(to)] |= feed.fresh[feed.at(white_king, &after)] & !between;
        }
    }
}

/// White takes a man that stands on `to` in all of the row.
#[inline(always)]
fn capture(cell: &Cell, spot: &Spot, to: u8, feed: &Feed, out: &mut [u64]) {
    let Spot { white_king, men, occupied } = *spot;
    let geometry = &**GEOMETRY;
    let lane = cell.shape.lane();
    let mut add = |white_king: u8, men: &Men, between: u64| {
        let at = feed.at(white_king, men);
        let width = out.len();
        for (square, (out, word)) in out.iter_mut().zip(&feed.fresh[at..at + width]).enumerate() {
            let is_blocked = lane.is_some() && between >> square & 1 != 0;
            *out |= if is_blocked { 0 } else { word & !between };
        }
    };
    if attacked(shakmaty::Role::King, white_king, 0) >> to & 1 != 0 {
        add(to, &men, 0);
    }
    for man in (0..lane.unwrap_or(0)).filter(|&man| cell.shape.men[man].white) {
        let from = men[man];
        if attacked(cell.shape.men[man].role, from, occupied) >> to & 1 != 0 {
            let mut after = men;
            after[man] = to;
            add(white_king, &after, geometry.between[usize::from(from)][usize::from(to)]);
        }
    }
    if let Some(lane) = lane.filter(|&lane| cell.shape.men[lane].white) {
        let mut after = men;
        after[lane] = to;
        let word = feed.fresh[feed.at(white_king, &after)];
        let role = cell.shape.men[lane].role;
        // Squares from which it reaches `to`.
        let mut from = attacked(role, to, occupied & !(1 << to));
        while word != 0 && from != 0 {
            let square = from.trailing_zeros() as usize;
            from &= from - 1;
            out[square] |= word & !geometry.between[square][usize::from(to)];
        }
    }
}
