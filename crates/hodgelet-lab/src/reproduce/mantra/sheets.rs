//! The tables of the experiment.

use super::super::page::{Sheet, Sheets};
use super::published::ROWS;
use super::trial::{Model, Score};
use super::{LEAST_MEMBERS, Outcome};

/// What the results page says below the first table.
const NOTES: [&str; 3] = [
    "**Much of this holds by construction.** The signal is a constant on vertices, edges and triangles, without orientation; its \
     harmonic energy on k-cells is the Betti number β_k of the surface, whatever the triangulation. A closed surface is \
     orientable where β_2 is 1, and its type is told by β_1 and β_2. So the answer is among the features, and is the same after \
     any refinement. The model `harmonic` has these blocks alone (`--exclude` names the others): that it is right everywhere is \
     a fact about its features, and what is learned is only which numbers go with which name. `all-blocks` has the spectra of \
     the other components beside them; held out they do no harm, and on refinements, whose spectra are like nothing it has \
     seen, they drag more than half of the types away. `without-harmonic` is what is left when harmonic blocks are excluded, \
     and `graph` sees degrees on the graph of vertices and edges. Held out, spectra of cells tell nearly as much as Betti \
     numbers do; refined, all of it is gone.",
    "Settings: the most probable hyperparameters (`--hyperparameters map`), energies alone (`--blocks energies`), all else at \
     its default. `held out` is every surface that was not trained on; refinements are of a sample of these, the last one of a \
     hundredth of it. β_0 is 1 for every connected surface and no task.",
    "Probabilities are those of a posterior: a model that is right about everything may still say 0.9, far from what it was \
     trained on rather more so, and NLL and ECE count that against it.",
];

/// All tables.
pub fn sheets(outcome: &Outcome) -> Sheets {
    Sheets { sheets: vec![main(outcome), by_size(outcome), published(outcome), costs(outcome)] }
}

fn sheet(
    outcome: &Outcome,
    title: &str,
    header: &[&str],
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
) -> Sheet {
    Sheet {
        title: title.to_owned(),
        command: outcome.provenance.command.clone(),
        date: outcome.provenance.date.clone(),
        commit: outcome.provenance.commit.clone(),
        seconds: outcome.seconds,
        header: header.iter().map(|&name| name.to_owned()).collect(),
        rows,
        notes,
    }
}

fn percent(share: f64) -> String {
    // Only what is whole is printed as 100.
    let text = format!("{:.2}", 100.0 * share);
    if text == "100.00" && share < 1.0 { format!("{:.4}", 100.0 * share) } else { text }
}

fn cells(score: &Score) -> Vec<String> {
    let common = match score.task.as_str() {
        "type" => score.accuracy_common.map_or_else(String::new, percent),
        _ => String::new(),
    };
    vec![
        score.model.clone(),
        score.task.clone(),
        score.test.clone(),
        score.train.to_string(),
        score.n.to_string(),
        score.wrong.to_string(),
        percent(score.accuracy),
        common,
        format!("{:.3}", score.mcc),
        format!("{:.4}", score.nll),
        format!("{:.4}", score.ece),
    ]
}

const HEADER: [&str; 11] = [
    "model",
    "task",
    "test",
    "trained on",
    "tested on",
    "wrong",
    "accuracy, %",
    "common types, %",
    "MCC",
    "NLL",
    "ECE",
];

fn main(outcome: &Outcome) -> Sheet {
    let count = |t: &super::TypeCount| format!("{} {} ({})", t.name, t.surfaces, t.trained);
    let types = outcome.types.iter().map(count).collect::<Vec<_>>().join(", ");
    let total: usize = outcome.types.iter().map(|t| t.surfaces).sum();
    let mut notes = vec![format!(
        "{total} surfaces by type, with the number trained on: {types}. `common types` are those with at least {LEAST_MEMBERS} \
         members."
    )];
    notes.extend(NOTES.map(str::to_owned));
    let title = "Topology of surfaces: held out and refined";
    sheet(outcome, title, &HEADER, outcome.scores.iter().map(cells).collect(), notes)
}

