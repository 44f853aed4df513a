//! Shards in the place of memory: the same model to the bit, whichever process has which leaves, and whatever happens to one.

use super::*;
use crate::dataset::Dataset;
use crate::measure::ComplexMeasures;
use crate::model::source::Workers;
use crate::model::testing::{dataset, small_settings};
use crate::model::{Measured, Measurer, Model};
use crate::settings::{ClassLikelihood, ClassWeight, NoiseChoice, PosteriorChoice};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Shards of measures in this process, asked as workers are: by bytes.
struct Crew {
    all: Measured,
    targets: Targets,
    ends: Vec<usize>,
    shards: Mutex<Vec<Shard>>,
    view: Mutex<(String, Vec<u8>)>,
    /// The question before which the first shard is lost and made again.
    lost_at: Option<usize>,
    asked: Mutex<usize>,
    remembered: Mutex<HashMap<String, Vec<u8>>>,
    /// The question that no worker answers.
    unreachable_at: Option<usize>,
}

impl Crew {
    fn new(all: Measured, targets: &Targets, ends: &[usize]) -> Self {
        let crew = Self {
            all,
            targets: targets.clone(),
            ends: ends.to_vec(),
            shards: Mutex::default(),
            view: Mutex::default(),
            lost_at: None,
            asked: Mutex::default(),
            remembered: Mutex::default(),
            unreachable_at: None,
        };
        let shards = (0..ends.len()).map(|w| crew.shard(w)).collect();
        *crew.shards.lock().unwrap() = shards;
        crew
    }

    fn shard(&self, w: usize) -> Shard {
        let first = if w == 0 { 0 } else { self.ends[w - 1] };
        let range = first * LEAF..self.all.measures.len().min(self.ends[w] * LEAF);
        let weights = self.all.weights.as_ref().map(|all| all[range.clone()].to_vec());
        let measures = self.all.measures[range.clone()].to_vec();
        let targets = self.targets.select(&range.collect::<Vec<_>>());
        Shard::new(first, Box::new(Measured { measures, unknown: 0, weights }), targets)
    }
}

impl Workers for Crew {
    fn show(&self, id: &str, view: Vec<u8>) -> Result<(), ModelError> {
        *self.view.lock().unwrap() = (id.to_owned(), view);
        Ok(())
    }

    fn ask(&self, question: Vec<u8>) -> Result<Vec<Vec<u8>>, ModelError> {
        let mut shards = self.shards.lock().unwrap();
        let mut asked = self.asked.lock().unwrap();
        *asked += 1;
        if self.unreachable_at == Some(*asked) {
            return Err(ModelError::Store { fault: "no worker".to_owned() });
        }
        if self.lost_at == Some(*asked) {
            shards[0] = self.shard(0);
        }
        let (id, view) = &*self.view.lock().unwrap();
        let mut answers = Vec::new();
        for shard in shards.iter_mut() {
            if !id.is_empty() && !shard.has_seen(id) {
                shard.show(id, view)?;
            }
            answers.push(shard.answer(&question)?);
        }
        // The first two on the way, the others by the driver.
        let others = answers.split_off(answers.len().min(2));
        Ok([vec![Shard::combine(&answers)?], others].concat())
    }

    fn recall(&self, name: &str) -> Option<Vec<u8>> {
        self.remembered.lock().unwrap().get(name).cloned()
    }

    fn remember(&self, name: &str, bytes: &[u8]) {
        self.remembered.lock().unwrap().insert(name.to_owned(), bytes.to_vec());
    }
}

impl MeasureSource for Crew {
    fn len(&self) -> usize {
        self.all.measures.len()
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        self.all.load(indices)
    }

    fn workers(&self) -> Option<&dyn Workers> {
        Some(self)
    }
}

const N: usize = 2 * LEAF + 60;

fn settings() -> Settings {
    let (inducing, sample) = (Some(5), Some(30));
    Settings { posterior: PosteriorChoice::Sparse, inducing, sample, iterations: 3, ..small_settings() }
}

