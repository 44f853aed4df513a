//! Settings of a model: one flat struct, each field named once.
//!
//! A field of [`Settings`] is a flag of the command in kebab case, a key of the model file and a parameter in Python in
//! snake case; its default and its help stand beside it. Settings that are `None` depend on others (the Laplacian on the
//! method, scales on `faithful`) or on the dataset (the vertex signal); the methods of [`Settings`] say what follows.

mod choices;
#[cfg(feature = "clap")]
mod command;
mod field;
mod threshold;
mod value;

pub use choices::{
    BlockKind, ClassLikelihood, ClassWeight, ConformalChoice, HyperparameterChoice, InferenceChoice,
    Laplacian, LengthscaleChoice, Method, NoiseChoice, PosteriorChoice,
};
#[cfg(feature = "clap")]
pub use command::{FeatureSettings, MeasureSettings, SignalSettings};
pub use field::{Field, Fields, Kind, SettingError, former_names};
pub use threshold::ThresholdRule;

pub(crate) use field::{Setting, serialize_fields, settings};

use crate::choice::Choice;
use crate::complex::Lift;
use crate::dataset::{Column, POSITIONS, WEIGHTS};
use crate::encode::{CellSignal, EncodingParams, Outline, VertexSignal};
use crate::feature::{Block, SignedParams};
use crate::gp::VariationalParams;
use crate::kernel::Family;
use crate::measure::{MeasureParams, Spectra};
use crate::param::Transform;
use crate::signal::Orientation;
use crate::train::{LbfgsParams, TrainError};
use crate::wavelet::{BandPass, BankParams, LowPass, ScaleSpread};
use std::time::Duration;

