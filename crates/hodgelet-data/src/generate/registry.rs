//! The built-in datasets by name, with parameters settable as `name=value`.

use super::{
    GenerateError, HypergraphsParams, MoleculesParams, RingVsCliqueParams, SbmParams, SurfacesParams,
    TriangulationsParams, VectorFieldsParams,
};
use hodgelet::dataset::Dataset;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A built-in dataset and its settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Builtin {
    /// `vector-fields`
    VectorFields(VectorFieldsParams),
    /// `ring-vs-clique`
    RingVsClique(RingVsCliqueParams),
    /// `sbm`
    Sbm(SbmParams),
    /// `surfaces`
    Surfaces(SurfacesParams),
    /// `hypergraphs`
    Hypergraphs(HypergraphsParams),
    /// `molecules`
    Molecules(MoleculesParams),
    /// `triangulations`
    Triangulations(TriangulationsParams),
}

/// The built-in dataset of a name, with its default settings.
#[must_use]
pub fn builtin(name: &str) -> Option<Builtin> {
    Builtin::all().into_iter().find(|builtin| builtin.name() == name)
}

impl Builtin {
    /// Every built-in dataset with its default settings.
    #[must_use]
    pub fn all() -> [Self; 7] {
        [
            Self::VectorFields(VectorFieldsParams::default()),
            Self::RingVsClique(RingVsCliqueParams::default()),
            Self::Sbm(SbmParams::default()),
            Self::Surfaces(SurfacesParams::default()),
            Self::Hypergraphs(HypergraphsParams::default()),
            Self::Molecules(MoleculesParams::default()),
            Self::Triangulations(TriangulationsParams::default()),
        ]
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::VectorFields(_) => "vector-fields",
            Self::RingVsClique(_) => "ring-vs-clique",
            Self::Sbm(_) => "sbm",
            Self::Surfaces(_) => "surfaces",
            Self::Hypergraphs(_) => "hypergraphs",
            Self::Molecules(_) => "molecules",
            Self::Triangulations(_) => "triangulations",
        }
    }

    /// One line about it.
    #[must_use]
    pub fn description(&self) -> &'static str {
        match self {
            Self::VectorFields(_) => {
                "noisy flows on random meshes, mostly curl-free or mostly divergence-free"
            }
            Self::RingVsClique(_) => "random graphs with a ring or a clique attached",
            Self::Sbm(_) => "random graphs of two or three blocks",
            Self::Surfaces(_) => "triangulated spheres, tori, Klein bottles and projective planes",
            Self::Hypergraphs(_) => "hypergraphs of triples or quads with the same clique expansion",
            Self::Molecules(_) => "skeletons of organic molecules, any number of them",
            Self::Triangulations(_) => "every triangulated closed manifold with few vertices",
        }
    }

    /// The parameters and their values as text, in the form that [`set`](Self::set) reads.
    #[must_use]
    pub fn parameters(&self) -> Vec<(String, String)> {
        let values = match self {
            Self::VectorFields(params) => fields(params),
            Self::RingVsClique(params) => fields(params),
            Self::Sbm(params) => fields(params),
            Self::Surfaces(params) => fields(params),
            Self::Hypergraphs(params) => fields(params),
            Self::Molecules(params) => fields(params),
            Self::Triangulations(params) => fields(params),
        };
        values.into_iter().map(|(name, value)| (name, text(&value))).collect()
    }

    /// Changes one parameter, given as `name=value`; a range is written `first..last`, both included.
    ///
    /// ```
    /// let mut fields = hodgelet_data::generate::builtin("vector-fields").expect("a built-in name");
    /// fields.set("n_vertices=50")?;
    /// fields.set("edge_map=de-rham")?;
    /// fields.set("share=0.2..0.8")?;
    /// # Ok::<(), hodgelet_data::generate::GenerateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when there is no such parameter (the message lists those there are) or the value cannot
    /// be read. Whether it is valid is checked by [`generate`](Self::generate).
    pub fn set(&mut self, setting: &str) -> Result<(), GenerateError> {
        let name = self.name();
        match self {
            Self::VectorFields(params) => set_field(name, params, setting),
            Self::RingVsClique(params) => set_field(name, params, setting),
            Self::Sbm(params) => set_field(name, params, setting),
            Self::Surfaces(params) => set_field(name, params, setting),
            Self::Hypergraphs(params) => set_field(name, params, setting),
            Self::Molecules(params) => set_field(name, params, setting),
            Self::Triangulations(params) => set_field(name, params, setting),
        }
    }

    /// Draws the dataset.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a setting is invalid.
    pub fn generate(&self, seed: u64) -> Result<Dataset, GenerateError> {
        Ok(match self.clone() {
            Self::VectorFields(params) => params.check()?.generate(seed),
            Self::RingVsClique(params) => params.check()?.generate(seed),
            Self::Sbm(params) => params.check()?.generate(seed),
            Self::Surfaces(params) => params.check()?.generate(seed),
            Self::Hypergraphs(params) => params.check()?.generate(seed),
            Self::Molecules(params) => params.check()?.generate(seed),
            Self::Triangulations(params) => params.check()?.generate(), // nothing is drawn
        })
    }
}

