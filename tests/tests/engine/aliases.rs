//! Aliases are read and written as they are, and mistakes in their file say their line.

use plyfold_core::aliases::{AliasKind, Aliases};

#[test]
fn lines_are_read_and_written() {
    const LINES: &str = "player\tKarpow, A\tKarpov, Anatoly\nevent\tWch\tWorld Championship\n";
    let aliases = Aliases::parse(&format!("# so\n\n{LINES}")).expect("a file");
    assert_eq!(aliases.to_text(), LINES);
    assert_eq!(aliases.name_of(AliasKind::Player, "KARPOW,A."), Some("Karpov, Anatoly"));
    assert_eq!(aliases.name_of(AliasKind::Player, "Karpov, Anatoly"), None);
    assert_eq!(aliases.name_of(AliasKind::Site, "Wch"), None);
}

#[test]
fn mistakes_say_their_line() {
    for (text, says) in [
        ("player\tA", "line 1: write a kind"),
        ("\n\nplayer A B", "line 3: write a kind"),
        ("town\tA\tB", "line 1: `town` is no kind"),
        ("player\t?\tB", "line 1: a name has no letters"),
        ("player\tA\tB\nplayer\ta.\tC", "line 2: \"a.\" already stands for \"B\""),
        ("player\tA\tB\nplayer\tB\tC", "\"A\" stands for \"B\", which is an alias itself"),
    ] {
        let error = Aliases::parse(text).expect_err(text);
        assert!(error.starts_with(says), "{error}");
    }
}
