//! `hodgelet card`: a model card in Markdown, from what a model file holds.

use super::model_info::load;
use crate::error::CommandError;
use crate::output::{self, ForceArgs};
use crate::progress::Terminal;
use clap::Args;
use hodgelet::output::{Kind, Output};
use hodgelet_report::card::{Card, Fields};
use std::path::PathBuf;

/// Flags of `hodgelet card`.
#[derive(Args, Debug)]
#[command(
    after_help = "The card says what the model file knows: what is predicted, what it was trained on, leave-one-out scores with
their standard errors, what its uncertainty rests on, and when a graph is called far. What only its
makers know (purpose, data, licence, citation) are fields marked TODO, or flags.

Example:
  hodgelet card model.hodgelet --purpose 'Ranks compounds for a first assay' --out CARD.md"
)]
pub struct CardArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The card; - is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// What the model is for
    #[arg(long, value_name = "TEXT")]
    purpose: Option<String>,
    /// What the training data are and where they come from
    #[arg(long, value_name = "TEXT")]
    data: Option<String>,
    /// Licence of the model
    #[arg(long, value_name = "TEXT")]
    license: Option<String>,
    /// How to cite the model
    #[arg(long, value_name = "TEXT")]
    citation: Option<String>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Writes the card of a model.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &CardArgs, _: Terminal) -> Result<(), CommandError> {
    let output = Output::new(&args.out, Kind::CARD).forced(args.force.force);
    output::check_out(output, std::slice::from_ref(&args.model))?;
    let model = load(&args.model)?;
    let text = Card::of(&model, &fields(args)).markdown();
    output::write_atomic(output, |out| out.write_all(text.as_bytes()))
}

fn fields(args: &CardArgs) -> Fields {
    let name = args.model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let CardArgs { purpose, data, license, citation, .. } = args;
    Fields {
        name,
        purpose: purpose.clone(),
        data: data.clone(),
        license: license.clone(),
        citation: citation.clone(),
    }
}
