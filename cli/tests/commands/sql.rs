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
