//! Tables of molecules on the command line: which columns, and what becomes of rows that cannot be read.

use crate::error::CommandError;
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use hodgelet::model::{FittedTargets, Model};
use hodgelet_data::counted;
use hodgelet_data::smiles::Attributes;
use hodgelet_data::table::{self, OnError, RowFault, TableOptions, TableParts, TableRead, TargetKind};
use std::path::Path;

/// Rows that are listed one by one where more cannot be read.
const LISTED: usize = 5;

/// How a table of molecules is read.
#[derive(Args, Clone, Debug, Default)]
pub struct TableArgs {
    /// Column of SMILES strings in a table [default: guessed, with a message]
    #[arg(long, value_name = "COLUMN")]
    pub smiles: Option<String>,
    /// Column of targets in a table; several with commas between them, or one flag each [default: guessed, with a message; none in predict]
    #[arg(long, value_name = "COLUMN")]
    pub target: Vec<String>,
    /// Column of a table of molecules or of targets that says how much each graph counts in training; for other graphs the
    /// column sample_weight of --columns says it
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    pub sample_weight: Option<String>,
    /// Whether the targets of a table are classes or numbers [default: numbers if one has a fraction]
    #[arg(long, value_name = "TYPE", value_enum, hide_short_help = true)]
    pub target_type: Option<TargetType>,
    /// What becomes of rows of a table that cannot be read: left out and listed, or the end
    #[arg(long, value_name = "WHAT", value_enum, hide_short_help = true, default_value_t)]
    pub on_error: RowErrors,
    /// Attributes of atoms in a table of molecules, with commas between them [default: element,charge,hydrogens,aromatic,ring,chirality]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    pub atom_attributes: Vec<String>,
    /// Attributes of bonds in a table of molecules, with commas between them [default: bond,conjugated,ring,stereo]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    pub bond_attributes: Vec<String>,
    /// What the table is for.
    #[arg(skip)]
    pub purpose: Purpose,
}

/// What the targets of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetType {
    /// Classes, whatever they look like.
    Classes,
    /// Numbers.
    Numbers,
}

/// What becomes of rows that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RowErrors {
    /// They are left out and listed.
    #[default]
    Skip,
    /// The first one ends the command.
    Stop,
}

/// What a table is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To learn from, or to look at: a target is looked for.
    #[default]
    Training,
    /// To be predicted: all attributes that a model may have been trained on, and no target unless it is named.
    Prediction {
        /// Whether the model needs the masses of atoms.
        mass: bool,
    },
    /// To be learned from by a trained model: all attributes that it may have been trained on, and targets of its kind.
    Update {
        /// Whether the model needs the masses of atoms.
        mass: bool,
        /// What the model predicts.
        kind: TargetType,
    },
}

impl Purpose {
    /// Prediction by a model.
    #[must_use]
    pub fn prediction(model: &Model) -> Self {
        Self::Prediction { mass: needs_mass(model) }
    }

    /// More training of a model.
    #[must_use]
    pub fn update(model: &Model) -> Self {
        let kind = match model.targets() {
            FittedTargets::Classes { .. } => TargetType::Classes,
            FittedTargets::Real { .. } => TargetType::Numbers,
        };
        Self::Update { mass: needs_mass(model), kind }
    }

    /// Whether graphs are to be predicted.
    #[must_use]
    pub fn is_prediction(self) -> bool {
        matches!(self, Self::Prediction { .. })
    }
}

/// Whether a model was trained on the masses of atoms.
fn needs_mass(model: &Model) -> bool {
    let channels = model.space().measurer().encoding().channels(0);
    channels.is_some_and(|channels| (0..channels.len()).any(|d| channels.name(d) == "mass"))
}

