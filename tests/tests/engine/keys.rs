//! Keys by name.

use plyfold_core::keys::parse_key;
use plyfold_core::reduce::key::KEY_FEATURES;

#[test]
fn keys_are_features_or_numbers() {
    for feature in KEY_FEATURES {
        for name in feature.aliases.iter().chain([&feature.name]) {
            assert_eq!(
                parse_key(&name.to_uppercase().replace('_', " ")).map(|key| key.to_string()),
                Ok(feature.name.into())
            );
        }
    }
    for text in ["count(white pawn)", "king_distance", "points(white) - points(black)", "2 * count(rook)", "clock"] {
        assert_eq!(parse_key(text).map(|key| key.to_string()), Ok(text.into()));
    }
}

#[test]
fn what_is_no_key_is_pointed_at() {
    let error = parse_key("materiel").expect_err("no key");
    assert_eq!((&*error.message, error.nearest), ("`materiel` is not a key to group by", Some("material")));
    assert!(parse_key("").is_err());
    for text in
        ["count(white pwan)", "count(white pawn) + 1", "count(white pawn) >= 2", "check", "white pawn on e4", "1"]
    {
        let error = parse_key(text).expect_err(text);
        assert!(error.from <= error.to && error.to <= text.len(), "{text}: {error:?}");
    }
}