settings! {
    /// Settings of a model. The defaults are WT-GP-Hodge of \[Alain24\], with weak priors.
    pub struct Settings;

    "Model": {
        /// Which features. hodge: wavelets on Hodge components; wt: wavelets on vertices, not split; line-graph: the same
        /// on the line graph; fourier: cumulative spectral energy.
        [common] [was "model"]
        method: Method = Method::Hodge;
        /// Settings of the published code: its likelihoods, lengthscales from 1, scales as drawn, no priors.
        faithful: bool = false;
    }
    "Signals": {
        /// Signal on vertices. By default auto (one-hot degrees beside attributes and labels), but none where edges carry a
        /// flow and vertices nothing of their own, attributes on the line graph, and reference with faithful.
        [common] [value "SIGNAL"]
        vertices: Option<VertexSignal> = None;
        /// Signal on edges; auto takes attributes and labels where there are any.
        [common] [value "SIGNAL"]
        edges: CellSignal = CellSignal::Auto;
        /// Signal on triangles and higher cells; structure is a constant, the number of cofaces and a curvature.
        [value "SIGNAL"]
        higher: CellSignal = CellSignal::Auto;
        /// Highest degree with a channel, in place of the 99th percentile of the training degrees.
        [value "DEGREE"]
        max_degree: Option<u32> = None;
        /// Cells that are added to a graph before its spectra are taken. none: no cell; cliques:DIM: simplices on cliques up
        /// to a dimension; rings:LENGTH: polygons on relevant cycles, the rings of molecules; cycles:LENGTH: polygons on all
        /// chordless cycles; line-graph: edges become vertices. By default cliques:2, and line-graph with that method.
        [value "LIFT"] [was "cliques max_dim line_graph"]
        lift: Option<Lift> = None;
        /// Which Laplacian. By default combinatorial with the split, normalized without; dec, dec-circumcentric and
        /// dec-median take the metric of the column `position`.
        [common] [value "LAPLACIAN"]
        laplacian: Option<Laplacian> = None;
        /// How energies are found. dense: from eigenpairs, exactly; lanczos: by quadrature, with an error that is
        /// estimated; auto: by quadrature where a connected part is large (more than 500 cells, and more with many channels).
        [value "CHOICE"]
        spectra: Spectra = Spectra::Auto;
        /// Whether signals are split into their Hodge components. By default as the method has it.
        [was "no_split"] [now "split=false"]
        split: Option<bool> = None;
        /// Dimensions whose signals are used, such as 0,1. By default all that carry one.
        [value "DIM,..."]
        dims: Option<Vec<usize>> = None;
        /// What the blocks are made of. energies: of signals; edge-labels: labels of edges and what is around them, by Hodge
        /// component; vertex-labels: the same of vertices; cell-labels: the same of triangles and higher cells, which a lift may
        /// have added; values: distributions of attributes and labels of vertices; smoothed-values: the same, smoothed along
        /// edges; edge-values and smoothed-edge-values: distributions of those of edges; environments: labels of vertices and
        /// what is around them, counted and compared by Tanimoto's kernel; columns and fingerprints: numbers and tags of graphs
        /// as a whole; grams: Gram matrices that are given. By default all that the data have but environments, cell-labels and
        /// values of edges; energies with faithful and with methods but hodge.
        [common] [value "KIND,..."]
        blocks: Option<Vec<BlockKind>> = None;
        /// How many times labels are refined by those around them.
        [value "ROUNDS"]
        label_depth: usize = 2;
        /// Number of counts that environments are folded to, as bits of a fingerprint are; environments may share one then. By
        /// default each has its own.
        [value "COUNTS"] [least "1"]
        environment_size: Option<usize> = None;
        /// Blocks that are excluded, such as `edge harmonic`.
        [value "BLOCK,..."] [was "without"]
        exclude: Vec<Block> = Vec::new();
        /// Signed features of flows on one shared complex: harmonic, harmonic:EXACT,COEXACT (with that many of the lowest
        /// eigenvectors), or cycles=FILE (closed walks, one line of vertices each).
        [value "VECTORS"]
        signed: Option<SignedParams> = None;
        /// Whether energies are excluded, so that signed features stand alone.
        signed_only: bool = false;
    }
    "Filters": {
        /// Number of filters in each block.
        [value "W"] [was "filters"]
        n_filters: usize = 10;
        /// Number of band-pass terms in each filter.
        [value "L"] [was "bands"]
        n_bands: usize = 3;
        /// Family of the low-pass term of each filter, or none.
        [value "FAMILY"]
        low_pass: Option<LowPass> = Some(LowPass::Rational);
        /// Family of the band-pass terms.
        [value "FAMILY"]
        band_pass: BandPass = BandPass::MexicanHat;
        /// Lowest and highest initial scale of the low-pass terms.
        [value "LOW,HIGH"]
        low_pass_scales: (f64, f64) = (4.0, 6.0);
        /// Lowest and highest initial scale of the band-pass terms.
        [value "LOW,HIGH"]
        band_pass_scales: (f64, f64) = (0.1, 5.0);
        /// How initial scales are spread: reference leaves them as drawn, made for eigenvalues up to 2; spectrum spreads
        /// them over the eigenvalues of the training graphs. By default spectrum; reference with faithful, and for
        /// features that are not trained.
        [value "SPREAD"]
        scales: Option<ScaleSpread> = None;
        /// How scales depend on the numbers that are trained. By default log; softplus with faithful.
        [value "TRANSFORM"]
        scale_transform: Option<Transform> = None;
        /// Whether all blocks share one bank of filters.
        shared_bank: bool = false;
        /// Number of points on the spectrum, for the method fourier.
        [value "POINTS"] [was "fourier"] [now "method=fourier"]
        n_points: usize = 30;
    }
    "Kernel": {
        /// Covariance function: se, matern12, matern32, matern52, matern:NU, rq, linear or poly:DEGREE. se is the squared
        /// exponential, rq the rational quadratic.
        [common] [value "FAMILY"] [training]
        kernel: Family = Family::SquaredExponential;
        /// Lengthscales in each block: one, one per channel, or one per column (ard).
        [value "CHOICE"] [training]
        lengthscales: LengthscaleChoice = LengthscaleChoice::Isotropic;
        /// Where lengthscales start. By default the square root of the number of varying columns; 1 with faithful.
        [value "LENGTH"] [training]
        initial_lengthscale: Option<f64> = None;
        /// How class probabilities follow from the latent functions. labels: a regression on labels whose probabilities
        /// are calibrated on graphs left out; auto: probit for two classes, labels for more and for 1,501 to 5,000 graphs;
        /// softmax: logit for two, softmax for more; ordinal: for classes in the order of their names, by trained thresholds on
        /// one latent function; gpflow: as the published code, robust-max for more. By default auto;
        /// gpflow with faithful.
        [value "LIKELIHOOD"] [training] [classes]
        likelihood: Option<ClassLikelihood> = None;
        /// How much training graphs of each class count. balanced: each class as much as any other, so that probabilities are
        /// those of classes that are equally frequent; equal: each graph alike, or by the column sample_weight.
        [value "CHOICE"] [training] [classes]
        class_weight: ClassWeight = ClassWeight::Equal;
        /// From which probability on the second of two classes is predicted, chosen on training graphs that are left out one at a
        /// time. cost=RATIO: at least cost, where a miss costs RATIO times as much as a false alarm; prevalence: as often as it
        /// is there; recall=SHARE: so that this share of it is found. By default the more probable class.
        [value "RULE"] [training] [classes]
        threshold: Option<ThresholdRule> = None;
        /// Noise on numbers. gaussian: the same for all graphs; student-t: with gross errors, the degrees of freedom learned;
        /// blocks: Gaussian, with a variance that depends on the energy of the graph in each block; poisson: for counts, whose
        /// expected logarithm is learned; auto: where predictions are averaged over hyperparameters student-t, and a
        /// shape of predictions that is learned from training graphs left out, gaussian otherwise.
        [value "NOISE"] [training]
        noise: NoiseChoice = NoiseChoice::Auto;
    }
    "Training": {
        /// How the uncertainty of the hyperparameters is met. map: the most probable values alone; nuts: predictions are
        /// averaged over draws from their posterior; gaussian: over draws of the normal distribution at the most probable
        /// values; modes: over the ends of several starts (restarts); auto: nuts up to 600 distinct training graphs, map
        /// beyond, with faithful and without priors.
        [common] [value "CHOICE"] [training]
        hyperparameters: HyperparameterChoice = HyperparameterChoice::Auto;
        /// How the posterior is found, given the trained hyperparameters. laplace is a crude approximation: its
        /// probabilities are off by 0.06 on average.
        [value "INFERENCE"] [training] [classes]
        inference: InferenceChoice = InferenceChoice::Variational;
        /// Factor on the widths of the priors, which are 1 in the logarithm for scales, lengthscales, noise and the constant,
        /// 3 for variances and 0.3 for factors of the noise; none turns priors off, as faithful does.
        [value "WIDTH"] [training] [was "no_priors"] [now "prior_deviation=none"]
        prior_deviation: Option<f64> = Some(1.0);
        /// Number of starts from different scales; the best objective is kept.
        [value "N"] [least "1"] [training]
        restarts: usize = 1;
        /// At most this many steps of the optimizer per start.
        [value "N"] [training] [alias "max_iter"]
        iterations: usize = 60;
        /// A start ends when a step changes the objective by less than this share of it.
        [value "SHARE"] [training]
        tol: f64 = 1e-6;
        /// Tolerance of the inner loop that finds the posterior at each step, relative to the ELBO.
        [value "SHARE"] [training]
        inner_tol: f64 = 1e-6;
        /// At most this many seconds per start.
        [value "SECONDS"] [least "0"] [training]
        time_limit: Option<f64> = None;
        /// Whether graphs with equal features share one latent value.
        [training]
        collapse: bool = true;
        /// Seed of everything that is drawn.
        [value "SEED"] [alias "random_state"] [global]
        seed: u64 = 0;
    }
    "Scale": {
        /// What the posterior is over. full: all training graphs; sparse: inducing graphs among them, with hyperparameters
        /// trained on a sample, so that any number of graphs can be learned from; auto: full up to 5,000 graphs.
        [common] [value "CHOICE"] [training]
        posterior: PosteriorChoice = PosteriorChoice::Auto;
        /// Number of inducing graphs. By default as many as leave 0.2% of the prior variance, at most 800.
        [value "N"] [least "1"] [training]
        inducing: Option<usize> = None;
        /// Number of graphs that hyperparameters are trained on. By default all up to 1,500, and with posterior full;
        /// of more graphs a sample of 1,000 in which every class has its share.
        [value "N"] [least "2"] [training]
        sample: Option<usize> = None;
        /// Memory that the matrices of a fit may take, in MB; a fit that needs more is refused. By default 80% of what is
        /// free; folds that run side by side take 1,500 together.
        [value "MB"] [training] [global]
        memory: Option<usize> = None;
        /// Whether training goes on, for at most 15 steps, with all graphs after the sample, when the posterior is sparse.
        [training]
        train_on_all: bool = false;
    }
    "Guarantee": {
        /// Whether intervals and sets of classes of new graphs are guaranteed, if these are exchangeable with the training
        /// graphs. split: a quarter of the graphs, drawn by the seed, is held out of training, and a coverage of 1 - a holds
        /// with probability 1 - a; cv-plus: the model is trained on all graphs, and again without each of several parts, for
        /// which about 1 - 2a is proven and about 1 - a is usual.
        [common] [value "CHOICE"] [training]
        conformal: Option<ConformalChoice> = None;
        /// Number of parts of cv-plus; as many as graphs, or more, is the jackknife+, for which 1 - 2a is proven.
        [value "N"] [least "2"] [training]
        conformal_folds: usize = 5;
        /// Whether the guarantee holds within each class. A class needs its own calibration graphs then.
        [training] [classes]
        conformal_classes: bool = false;
    }
}

