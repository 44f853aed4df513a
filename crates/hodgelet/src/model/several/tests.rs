use super::joint::Joint;
use super::*;
use crate::dataset::Dataset;
use crate::model::testing::{dataset, small_settings};
use crate::model::{Measured, Problem};

fn quiet(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Twenty-four graphs with a class, and a number of every other one.
fn both() -> (Settings, Dataset, Vec<Goal>) {
    let (classes, numbers) = (dataset(24, 2, 1), dataset(24, 0, 1));
    let even: Vec<usize> = (0..24).step_by(2).collect();
    let all = Goal { name: "class".into(), targets: classes.targets().clone(), complexes: (0..24).collect() };
    let some = Goal { name: "number".into(), targets: numbers.targets().select(&even), complexes: even };
    (small_settings(), classes, vec![all, some])
}

fn measured(settings: &Settings, dataset: &Dataset) -> (Measurer, Measured) {
    let all: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(settings, dataset, &all).unwrap();
    let measured = measurer.measure(dataset, |_| ControlFlow::Continue(())).unwrap();
    (measurer, measured)
}

#[test]
fn one_target_is_a_fit_like_any_other() {
    let (settings, graphs, goals) = both();
    let (measurer, measured) = measured(&settings, &graphs);
    let several = settings.fit_several(&measurer, &measured, &goals[..1], quiet).unwrap();
    let alone = settings.fit(&graphs, &goals[0].complexes).unwrap();
    let bits = |model: &Model| model.predict(&graphs).unwrap().latent_mean;
    assert_eq!(bits(&several.models()[0]), bits(&alone));
    assert_eq!(several.models()[0].summary().objective, alone.summary().objective);
}

#[test]
fn averaged_over_hyperparameters_one_target_is_a_fit_like_any_other_too() {
    let (settings, graphs, goals) = both();
    let settings = Settings { hyperparameters: HyperparameterChoice::Nuts, ..settings };
    let (measurer, measured) = measured(&settings, &graphs);
    let several = settings.fit_several(&measurer, &measured, &goals[..1], quiet).unwrap();
    let alone = settings.fit(&graphs, &goals[0].complexes).unwrap();
    let own = several.models()[0].predict(&graphs).unwrap();
    let other = alone.predict(&graphs).unwrap();
    assert_eq!((own.latent_mean, own.latent_variance), (other.latent_mean, other.latent_variance));
    assert_eq!(several.models()[0].summary().exploration, alone.summary().exploration);
}

#[test]
fn states_have_the_shared_values_in_common_and_come_back_from_a_file() {
    let (settings, graphs, goals) = both();
    let (measurer, measured) = measured(&settings, &graphs);
    let fit = |choice| {
        let settings = Settings { hyperparameters: choice, ..settings.clone() };
        settings.fit_several(&measurer, &measured, &goals, quiet).unwrap()
    };
    let models = fit(HyperparameterChoice::Nuts);
    let shared = |model: &Model| -> Vec<Vec<f64>> {
        let names: Vec<String> = model.hyperparameters().into_iter().map(|h| h.name).collect();
        let is_shared = |name: &String| !name.contains("noise") && !name.contains("degrees of freedom");
        let of = |draw: &Vec<f64>| -> Vec<f64> {
            names.iter().zip(draw).filter(|(name, _)| is_shared(name)).map(|(_, &value)| value).collect()
        };
        model.hyperparameter_draws().iter().map(of).collect()
    };
    let (first, second) = (shared(&models.models()[0]), shared(&models.models()[1]));
    assert_eq!(first, second);
    assert!(first.len() > 16 && first[0] != first[1], "{}", first.len());
    // `auto` does the same for so few graphs, and the most probable values are others.
    let bits = |models: &Models| -> Vec<_> {
        models.models().iter().map(|model| model.predict(&graphs).unwrap().latent_mean).collect()
    };
    assert_eq!(bits(&fit(HyperparameterChoice::Auto)), bits(&models));
    assert_ne!(bits(&fit(HyperparameterChoice::Map)), bits(&models));
    assert_eq!(bits(&Models::from_bytes(&models.to_bytes().unwrap()).unwrap()), bits(&models));
}

#[test]
fn the_objective_is_the_sum_with_shared_priors_once_and_its_gradient_that_of_differences() {
    let (settings, graphs, goals) = both();
    let settings = Settings { inner_tol: 1e-12, ..settings };
    let (measurer, measured) = measured(&settings, &graphs);
    let problems: Vec<Problem> = goals
        .iter()
        .map(|goal| {
            let known = Known::new(&measured, &settings, goal);
            let places: Vec<usize> = (0..goal.complexes.len()).collect();
            Problem::new(&settings, &measurer, &known, &goal.targets, &places).unwrap()
        })
        .collect();
    let (mut joint, mut theta) = Joint::new(&problems.iter().collect::<Vec<_>>(), 0).unwrap();
    let own: Vec<usize> = problems.iter().map(|p| p.start().unwrap().len()).collect();
    // Filters and kernels are shared; the noise of numbers is not.
    assert_eq!((own[0], own[1], theta.len()), (own[0], own[0] + 1, own[0] + 1));

    theta.iter_mut().enumerate().for_each(|(p, u)| *u += 0.01 * (p as f64).sin());
    let mut gradient = vec![0.0; theta.len()];
    joint.evaluate(&theta, &mut gradient).unwrap();
    let value = joint.evaluate(&theta, &mut gradient).unwrap();
    let single = |k: usize| problems[k].objective().unwrap().evaluate(&theta[..own[k]]).unwrap().0;
    let again = {
        // The priors of the second problem lie around its own start.
        let parameters = problems[1].parameters().unwrap();
        let mut scratch = vec![0.0; own[1]];
        let every = parameters.add_log_prior(&theta, &mut scratch);
        let mut without = parameters.clone();
        without.forget_prior(own[0]);
        let noise = every - without.add_log_prior(&theta, &mut scratch);
        every - noise
    };
    assert!((-value - (single(0) + single(1) - again)).abs() < 1e-6 * value.abs(), "{value}");

    for p in 0..theta.len() {
        let step = 1e-4;
        let mut at = |shift: f64| {
            let mut moved = theta.clone();
            moved[p] += shift;
            let mut scratch = vec![0.0; theta.len()];
            joint.evaluate(&moved, &mut scratch).unwrap(); // from where the inner loop can settle
            joint.evaluate(&moved, &mut scratch).unwrap()
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        assert!(
            (slope - gradient[p]).abs() < 1e-4 * (1.0 + slope.abs()),
            "value {p}: {slope}, {}",
            gradient[p]
        );
    }
}

#[test]
fn what_is_shared_is_equal_in_all_models_and_threads_change_no_bit() {
    let (settings, graphs, goals) = both();
    let (measurer, measured) = measured(&settings, &graphs);
    let fit = || settings.fit_several(&measurer, &measured, &goals, quiet).unwrap();
    let models = fit();
    let shared = |model: &Model| -> Vec<(String, f64)> {
        let of = model.hyperparameters().into_iter().filter(|h| !h.name.starts_with("noise"));
        of.map(|h| (h.name, h.value)).collect()
    };
    assert_eq!(shared(&models.models()[0]), shared(&models.models()[1]));
    assert_eq!(models.models()[1].summary().n_train, 12);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let bits = |models: &Models| -> Vec<_> {
            models.models().iter().map(|model| model.predict(&graphs).unwrap().latent_mean).collect()
        };
        assert_eq!(bits(&pool.install(fit)), bits(&models));
    }
}

#[test]
fn a_file_holds_all_of_them() {
    let (settings, graphs, goals) = both();
    let (measurer, measured) = measured(&settings, &graphs);
    let models = settings.fit_several(&measurer, &measured, &goals, quiet).unwrap();
    let bytes = models.to_bytes().unwrap();
    assert!(Models::are_several(&bytes) && !Models::are_several(&models.models()[0].to_bytes().unwrap()));
    let again = Models::from_bytes(&bytes).unwrap();
    assert_eq!(again.names(), ["class", "number"]);
    for (a, b) in models.models().iter().zip(again.models()) {
        assert_eq!(a.predict(&graphs).unwrap().latent_mean, b.predict(&graphs).unwrap().latent_mean);
    }
    let last = bytes.len() - 1;
    for at in [0, 20, bytes.len() / 2, last] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(Models::from_bytes(&damaged).is_err(), "byte {at}");
    }
    assert!(Models::from_bytes(&bytes[..last]).is_err());
    let alone = Model::from_bytes(&bytes).unwrap_err().to_string();
    assert_eq!(alone, "format is `hodgelet-models`, expected `hodgelet-model`");
}

#[test]
fn faults_name_the_target() {
    let (settings, graphs, mut goals) = both();
    let (measurer, measured) = measured(&settings, &graphs);
    let fault = |settings: &Settings, goals: &[Goal]| {
        settings.fit_several(&measurer, &measured, goals, quiet).unwrap_err().to_string()
    };
    assert_eq!(fault(&settings, &[]), "several targets cannot be learned together: no target is named");
    let modes = Settings { hyperparameters: HyperparameterChoice::Modes, ..settings.clone() };
    assert!(fault(&modes, &goals).ends_with("averaged by nuts, or most probable ones"));
    goals[1].name = "class".into();
    assert!(fault(&settings, &goals).ends_with("the target `class` is named twice"));
    goals[1].name = "number".into();
    goals[1].complexes[3] = 99;
    assert_eq!(fault(&settings, &goals), "target `number`: complex 99, but the dataset has 24");
    let names = vec!["a".to_owned(), "b".to_owned()];
    goals[1] = Goal {
        name: "one".into(),
        targets: Targets::Classes { names, labels: vec![1; 24] },
        complexes: (0..24).collect(),
    };
    assert!(fault(&settings, &goals).starts_with("target `one`: "));
}
