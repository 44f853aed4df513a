//! Networks in tables and graph files: from `fit` to predictions, and what is refused.

use crate::{command, finished, run_in};
use std::fmt::Write;
use std::path::Path;

/// Rings (class 1) or paths of 5 to 9 vertices with weights, as lists of edges in a folder.
fn networks(folder: &Path, range: std::ops::Range<usize>) {
    std::fs::create_dir_all(folder).unwrap();
    for i in range {
        let n = 5 + i / 2 % 5;
        let mut text = "source,target,weight\n".to_owned();
        for v in 0..n - usize::from(i % 2 == 0) {
            let weight = 1.0 + (i * 7 + v * 3) as f64 % 5.0;
            writeln!(text, "v{v},v{},{weight}", (v + 1) % n).unwrap();
        }
        std::fs::write(folder.join(format!("n{i}.csv")), text).unwrap();
    }
}

fn labels(range: std::ops::Range<usize>) -> String {
    let row = |i: usize| format!("n{i},{},{}\n", ["path", "ring"][i % 2], i as f64 / 4.0);
    format!("network,label,size\n{}", range.map(row).collect::<String>())
}

/// The commands of the guide that go from a folder of lists of edges to predictions of another.
fn guide_commands() -> Vec<Vec<String>> {
    let guide = include_str!("../../../../book/src/guides/networks.md");
    let block = guide.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let commands = block.lines().filter_map(|line| line.strip_prefix("hodgelet "));
    commands
        .map(|line| line.split('#').next().unwrap().split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn three_commands_of_the_guide_go_from_a_folder_of_edges_to_calibrated_predictions() {
    let folder = tempfile::tempdir().unwrap();
    networks(&folder.path().join("networks"), 0..40);
    networks(&folder.path().join("new"), 40..46);
    std::fs::write(folder.path().join("labels.csv"), labels(0..40)).unwrap();
    let commands = guide_commands();
    assert_eq!(commands.len(), 3);
    for args in commands {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = finished(command(folder.path(), &args));
        assert_eq!(run.status, 0, "{args:?}: {}", run.stderr);
    }
    let text = std::fs::read_to_string(folder.path().join("predictions.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].join(","), "id,predicted,p(path),p(ring),set,distance,far");
    assert_eq!(lines.len(), 7);
    for (i, line) in (40..).zip(&lines[1..]) {
        assert_eq!((line[0], line[1]), (format!("n{i}").as_str(), ["path", "ring"][i % 2]), "{text}");
        let p: Vec<f64> = line[2..4].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12, "{line:?}");
    }
}

#[test]
fn what_is_not_said_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    networks(&folder.path().join("networks"), 0..4);
    std::fs::write(folder.path().join("labels.csv"), labels(0..4)).unwrap();
    let error = run_in(folder.path(), &["info", "networks"]).failure(1);
    assert!(error.contains("n0.csv: edges have a number `weight`, which may weigh them"), "{error}");
    assert!(error.contains("hint: --weights laplacian weighs the edges, --weights signal"), "{error}");
    let unnamed = labels(0..4).replace("label,size", "shape,size");
    std::fs::write(folder.path().join("shapes.csv"), unnamed).unwrap();
    let args = ["info", "networks", "--weights", "signal", "--targets", "shapes.csv"];
    let error = run_in(folder.path(), &args).failure(1);
    assert!(
        error.contains("shapes.csv: found several columns that may be targets, `shape`, `size`"),
        "{error}"
    );
    let error = run_in(folder.path(), &["info", "sbm", "--directed", "flow"]).failure(1);
    assert!(
        error.contains("--directed, but `sbm` is not GraphML, GML, a list of edges or a matrix"),
        "{error}"
    );
    let error =
        run_in(folder.path(), &["info", "networks", "--weights", "signal", "--target", "x"]).failure(1);
    assert!(error.contains("--target, but `networks` is not a table and has no table of targets"), "{error}");
    let error = run_in(folder.path(), &["info", "networks", "--weights", "heavy"]).failure(1);
    assert!(error.contains("weights `heavy`, expected signal, laplacian or laplacian=NAME"), "{error}");
}

/// The complaint: 100 was dropped against 1, with `2 repeated edges dropped`.
#[test]
fn conflicting_weights_of_the_two_directions_end_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let gml = "graph [\n  directed 1\n  node [ id 1 ]\n  node [ id 2 ]\n  \
               edge [ source 1 target 2 weight 1 ]\n  edge [ source 2 target 1 weight 100 ]\n]\n";
    std::fs::write(folder.path().join("g.gml"), gml).unwrap();
    for directed in ["error", "ignore"] {
        let args = ["info", "g.gml", "--weights", "signal", "--directed", directed];
        let error = run_in(folder.path(), &args).failure(1);
        let expected = "g.gml, line 6: found 100 as `weight` of the edge from `2` to `1`, but 1 in the other direction in line 5";
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("hint: --directed flow keeps both"), "{error}");
    }
    let args = ["info", "g.gml", "--weights", "signal", "--directed", "flow"];
    let text = run_in(folder.path(), &args).result();
    assert!(text.contains("weight-flow"), "{text}");
    let one_way = gml.replace("  edge [ source 2 target 1 weight 100 ]\n", "");
    std::fs::write(folder.path().join("g.gml"), one_way).unwrap();
    let error = run_in(folder.path(), &["info", "g.gml", "--weights", "signal"]).failure(1);
    assert!(error.contains("found an arc from `1` to `2` and none back"), "{error}");
    assert!(error.contains("hint: --directed ignore reads arcs as edges"), "{error}");
}