/// The fields of a params struct.
fn fields<P: Serialize>(params: &P) -> serde_json::Map<String, Value> {
    match serde_json::to_value(params) {
        Ok(Value::Object(fields)) => fields,
        // Not reached: params are plain structs, and the numbers in them JSON can write (NaN as null).
        _ => serde_json::Map::new(),
    }
}

/// A value as [`read`] takes it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(ends) => ends.iter().map(text).collect::<Vec<_>>().join(".."),
        other => other.to_string(),
    }
}

/// Changes the field `name` of `params` as `name=value` says.
fn set_field<P: Serialize + DeserializeOwned>(
    dataset: &'static str,
    params: &mut P,
    setting: &str,
) -> Result<(), GenerateError> {
    let malformed = || GenerateError::Setting { found: setting.to_owned() };
    let (name, value) = setting.split_once('=').ok_or_else(malformed)?;
    let (name, value) = (name.trim(), value.trim());
    let mut fields = fields(params);
    let wrong = |reason: String| GenerateError::Value { name: name.into(), value: value.into(), reason };
    match fields.get_mut(name) {
        Some(field) => *field = read(value, field).ok_or_else(|| wrong(expected(field)))?,
        None => {
            let expected = fields.keys().cloned().collect();
            return Err(GenerateError::UnknownParameter { dataset, name: name.to_owned(), expected });
        }
    }
    *params = serde_json::from_value(Value::Object(fields)).map_err(|error| wrong(error.to_string()))?;
    Ok(())
}

/// A value of the same kind as `like`.
fn read(value: &str, like: &Value) -> Option<Value> {
    match like {
        Value::String(_) => Some(Value::String(value.to_owned())),
        Value::Array(ends) => {
            let (first, last) = value.split_once("..")?;
            Some(Value::Array(vec![read(first, &ends[0])?, read(last, &ends[0])?]))
        }
        Value::Number(n) if n.is_u64() => Some(value.parse::<u64>().ok()?.into()),
        // NaN and infinities are not JSON numbers and are read back as none.
        _ => serde_json::Number::from_f64(value.parse().ok()?).map(Value::Number),
    }
}

