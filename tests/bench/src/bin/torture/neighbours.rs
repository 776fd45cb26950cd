//! Commands that write, with the names that they use beside their outputs: the table of attacks with files of others.

use crate::programs::{Program, words};
use crate::scene::{self, Files};
use crate::site::add_site;

/// A command that may meet files of others.
pub struct Neighbours {
    pub program: Program,
    /// The arguments, with `·` for a space within one.
    pub line: &'static str,
    /// Names beside its outputs, and those of its outputs.
    pub near: &'static [&'static str],
}

const fn plyfold(line: &'static str, near: &'static [&'static str]) -> Neighbours {
    Neighbours { program: Program::Plyfold, line, near }
}

const fn egtgen(line: &'static str, near: &'static [&'static str]) -> Neighbours {
    Neighbours { program: Program::Egtgen, line, near }
}

const NEW: &[&str] = &["new.plyfold", ".new.plyfold.aB3dE6g.plyfold-part", ".new.plyfold.plyfold-lock", "new.plyindex"];
const SPLIT: &[&str] = &[
    "new/plyfold-import.json",
    "new/001.plyfold",
    "new/002.plyfold",
    "new/999.plyfold",
    "new/.sets/a.bm",
    "new/notes.txt",
    "new/.plyfold-import.json.aB3dE6g.plyfold-part",
];
const SPLIT_NAMES: &[&str] =
    &["new.plyfold-import.json", "new-001.plyfold", "new-002.plyfold", "new-003.plyfold", "new.plyfold"];
const APPEND: &[&str] = &["c.sets/kept.json", "c.sets/coll.bm", "c.sets/coll.json", "c.plyindex", "c.sets/other.bm"];
const INDEX: &[&str] = &["c.plyindex", ".c.plyindex.plyfold-lock", "c.plyfold.plyindex-of-file"];
const SETS: &[&str] = &[
    "c.sets/x.bm",
    "c.sets/x.json",
    "c.sets/coll.bm",
    "c.sets/coll.json",
    "c.sets/x-1-0.bm",
    "c.sets/x-1-0.json",
    "c.sets/x-0-1.bm",
    "c.sets/x-1-2-1-2.bm",
    "c.sets/x-unknown.bm",
    "new.bm",
    "new.json",
    "c.sets/kept.json",
];
const SAVED: &[&str] = &["new.ps", "new.hm", "new.gb", ".new.ps.aB3dE6g.plyfold-part", "c.sets/x.bm"];
const LIBRARY_SETS: &[&str] = &["lib/.sets/x.bm", "lib/.sets/x.json", "lib.sets/x.bm", "lib/notes.bm"];
const OUT: &[&str] = &[
    "out/index.html",
    "out/library.json",
    "out/sw.js",
    "out/.htaccess",
    "out/_headers",
    "out/notes.txt",
    "out/library/0123456789abcdef.scan",
    "out/library/0000000000000000000000000000000000000000000000000000000000000000.scan",
    "out/library/1111111111111111111111111111111111111111111111111111111111111111.md",
    "out/tables/KBvK.egp",
    "out/hosting/README.md",
];
const PUBLISHED: &[&str] = &[
    "pub/notes.txt",
    "pub/CNAME",
    "pub/library/0123456789abcdef.text",
    "pub/library/0000000000000000000000000000000000000000000000000000000000000000.scan",
    "pub/library/1111111111111111111111111111111111111111111111111111111111111111.md",
    "pub/library/notes.md",
    "pub/tables/KBvK.egp",
    "pub/assets/mine.js",
    "pub/.library.json.aB3dE6g.plyfold-part",
];
const OUTPUT: &[&str] = &["out.pgn", ".out.pgn.aB3dE6g.plyfold-part", ".out.pgn.plyfold-lock", "out.pgn.part"];
const READ: &[&str] = &["c.plyindex", "c.sets/kept.json", "c.sets/x.bm", "c.json", "c.plyfold.part"];
const TABLES: &[&str] =
    &["u/KPvK.egt", "u/KQvK.egt", "u/KPvK.egt.part", "u/.KPvK.egt.part.plyfold-lock", "u/notes.egt"];
const FLEET: &[&str] = &[
    "u/.fleet/KPvK.lease",
    "u/.fleet/KRvK.lease",
    "u/.fleet/settings.json",
    "u/.fleet/KPvK.1234.ended",
    "u/.fleet/.KPvK.lease.aB3dE6g.plyfold-part",
    "u/KPvK.egt.part",
    "u/KPvK.egt",
    "u/.fleet",
];
const PACKED: &[&str] = &["packed/KRvK.egp", "packed/KPvK.egp", "packed/KQvK.egp", "u/KQvK.egt", "u/KPvK.egt.part"];
const PACK: &[&str] = &["packed/KRvK.egp", "packed/.KRvK.egp.aB3dE6g.plyfold-part", "t/KRvK.egp", "packed/notes"];
const PROBED: &[&str] = &["t/KRvK.egp", "t/KRvK.egt.part", "t/.fleet/KRvK.lease", "t/KBBvK.egt", "t/notes"];

/// All commands.
pub const COMMANDS: &[Neighbours] = &[
    plyfold("import games.pgn -o new.plyfold", NEW),
    plyfold("import games.pgn -o new.plyfold --ledger out.pgn", &["new.plyfold", "out.pgn", ".out.pgn.plyfold-lock"]),
    plyfold("import games.pgn -o new.plyfold --force", NEW),
    plyfold("import games.pgn -o new/ --split 2", SPLIT),
    plyfold("import games.pgn -o new/ --split 2 --force", SPLIT),
    plyfold("import games.pgn -o new --split 2", SPLIT_NAMES),
    plyfold("import games.pgn -o c.plyfold --append", APPEND),
    plyfold("compact c.plyfold -o new.plyfold", NEW),
    plyfold("compact lib -o new.plyfold --force", NEW),
    plyfold("compact lib -o lib/", &["lib/plyfold-import.json", "lib/notes"]),
    plyfold("index c.plyfold", INDEX),
    plyfold("index c.plyfold --force", INDEX),
    plyfold("query c.plyfold check --save-games @x", SETS),
    plyfold("query c.plyfold check --save-games new.bm", SETS),
    plyfold("query c.plyfold check --save-games c.sets/x.bm", SETS),
    plyfold("query c.plyfold check --save-games c.sets/x.bm --force", SETS),
    plyfold("query c.plyfold check --partition result --save-parts @x", SETS),
    plyfold("query c.plyfold check --positions ref --save-positions new.ps", SAVED),
    plyfold("query c.plyfold check --heatmap --save-heatmap new.hm --by ply --save-by new.gb", SAVED),
    plyfold("query c.plyfold check --heatmap --save-heatmap new.hm --force", SAVED),
    plyfold("query lib check --save-games @x", LIBRARY_SETS),
    plyfold("query c.plyfold in·@coll -o out.pgn", APPEND),
    plyfold("scan c.plyfold saving.json", SETS),
    plyfold("scan c.plyfold saving.json --force -o out.pgn", SAVED),
    plyfold("collections add c.plyfold @x check", SETS),
    plyfold("collections add c.plyfold @coll queens_off", APPEND),
    plyfold("collections update c.plyfold", APPEND),
    plyfold("collections update c.plyfold @coll --whole", APPEND),
    plyfold("collections remove c.plyfold @coll", APPEND),
    plyfold("collections remove c.plyfold @x", SETS),
    plyfold("sets c.plyfold @kept -o @x", SETS),
    plyfold("sets c.plyfold @kept -o new.bm --force", SETS),
    plyfold("export c.plyfold -o out.pgn", OUTPUT),
    plyfold("export c.plyfold -o out.pgn --force", OUTPUT),
    plyfold("publish out --corpus c.plyfold --site site --tables packed-before --about about.md", OUT),
    plyfold("publish out --corpus c.plyfold --site site --force", OUT),
    plyfold("publish pub --corpus lib --site site", PUBLISHED),
    plyfold("publish --check pub", PUBLISHED),
    plyfold("explain check", READ),
    plyfold("signature 8/8/8/8/8/2k5/1R6/K7·w·-·-·0·1", READ),
    plyfold("show c.plyfold 1", READ),
    plyfold("info c.plyfold --verify", READ),
    plyfold("upgrade older.plyfold", &["older.plyindex", ".older.plyfold.aB3dE6g.plyfold-part", "older.sets/x.bm"]),
    plyfold("position c.plyfold startpos -o out.pgn", OUTPUT),
    plyfold("schema -o out.pgn", OUTPUT),
    egtgen("generate KPvK --out u", TABLES),
    egtgen("generate KRvK --out new", &["new/KRvK.egt", "new/KRvK.egt.part", "new/.fleet", "new"]),
    egtgen("generate KPvK --out u --fleet", FLEET),
    egtgen("generate KPvK --out u --fleet --force", FLEET),
    egtgen("generate KPvK --out u --pack packed", PACKED),
    egtgen("generate KPvK --out u --pack packed --check", PACKED),
    egtgen("pack KRvK --tables t --out packed", PACK),
    egtgen("pack KRvK --tables t --out t --force", PACK),
    egtgen("pack --tables t --out packed", PACK),
    egtgen("verify KRvK --tables t", PROBED),
    egtgen("list --tables t --check", PROBED),
    egtgen("stats KRvK --tables t", PROBED),
    egtgen("probe 8/8/8/8/8/2k5/1R6/K7·w·-·-·0·1 --tables t", PROBED),
    egtgen("transform flipV --file fens.txt", &["fens.txt.part", "fens", ".fleet"]),
];

/// The scene of these commands: that of the others, and with it a library, a collection, a published folder and packed tables.
pub fn files() -> Files {
    let mut files = scene::files();
    add_site(&mut files);
    files.remove(std::path::Path::new("c.plyindex"));
    let sandbox = scene::sandbox(&files);
    sandbox.put("about.md", b"# about\n");
    sandbox.put("older.plyfold", crate::subjects::corpus::OLDER);
    let plan = br#"{"queries":[{"name":"a","query":"check","save_games":"@x"},
        {"name":"b","query":"queens_off","heatmap":true,"save_heatmap":"new.hm"}]}"#;
    sandbox.put("saving.json", plan);
    for (program, line) in [
        (Program::Plyfold, "import games.pgn -o lib/ --split 3"),
        (Program::Plyfold, "collections add c.plyfold @coll check"),
        (Program::Egtgen, "pack KRvK --tables t --out packed-before"),
        (Program::Plyfold, "publish pub --corpus c.plyfold --site site --about about.md --tables packed-before"),
    ] {
        let ran = sandbox.run(program, &words(line));
        assert!(matches!(ran.code(), Some(0 | 3)), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    sandbox.files()
}