/// Kinds of blocks that are there only when they are named: no set that the default was chosen with gains by environments, and
/// none has values on edges or labels on higher cells.
const ON_REQUEST: [BlockKind; 4] =
    [BlockKind::Environments, BlockKind::CellLabels, BlockKind::EdgeValues, BlockKind::SmoothedEdgeValues];

impl Settings {
    /// The settings of a method, other settings at their defaults.
    #[must_use]
    pub fn of(method: Method) -> Self {
        Self { method, ..Self::default() }
    }

    /// The same with the most probable hyperparameters alone.
    #[must_use]
    pub fn most_probable(self) -> Self {
        Self { hyperparameters: HyperparameterChoice::Map, ..self }
    }

    /// Whether features depend on a setting even when nothing is trained.
    #[must_use]
    pub fn shapes_features(field: &Field<Self>) -> bool {
        field.attribute("training").is_none() && field.name != "faithful"
    }

    /// Whether energy measures depend on a setting.
    #[must_use]
    pub fn shapes_measures(field: &Field<Self>) -> bool {
        ["Model", "Signals"].contains(&field.group)
    }

    /// What the blocks are made of: unless they are named, all kinds but those that must be asked for, energies alone for the
    /// published settings and methods without the split; neither labels nor values beside signed features that stand alone, and where
    /// vertices are to carry structure or nothing.
    #[must_use]
    pub fn blocks(&self) -> Vec<BlockKind> {
        let sees_columns = self.vertices.is_none_or(VertexSignal::sees_columns);
        let only_energies = self.signed_only || !sees_columns;
        match &self.blocks {
            Some(blocks) => blocks.clone(),
            None if self.faithful || self.method != Method::Hodge => vec![BlockKind::Energies],
            None if only_energies => {
                vec![BlockKind::Energies, BlockKind::Columns, BlockKind::Fingerprints, BlockKind::Grams]
            }
            None => BlockKind::ALL.iter().copied().filter(|kind| !ON_REQUEST.contains(kind)).collect(),
        }
    }

