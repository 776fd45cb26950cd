//! Reads the file `_headers` of a site, which says with which HTTP headers its files are sent.
//!
//! Netlify, Cloudflare Pages and others read such a file. It has blocks: a pattern of paths, and below it lines `Name: value`, and
//! `! Name` to take away what an earlier block has set.

/// The blocks of a `_headers` file, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct HeaderRules {
    /// The blocks, in order.
    pub rules: Vec<HeaderRule>,
}

/// The headers of some paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderRule {
    /// A path from the root of the site, perhaps with a `*` for any text.
    pub pattern: String,
    /// Names of headers that earlier blocks have set and that do not apply here.
    pub removed: Vec<String>,
    /// Names and values.
    pub set: Vec<(String, String)>,
}

impl HeaderRules {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// The number of a line that is neither a path nor a header, and what is wrong with it.
    pub fn read(text: &str) -> Result<HeaderRules, (usize, &'static str)> {
        let mut rules: Vec<HeaderRule> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let said = line.trim();
            if said.is_empty() || said.starts_with('#') {
                continue;
            }
            if !line.starts_with([' ', '\t']) {
                if !said.starts_with('/') {
                    return Err((number, "a path should stand here, such as /*"));
                }
                rules.push(HeaderRule { pattern: said.to_owned(), removed: Vec::new(), set: Vec::new() });
                continue;
            }
            let rule = rules.last_mut().ok_or((number, "a header stands before the first path"))?;
            match (said.strip_prefix('!'), said.split_once(':')) {
                (Some(name), _) => rule.removed.push(name.trim().to_owned()),
                (None, Some((name, value))) if !name.trim().is_empty() => {
                    rule.set.push((name.trim().to_owned(), value.trim().to_owned()));
                }
                _ => return Err((number, "a header should stand here, such as `Name: value`")),
            }
        }
        Ok(HeaderRules { rules })
    }

    /// The headers of a path from the root of the site. A name that several blocks set has all their values, joined by commas.
    pub fn of_path(&self, path: &str) -> Vec<(String, String)> {
        let mut headers: Vec<(String, String)> = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.matches(path)) {
            headers.retain(|(name, _)| !rule.removed.iter().any(|removed| removed.eq_ignore_ascii_case(name)));
            for (name, value) in &rule.set {
                match headers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                    Some((_, values)) => *values = format!("{values}, {value}"),
                    None => headers.push((name.clone(), value.clone())),
                }
            }
        }
        headers
    }
}

impl HeaderRule {
    fn matches(&self, path: &str) -> bool {
        match self.pattern.split_once('*') {
            None => path == self.pattern,
            Some((begins, ends)) => path.strip_prefix(begins).is_some_and(|rest| rest.ends_with(ends)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# words\n/*\n  A: 1\n  B: x: y\n\n/assets/*\n  C: 2\n/assets/worker-*\n  ! b\n  B: 3\n  a: 4\n/page\n\tC: 5\n";

    fn of_path(path: &str) -> String {
        let headers = HeaderRules::read(TEXT).expect("a file").of_path(path);
        headers.iter().map(|(name, value)| format!("{name}={value};")).collect()
    }

    #[test]
    fn later_blocks_add_and_take_away() {
        for (path, headers) in [
            ("/", "A=1;B=x: y;"),
            ("/page", "A=1;B=x: y;C=5;"),
            ("/pages", "A=1;B=x: y;"),
            ("/assets/", "A=1;B=x: y;C=2;"),
            ("/assets/worker-1.js", "A=1, 4;C=2;B=3;"),
        ] {
            assert_eq!(of_path(path), headers, "{path}");
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, line) in [("x\n", 1), ("  A: 1\n", 1), ("/*\n  A: 1\n  B\n", 3), ("/*\n  : 1\n", 2)] {
            assert_eq!(HeaderRules::read(text).expect_err(text).0, line, "{text}");
        }
    }
}