impl TableArgs {
    /// The first flag of targets that was given, for a dataset that has no column of them.
    #[must_use]
    pub fn first_flag_of_targets(&self) -> Option<&'static str> {
        match (!self.target.is_empty(), self.target_type.is_some()) {
            (true, _) => Some("--target"),
            (false, true) => Some("--target-type"),
            (false, false) => None,
        }
    }

    /// The first flag of molecules that was given, for a dataset that is not a table of them and may have a table of targets.
    #[must_use]
    pub fn first_flag(&self, has_targets: bool) -> Option<&'static str> {
        let given = [
            (self.smiles.is_some(), "--smiles"),
            (self.sample_weight.is_some() && !has_targets, "--sample-weight"),
            (self.on_error != RowErrors::default(), "--on-error"),
            (!self.atom_attributes.is_empty(), "--atom-attributes"),
            (!self.bond_attributes.is_empty(), "--bond-attributes"),
        ];
        given.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
    }

    /// Reads a table, and says what was guessed and what was left out.
    ///
    /// # Errors
    ///
    /// [`CommandError`].
    pub fn read(&self, path: &Path, terminal: Option<Terminal>) -> Result<TableRead, CommandError> {
        let read = table::read_file(path, &self.options()?).map_err(hodgelet_data::OpenError::from)?;
        if let Some(terminal) = terminal {
            say(&read, terminal);
        }
        Ok(read)
    }

    /// Opens a table to be predicted some rows at a time.
    ///
    /// # Errors
    ///
    /// [`CommandError`].
    pub fn parts(&self, path: &Path) -> Result<TableParts, CommandError> {
        Ok(TableParts::open(path, &self.options()?).map_err(hodgelet_data::OpenError::from)?)
    }

    /// What targets are.
    #[must_use]
    pub fn target_kind(&self) -> TargetKind {
        let of_model = match self.purpose {
            Purpose::Update { kind, .. } => Some(kind),
            _ => None,
        };
        match self.target_type.or(of_model) {
            None => TargetKind::Auto,
            Some(TargetType::Classes) => TargetKind::Classes,
            Some(TargetType::Numbers) => TargetKind::Numbers,
        }
    }

    fn options(&self) -> Result<TableOptions, CommandError> {
        let mut attributes = match self.purpose {
            Purpose::Training => Attributes::default(),
            Purpose::Prediction { mass } | Purpose::Update { mass, .. } => Attributes::all(mass),
        };
        let usage = |message: String| CommandError::usage(message, None);
        if !self.atom_attributes.is_empty() {
            attributes = attributes.with_atoms(&self.atom_attributes).map_err(usage)?;
        }
        if !self.bond_attributes.is_empty() {
            attributes = attributes.with_bonds(&self.bond_attributes).map_err(usage)?;
        }
        Ok(TableOptions {
            smiles: self.smiles.clone(),
            targets: self.target.clone(),
            weight: self.sample_weight.clone(),
            guess_target: !self.purpose.is_prediction(),
            to_predict: self.purpose.is_prediction(),
            for_model: self.purpose != Purpose::Training,
            kind: self.target_kind(),
            on_error: match self.on_error {
                RowErrors::Skip => OnError::Skip,
                RowErrors::Stop => OnError::Stop,
            },
            attributes,
        })
    }
}

/// Says what was guessed and what was left out.
fn say(read: &TableRead, terminal: Terminal) {
    let name = read.read.dataset.name();
    for note in &read.notes {
        terminal.note(&format!("{name}: {note}"));
    }
    for what in left_out(read) {
        terminal.warn(&format!("{name}: {what}"));
    }
}

/// What was left out of a table and why, in words.
#[must_use]
pub fn left_out(read: &TableRead) -> Vec<String> {
    let mut faults = Faults::default();
    faults.add(&read.faults, 0);
    untargeted(read.untargeted).into_iter().chain(faults.text()).collect()
}

fn untargeted(n: usize) -> Option<String> {
    let were = if n == 1 { "was" } else { "were" };
    (n > 0).then(|| format!("{} without a target {were} left out", counted(n, "row")))
}

/// Rows that cannot be read: how many, and the first of them.
#[derive(Debug, Default)]
pub struct Faults {
    /// How many there are.
    pub n: usize,
    listed: Vec<RowFault>,
}

impl Faults {
    /// Adds those of some rows, of which the first has the number `begin` in the table.
    pub fn add(&mut self, faults: &[RowFault], begin: usize) {
        self.n += faults.len();
        let room = LISTED - self.listed.len();
        let numbered = |fault: &RowFault| RowFault { row: begin + fault.row, ..fault.clone() };
        self.listed.extend(faults.iter().take(room).map(numbered));
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self) -> Option<&RowFault> {
        self.listed.first()
    }

    /// Says how many were left out, and why the first ones.
    pub fn say(&self, name: &str, terminal: Terminal) {
        if let Some(text) = self.text() {
            terminal.warn(&format!("{name}: {text}"));
        }
    }

    fn text(&self) -> Option<String> {
        let n = self.n;
        if n == 0 {
            return None;
        }
        let listed: Vec<String> = self.listed.iter().map(RowFault::to_string).collect();
        let more = if n > LISTED { format!("\n  and {} more", n - LISTED) } else { String::new() };
        let rows = match n {
            1 => "1 row that cannot be read was".to_owned(),
            _ => format!("{n} rows that cannot be read were"),
        };
        Some(format!("{rows} left out:\n  {}{more}", listed.join("\n  ")))
    }
}