fn by_size(outcome: &Outcome) -> Sheet {
    let ours = [Model::Harmonic.key(), Model::Cells.key()];
    let main = outcome.scores.iter().filter(|score| ours.contains(&score.model.as_str()));
    let mut scores: Vec<&Score> = main.chain(&outcome.sizes).collect();
    scores.sort_by_key(|score| (score.model.clone(), score.task.clone(), score.train));
    let rows =
        scores.into_iter().filter(|score| score.test != "stellar" && score.test != "graded").map(|score| {
            let mut cells = cells(score);
            cells.push(format!("{:.1}", score.fit_seconds));
            cells
        });
    let mut header = HEADER.to_vec();
    header.push("s to fit");
    let note = "Training surfaces are at most a number of each type and at most half of it; the last size is half of everything. \
                More than 5,000 are learned from with a sparse posterior, hyperparameters from a sample of 1,000."
        .to_owned();
    let notes = std::iter::once(note).chain(outcome.failed.iter().cloned()).collect();
    sheet(outcome, "Topology of surfaces: training sizes", &header, rows.collect(), notes)
}

fn published(outcome: &Outcome) -> Sheet {
    let optional = |value: Option<f64>, text: fn(f64) -> String| value.map_or_else(|| "–".to_owned(), text);
    let three = |value: f64| format!("{value:.3}");
    let mut rows = Vec::new();
    for task in ["type", "orientable"] {
        for row in ROWS.iter().filter(|row| row.task == task) {
            let balanced = optional(row.balanced_accuracy, percent);
            let (accuracy, mcc) = (percent(row.accuracy), optional(row.mcc, three));
            rows.push(vec![
                task.to_owned(),
                row.model.to_owned(),
                "published".to_owned(),
                accuracy,
                balanced,
                mcc,
            ]);
        }
        let ours = outcome.scores.iter().filter(|score| score.task == task && score.test == "held out");
        rows.extend(ours.map(|score| {
            let trained = format!("here, {} surfaces", score.train);
            let balanced = percent(score.balanced_accuracy);
            vec![
                task.to_owned(),
                score.model.clone(),
                trained,
                percent(score.accuracy),
                balanced,
                three(score.mcc),
            ]
        }));
    }
    let note = "Published are test scores in the result files of the benchmark's authors (aidos-lab/mantra-benchmarks, commit \
                f043587b), means over five runs that were trained on four fifths of all surfaces, not refined; their type has five \
                classes, here it has eleven. Of their models of graphs, which all predict the most frequent class, one row \
                stands for all; of those of simplicial complexes the best is shown with both kinds of features. Later work by \
                the same group reports that models with other features saturate the tasks, and that none of them keeps its \
                score on refined triangulations (arXiv 2605.06467, abstract)."
        .to_owned();
    let header = ["task", "model", "source", "accuracy, %", "balanced accuracy, %", "MCC"];
    sheet(outcome, "Topology of surfaces: published scores", &header, rows, vec![note])
}

fn costs(outcome: &Outcome) -> Sheet {
    let times = &outcome.times;
    let mut rows: Vec<Vec<String>> = [
        ("enumerating the surfaces", times.enumerate),
        ("measuring all surfaces", times.measure),
        ("fitting the four tasks", times.fit),
        ("predicting all test sets", times.predict),
        ("from surfaces to scores of those held out", times.held_out),
        ("refining", times.refine),
        ("measuring refinements", times.measure_refined),
    ]
    .map(|(step, seconds)| vec![step.to_owned(), format!("{seconds:.1} s")])
    .to_vec();
    rows.extend(
        times.peak_memory_mb.map(|mb| vec!["peak memory of the whole run".to_owned(), format!("{mb:.0} MB")]),
    );
    let title = "Topology of surfaces: time and memory";
    let note = "Of the model `harmonic`, on two threads.".to_owned();
    sheet(outcome, title, &["step", "cost"], rows, vec![note])
}
