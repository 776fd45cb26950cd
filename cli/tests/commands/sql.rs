//! `plyfold sql` runs the program `plyfold-sql`.

use std::process::Command;

use crate::program::CliSandbox;

/// The program alone, so that no other lies beside it.
fn plyfold(sandbox: &CliSandbox) -> Command {
    let program = sandbox.path("bin/plyfold");
    std::fs::create_dir_all(sandbox.path("bin")).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_plyfold"), &program).unwrap();
    Command::new(program)
}

#[test]
fn a_missing_program_is_explained() {
    let sandbox = CliSandbox::new();
    let output = plyfold(&sandbox)
        .env("PATH", sandbox.path("nowhere"))
        .args(["sql", "games.plyfold", "SELECT 1", "--format", "csv"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("SQL needs the program plyfold-sql") && errors.contains("cargo build --release"),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn the_program_gets_all_arguments_and_its_exit_code_counts() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = CliSandbox::new();
    let program = sandbox.path("plyfold-sql");
    std::fs::write(&program, "#!/bin/sh\nfor word; do echo \"<$word>\"; done\nexit 7\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = plyfold(&sandbox)
        .env("PATH", sandbox.path(""))
        .args(["sql", "a b", "SELECT '1'", "--help", "--out=x"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "<a b>\n<SELECT '1'>\n<--help>\n<--out=x>\n");
    assert_eq!(output.status.code(), Some(7));
}

#[cfg(unix)]
#[test]
fn a_query_on_a_cluster_is_counted_by_that_program() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = CliSandbox::new();
    let game = |white: &str, moves: &str| format!("[White \"{white}\"]\n[Result \"*\"]\n\n{moves} *\n\n");
    let games = [game("O'Neill", "1. e4 e5"), game("Anna", "1. d4 d5"), game("Bela", "1. c4 c5")];
    std::fs::write(sandbox.path("games.pgn"), games.concat()).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = plyfold(&sandbox);
        command.env("PATH", sandbox.path("")).current_dir(sandbox.path("")).args(arguments).output().unwrap()
    };
    assert!(run(&["import", "games.pgn", "-o", "games.plyfold"]).status.success());
    // It says what it was asked and answers with numbers of its own.
    let program = sandbox.path("plyfold-sql");
    let script = "#!/bin/sh\necho \"$*\" >> asked\ncase \"$*\" in *'SELECT game'*) printf 'game\\n1\\n3\\n';; \
                  *search*) printf 'n\\n2\\n';; *) printf 'n\\n5\\n';; esac\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();

    let counted = run(&["query", "games.plyfold", "white \"O'Neill\" or ply > 1", "--cluster", "host:50050"]);
    let text = String::from_utf8_lossy(&counted.stdout);
    assert!(counted.status.success(), "{}", String::from_utf8_lossy(&counted.stderr));
    assert!(text.contains("games      2 of 3") && text.contains("positions  5 of 6"), "{text}");
    let listed = run(&["query", "games.plyfold", "ply > 1", "--cluster", "host:50050", "--games", "--format", "csv"]);
    let text = String::from_utf8_lossy(&listed.stdout);
    let numbers: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(numbers, ["1", "3"], "{text}");
    let asked = std::fs::read_to_string(sandbox.path("asked")).unwrap();
    assert_eq!(
        asked.lines().next(),
        Some(
            "--format csv --cluster host:50050 -- games.plyfold SELECT count(*) FROM positions('white \"O''Neill\" or ply > 1')"
        )
    );
    assert!(asked.contains("SELECT game FROM search('ply > 1') ORDER BY game"), "{asked}");

    let refused = run(&["query", "games.plyfold", "ply > 1", "--cluster", "host:50050", "--heatmap"]);
    assert_eq!(refused.status.code(), Some(2), "a cluster makes no heatmap of a query");
}
