//! Choices that belong to the model as a whole.

use crate::choice::choices;
use crate::hodge::{DualArea, Weighting};
use crate::likelihood::{LikelihoodParams, Link};

choices! {
    /// The methods compared in \[Alain24\].
    pub enum Method {
        /// WT-GP-Hodge: wavelets on Hodge components.
        #[default]
        Hodge,
        /// WT-GP: wavelets on the vertex signal, not split.
        Wt,
        /// WT-GP-LG: the same on the line graph.
        LineGraph,
        /// FT-GP: cumulative spectral energy of the vertex signal.
        Fourier,
    }
}

impl Method {
    /// Name in tables.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Hodge => "WT-GP-Hodge",
            Self::Wt => "WT-GP",
            Self::LineGraph => "WT-GP-LG",
            Self::Fourier => "FT-GP",
        }
    }
}

choices! {
    /// Which Laplacian the spectra belong to: a named weighting of cells, or the metric of the positions of vertices, with
    /// lengths in a unit in which the mean dual area of each surface is 1.
    pub enum Laplacian {
        /// All weights 1.
        #[default]
        Combinatorial,
        /// Vertices weighted by degree, applied to the raw signal as in \[Opolka23\].
        Normalized,
        /// Cells of every dimension weighted by their cofaces.
        NormalizedHodge,
        /// The normalized Hodge 1-Laplacian of \[Schaub20\].
        RandomWalk,
        /// Metric weights with barycentric dual areas.
        Dec,
        /// Metric weights with circumcentric dual areas.
        DecCircumcentric,
        /// Metric weights with dual edges along the medians, which slivers do not upset.
        DecMedian,
    }
}

impl Laplacian {
    /// The named weighting; of a metric, that of cells without weights of their own.
    #[must_use]
    pub fn weighting(self) -> Weighting {
        match self {
            Self::Normalized => Weighting::SymmetricNormalized,
            Self::NormalizedHodge => Weighting::NormalizedHodge,
            Self::RandomWalk => Weighting::RandomWalk,
            _ => Weighting::Combinatorial,
        }
    }

    /// How the metric of positions shares areas out, if this is a metric.
    #[must_use]
    pub fn metric(self) -> Option<DualArea> {
        match self {
            Self::Dec => Some(DualArea::Barycentric),
            Self::DecCircumcentric => Some(DualArea::Circumcentric),
            Self::DecMedian => Some(DualArea::Median),
            _ => None,
        }
    }
}

choices! {
    /// What the terms of the kernel are made of; several kinds go together.
    pub enum BlockKind {
        /// Energies of signals: wavelets on Hodge components, or what the method has in their place.
        #[default]
        Energies,
        /// Refined labels of edges, one block for each Hodge component.
        EdgeLabels,
        /// Refined labels of vertices.
        VertexLabels,
        /// Refined labels of triangles and higher cells, one block for each dimension and Hodge component.
        CellLabels,
        /// Distributions of the attributes and labels of vertices.
        Values,
        /// The same, smoothed along edges.
        SmoothedValues,
        /// Distributions of the attributes and labels of edges; of flows, whatever the orientations.
        EdgeValues,
        /// The same, smoothed along what joins edges.
        SmoothedEdgeValues,
        /// Labels of vertices and what is around them, counted: fingerprints of molecules.
        Environments,
        /// Numbers that are known of graphs as a whole.
        Columns,
        /// Tags of graphs as a whole.
        Fingerprints,
        /// Gram matrices that are given, one block each.
        Grams,
    }
}

choices! {
    /// How many lengthscales a block has.
    pub enum LengthscaleChoice {
        /// One for all columns.
        #[default]
        Isotropic,
        /// One for each channel of the signal.
        PerChannel,
        /// One for each column.
        Ard,
    }
}

choices! {
    /// Which likelihood of classes.
    pub enum ClassLikelihood {
        /// Probit for two classes, regression on labels for more, and for many complexes with a full posterior.
        #[default]
        Auto,
        /// One regression for each class on whether the label is that class, with probabilities whose sharpness is fitted
        /// to graphs left out.
        Labels,
        /// Logit for two classes, softmax for more.
        Softmax,
        /// Classes in the order of their names, by thresholds on one latent function.
        Ordinal,
        /// As the published code: GPflow's probit with its floor of 1e-3 for two classes, robust-max for more. Robust-max
        /// is not log-concave: with contradicting labels it has several optima and takes hundreds of inner steps.
        Gpflow,
    }
}

impl ClassLikelihood {
    /// The likelihood of `n_classes` classes.
    #[must_use]
    pub fn of(self, n_classes: usize) -> LikelihoodParams {
        match (self, n_classes) {
            (Self::Auto, 2) => LikelihoodParams::PROBIT,
            (Self::Softmax, 2) => LikelihoodParams::LOGIT,
            (Self::Gpflow, 2) => {
                LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 }
            }
            (Self::Ordinal, _) => LikelihoodParams::ORDINAL,
            (Self::Auto | Self::Labels, _) => LikelihoodParams::LabelRegression,
            (Self::Softmax, _) => LikelihoodParams::SOFTMAX,
            (Self::Gpflow, _) => LikelihoodParams::ROBUST_MAX,
        }
    }
}

choices! {
    /// How the posterior given the trained hyperparameters is found. Training itself is by the variational bound, or by
    /// the evidence for real targets.
    pub enum InferenceChoice {
        /// The best Gaussian; exact for real targets.
        #[default]
        Variational,
        /// The Gaussian at the mode, for two classes by probit or logit. The mode of a skewed posterior is not its mean:
        /// probabilities are off by 0.06 on average.
        Laplace,
    }
}

choices! {
    /// What the posterior is over.
    pub enum PosteriorChoice {
        /// Full up to 5,000 training complexes, sparse beyond.
        #[default]
        Auto,
        /// The latent values of all training complexes.
        Full,
        /// Those of inducing complexes; hyperparameters are trained on a sample.
        Sparse,
    }
}

choices! {
    /// The noise on real targets.
    pub enum NoiseChoice {
        /// Student-t where predictions are averaged over hyperparameters, which then have a shape learned from complexes left
        /// out, otherwise Gaussian.
        #[default]
        Auto,
        /// Gaussian, the same for all complexes.
        Gaussian,
        /// Student-t, with learned degrees of freedom: some targets may be grossly wrong.
        StudentT,
        /// Gaussian, with a variance that depends on the energy of the complex in each block.
        Blocks,
        /// None: targets are counts with a Poisson distribution whose rate is the exponential of the latent function.
        Poisson,
    }
}

choices! {
    /// How much training complexes of each class count.
    pub enum ClassWeight {
        /// Each alike.
        #[default]
        Equal,
        /// Each class as much as any other, whatever the number of its complexes.
        Balanced,
    }
}

choices! {
    /// How the uncertainty of trained values is met.
    pub enum HyperparameterChoice {
        /// What was measured to be best for the number of training complexes.
        #[default]
        Auto,
        /// The most probable values alone.
        Map,
        /// Draws from their posterior by the No-U-Turn sampler.
        Nuts,
        /// Draws of the normal distribution at the most probable values.
        Gaussian,
        /// The values that the starts end at; their number is `restarts`.
        Modes,
    }
}

choices! {
    /// How intervals and sets of classes get their guarantee.
    pub enum ConformalChoice {
        /// By graphs that are held out of training.
        #[default]
        Split,
        /// By models that are trained again without parts of the graphs: cross-validation+ of \[Barber21\].
        CvPlus,
    }
}