/// Triangles whose flow goes around, or from one vertex to the others, in one table.
fn flows(range: std::ops::Range<usize>) -> String {
    let mut text = "net,from,to,amount,kind\n".to_owned();
    for i in range {
        let a = 1.0 + i as f64 % 5.0;
        let (arcs, kind) = match i % 2 {
            0 => ([("x", "y"), ("y", "z"), ("z", "x")], "round"),
            _ => ([("x", "y"), ("x", "z"), ("y", "z")], "down"),
        };
        arcs.iter().for_each(|(u, v)| writeln!(text, "{i},{u},{v},{a},{kind}").unwrap());
    }
    text
}

#[test]
fn a_model_keeps_how_its_networks_were_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.csv"), flows(0..24)).unwrap();
    std::fs::write(folder.path().join("new.csv"), flows(24..30)).unwrap();
    let reading = ["--graph-column", "net", "--ends", "from,to", "--directed", "flow"];
    let fit = ["fit", "train.csv", "--target", "kind", "--iterations", "20", "--out", "m.hodgelet"];
    run_in(folder.path(), &[&fit[..], &reading].concat()).result();
    let info = run_in(folder.path(), &["info", "m.hodgelet"]).result();
    let expected = "data read with    directed flow, ends from,to, graph-column net";
    assert!(info.contains(expected), "{info}");
    let predict = ["predict", "m.hodgelet", "new.csv", "--target", "kind", "--format", "json"];
    let kept = run_in(folder.path(), &predict).json();
    assert_eq!(run_in(folder.path(), &[&predict[..], &reading].concat()).json(), kept);
    assert_eq!(kept["accuracy"], 1.0, "{kept}");
    assert_eq!(kept["predictions"][0]["id"], "24");
    let explain = ["explain", "m.hodgelet", "new.csv", "--graph", "1"];
    assert!(run_in(folder.path(), &explain).result().contains("down"));
    // What the model was trained on is another column elsewhere.
    let other = flows(24..30).replace("net,from,to", "id,tail,head");
    std::fs::write(folder.path().join("other.csv"), other).unwrap();
    let predict = ["predict", "m.hodgelet", "other.csv", "--target", "kind", "--format", "json"];
    let error = run_in(folder.path(), &predict).failure(1);
    assert!(error.contains("other.csv: found no column `net` (--graph-column)"), "{error}");
    let again = ["--graph-column", "id", "--ends", "tail,head"];
    let found = run_in(folder.path(), &[&predict[..], &again].concat()).json();
    assert_eq!(found["predictions"], kept["predictions"]);
}

