//! Numbers, durations, tables and threads as both programs write and read them, and how an interrupt is noticed.

use std::sync::atomic::Ordering;
use std::time::Duration;

use plyfold_terminal::has_colours;
use plyfold_terminal::interrupt::{stop_flag, stop_watching};
use plyfold_terminal::table::{
    TextColumn, TextTable, format_bytes, format_duration, grouped, percent, rounded, write_row,
};
use plyfold_terminal::threads::parse_threads;

#[test]
fn an_interrupt_before_a_rest_is_not_slept_over() {
    let is_interrupted = stop_flag();
    assert!(!is_interrupted.load(Ordering::SeqCst));
    assert!(stop_watching());
    is_interrupted.store(true, Ordering::SeqCst);
    assert!(!stop_watching());
    is_interrupted.store(false, Ordering::SeqCst);
}

#[test]
fn numbers_are_grouped_and_rounded() {
    let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (741_956, "741,956"), (1_234_567, "1,234,567")];
    assert!(cases.into_iter().all(|(number, text)| grouped(number) == text));
    let cases = [(0.0, "0"), (999.7, "1.0 k"), (12_345.0, "12.3 k"), (140e6, "140 M"), (2.5e9, "2.5 G")];
    assert!(cases.into_iter().all(|(number, text)| rounded(number) == text));
    let cases = [(999, "999 bytes"), (1000, "1.0 kB"), (4_812_345, "4.8 MB"), (2_500_000_000, "2.5 GB")];
    assert!(cases.into_iter().all(|(number, text)| format_bytes(number) == text));
    assert_eq!([percent(0, 0), percent(107, 200)], ["0 %", "53.5 %"]);
}

#[test]
fn threads_are_counted_from_one() {
    assert_eq!([parse_threads("1"), parse_threads("1024")], [Ok(1), Ok(1024)]);
    for text in ["0", "1025", "-1", "two", ""] {
        assert_eq!(parse_threads(text), Err("expected a number from 1 to 1024".to_owned()), "{text}");
    }
}

#[test]
fn long_cells_are_cut_by_characters() {
    let mut out = Vec::new();
    let columns = [TextColumn("player", 6, false), TextColumn("elo", 4, true)];
    write_row(&mut out, &columns, ["Öküzoğlu", "7"]).expect("memory takes it");
    assert_eq!(String::from_utf8(out).expect("text"), "Öküzo…     7\n");
}

#[test]
fn durations_have_their_unit() {
    for (seconds, text) in [
        (0.0, "0.00 s"),
        (0.049, "0.05 s"),
        (4.21, "4.2 s"),
        (100.0, "100 s"),
        (130.0, "2 min"),
        (5400.0, "90 min"),
        (9000.0, "2.5 h"),
        (90_000.0, "25 h"),
        (400_000.0, "5 days"),
    ] {
        assert_eq!(format_duration(Duration::from_secs_f64(seconds)), text);
    }
}

#[test]
fn columns_are_as_wide_as_they_must_be() {
    let mut rows = TextTable::with_headings(&[("table", false), ("size", true)]);
    rows.push(["KRBvKR".into(), "7".into()]);
    rows.push(["KRvK".into(), "12345".into()]);
    let mut out = Vec::new();
    rows.write(&mut out).expect("memory takes it");
    assert_eq!(String::from_utf8(out).expect("text"), "table    size\nKRBvKR      7\nKRvK    12345\n");
}

#[test]
fn colours_are_for_terminals_whose_user_wants_them() {
    let shows = |is_terminal, set: &[(&str, &str)]| {
        has_colours(is_terminal, |name| set.iter().find(|(has, _)| *has == name).map(|(_, value)| value.into()))
    };
    assert!(shows(true, &[]) && shows(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
    assert!(!shows(false, &[]) && !shows(true, &[("NO_COLOR", "1")]) && !shows(true, &[("TERM", "dumb")]));
    assert!(shows(false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]) && !shows(false, &[("CLICOLOR_FORCE", "0")]));
    assert!(!shows(true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]) && !shows(true, &[("CLICOLOR", "0")]));
}
