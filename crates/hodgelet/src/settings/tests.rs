use super::*;
use serde_json::json;

#[test]
fn settings_survive_json() {
    let settings = Settings {
        method: Method::Wt,
        vertices: Some(VertexSignal::None),
        lift: Some(Lift::Rings(6)),
        laplacian: Some(Laplacian::DecMedian),
        dims: Some(vec![0, 2]),
        exclude: vec!["edge harmonic".parse().unwrap()],
        signed: Some(SignedParams::Harmonic { dim: 1, exact: 2, coexact: 3 }),
        low_pass: None,
        kernel: Family::Matern { nu: 0.1 + 0.2 },
        prior_deviation: None,
        time_limit: Some(1e-3),
        seed: u64::MAX,
        ..Settings::default()
    };
    let json = serde_json::to_value(&settings).unwrap();
    assert_eq!(json["signed"], "harmonic:2,3");
    assert_eq!(json["exclude"], json!(["edge harmonic"]));
    assert_eq!(serde_json::from_value::<Settings>(json).unwrap(), settings);
}

#[test]
fn settings_left_out_take_their_defaults_and_text_is_read_as_on_the_shell() {
    let read = |value| serde_json::from_value::<Settings>(value).map_err(|e| e.to_string());
    assert_eq!(read(json!({})), Ok(Settings::default()));
    assert_eq!(read(json!({"vertices": null, "n_filters": null})), Ok(Settings::default()));
    assert_eq!(read(json!({"dims": "0,1"})).unwrap().dims, Some(vec![0, 1]));
    assert_eq!(read(json!({"prior_deviation": null})).unwrap().prior_deviation, None);
    assert_eq!(read(json!({"prior_deviation": "none"})).unwrap().prior_deviation, None);
    assert_eq!(read(json!({"low_pass": "none"})).unwrap().low_pass, None);
    assert_eq!(read(json!({"vertices": "none"})).unwrap().vertices, Some(VertexSignal::None));
    assert_eq!(read(json!({"max_iter": 3.0, "random_state": 7})).map(|s| (s.iterations, s.seed)), Ok((3, 7)));
    let cycles = json!([[0, 1, 2], [2, 3, 4, 2]]);
    let walks = SignedParams::Cycles(vec![vec![0, 1, 2], vec![2, 3, 4, 2]]);
    assert_eq!(read(json!({"signed": cycles})).unwrap().signed, Some(walks));
}

#[test]
fn what_is_not_a_setting_is_named() {
    let message = |value| serde_json::from_value::<Settings>(value).unwrap_err().to_string();
    assert_eq!(message(json!({"colour": 1})), "there is no setting `colour`");
    assert_eq!(message(json!({"without": []})), "the setting `without` was renamed, use `exclude`");
    assert_eq!(message(json!({"filters": 3})), "the setting `filters` was renamed, use `n_filters`");
    assert_eq!(
        message(json!({"no_priors": true})),
        "the setting `no_priors` was renamed, use `prior_deviation=none`"
    );
    assert_eq!(
        message(json!({"method": "gnn"})),
        "setting `method` is \"gnn\", expected hodge, wt, line-graph, fourier"
    );
    assert_eq!(
        message(json!({"n_filters": -1})),
        "setting `n_filters` is -1, expected a whole number from 0"
    );
    assert_eq!(
        message(json!({"n_filters": 2.5})),
        "setting `n_filters` is 2.5, expected a whole number from 0"
    );
    assert_eq!(
        message(json!({"low_pass_scales": [1.0]})),
        "setting `low_pass_scales` is [1.0], expected two numbers"
    );
    assert!(
        message(json!({"kernel": "rbf"})).starts_with("setting `kernel` is \"rbf\", expected se, matern12")
    );
    assert!(message(json!({"exclude": ["edge"]})).ends_with("expected a block such as `edge exact`"));
    assert!(message(json!({"signed": "cycles=there is no such file"})).contains("a file of cycles"));
}

#[test]
fn cycles_are_read_from_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cycles.txt");
    let text = format!("cycles={}", path.display());
    std::fs::write(&path, "0 1 2\n\n3, 4,5 3\n").unwrap();
    let cycles = SignedParams::from_json(&json!(text)).unwrap();
    assert_eq!(cycles, SignedParams::Cycles(vec![vec![0, 1, 2], vec![3, 4, 5, 3]]));
    std::fs::write(&path, "0 1 2\n3 x\n").unwrap();
    let error = SignedParams::from_json(&json!(text)).unwrap_err();
    assert!(error.ends_with("line 2: found `x`)"), "{error}");
}

/// A setting that is given wins over what `faithful` and the method imply, but for priors.
#[test]
fn what_is_not_given_follows_from_the_rest() {
    let faithful = Settings { faithful: true, ..Settings::of(Method::Wt) };
    assert_eq!(faithful.laplacian(), Laplacian::Normalized);
    assert_eq!((faithful.split(), faithful.dims()), (false, Some(vec![0])));
    assert_eq!((faithful.likelihood(), faithful.initial_lengthscale(9)), (ClassLikelihood::Gpflow, 1.0));
    assert_eq!(faithful.prior_deviation(), None);
    let bank = faithful.bank().unwrap();
    assert_eq!((bank.transform, bank.spread), (Transform::Softplus, ScaleSpread::Reference));
    let given =
        Settings { likelihood: Some(ClassLikelihood::Auto), initial_lengthscale: Some(2.0), ..faithful };
    assert_eq!((given.likelihood(), given.initial_lengthscale(9)), (ClassLikelihood::Auto, 2.0));
    let own = Settings::default();
    assert_eq!((own.laplacian(), own.lift()), (Laplacian::Combinatorial, Lift::Cliques(2)));
    assert_eq!((own.split(), own.dims(), own.initial_lengthscale(9)), (true, None, 3.0));
    assert_eq!((own.prior_deviation(), Settings::of(Method::Fourier).bank()), (Some(1.0), None));
    assert_eq!(Settings::of(Method::LineGraph).lift(), Lift::LineGraph);
}

settings! {
    /// A struct of two settings: what the macro makes of a field, it makes of every field.
    struct Toy;

    "Size": {
        /// How many legs.
        [alias "n_legs"] [was "feet"]
        legs: usize = 4;
    }
    "Looks": {
        /// Which family.
        family: Option<LowPass> = None;
    }
}

/// A setting is named in one place: `legs`, above, is a key of the JSON with its default, has help and an alias.
#[test]
fn a_setting_is_named_once() {
    let [legs, family] = Toy::FIELDS else { panic!("two fields were written") };
    assert_eq!((legs.name, legs.group, legs.help()), ("legs", "Size", "How many legs.".to_owned()));
    assert_eq!((legs.flag(), legs.python_name(), (legs.kind)()), ("legs".to_owned(), "n_legs", Kind::Count));
    assert!(matches!((family.kind)(), Kind::Optional(kind) if matches!(*kind, Kind::Choice(_))));
    assert_eq!(serde_json::to_value(Toy::default()).unwrap(), json!({"legs": 4, "family": null}));
    let read = serde_json::from_value::<Toy>(json!({"n_legs": 6, "family": "heat"})).unwrap();
    assert_eq!(read, Toy { legs: 6, family: Some(LowPass::Heat) });
    let former = serde_json::from_value::<Toy>(json!({"feet": 6})).unwrap_err().to_string();
    assert_eq!(former, "the setting `feet` was renamed, use `legs`");
}
