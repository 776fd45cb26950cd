//! The page and the manifest of the site with the title of the library. Titles are text: they are escaped for HTML and JSON.

use serde_json::{Value, json};

use super::library::LIBRARY_FILE;
use crate::html_text::escape;

/// The attribute by which the page knows that it has a library.
const ATTRIBUTE: &str = "data-library";

/// The picture that other sites show beside a link to the page.
const CARD: &str = "card.png";

/// `index.html` with the title, the description, and the address of the library. Programs that preview links take the picture only
/// from a whole address, so the page says it if `address`, that of the published folder, is known.
///
/// # Errors
///
/// Why it is not the page of a site.
pub fn page_with_title(html: &str, title: &str, address: Option<&str>) -> Result<String, String> {
    let escaped = escape(title);
    let html = replaced(html, "<title>", "</title>", &escaped).ok_or("has no <title>")?;
    let description = replaced(&html, "<meta name=\"description\" content=\"", "\"", &describe(&escaped));
    let html = with_card(description.ok_or("has no description")?, title, address);
    let begin = html.find("<html").ok_or("has no <html>")?;
    let end = begin + html[begin..].find('>').ok_or("has no <html>")?;
    let mut tag = html[begin..end].to_owned();
    if let Some(at) = tag.find(ATTRIBUTE) {
        tag = tag[..at].trim_end().to_owned();
    }
    Ok(format!("{}{tag} {ATTRIBUTE}=\"{LIBRARY_FILE}\"{}", &html[..begin], &html[end..]))
}

/// The page with the title, the description and the picture of the library for previews of links; a site of before has none.
fn with_card(html: String, title: &str, address: Option<&str>) -> String {
    let picture = format!("{}{CARD}", address.unwrap_or("./"));
    let fields = [("og:title", title.to_owned()), ("og:description", describe(title)), ("og:image", picture)];
    fields.into_iter().fold(html, |html, (name, content)| {
        let tag = format!("<meta property=\"{name}\" content=\"");
        replaced(&html, &tag, "\"", &escape(&content)).unwrap_or(html)
    })
}

/// Reads the argument of `--address`: the address of the published folder, which ends with a slash then.
pub fn address_of_folder(argument: &str) -> Result<String, String> {
    let rest = argument.strip_prefix("https://").or_else(|| argument.strip_prefix("http://")).unwrap_or_default();
    let is_plain = |letter: char| letter.is_ascii_graphic() && !"\"'<>?#".contains(letter);
    if rest.is_empty() || rest.starts_with('/') || !rest.chars().all(is_plain) {
        return Err("write the address of the folder, such as https://club.example/games/".into());
    }
    let folder = argument.strip_suffix("index.html").unwrap_or(argument);
    Ok(format!("{}/", folder.trim_end_matches('/')))
}

/// Returns whether the page opens a library.
pub fn has_library(html: &str) -> bool {
    html.contains(&format!(" {ATTRIBUTE}=\"{LIBRARY_FILE}\">"))
}

/// `manifest.webmanifest` with the title.
///
/// # Errors
///
/// Why it is no manifest.
pub fn manifest_with_title(text: &str, title: &str) -> Result<String, String> {
    let mut manifest: Value = serde_json::from_str(text).map_err(|error| format!("is no manifest: {error}"))?;
    let fields = manifest.as_object_mut().ok_or("is no manifest")?;
    fields.insert("name".into(), json!(title));
    fields.insert("short_name".into(), json!(title));
    fields.insert("description".into(), json!(describe(title)));
    Ok(format!("{manifest:#}\n"))
}

/// Describes the library without a number of games, so that the page stays the same when games are added.
fn describe(title: &str) -> String {
    format!("{title}: search every position of every game.")
}

/// The text with other words between `from` and `to`, once.
fn replaced(text: &str, from: &str, to: &str, new: &str) -> Option<String> {
    let begin = text.find(from)? + from.len();
    let end = begin + text[begin..].find(to)?;
    Some(format!("{}{new}{}", &text[..begin], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "<!doctype html>\n<html lang=\"en\">\n<title>a</title>\n<meta name=\"description\" content=\"b\" />";

    #[test]
    fn a_title_is_text() {
        let page = page_with_title(PAGE, "\"A\" & <script>'x'", None).expect("a page");
        let title = "&quot;A&quot; &amp; &lt;script&gt;&#39;x&#39;";
        let expected = format!(
            "<!doctype html>\n<html lang=\"en\" data-library=\"library.json\">\n<title>{title}</title>\n<meta name=\"description\" content=\"{title}: search every position of every game.\" />"
        );
        assert_eq!(page, expected);
        assert!(has_library(&page) && !has_library(PAGE));
        let other = page_with_title(&page, "B", None).expect("a page of ours");
        assert_eq!(other, page_with_title(PAGE, "B", None).expect("a page"));
    }

    #[test]
    fn a_preview_has_the_title_and_a_whole_address() {
        let tag = |name: &str, content: &str| format!("<meta property=\"{name}\" content=\"{content}\" />");
        let tags = |title: &str, description: &str, image: &str| {
            [tag("og:title", title), tag("og:description", description), tag("og:image", image)].join("\n")
        };
        let page = |title: &str, address| {
            page_with_title(&format!("{PAGE}\n{}", tags("x", "y", "./card.png")), title, address).expect("a page")
        };
        let described = "A &amp; B: search every position of every game.";
        assert!(page("A & B", None).ends_with(&tags("A &amp; B", described, "./card.png")));
        let address = address_of_folder("https://club.example/games").expect("an address");
        let published = page("A & B", Some(&address));
        assert!(published.ends_with(&tags("A &amp; B", described, "https://club.example/games/card.png")));
        // A site from a published folder gets its own.
        assert_eq!(page_with_title(&published, "A & B", None), Ok(page("A & B", None)));
    }

    #[test]
    fn an_address_is_that_of_a_folder() {
        for (argument, address) in [
            ("https://club.example", "https://club.example/"),
            ("http://localhost:8000/a/index.html", "http://localhost:8000/a/"),
        ] {
            assert_eq!(address_of_folder(argument).as_deref(), Ok(address));
        }
        for wrong in ["", "club.example", "https://", "https:///a", "ftp://a", "https://a/?b", "https://a/\"b"] {
            assert!(address_of_folder(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_manifest_keeps_its_other_fields() {
        let manifest = manifest_with_title("{\"name\": \"x\", \"scope\": \"./\"}", "A \"b\"").expect("a manifest");
        let read: Value = serde_json::from_str(&manifest).expect("JSON");
        let description = "A \"b\": search every position of every game.";
        let (name, scope) = ("A \"b\"", "./");
        assert_eq!(read, json!({ "name": name, "short_name": name, "scope": scope, "description": description }));
    }

    #[test]
    fn other_pages_are_refused() {
        for wrong in
            ["", "<html>", "<html><title>a</title>", "<title>a</title><meta name=\"description\" content=\"b\">"]
        {
            assert!(page_with_title(wrong, "A", None).is_err(), "{wrong}");
        }
        for wrong in ["", "[]", "{"] {
            assert!(manifest_with_title(wrong, "A").is_err(), "{wrong}");
        }
    }
}