    /// What becomes of each complex.
    #[must_use]
    pub fn lift(&self) -> Lift {
        self.lift.unwrap_or(match self.method {
            Method::LineGraph => Lift::LineGraph,
            _ => Lift::Cliques(2),
        })
    }

    /// Which Laplacian.
    #[must_use]
    pub fn laplacian(&self) -> Laplacian {
        self.laplacian.unwrap_or(match self.method {
            Method::Hodge => Laplacian::Combinatorial,
            _ => Laplacian::Normalized,
        })
    }

    /// How complexes are measured.
    #[must_use]
    pub fn measuring(&self) -> MeasureParams {
        MeasureParams { weighting: self.laplacian().weighting(), spectra: self.spectra }
    }

    /// Whether signals are split into their Hodge components.
    #[must_use]
    pub fn split(&self) -> bool {
        self.split.unwrap_or(self.method == Method::Hodge)
    }

    /// Dimensions whose signals are used, if some are named: methods without the split see vertices alone.
    #[must_use]
    pub fn dims(&self) -> Option<Vec<usize>> {
        self.dims.clone().or_else(|| (self.method != Method::Hodge).then(|| vec![0]))
    }

    /// Which signals a dataset with this outline, after its lift, is given.
    #[must_use]
    pub fn encoding(&self, outline: &Outline) -> EncodingParams {
        EncodingParams {
            vertices: self.vertices.unwrap_or_else(|| self.default_vertices(outline)),
            edges: self.edges,
            higher: self.higher,
            max_degree: self.max_degree,
        }
    }

