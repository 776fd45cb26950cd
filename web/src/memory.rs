//! Room in the engine's memory, asked for before it is taken: an allocation that fails would end the engine.

use crate::error::JsFailure;

/// What a scan of any corpus takes beside its bytes.
const SPARE_BYTES: u64 = 48 << 20;

/// Makes sure that `bytes` more can be taken, and that queries can still run afterwards.
///
/// # Errors
///
/// There is no such room.
pub fn ensure_room(bytes: u64) -> Result<(), JsFailure> {
    let wanted = usize::try_from(bytes.saturating_add(SPARE_BYTES)).unwrap_or(usize::MAX);
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(wanted).map_err(|_| {
        let message =
            "the browser gives this page no more memory. Questions go to the games that are here; open fewer at once";
        JsFailure::new("memory", message)
    })
}
