//! Compares responses with the description of the service.

use serde_json::{Value, json};

use super::{Served, url};
use crate::commands::program::EgtgenSandbox;

#[test]
fn the_description_is_kept() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let described = served.ask("GET /openapi.json").with_status(200).json();
    assert_eq!(described["openapi"], "3.1.0");
    for (path, item) in described["paths"].as_object().unwrap() {
        let url = path.replace("{file}", "KRvK.egt");
        if path == "/{path}" {
            continue;
        }
        for (method, operation) in item.as_object().unwrap() {
            let is_get = method == "get";
            let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
            let examples = parameters.iter().filter(|one| one["in"] == "query" && one.get("example").is_some());
            let query: Vec<String> = examples
                .map(|one| format!("{}={}", one["name"].as_str().unwrap(), self::url(one["example"].as_str().unwrap())))
                .collect();
            let url = if query.is_empty() { url.clone() } else { format!("{url}?{}", query.join("&")) };
            let answer = if is_get {
                served.ask(&format!("GET {url}"))
            } else {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
                let name = schema.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
                let example = match &described["components"]["schemas"][&name]["examples"][0] {
                    Value::Null => json!({"image": "8/8/8/8/8/8/8/8", "original": "8/8/8/8/8/8/8/8"}),
                    example => example.clone(),
                };
                served.post(&url, "application/json", example.to_string().as_bytes())
            };
            let answer = answer.with_status(200);
            // The response has all required fields and none that the schema does not describe.
            let Value::Object(told) = serde_json::from_slice(&answer.body).unwrap_or(Value::Null) else { continue };
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let schema = schema.get("oneOf").map_or(schema, |all| &all[usize::from(told.contains_key("positions"))]);
            let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) else { continue };
            let described = &described["components"]["schemas"][name];
            let required: Vec<&str> =
                described["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert!(required.iter().all(|field| told.contains_key(*field)), "{path}: {told:?}");
            assert!(told.keys().all(|field| described["properties"].get(field).is_some()), "{path}: {told:?}");
        }
        let allowed = if item.get("post").is_some() { "GET, HEAD, POST" } else { "GET, HEAD" };
        for method in ["PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
            let answer = served.ask(&format!("{method} {url}")).refused(405, "allowed here", None);
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {url}");
        }
    }
    let health = served.ask("GET /health").with_status(200).json();
    assert_eq!((&health["status"], &health["tables"], &health["site"]), (&json!("ok"), &json!(true), &json!(false)));
}
