//! `plyfold-bind MODULE.wasm FOLDER`: writes JavaScript, types and wasm of a module into a folder, for a page.
//!
//! It is the library of the program `wasm-bindgen` with that program's defaults, which are not those of the library. The program itself
//! takes minutes longer to build.

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (module, folder) = arguments.next().zip(arguments.next()).context("usage: plyfold-bind MODULE.wasm FOLDER")?;
    Bindgen::new()
        .input_path(&module)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .with_context(|| format!("{} cannot be bound", module.display()))
}
