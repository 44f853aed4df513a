//! Descriptions of format version 1, which nested the settings and kept a line graph's signals with the edges.

use serde_json::{Map, Value, json};

/// The description of version 2 that says the same. What has no place in version 1 comes out as null, which reading then
/// refuses.
pub(super) fn upgrade(old: Value) -> Value {
    let space = &old["params"]["space"];
    let line_graph = space["lift"] == "line-graph";
    let mut blocks = old["blocks"].clone();
    blocks.as_array_mut().into_iter().flatten().for_each(|block| *block = upgrade_block(block));
    let mut likelihood = old["likelihood"].clone();
    let noise = likelihood.as_object_mut().and_then(|fields| fields.remove("noise_variance"));
    let mut upgraded = Map::new();
    // Fields that are not known stay, to be refused.
    let known = ["params", "encoding", "signed", "blocks", "likelihood"];
    let others = old.as_object().into_iter().flatten().filter(|(key, _)| !known.contains(&key.as_str()));
    upgraded.extend(others.map(|(key, value)| (key.clone(), value.clone())));
    let mut space = json!({
        "settings": settings(&old["params"]),
        "encoding": if line_graph { of_vertices(&old["encoding"]) } else { old["encoding"].clone() },
        "blocks": blocks,
    });
    if !old["signed"].is_null() {
        space["signed"] = old["signed"].clone();
    }
    upgraded.insert("space".to_owned(), space);
    upgraded.insert("likelihood".to_owned(), likelihood);
    upgraded.insert("learned".to_owned(), Value::Array(noise.into_iter().collect()));
    Value::Object(upgraded)
}

/// Settings, flat.
fn settings(params: &Value) -> Value {
    let (space, kernel, optimizer) = (&params["space"], &params["kernel"], &params["optimizer"]);
    let (encoding, bank) = (&space["encoding"], &space["transform"]["wavelets"]);
    let limit = &optimizer["time_limit"];
    let seconds = limit["secs"].as_f64().map(|secs| secs + 1e-9 * limit["nanos"].as_f64().unwrap_or(0.0));
    let method = match (&space["transform"]["fourier"], &space["lift"], &space["split"]) {
        (Value::Number(_), ..) => "fourier",
        (_, Value::String(lift), _) if lift == "line-graph" => "line-graph",
        (.., Value::Bool(false)) if space["dims"] == json!([0]) => "wt",
        _ => "hodge",
    };
    let lift = match &space["lift"] {
        lift @ Value::Object(_) => json!(format!("cliques:{}", lift["cliques"])),
        name => name.clone(),
    };
    let laplacian = match (space["metric"].as_str(), space["weighting"].as_str()) {
        (Some("barycentric"), _) => json!("dec"),
        (Some(dual), _) => json!(format!("dec-{dual}")),
        (None, Some("symmetric-normalized")) => json!("normalized"),
        (None, name) => json!(name),
    };
    let family = &kernel["family"];
    let family = match family["type"].as_str() {
        Some("squared-exponential") => json!("se"),
        Some("rational-quadratic") => json!("rq"),
        Some("matern") => json!(format!("matern:{}", family["nu"])),
        Some("polynomial") => json!(format!("poly:{}", family["degree"])),
        name => json!(name),
    };
    let signed = match &space["signed"] {
        Value::Object(signed) if signed.contains_key("cycles") => signed["cycles"].clone(),
        signed @ Value::Object(_) => {
            let basis = &signed["harmonic"];
            json!([basis["dim"], basis["exact"], basis["coexact"]])
        }
        _ => Value::Null,
    };
    // Signed features alone were said by excluding all energies, some of which do not exist.
    let without = space["without"].as_array().cloned().unwrap_or_default();
    let signed_only = without.contains(&json!({"dim": 0, "part": "exact"}));
    let exclude: Vec<Value> = if signed_only { vec![] } else { without.iter().map(block_name).collect() };
    let mut flat = json!({
        "method": method, "vertices": encoding["vertices"], "edges": encoding["edges"],
        "higher": encoding["higher"], "max_degree": encoding["max_degree"], "lift": lift,
        "laplacian": laplacian, "split": space["split"], "dims": space["dims"], "exclude": exclude,
        "signed": signed, "signed_only": signed_only, "shared_bank": space["shared-bank"], "kernel": family,
        "lengthscales": kernel["lengthscales"], "initial_lengthscale": kernel["initial-lengthscale"],
        "likelihood": params["likelihood"], "inference": params["inference"],
        "prior_deviation": params["prior-deviation"], "restarts": params["restarts"],
        "iterations": optimizer["max_iterations"], "tol": optimizer["objective_tolerance"],
        "inner_tol": params["variational"]["tolerance"], "time_limit": seconds,
        "collapse": params["collapse"], "seed": params["seed"],
    });
    if method == "line-graph" {
        (flat["vertices"], flat["edges"]) = (json!("attributes"), json!("auto"));
    }
    let points = &space["transform"]["fourier"];
    let own = [("n_points", points.clone())];
    let of_bank = ["n-filters", "n-bands", "low-pass", "band-pass", "low-pass-scales", "band-pass-scales"];
    let of_bank = of_bank.map(|key| (key, bank[key].clone()));
    let renamed = [("scales", bank["spread"].clone()), ("scale_transform", bank["transform"].clone())];
    let given: Vec<(&str, Value)> = match points.is_null() {
        true => of_bank.into_iter().chain(renamed).collect(),
        false => own.to_vec(),
    };
    for (key, value) in given {
        // A bank without a low-pass term said null.
        let value = if key == "low-pass" && value.is_null() { json!("none") } else { value };
        flat[key.replace('-', "_")] = value;
    }
    flat
}

fn block_name(block: &Value) -> Value {
    let name = serde_json::from_value::<crate::feature::Block>(block.clone());
    name.map_or(Value::Null, |block| json!(block.to_string()))
}

fn upgrade_block(block: &Value) -> Value {
    let map = &block["map"];
    let numbers = match map {
        Value::Object(map) if map.contains_key("wavelets") => map["wavelets"]["parameters"].clone(),
        Value::Object(map) if map.contains_key("fourier") => map["fourier"].clone(),
        _ => json!([]),
    };
    json!({
        "name": block_name(&block["block"]), "n_channels": block["n_channels"], "map": numbers,
        "standardizer": block["standardizer"],
    })
}

/// Sources of edges as sources of the vertices of the line graph, whose signs mean nothing.
fn of_vertices(encoding: &Value) -> Value {
    let mut sources = encoding[1].clone();
    for source in sources.as_array_mut().into_iter().flatten() {
        if let Some(real) = source.get_mut("real").and_then(Value::as_object_mut) {
            real.insert("orientation".to_owned(), json!("unoriented"));
        }
    }
    json!([sources])
}