/// What a value like `like` looks like.
fn expected(like: &Value) -> String {
    match like {
        Value::Array(ends) if ends.iter().all(Value::is_u64) => "expected two whole numbers, first..last",
        Value::Array(_) => "expected two finite numbers, first..last",
        Value::Number(n) if n.is_u64() => "expected a whole number",
        _ => "expected a finite number",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::dataset::Targets;

    /// Small versions of every dataset that is drawn; `triangulations` are counted elsewhere.
    fn small(n: usize) -> Vec<Builtin> {
        let mut all = Builtin::all().to_vec();
        all.retain(|builtin| builtin.name() != "triangulations");
        for builtin in &mut all {
            let count = if builtin.name() == "vector-fields" { "n_fields" } else { "n_graphs" };
            builtin.set(&format!("{count}={n}")).unwrap();
        }
        all[0].set("n_vertices=25").unwrap();
        all[0].set("n_features=20").unwrap();
        all
    }

    #[test]
    fn the_same_seed_gives_the_same_dataset_whatever_the_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for builtin in small(12) {
            let data = builtin.generate(7).unwrap();
            assert_eq!(data, pool.install(|| builtin.generate(7)).unwrap());
            assert_ne!(data, builtin.generate(8).unwrap(), "{}", builtin.name());
            assert_eq!(data.name(), builtin.name());
        }
    }

    #[test]
    fn an_item_does_not_depend_on_how_many_there_are() {
        for (few, many) in small(4).iter().zip(small(12)) {
            let first = many.generate(1).unwrap().select(&[0, 1, 2, 3]);
            assert_eq!(few.generate(1).unwrap(), first);
        }
    }

    #[test]
    fn classes_are_balanced() {
        let in_turn = |builtin: &Builtin| builtin.name() != "molecules";
        for builtin in small(12).into_iter().filter(in_turn) {
            let data = builtin.generate(0).unwrap();
            let Targets::Classes { names, labels } = data.targets() else { panic!("classes") };
            for class in 0..names.len() {
                let count = labels.iter().filter(|&&label| label as usize == class).count();
                assert_eq!(count, 12 / names.len());
            }
        }
    }

    #[test]
    fn no_items_are_a_dataset_too() {
        assert!(small(0).iter().all(|builtin| builtin.generate(0).unwrap().is_empty()));
    }

    #[test]
    fn parameters_read_back_what_they_print() {
        for builtin in Builtin::all() {
            let mut other = builtin.clone();
            for (name, value) in builtin.parameters() {
                other.set(&format!("{name} = {value}")).unwrap();
            }
            assert_eq!(other, builtin);
        }
    }

    #[test]
    fn settings_reach_their_parameters() {
        let mut fields = builtin("vector-fields").unwrap();
        for setting in ["noise=2", "share=0.25..1", "mesh=shared", "edge_map=de-rham"] {
            fields.set(setting).unwrap();
        }
        let Builtin::VectorFields(params) = fields else { panic!("vector fields") };
        assert_eq!((params.noise, params.share), (2.0, (0.25, 1.0)));
        assert_eq!(params.mesh, crate::generate::MeshChoice::Shared);
        assert_eq!(params.edge_map, crate::generate::EdgeMap::DeRham);
        assert!(builtin("vector_fields").is_none());
    }

    #[test]
    fn settings_that_cannot_be_read_are_explained() {
        let message = |name, setting| builtin(name).unwrap().set(setting).unwrap_err().to_string();
        assert_eq!(message("sbm", "n_graphs"), "setting `n_graphs`, expected `name=value`");
        assert_eq!(
            message("sbm", "p=0.5"),
            "sbm has no parameter `p`, expected one of n_graphs, n_vertices, p_between, p_within"
        );
        assert_eq!(message("sbm", "n_graphs=1.5"), "n_graphs = `1.5`: expected a whole number");
        assert_eq!(message("sbm", "p_within=nan"), "p_within = `nan`: expected a finite number");
        assert_eq!(
            message("sbm", "n_vertices=7"),
            "n_vertices = `7`: expected two whole numbers, first..last"
        );
        assert_eq!(
            message("vector-fields", "edge_map=flat"),
            "edge_map = `flat`: unknown variant `flat`, expected `tangent` or `de-rham`"
        );
        assert_eq!(
            message("vector-fields", "share=0.."),
            "share = `0..`: expected two finite numbers, first..last"
        );
    }
}