fn measured(settings: &Settings, data: &Dataset) -> (Measurer, Measured) {
    let measurer = Measurer::fit(settings, data, &(0..data.len()).collect::<Vec<_>>()).unwrap();
    let measured = measurer.measure(data, |_| ControlFlow::Continue(())).unwrap();
    (measurer, measured)
}

fn fit(settings: &Settings, measurer: &Measurer, source: &dyn MeasureSource, targets: &Targets) -> Model {
    let all: Vec<usize> = (0..source.len()).collect();
    let model = settings.fit_measured(measurer, source, targets, &all, |_| ControlFlow::Continue(()));
    model.unwrap()
}

/// The file of a model, without the time that training took.
fn bytes(mut model: Model) -> Vec<u8> {
    model.summary.seconds = 0.0;
    model.to_bytes().unwrap()
}

#[test]
fn shards_train_to_the_bits_of_memory_for_every_sum() {
    let labels = Some(ClassLikelihood::Labels);
    let cases = [
        (2, settings()),
        (3, Settings { likelihood: labels, ..settings() }),
        (2, Settings { train_on_all: true, class_weight: ClassWeight::Balanced, ..settings() }),
        (0, Settings { noise: NoiseChoice::Blocks, ..settings() }),
    ];
    for (n_classes, settings) in cases {
        let data = dataset(N, n_classes, 21);
        let (measurer, measured) = measured(&settings, &data);
        let expected = bytes(fit(&settings, &measurer, &measured, data.targets()));
        for ends in [&[1, 3][..], &[1, 2, 3]] {
            let crew = Crew::new(measured.clone(), data.targets(), ends);
            let found = bytes(fit(&settings, &measurer, &crew, data.targets()));
            assert!(found == expected, "{n_classes} classes, shards that end at {ends:?}");
        }
    }
}

#[test]
fn a_shard_that_is_lost_changes_nothing_and_what_was_remembered_is_not_asked_again() {
    let (data, settings) = (dataset(N, 2, 22), settings());
    let (measurer, measured) = measured(&settings, &data);
    let expected = bytes(fit(&settings, &measurer, &measured, data.targets()));
    let mut crew = Crew::new(measured, data.targets(), &[2, 3]);
    crew.lost_at = Some(3);
    assert!(bytes(fit(&settings, &measurer, &crew, data.targets())) == expected);
    let asked = *crew.asked.lock().unwrap();
    assert!(asked > 3, "{asked} questions");
    assert!(bytes(fit(&settings, &measurer, &crew, data.targets())) == expected);
    assert_eq!(*crew.asked.lock().unwrap(), asked, "everything was remembered");
}

#[test]
fn workers_that_cannot_be_reached_end_the_training_at_once() {
    let (data, settings) = (dataset(N, 2, 23), settings());
    let (measurer, measured) = measured(&settings, &data);
    let mut crew = Crew::new(measured, data.targets(), &[2, 3]);
    crew.unreachable_at = Some(3);
    let all: Vec<usize> = (0..N).collect();
    let run = |train: &[usize]| {
        settings.fit_measured(&measurer, &crew, data.targets(), train, |_| ControlFlow::Continue(()))
    };
    let error = run(&all).unwrap_err();
    assert_eq!(error, ModelError::Store { fault: "no worker".to_owned() });
    assert_eq!(*crew.asked.lock().unwrap(), 3, "no shorter step was tried");
    crew.remembered.lock().unwrap().clear(); // it is of other graphs
    let error = run(&all[1..]).unwrap_err();
    assert!(
        matches!(&error, ModelError::Store { fault } if fault.starts_with("workers hold all")),
        "{error}"
    );
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    let data = dataset(20, 2, 24);
    let (_, measured) = measured(&settings(), &data);
    let mut shard = Shard::new(0, Box::new(measured), data.targets().clone());
    for bytes in [&b""[..], b"view", &[0x81, 0xA4]] {
        assert!(matches!(shard.answer(bytes), Err(ModelError::Store { .. })));
        assert!(matches!(shard.show("a", bytes), Err(ModelError::Store { .. })));
        assert!(matches!(Shard::combine(&[bytes.to_vec()]), Err(ModelError::Store { .. })));
    }
    assert!(matches!(Shard::combine(&[]), Err(ModelError::Store { .. })));
}
