//! Describes conditions on a game's header.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::headers::{Eco, Ending, GameResult, HeaderText, NameField, TimeClass};
use plyfold_scan::scan::predicate::NumberComparison;

use super::keywords::{name_of, named};
use super::parse::piece_name::is_word_of_language;
use super::side::SideSelector;
use super::span::SpannedName;

/// A fact about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
pub enum HeaderCondition {
    /// `result 1-0`: the result is one of these.
    Result(
        #[cfg_attr(
            feature = "json",
            serde(with = "crate::json::by_names"),
            schemars(with = "Vec<crate::json::Name<GameResult>>")
        )]
        Vec<GameResult>,
    ),
    /// `white "Kasparov*"`, `event "*Candidates*"`.
    Name {
        /// The player or thing whose name is tested.
        #[cfg_attr(feature = "json", serde(rename = "of"))]
        selector: NameSelector,
        /// The pattern of the name: `*` is any run of characters.
        #[cfg_attr(feature = "json", serde(rename = "like"))]
        pattern: SpannedName,
    },
    /// `white elo >= 2600`.
    Elo {
        /// The players whose ratings are tested.
        #[cfg_attr(feature = "json", serde(rename = "of"))]
        selector: EloSelector,
        /// The range of the rating.
        range: NumberRange,
    },
    /// `white title GM, IM`: the player has one of these titles.
    Title {
        /// The players whose titles are tested.
        #[cfg_attr(feature = "json", serde(rename = "of"))]
        selector: PlayerSelector,
        /// The patterns of the titles.
        #[cfg_attr(feature = "json", serde(rename = "among"))]
        titles: Vec<SpannedName>,
    },
    /// `winner elo >= loser elo + 200`.
    EloLead(EloLead),
    /// `eco B80-B99, C42`: the code of the opening is in one of these ranges.
    Eco(
        #[cfg_attr(feature = "json", serde(with = "crate::json::eco_ranges"), schemars(with = "Vec<String>"))]
        Vec<(Eco, Eco)>,
    ),
    /// `eco_tag B80-B99, C42`: the code that the PGN says is in one of these ranges.
    EcoTag(
        #[cfg_attr(feature = "json", serde(with = "crate::json::eco_ranges"), schemars(with = "Vec<String>"))]
        Vec<(Eco, Eco)>,
    ),
    /// `opening "sicilian najdorf"`.
    Opening(SpannedName),
    /// `date 1990.05..1991`: from the first to the last, both included.
    Date {
        /// The first.
        #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
        from: Option<PartialDate>,
        /// The last.
        #[cfg_attr(feature = "json", serde(rename = "until", default, skip_serializing_if = "Option::is_none"))]
        to: Option<PartialDate>,
    },
    /// `plies >= 40`: how long the game is.
    Plies(NumberRange),
    /// `ended checkmate`: the game ended in one of these ways.
    Ended(
        #[cfg_attr(
            feature = "json",
            serde(with = "crate::json::by_names"),
            schemars(with = "Vec<crate::json::Name<Ending>>")
        )]
        Vec<Ending>,
    ),
    /// `time_class blitz`: the time class is one of these.
    TimeClass(
        #[cfg_attr(
            feature = "json",
            serde(with = "crate::json::by_names"),
            schemars(with = "Vec<crate::json::Name<TimeClass>>")
        )]
        Vec<TimeClass>,
    ),
    /// `incomplete`: only the moves before one that could not be played or read are kept.
    Incomplete,
    /// `tag "Board" "3"`: the text of the game has this tag with such a value.
    Tag {
        /// The name of the tag.
        name: SpannedName,
        /// The pattern of its value: `*` is any run of characters.
        #[cfg_attr(feature = "json", serde(rename = "like"))]
        pattern: SpannedName,
    },
    /// `in @openings`: the game is in the set with this name.
    #[cfg_attr(feature = "json", serde(rename = "in"))]
    Set(SpannedName),
}

/// The player or thing whose name is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameSelector {
    /// The white player.
    White,
    /// The black player.
    Black,
    /// One of the players.
    Player,
    /// The player who won.
    Winner,
    /// The player who lost.
    Loser,
    /// The tournament or match.
    Event,
    /// The place, or the address of an online game.
    Site,
    /// The file that the game was imported from.
    Source,
    /// The round of the tournament.
    Round,
    /// Who annotated the game.
    Annotator,
    /// The time control as the PGN writes it.
    TimeControl,
}

impl NameSelector {
    /// The words before the name.
    pub const NAMED: &[(&str, NameSelector)] = &[
        ("white", NameSelector::White),
        ("black", NameSelector::Black),
        ("player", NameSelector::Player),
        ("winner", NameSelector::Winner),
        ("loser", NameSelector::Loser),
        ("event", NameSelector::Event),
        ("site", NameSelector::Site),
        ("source", NameSelector::Source),
        ("round", NameSelector::Round),
        ("annotator", NameSelector::Annotator),
        ("time_control", NameSelector::TimeControl),
    ];

