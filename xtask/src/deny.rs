//! Checks the licences and duplicate versions of the dependencies against `deny.toml`.
//!
//! Two commands read that file. [`check`] is a step of `cargo xtask test`; it needs no network and no tool, only what
//! cargo knows about its packages. [`run`] is `cargo xtask deny`; it installs cargo-deny, which takes minutes, and
//! queries the databases of advisories.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::{Expression, ParseMode};
use toml::Table;

use crate::command::{cargo, output_of, program, run as run_command};
use crate::machine;
use crate::paths::in_project;

const CARGO_DENY_VERSION: &str = "0.20.2";

/// Packages of npm whose code is part of the built site: the dependencies of `www/package.json`, and Svelte's runtime.
const SHIPPED_NPM_PACKAGES: [&str; 2] = ["@lichess-org/chessground", "svelte"];

/// What `deny.toml` allows.
struct Rules {
    licenses: Vec<String>,
    /// Packages that may occur in a second version: the name, and the first numbers of that version.
    allowed_duplicates: Vec<(String, String)>,
}

/// A package that is part of a build.
#[derive(Debug)]
struct Package {
    name: String,
    version: String,
    license: String,
}

impl Package {
    /// A package of this name, as a list of packages describes it.
    fn of(name: &str, description: &Value) -> Package {
        let text = |key: &str| description[key].as_str().unwrap_or_default().to_owned();
        Package { name: name.to_owned(), version: text("version"), license: text("license") }
    }
}

/// Checks licences and duplicate versions.
///
/// # Errors
/// Every package that `deny.toml` does not allow.
pub fn check() -> Result<()> {
    let rules = Rules::read(&fs::read_to_string(in_project("deny.toml"))?)?;
    let crates = crates_of(&output_of(cargo().args(["metadata", "--format-version", "1", "--locked"]))?)?;
    let lock = fs::read_to_string(in_project("www/package-lock.json"))?;
    let site = shipped_packages(&lock)?;
    let sql = ["metadata", "--format-version", "1", "--locked", "--manifest-path", "sql/Cargo.toml"];
    let of_sql = crates_of(&output_of(cargo().args(sql))?)?;
    let mut wrong = rules.licenses_of(crates.iter().chain(&of_sql).chain(&site));
    wrong.extend(rules.duplicates_of(&crates));
    if !wrong.is_empty() {
        bail!("deny.toml does not allow:\n  {}", wrong.join("\n  "));
    }
    println!(
        "{} crates, {} of SQL and {} packages of the site: licences and versions as deny.toml allows",
        crates.len(),
        of_sql.len(),
        site.len()
    );
    println!("ADVISORIES ARE NOT CHECKED HERE: `cargo xtask deny` asks their databases, over the network");
    Ok(())
}

/// Checks the same with cargo-deny, and all advisories whose databases can be downloaded.
///
/// # Errors
/// Something is not allowed, or has an advisory. A database that cannot be reached is only reported.
pub fn run() -> Result<()> {
    check()?;
    let tools = machine::cargo_tool("cargo-deny", CARGO_DENY_VERSION, &[])?;
    let deny = |words: &[&str]| {
        let mut command = program(tools.join("cargo-deny"));
        command.args(words);
        command
    };
    run_command(&mut deny(&["check", "licenses", "bans", "sources"]))?;
    if run_command(&mut deny(&["fetch", "db"])).is_ok() {
        run_command(&mut deny(&["check", "--disable-fetch", "advisories"]))?;
    } else {
        println!("ADVISORIES OF CRATES ARE SKIPPED: their database cannot be reached from here");
    }
    match audit() {
        Ok(report) => check_audit(&report),
        Err(error) => {
            println!("ADVISORIES OF NPM PACKAGES ARE SKIPPED: {error:#}");
            Ok(())
        }
    }
}

/// The advisories of npm for the packages of the site. The exit code of npm says whether there are any.
fn audit() -> Result<Value> {
    let output = program("npm").args(["audit", "--omit=dev", "--json"]).current_dir(in_project("www")).output()?;
    let report: Value = serde_json::from_slice(&output.stdout).context("npm audit says nothing that can be read")?;
    if report.get("error").is_some() {
        bail!("the registry cannot be reached or has no advisories")
    } else {
        Ok(report)
    }
}

fn check_audit(report: &Value) -> Result<()> {
    let found = &report["metadata"]["vulnerabilities"]["total"];
    match found.as_u64() {
        Some(0) => Ok(()),
        Some(found) => bail!("npm audit knows {found} vulnerabilities of what the site is made of: `npm audit` in www"),
        None => bail!("npm audit does not say how many vulnerabilities it knows"),
    }
}

/// All packages that cargo knows, except those of the project.
fn crates_of(metadata: &str) -> Result<Vec<Package>> {
    let metadata: Value = serde_json::from_str(metadata)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    Ok(foreign.map(|package| Package::of(package["name"].as_str().unwrap_or_default(), package)).collect())
}

/// The name of an npm package that is installed at this path.
fn name_of(path: &str) -> &str {
    path.rsplit("node_modules/").next().unwrap_or_default()
}

