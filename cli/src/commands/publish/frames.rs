//! Sets which pages may show the published page in a frame: the policy of the site allows none, and this file writes others into
//! it.

/// What the policy says before the pages.
const DIRECTIVE: &str = "frame-ancestors ";
/// What it says of no page.
const NOBODY: &str = "'none'";
/// The longest name of a host.
const MAX_ORIGIN_BYTES: usize = 300;

/// Reads the argument of `--embed-in`: `*`, or the address of a host, such as `https://blog.example`.
pub fn page_of_frame(argument: &str) -> Result<String, String> {
    let is_host = |host: &str| {
        let name = host.strip_prefix("*.").unwrap_or(host);
        let (name, port) = name.split_once(':').unwrap_or((name, "0"));
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
            && !port.is_empty()
            && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    let address = argument.trim_end_matches('/');
    let host = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    if address == "*" || (address.len() <= MAX_ORIGIN_BYTES && host.is_some_and(is_host)) {
        Ok(address.to_owned())
    } else {
        Err("name a host, such as https://blog.example, or * for every page".into())
    }
}

/// The text of a file of the site with a policy that lets these pages show it in a frame; none, if there are none.
pub fn with_frames(text: &str, pages: &[String]) -> String {
    let allowed = if pages.is_empty() { NOBODY.to_owned() } else { pages.join(" ") };
    let mut parts = text.split(DIRECTIVE);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.strip_prefix(NOBODY).unwrap_or_else(|| {
            part.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || ".*:/- ".contains(letter))
        });
        changed.extend([DIRECTIVE, &allowed, rest]);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_hosts() {
        for right in ["*", "https://blog.example", "http://localhost:8000", "https://*.example.org"] {
            assert_eq!(page_of_frame(right).as_deref(), Ok(right));
        }
        assert_eq!(page_of_frame("https://blog.example/").as_deref(), Ok("https://blog.example"));
        for wrong in [
            "",
            "blog.example",
            "https://",
            "https://a b",
            "https://a;b",
            "https://a'",
            "https://a:",
            "https://a/b",
            "data:",
        ] {
            assert!(page_of_frame(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_policy_names_them_wherever_it_stands() {
        let site = "a; frame-ancestors 'none'\nb: `c; frame-ancestors 'none'`";
        let pages = ["https://blog.example".to_owned(), "http://localhost:8000".to_owned()];
        let framed = with_frames(site, &pages);
        let names = "frame-ancestors https://blog.example http://localhost:8000";
        assert_eq!(framed, format!("a; {names}\nb: `c; {names}`"));
        assert_eq!(with_frames(&framed, &[]), site);
        assert_eq!(with_frames(&with_frames(&framed, &["*".into()]), &pages), framed);
        assert_eq!(with_frames("nothing", &pages), "nothing");
    }
}