    /// The fields in which the name may stand.
    pub(super) fn fields(self) -> &'static [NameField] {
        match self {
            NameSelector::White => &[NameField::White],
            NameSelector::Black => &[NameField::Black],
            NameSelector::Player | NameSelector::Winner | NameSelector::Loser => &[NameField::White, NameField::Black],
            NameSelector::Event => &[NameField::Event],
            NameSelector::Site => &[NameField::Site],
            NameSelector::Source => &[NameField::Source],
            NameSelector::Round => &[NameField::Text(HeaderText::Round)],
            NameSelector::Annotator => &[NameField::Text(HeaderText::Annotator)],
            NameSelector::TimeControl => &[NameField::Text(HeaderText::TimeControl)],
        }
    }

    /// The word before the name.
    pub fn name(self) -> &'static str {
        name_of(&self, Self::NAMED)
    }
}

/// The players whose ratings or titles are tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayerSelector {
    /// White.
    White,
    /// Black.
    Black,
    /// White or Black.
    Either,
    /// White and Black, which is the meaning without a word.
    Both,
    /// The player who won.
    Winner,
    /// The player who lost.
    Loser,
}

impl PlayerSelector {
    /// The word of each selector before `elo` and `title`; the first one of a selector is the one that is printed.
    pub const NAMED: &[(&str, PlayerSelector)] = &[
        ("", PlayerSelector::Both),
        ("both", PlayerSelector::Both),
        ("white", PlayerSelector::White),
        ("black", PlayerSelector::Black),
        ("either", PlayerSelector::Either),
        ("winner", PlayerSelector::Winner),
        ("loser", PlayerSelector::Loser),
    ];

    /// The players in `words`, such as `white_elo`, whose last word is `what`.
    pub(super) fn before(words: &str, what: &str) -> Option<PlayerSelector> {
        let before = words.strip_suffix(what)?;
        let word = if before.is_empty() { before } else { before.strip_suffix('_')? };
        named(word, Self::NAMED)
    }

    /// The words that [`before`](Self::before) reads.
    fn before_noun(self, what: &str) -> String {
        format!("{} {what}", name_of(&self, Self::NAMED)).trim_start().into()
    }

    /// The other player of the game. None if this is not one player.
    pub fn opponent(self) -> Option<PlayerSelector> {
        let opposite = self.side().opposite()?;
        Self::NAMED.iter().find(|(_, players)| players.side() == opposite).map(|&(_, players)| players)
    }

    /// The sides of these players, which have the same words.
    pub(super) fn side(self) -> SideSelector {
        named(name_of(&self, Self::NAMED), SideSelector::NAMED).unwrap_or(SideSelector::Both)
    }
}

/// Whether a title is written without quotes: two to four capital letters that are no word of the language.
pub(super) fn is_title_word(title: &str) -> bool {
    (2..=4).contains(&title.len())
        && title.bytes().all(|byte| byte.is_ascii_uppercase())
        && !is_word_of_language(&title.to_ascii_lowercase())
}

/// The rating that is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EloSelector {
    /// That of these players.
    Of(PlayerSelector),
    /// Half of the sum of both, rounded down.
    Average,
    /// The difference of both.
    Difference,
}

impl EloSelector {
    /// The rating that is named so, such as `white_elo`.
    pub(super) fn named(words: &str) -> Option<EloSelector> {
        match words {
            "average_elo" => Some(EloSelector::Average),
            "elo_difference" => Some(EloSelector::Difference),
            words => PlayerSelector::before(words, "elo").map(EloSelector::Of),
        }
    }
}

/// Writes the words of the selector.
impl fmt::Display for EloSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EloSelector::Of(players) => f.write_str(&players.before_noun("elo")),
            EloSelector::Average => f.write_str("average elo"),
            EloSelector::Difference => f.write_str("elo difference"),
        }
    }
}

/// A comparison of a player's rating with that of the other player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct EloLead {
    /// The player: [`White`](PlayerSelector::White), [`Black`](PlayerSelector::Black), [`Winner`](PlayerSelector::Winner) or
    /// [`Loser`](PlayerSelector::Loser).
    #[cfg_attr(feature = "json", serde(rename = "of"))]
    pub player: PlayerSelector,
    /// How the rating compares with the other player's plus `margin`.
    #[cfg_attr(
        feature = "json",
        serde(rename = "is", with = "crate::json::by_name"),
        schemars(with = "crate::json::Name<NumberComparison>")
    )]
    pub comparison: NumberComparison,
    /// What is added to the other player's rating.
    #[cfg_attr(feature = "json", serde(default), schemars(range(min = -9999, max = 9999)))]
    pub margin: i32,
}

impl fmt::Display for EloLead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [player, other] = [self.player, self.player.opponent().unwrap_or(self.player)].map(EloSelector::Of);
        write!(f, "{player} {} {other}", self.comparison.symbol())?;
        match self.margin {
            0 => Ok(()),
            margin => write!(f, " {} {}", if margin < 0 { '-' } else { '+' }, margin.unsigned_abs()),
        }
    }
}

