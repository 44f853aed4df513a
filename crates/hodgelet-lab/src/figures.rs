//! The paper's own figures: a field without curl, one without divergence, their projections on a mesh, and the noise curve.
//!
//! The curve is the experiment `reproduce figure1`, whose cells are kept and taken up again.

use crate::reproduce::{self, Figure1Args};
use clap::Args;
use hodgelet::dataset::{ColumnValues, Targets};
use hodgelet::hodge::{Operators, Weighting, decompose};
use hodgelet::linalg::SparseMat;
use hodgelet::output::{Kind, Output};
use hodgelet::signal::{Channels, Orientation, Signal};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{ForceArgs, make_folder, write_atomic};
use hodgelet_cli::progress::Terminal;
use hodgelet_data::generate::builtin;
use hodgelet_report::content::component_panels;
use hodgelet_report::layout::places_of;
use hodgelet_report::picture::document;

/// Flags of `hodgelet-lab figures`: those of the noise curve, whose meshes and seed the fields have too.
#[derive(Args, Debug)]
pub struct FiguresArgs {
    #[command(flatten)]
    noise: Figure1Args,
    /// Draw the fields alone, without the noise curve
    #[arg(long)]
    fields_only: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Draws the first field of each class, then the noise curve.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &FiguresArgs, terminal: Terminal) -> Result<(), CommandError> {
    fields(args, terminal)?;
    if args.fields_only {
        return Ok(());
    }
    reproduce::figure1(&args.noise, terminal)?;
    terminal.note(&args.noise.run.out.join("figure1.svg").display().to_string());
    Ok(())
}

/// Draws the first field of each class with its projections.
fn fields(args: &FiguresArgs, terminal: Terminal) -> Result<(), CommandError> {
    let (out, vertices, seed) = (&args.noise.run.out, args.noise.vertices, args.noise.run.seed);
    make_folder(out)?;
    let usage = |error: &dyn std::fmt::Display| CommandError::usage(error.to_string(), None);
    let mut recipe = builtin("vector-fields").ok_or_else(|| usage(&"no vector fields"))?;
    let own = format!("n_vertices={vertices}");
    args.noise.settings.iter().chain([&own]).try_for_each(|setting| recipe.set(setting))?;
    let fields = recipe.generate(seed).map_err(|error| usage(&error))?;
    let Targets::Classes { names, labels } = fields.targets() else {
        return Err(usage(&"the fields have no classes"));
    };
    for (class, name) in names.iter().enumerate() {
        let Some(i) = labels.iter().position(|&label| label as usize == class) else { continue };
        let complex = &fields.complexes()[i];
        let column = fields.columns().iter().find(|c| c.dim == 1 && c.orientation == Orientation::Oriented);
        let Some((column, ColumnValues::Real { values, .. })) = column.map(|c| (c, &c.values)) else {
            continue;
        };
        let flow = &values[column.cells(i)];
        let mut matrix = SparseMat::with_rows(flow.len());
        matrix.push_column(flow.iter().enumerate().map(|(e, &x)| (e as u32, x)));
        let signal = Signal::new(matrix, Channels::numbered(1, Orientation::Oriented))
            .map_err(|error| usage(&error))?;
        let parts = decompose(&Operators::new(complex, Weighting::Combinatorial), 1, &signal)?;
        let values = |m: &faer::Mat<f64>| (0..m.nrows()).map(|e| m[(e, 0)]).collect::<Vec<f64>>();
        let parts = [values(&parts.exact), values(&parts.coexact), values(&parts.harmonic)];
        let title = format!("A field that is {name}, on a mesh of {vertices} vertices, and its projections");
        let picture = component_panels(&title, complex, &places_of(&fields, i), 1, flow, &parts, &[]);
        let path = out.join(format!("field-{name}.svg"));
        let output = Output::new(&path, Kind::PICTURE).forced(args.force.force);
        write_atomic(output, |out| out.write_all(document(&picture).as_bytes()))?;
        terminal.note(&path.display().to_string());
    }
    Ok(())
}