/// The npm packages that become part of the site, from the text of its lock file.
fn shipped_packages(lock: &str) -> Result<Vec<Package>> {
    let lock: Value = serde_json::from_str(lock)?;
    let packages = lock["packages"].as_object().context("package-lock.json lists no packages")?;
    let is_shipped = |path: &str, package: &Value| {
        let is_needed = package["dev"] != true && package["optional"] != true;
        !path.is_empty() && (is_needed || SHIPPED_NPM_PACKAGES.contains(&name_of(path)))
    };
    let shipped = packages.iter().filter(|(path, package)| is_shipped(path, package));
    let all: Vec<Package> = shipped.map(|(path, package)| Package::of(name_of(path), package)).collect();
    match SHIPPED_NPM_PACKAGES.iter().find(|name| all.iter().all(|package| package.name != **name)) {
        Some(missing) => bail!("www/package-lock.json has no {missing} any more: correct SHIPPED in xtask/src/deny.rs"),
        None => Ok(all),
    }
}

impl Rules {
    fn read(text: &str) -> Result<Rules> {
        let rules: Table = text.parse().context("deny.toml cannot be read")?;
        let list = |part: &str, key: &str| {
            let list = rules.get(part).and_then(|part| part.get(key)).and_then(|list| list.as_array());
            list.cloned().with_context(|| format!("deny.toml has no list `{key}` in [{part}]"))
        };
        let licenses = list("licenses", "allow")?.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect();
        let twice = list("bans", "skip")?
            .iter()
            .map(|skip| {
                let named = skip.get("crate").and_then(|name| name.as_str()).and_then(|name| name.split_once('@'));
                named.map(|(name, version)| (name.to_owned(), version.to_owned()))
            })
            .collect::<Option<_>>()
            .context("deny.toml: each of `skip` has `crate = \"NAME@VERSION\"`")?;
        Ok(Rules { licenses, allowed_duplicates: twice })
    }

    fn licenses_of<'a>(&self, packages: impl Iterator<Item = &'a Package>) -> Vec<String> {
        let is_allowed = |package: &&Package| {
            let Ok(expression) = Expression::parse_mode(&package.license, ParseMode::LAX) else { return false };
            expression.evaluate(|license| self.licenses.iter().any(|id| license.to_string() == *id))
        };
        packages
            .filter(|package| !is_allowed(package))
            .map(|Package { name, version, license }| format!("{name} {version}: its licence is {license:?}"))
            .collect()
    }

    fn duplicates_of(&self, packages: &[Package]) -> Vec<String> {
        let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for Package { name, version, .. } in packages {
            if !self
                .allowed_duplicates
                .iter()
                .any(|(skipped, begin)| name == skipped && version_starts_with(version, begin))
            {
                versions.entry(name).or_default().push(version);
            }
        }
        let several = versions.iter().filter(|(_, versions)| versions.len() > 1);
        several.map(|(name, versions)| format!("{name} in several versions: {}", versions.join(", "))).collect()
    }
}

/// Whether a version begins with these numbers.
fn version_starts_with(version: &str, begin: &str) -> bool {
    version.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        [licenses]
        allow = ["MIT", "BSD-3-Clause"]
        [bans]
        skip = [{ crate = "rand@0.9", reason = "of old" }]
    "#;

    fn package(name: &str, version: &str, license: &str) -> Package {
        Package { name: name.into(), version: version.into(), license: license.into() }
    }

    #[test]
    fn licences_are_expressions() {
        let rules = Rules::read(RULES).expect("rules");
        let wrong = |license: &str| rules.licenses_of([package("a", "1.0.0", license)].iter());
        for license in ["MIT", "MIT OR AGPL-3.0", "Apache-2.0/MIT", "MIT AND BSD-3-Clause", "(GPL-2.0 OR MIT) AND MIT"]
        {
            assert!(wrong(license).is_empty(), "{license}");
        }
        for license in ["", "AGPL-3.0", "MIT AND AGPL-3.0", "MIT and so on", "Apache-2.0 WITH LLVM-exception"] {
            assert_eq!(wrong(license).len(), 1, "{license}");
        }
    }

    #[test]
    fn a_version_more_is_told() {
        let rules = Rules::read(RULES).expect("rules");
        let of = |versions: &[&str]| {
            rules.duplicates_of(&versions.iter().map(|version| package("rand", version, "MIT")).collect::<Vec<_>>())
        };
        assert!(of(&["0.9.5", "0.10.1"]).is_empty() && of(&["0.10.1"]).is_empty());
        assert_eq!(of(&["0.9.5", "0.10.1", "0.8.0"]), ["rand in several versions: 0.10.1, 0.8.0"]);
        // 0.90 does not begin with 0.9.
        assert_eq!(of(&["0.90.0", "0.10.1"]).len(), 1);
    }

    #[test]
    fn what_the_site_ships_is_known() {
        let lock = r#"{"packages": {"": {}, "node_modules/svelte": {"version": "5", "license": "MIT", "dev": true},
            "node_modules/@lichess-org/chessground": {"version": "10", "license": "GPL-3.0-or-later"},
            "node_modules/vite": {"version": "8", "license": "MIT", "dev": true}}}"#;
        let names: Vec<String> =
            shipped_packages(lock).expect("a lock file").into_iter().map(|package| package.name).collect();
        assert_eq!(names, ["@lichess-org/chessground", "svelte"]);
        assert!(shipped_packages(r#"{"packages": {}}"#).is_err());
    }
}