/// A class of two networks of three, and a number of every other one.
#[test]
fn several_targets_of_networks_are_trained_together() {
    let folder = tempfile::tempdir().unwrap();
    networks(&folder.path().join("networks"), 0..24);
    networks(&folder.path().join("new"), 24..28);
    let row = |i: usize| {
        let label = if i % 3 == 2 { "" } else { ["path", "ring"][i % 2] };
        let size = if i % 2 == 1 { String::new() } else { format!("{}.5", i / 2 % 5) };
        format!("n{i},{label},{size}\n")
    };
    let table = format!("network,label,size\n{}", (0..24).map(row).collect::<String>());
    std::fs::write(folder.path().join("labels.csv"), table).unwrap();
    let of = ["networks", "--targets", "labels.csv", "--target", "label,size", "--weights", "laplacian"];
    let fit = [&["fit"], &of[..], &["--iterations", "5", "--format", "json", "--out", "m.hodgelet"]].concat();
    let run = run_in(folder.path(), &fit);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let trained = |t: usize| report["targets"][t]["training"]["n_train"].as_u64().unwrap();
    assert_eq!((trained(0), trained(1)), (16, 12));
    // 5, 11, 17 and 23 have neither.
    assert!(run.stderr.contains("4 graphs without a target left out"), "{}", run.stderr);

    // How networks are read is kept, and new ones are predicted for both.
    let run = run_in(folder.path(), &["predict", "m.hodgelet", "new", "--out", "p.csv"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(folder.path().join("p.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0].join(","),
        "id,label: predicted,label: p(path),label: p(ring),label: distance,label: far,\
         size: predicted,size: std,size: distance,size: far"
    );
    assert_eq!(lines[1..].iter().map(|line| line[1]).collect::<Vec<_>>(), ["path", "ring", "path", "ring"]);

    let folds = ["--folds", "2", "--train-on-validation", "--iterations", "2"];
    let run = run_in(folder.path(), &[&["evaluate"], &of[..], &folds].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let row = |name: &str| run.stdout.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("label").contains(" 16 ") && row("size ").contains(" 12 "), "{}", run.stdout);
}

#[test]
fn networks_are_divided_and_weighed_by_columns_of_their_table_of_targets() {
    let folder = tempfile::tempdir().unwrap();
    networks(&folder.path().join("networks"), 0..20);
    let row = |i: usize| format!("n{i},{},s{},{},{}\n", ["path", "ring"][i % 2], i / 5, 2000 + i, 1 + i % 3);
    let table = format!("network,label,site,year,trust\n{}", (0..20).map(row).collect::<String>());
    std::fs::write(folder.path().join("labels.csv"), table).unwrap();
    let of = ["networks", "--targets", "labels.csv", "--target", "label", "--weights", "laplacian"];
    let out_of_fold = |protocol: &str| -> Vec<(usize, String)> {
        let more = ["--folds", "4", "--iterations", "2", "--predictions", "p.csv", "--force", "--quiet"];
        let args = [&["evaluate"], &of[..], &more, &["--protocol", protocol]].concat();
        run_in(folder.path(), &args).result();
        let text = std::fs::read_to_string(folder.path().join("p.csv")).unwrap();
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let header: Vec<String> = rows.headers().unwrap().iter().map(str::to_owned).collect();
        let [id, fold] = ["id", "fold"].map(|name| header.iter().position(|h| h == name).unwrap());
        let cells = |row: csv::StringRecord| (row[id][1..].parse().unwrap(), row[fold].to_owned());
        rows.records().map(|row| cells(row.unwrap())).collect()
    };
    let folds = out_of_fold("group=site");
    assert_eq!(folds.len(), 20);
    for (i, fold) in &folds {
        assert!(folds.iter().filter(|(j, _)| j / 5 == i / 5).all(|(_, other)| other == fold), "{folds:?}");
    }
    let mut folds = out_of_fold("time=year");
    folds.sort_unstable();
    assert!(folds.is_sorted_by_key(|(_, fold)| fold) && folds.len() < 20, "{folds:?}");
    let refused = |more: &[&str]| run_in(folder.path(), &[&["evaluate"], &of[..], more].concat()).failure(1);
    let error = refused(&["--protocol", "group=lab"]);
    assert!(error.contains("labels.csv: found no column `lab` (--protocol)"), "{error}");
    let error = refused(&["--protocol", "scaffold"]);
    assert!(error.contains("--protocol scaffold, but the dataset is not a table of molecules"), "{error}");

    let fit = [&["fit"], &of[..], &["--iterations", "2", "--quiet", "--out", "m.hodgelet"]].concat();
    run_in(folder.path(), &[&fit[..], &["--sample-weight", "trust"]].concat()).result();
    let bytes = std::fs::read(folder.path().join("m.hodgelet")).unwrap();
    assert!(bytes.windows(18).any(|w| w == b"observations.weigh"));
    let error = run_in(folder.path(), &[&fit[..], &["--sample-weight", "site"]].concat()).failure(1);
    assert!(error.contains("labels.csv, line 2: the weight is `s0`, expected a number"), "{error}");
    let error = run_in(folder.path(), &["info", "networks", "--sample-weight", "trust"]).failure(1);
    assert!(error.contains("hint: for other graphs it names a column of --targets FILE"), "{error}");
}