/// Whole numbers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default = "NumberRange::unbounded")
)]
pub struct NumberRange {
    /// The first; without it, or 0, there is none.
    #[cfg_attr(feature = "json", serde(rename = "at_least", skip_serializing_if = "NumberRange::is_first"))]
    pub min: u32,
    /// The last; without it, or [`u32::MAX`], there is none.
    #[cfg_attr(feature = "json", serde(rename = "at_most", skip_serializing_if = "NumberRange::is_last"))]
    pub max: u32,
}

impl NumberRange {
    /// Every number.
    pub const UNBOUNDED: NumberRange = NumberRange { min: 0, max: u32::MAX };
}

#[cfg(feature = "json")]
impl NumberRange {
    fn unbounded() -> NumberRange {
        NumberRange::UNBOUNDED
    }

    pub(crate) fn is_unbounded(&self) -> bool {
        *self == NumberRange::UNBOUNDED
    }

    fn is_first(min: &u32) -> bool {
        *min == 0
    }

    fn is_last(max: &u32) -> bool {
        *max == u32::MAX
    }
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (least, most) if least == most => write!(f, "= {least}"),
            (least, u32::MAX) => write!(f, ">= {least}"),
            (0, most) => write!(f, "<= {most}"),
            (least, most) => write!(f, "{least}..{most}"),
        }
    }
}

/// A day, a month without a day, or a year.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PartialDate {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12, or 0 for the whole year.
    pub month: u8,
    /// 1 to 31, or 0 for the whole month.
    pub day: u8,
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.year)?;
        for part in [self.month, self.day] {
            if part != 0 {
                write!(f, ".{part:02}")?;
            }
        }
        Ok(())
    }
}

/// A text in double quotes; there are none within it.
pub fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// A name as it is written in a query: one word.
pub fn as_word(name: &str) -> String {
    name.replace(' ', "_")
}

/// A range of ECO codes as it is written in a query: `B80-B99`, or `B90` for one.
pub fn describe_codes(from: Eco, to: Eco) -> String {
    if from == to { format!("{from}") } else { format!("{from}-{to}") }
}

impl fmt::Display for HeaderCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, items: &mut dyn Iterator<Item = String>| {
            f.write_str(name)?;
            items.enumerate().try_for_each(|(index, item)| write!(f, "{} {item}", if index > 0 { "," } else { "" }))
        };
        match self {
            HeaderCondition::Result(outcomes) => match &outcomes[..] {
                [GameResult::White, GameResult::Black] => f.write_str("result decisive"),
                _ => list(f, "result", &mut outcomes.iter().map(|one| String::from(one.name()))),
            },
            HeaderCondition::Name { selector: of, pattern } => write!(f, "{} {}", of.name(), quoted(pattern)),
            HeaderCondition::Elo { selector: of, range } => write!(f, "{of} {range}"),
            HeaderCondition::EloLead(lead) => lead.fmt(f),
            HeaderCondition::Title { selector: of, titles } => {
                let title =
                    |title: &SpannedName| if is_title_word(title) { String::from(&**title) } else { quoted(title) };
                list(f, &of.before_noun("title"), &mut titles.iter().map(title))
            }
            HeaderCondition::Eco(ranges) => {
                list(f, "eco", &mut ranges.iter().map(|&(from, to)| describe_codes(from, to)))
            }
            HeaderCondition::EcoTag(ranges) => {
                list(f, "eco_tag", &mut ranges.iter().map(|&(from, to)| describe_codes(from, to)))
            }
            HeaderCondition::Opening(name) => write!(f, "opening {}", quoted(name)),
            HeaderCondition::Date { from, to } => match (from, to) {
                (Some(from), Some(to)) if from == to => write!(f, "date = {from}"),
                (Some(from), Some(to)) => write!(f, "date {from}..{to}"),
                (Some(from), None) => write!(f, "date >= {from}"),
                (None, Some(to)) => write!(f, "date <= {to}"),
                (None, None) => write!(f, "date >= 1"),
            },
            HeaderCondition::Plies(range) => write!(f, "plies {range}"),
            HeaderCondition::Ended(endings) => list(f, "ended", &mut endings.iter().map(|one| as_word(one.name()))),
            HeaderCondition::Incomplete => f.write_str("incomplete"),
            HeaderCondition::Set(name) => write!(f, "in @{name}"),
            HeaderCondition::Tag { name, pattern } if &**pattern == "*" => write!(f, "tag {} *", quoted(name)),
            HeaderCondition::Tag { name, pattern } => write!(f, "tag {} {}", quoted(name), quoted(pattern)),
            HeaderCondition::TimeClass(classes) => {
                list(f, "time_class", &mut classes.iter().map(|one| as_word(one.name())))
            }
        }
    }
}