    /// Degrees, attributes and labels, but nothing where edges carry a flow and vertices nothing of their own but a place
    /// and a weight: the flow is the signal then. The line graph has the columns of edges alone.
    fn default_vertices(&self, outline: &Outline) -> VertexSignal {
        let is_flow = |c: &Column| c.dim == 1 && c.orientation == Orientation::Oriented;
        let is_signal = |c: &Column| c.dim == 0 && c.name != POSITIONS && c.name != WEIGHTS;
        match self.method {
            _ if self.lift() == Lift::LineGraph => VertexSignal::Attributes,
            Method::Hodge
                if outline.columns().iter().any(is_flow)
                    && !outline.columns().iter().any(is_signal)
                    && outline.has_edges() =>
            {
                VertexSignal::None
            }
            _ if self.faithful => VertexSignal::Reference,
            _ => VertexSignal::Auto,
        }
    }

    /// The bank of filters, if there is one.
    #[must_use]
    pub fn bank(&self) -> Option<BankParams> {
        let (transform, spread) = match self.faithful {
            true => (Transform::Softplus, ScaleSpread::Reference),
            false => (Transform::Log, ScaleSpread::Spectrum),
        };
        (self.method != Method::Fourier).then(|| BankParams {
            n_filters: self.n_filters,
            n_bands: self.n_bands,
            low_pass: self.low_pass,
            band_pass: self.band_pass,
            transform: self.scale_transform.unwrap_or(transform),
            spread: self.scales.unwrap_or(spread),
            low_pass_scales: self.low_pass_scales,
            band_pass_scales: self.band_pass_scales,
        })
    }

    /// Where lengthscales start in a block of `live` columns that vary.
    #[must_use]
    pub fn initial_lengthscale(&self, live: usize) -> f64 {
        let drawn = if self.faithful { 1.0 } else { (live as f64).sqrt() };
        self.initial_lengthscale.unwrap_or(drawn)
    }

    /// Which likelihood of classes.
    #[must_use]
    pub fn likelihood(&self) -> ClassLikelihood {
        let default = if self.faithful { ClassLikelihood::Gpflow } else { ClassLikelihood::Auto };
        self.likelihood.unwrap_or(default)
    }

    /// Whether latent functions have a constant beside their blocks.
    #[must_use]
    pub fn constant(&self) -> bool {
        !self.faithful
    }

    /// Standard deviation of the priors in the logarithm; none without priors.
    #[must_use]
    pub fn prior_deviation(&self) -> Option<f64> {
        self.prior_deviation.filter(|_| !self.faithful)
    }

    /// The optimizer.
    ///
    /// # Errors
    ///
    /// [`TrainError`] for a time limit that is not a time.
    pub fn optimizer(&self) -> Result<LbfgsParams, TrainError> {
        let limit = |seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| TrainError::TimeLimit { found: seconds })
        };
        Ok(LbfgsParams {
            max_iterations: self.iterations,
            objective_tolerance: self.tol,
            time_limit: self.time_limit.map(limit).transpose()?,
            ..LbfgsParams::default()
        })
    }

    /// The inner loop in training, which goes on with what it has when its iterations are used up: warm starts need a
    /// few, a likelihood that is not log-concave can need hundreds, and training gains more from moving on.
    #[must_use]
    pub fn inner_loop(&self) -> VariationalParams {
        VariationalParams { tolerance: self.inner_tol, max_iterations: 12, ..VariationalParams::default() }
    }

    /// The inner loop of the posterior that is kept: found more closely, but where the likelihood is not log-concave the
    /// last digits can take thousands of steps.
    #[must_use]
    pub fn final_loop(&self) -> VariationalParams {
        VariationalParams { tolerance: self.inner_tol.min(1e-9), max_iterations: 100, ..self.inner_loop() }
    }
}

#[cfg(test)]
mod tests;
