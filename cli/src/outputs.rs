//! The outputs that a command or a plan asks for: an option for each of [`OUTPUTS`], with what it takes.

use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputArguments, OutputDefinition, OutputResult};
use plyfold_core::scan::tables::BoundTables;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::key_argument::{KeyArgument, read_key, read_partition};
use crate::result_tables::JsonRow;

/// An output with what was given for it.
#[derive(Clone)]
pub struct RequestedOutput {
    pub definition: &'static OutputDefinition,
    /// Its key, if it takes one.
    pub by: Option<KeyArgument>,
    /// The most rows, if it takes them.
    pub maximum: Option<usize>,
}

/// The outputs that are requested, in the order of [`OUTPUTS`].
#[derive(Clone, Default)]
pub struct RequestedOutputs(pub Vec<RequestedOutput>);

impl RequestedOutputs {
    /// The requested outputs of this option.
    pub fn of_option(&self, option: &str) -> impl Iterator<Item = &RequestedOutput> {
        self.0.iter().filter(move |one| one.definition.option == option)
    }

    /// The options of all outputs, for messages: `--heatmap, --structures and --by`.
    pub fn options() -> String {
        let options: Vec<String> = OUTPUTS.iter().map(|output| format!("--{}", output.option)).collect();
        let (last, others) = options.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
        format!("{} and {last}", others.join(", "))
    }

    /// The outputs with at most `top` rows each, unless a number was given; an output that takes a number has its usual one if
    /// `has_usual`.
    pub fn outputs(&self, (top, has_usual): (usize, bool), tables: &BoundTables) -> Vec<Output> {
        let each = self.0.iter().map(|RequestedOutput { definition, by, maximum }| {
            let usual = match definition.argument {
                OutputArgument::Maximum(usual) if has_usual => usual,
                _ => top,
            };
            let arguments = OutputArguments {
                key: by.as_ref().map(|by| by.key.clone()),
                rule: by.as_ref().map(|by| by.rule).unwrap_or_default(),
                max_rows: maximum.unwrap_or(usual),
                ..OutputArguments::default()
            };
            definition.with(arguments).judged_by(tables)
        });
        each.collect()
    }

    /// Reads the value of a key of a plan, if it asks for an output.
    ///
    /// # Errors
    ///
    /// The value is not what the output takes; there is no such key.
    pub fn take_from_plan(&mut self, key: &str, value: &Value) -> Result<bool, String> {
        let Some(definition) = OUTPUTS.iter().copied().find(|output| output.option == key) else { return Ok(false) };
        let mut push = |by, maximum| self.0.push(RequestedOutput { definition, by, maximum });
        match (definition.argument, value) {
            (_, Value::Null | Value::Bool(false)) => {}
            (OutputArgument::Nothing | OutputArgument::Maximum(_), Value::Bool(true)) => push(None, None),
            (OutputArgument::Maximum(_), Value::Number(number)) if number.is_u64() => {
                push(None, number.as_u64().map(|number| number as usize));
            }
            (OutputArgument::Key | OutputArgument::KeyWithRule, Value::Array(keys)) => {
                for key in keys {
                    let text = key.as_str().ok_or_else(|| format!("`{}` lists keys as texts", definition.option))?;
                    push(Some(read_argument(definition, text)?), None);
                }
            }
            (OutputArgument::Nothing, _) => return Err(format!("`{key}` is true or false")),
            (OutputArgument::Maximum(_), _) => return Err(format!("`{key}` is a number of rows, or true")),
            (OutputArgument::Key | OutputArgument::KeyWithRule, _) => {
                return Err(format!("`{key}` is a list of keys, as in [\"material\"]"));
            }
        }
        Ok(true)
    }

    /// Puts the outputs into the order of [`OUTPUTS`].
    pub fn sort(&mut self) {
        self.0.sort_by_key(|one| OUTPUTS.iter().position(|output| output.name == one.definition.name));
    }
}

fn read_argument(definition: &OutputDefinition, text: &str) -> Result<KeyArgument, String> {
    match definition.argument {
        OutputArgument::KeyWithRule => read_partition(text),
        _ => read_key(text),
    }
}

fn option_of(definition: &'static OutputDefinition) -> Arg {
    let option = Arg::new(definition.option).long(definition.option).help_heading("Outputs");
    let judges = if definition.asks_tables { ". The tables of --tables and --syzygy judge them" } else { "" };
    let summary = [definition.summary, judges].concat();
    match definition.argument {
        OutputArgument::Nothing => option.action(ArgAction::SetTrue).help(summary),
        OutputArgument::Maximum(usual) => {
            let help = format!("{summary}, at most N [usually {usual}]");
            option.value_name("N").num_args(0..=1).value_parser(value_parser!(usize)).help(help)
        }
        OutputArgument::Key => {
            let help = format!(
                "{summary}. `plyfold keys` lists the keys; any number that a board alone has is a key too, as in \
                 `--{} 'count(white pawn)'`. May be repeated",
                definition.option
            );
            option.value_name("KEY").action(ArgAction::Append).value_parser(ValueParser::new(read_key)).help(help)
        }
        OutputArgument::KeyWithRule => {
            let option = option.value_name("KEY[:RULE]").action(ArgAction::Append);
            let help = format!("{summary}. May be repeated");
            option.value_parser(ValueParser::new(read_partition)).help(help)
        }
    }
}

impl Args for RequestedOutputs {
    fn augment_args(command: Command) -> Command {
        command.args(OUTPUTS.iter().map(|output| option_of(output)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RequestedOutputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut outputs = RequestedOutputs::default();
        outputs.update_from_arg_matches(matches)?;
        Ok(outputs)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for &definition in OUTPUTS {
            let option = definition.option;
            let is_given = matches.value_source(option) == Some(ValueSource::CommandLine);
            let mut push = |by, maximum| self.0.push(RequestedOutput { definition, by, maximum });
            match definition.argument {
                OutputArgument::Nothing | OutputArgument::Maximum(_) if !is_given => {}
                OutputArgument::Nothing => push(None, None),
                OutputArgument::Maximum(_) => push(None, matches.get_one::<usize>(option).copied()),
                OutputArgument::Key | OutputArgument::KeyWithRule => {
                    matches
                        .get_many::<KeyArgument>(option)
                        .into_iter()
                        .flatten()
                        .for_each(|by| push(Some(by.clone()), None));
                }
            }
        }
        Ok(())
    }
}

/// A result as JSON: its key if it has one, the number of its rows in all, its totals, and the rows.
pub struct JsonResult<'a>(pub &'a OutputResult);

impl Serialize for JsonResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.0.table();
        let mut map = serializer.serialize_map(None)?;
        if let Some(key) = self.0.output.arguments.text() {
            map.serialize_entry("key", &key)?;
        }
        map.serialize_entry("distinct", &table.distinct)?;
        for (name, total) in &table.totals {
            map.serialize_entry(name, total)?;
        }
        let rows: Vec<JsonRow<'_, '_>> = table.rows.iter().map(|row| JsonRow(&table.columns, row)).collect();
        map.serialize_entry("rows", &rows)?;
        map.end()
    }
}
