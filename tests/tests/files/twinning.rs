//! The twinning commands of problemists: what they make of a position, how they are told and printed, and what is wrong with others.

use plyfold_transform::position_text::{self, PositionTextError};
use plyfold_twinning::epd::{EpdExporter, command_description, twin_description};
use plyfold_twinning::{OffBoardRule, Twin, TwinList, TwinPath};

const BOARD: &str = "8/2k5/3p4/4P3/8/1N6/2K5/8";

#[test]
fn twins_have_labels_and_follow_each_other() {
    let position = position_text::read_fen(BOARD).expect("a FEN");
    let text = "Twin rotate 90 Twin continued mirror a1<-->h1 Twin add white Qh8";
    let twins = TwinList::read(text).expect(text);
    let made = twins.apply(&position, OffBoardRule::AsWritten).expect("made");
    let lines: Vec<String> = made
        .iter()
        .map(|one| format!("{}) {} {}", one.label, one.description, position_text::placement(&one.position)))
        .collect();
    assert_eq!(
        lines,
        [
            "a)  8/2k5/3p4/4P3/8/1N6/2K5/8",
            "b) rotate 90 8/8/8/3P4/2p5/1k4K1/5N2/8",
            "c) mirror a1<-->h1 8/8/8/4P3/5p2/1K4k1/2N5/8",
            "d) +wQh8 7Q/2k5/3p4/4P3/8/1N6/2K5/8",
        ]
    );
    assert_eq!(TwinList::read(&twins.to_string()).expect("printed").to_string(), twins.to_string());

    let zero = TwinList::read("zero move b3 b4 twin remove d6").expect("twins");
    let made = zero.apply(&position, OffBoardRule::AsWritten).expect("made");
    assert_eq!(made.iter().map(|one| &one.label[..]).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(made[0].description, "wSb3-->b4");
    let wrong = TwinList::read("twin rotate 90 twin remove c7 twin continued remove c7").expect("twins");
    let wrong = wrong.apply(&position, OffBoardRule::AsWritten).expect_err("nobody is there any more");
    assert_eq!((wrong.message.as_str(), wrong.from), ("twin d: there is no piece on c7 to remove", 45));
    let many = TwinList::read(&"twin rotate 90 ".repeat(27)).expect("twins");
    let many = many.apply(&position, OffBoardRule::AsWritten).expect("made");
    assert_eq!([25, 26, 27].map(|nth| &many[nth].label[..]), ["z", "z1", "z2"]);
}

#[test]
fn rights_stay_with_those_who_stay() {
    let position = position_text::read_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a FEN");
    let after = |text| {
        let position = Twin::read(text).expect(text).apply(&position, OffBoardRule::AsWritten).expect(text);
        position_text::to_fen(&position)
    };
    assert_eq!(after("move h1 h2"), "r3k2r/8/8/8/8/8/7R/R3K3 w Qkq - 0 1");
    assert_eq!(after("move e8 d8"), "r2k3r/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    assert_eq!(after("add white Qd4"), "r3k2r/8/8/8/3Q4/8/8/R3K2R w KQkq - 0 1");
}

#[test]
fn a_way_has_every_step_up_to_the_one_that_cannot_be_done() {
    let position = position_text::read_fen(BOARD).expect("a FEN");
    let walk = |text: &str| {
        let (ways, fault) = TwinList::read(text).expect(text).apply_stepwise(&position, OffBoardRule::AsWritten);
        let descriptions =
            |way: &TwinPath| way.steps.iter().map(|done| done.description.clone()).collect::<Vec<_>>().join(" then ");
        let ways = ways.iter().map(|way| format!("{}: {}", way.label, descriptions(way)));
        (ways.collect::<Vec<_>>().join("; "), fault.map(|fault| (fault.from, fault.to)))
    };
    let whole = "Twin Remove b3 Rotate 90 Twin cont Rotate 90";
    assert_eq!(walk(whole), ("a: ; b: -wSb3 then rotate 90; c: rotate 90".to_string(), None));
    let broken = "Zero Rotate 90 Remove a8 flipH Twin Rotate 90";
    assert_eq!(walk(broken), ("a: rotate 90".to_string(), Some((15, 24))));
    let (ways, _) = TwinList::read(whole).expect("twins").apply_stepwise(&position, OffBoardRule::AsWritten);
    assert_eq!(
        position_text::placement(&ways[2].start),
        position_text::placement(ways[1].position()),
        "it goes on from there"
    );
    let half = Twin::read("Remove b3 Rotate 180").expect("a twin").apply(&position, OffBoardRule::AsWritten);
    assert_eq!(half.expect("done"), *ways[2].position());
}

#[test]
fn commands_are_told_as_the_exporters_tell_them() {
    for (text, said) in [
        ("flipH", "flip a1 h1"),
        ("Mirror a8<-->h1", "flip a8 h1"),
        ("rot90", "rotate 90"),
        ("shift b1 a3", "shift b1 a3"),
        ("shift:1,1", "shift a1 b2"),
        ("shift:-1,2", "shift b1 a3"),
        ("shift:-7,-7", "shift h8 a1"),
        ("flipcolor", "flipcolor"),
        ("rot90 shift:1,0", "Rotate 90 shift:1,0"),
        ("move b3 b4", "Move b3 b4"),
    ] {
        assert_eq!(twin_description(&Twin::read(text).expect(text)), said);
    }
    for exporter in [EpdExporter::Flip, EpdExporter::Rotate, EpdExporter::Shift] {
        for command in exporter.commands() {
            let read = Twin::read(&command_description(&command).replace("flip", "mirror")).expect("a command");
            assert_eq!(read.steps[0].command, command);
        }
    }
}

fn placement_after(text: &str) -> Result<String, PositionTextError> {
    let position = position_text::read_fen(BOARD).expect("a FEN");
    Twin::read(text)?.apply(&position, OffBoardRule::AsWritten).map(|position| position_text::placement(&position))
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, place, message) in [
        ("", 0..0, "at least one command"),
        ("cont", 4..4, "at least one command"),
        ("rotate 90 frobnicate", 10..20, "not a command"),
        ("r 90", 0..1, "both remove and rotate"),
        ("con", 0..3, "both continued and condition"),
        ("rotate 45", 7..9, "90, 180 or 270"),
        ("rotate", 6..6, "needs 90, 180 or 270"),
        ("mirror a1", 7..9, "more than one"),
        ("mirror h1<-->a1", 7..15, "a mirror is"),
        ("move b3", 7..7, "a second square"),
        ("move b3 b9", 8..10, "not a square"),
        ("move b3b4c5", 5..11, "two squares, not 3"),
        ("add Qh8", 4..7, "a colour"),
        ("add white", 9..9, "there are no pieces"),
        ("add white Nh8", 10..11, "nightrider"),
        ("add white Xh8", 10..11, "pieces are K"),
        ("add neutral Qh8", 4..11, "neutral"),
        ("add white Qh8 black rotate 90", 20..20, "there are no pieces"),
        ("substitute N B", 11..12, "nightrider"),
        ("rotate 90 cont", 10..14, "first in a twin"),
        ("stip h#2", 0..4, "not the board"),
        ("remove a1", 0..9, "no piece on a1"),
        ("rotate 90 exchange c7 c8", 10..24, "no piece on c7"),
        ("shift c1 a1", 0..11, "leaves the board: Nb3"),
    ] {
        let wrong = placement_after(text).expect_err(text);
        assert!(wrong.message.contains(message), "{text}: {wrong}");
        assert_eq!(wrong.from..wrong.to, place, "{text}: {wrong}");
    }
}

#[test]
fn commands_print_as_they_are_read() {
    for (text, printed) in [
        ("mov b3b4", "Move b3 b4"),
        ("EXCHANGE c7 c2", "Exchange c7 c2"),
        ("rem d6 e5 add w qh8 ra1b1 b sa8", "Remove d6e5 Add white Qh8 Ra1 Rb1 black Sa8"),
        ("sub s b", "Substitute S B"),
        ("rot 90 mir a8 mirror a1 h8 mirror a1<-->a", "Rotate 90 Mirror a8<-->h1 Mirror a1<-->h8 Mirror a1<-->a8"),
        ("cont sh a1 ==> b2 polish", "Continued Shift a1 b2 PolishType"),
        ("flipcolor shift:2,-1 flipv", "flipcolor shift:2,-1 Mirror a1<-->a8"),
    ] {
        let twin = Twin::read(text).expect(text);
        assert_eq!(twin.to_string(), printed);
        assert_eq!(Twin::read(printed).expect(printed).to_string(), printed);
    }
}
