//! What grows, in which step, over which sizes, and what theory says.

use clap::ValueEnum;
use serde::Serialize;

/// Something that grows, and the step whose time and memory are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Graphs; energies of molecules
    GraphsEnergies,
    /// Graphs; one iteration of the full posterior
    GraphsFull,
    /// Graphs; the posterior through 256 inducing ones, four passes
    GraphsSparse,
    /// Inducing graphs; the posterior of 16,384 graphs, four passes
    Inducing,
    /// Classes; one iteration of the full posterior of 800 graphs by the softmax
    Classes,
    /// Cells; energies of one channel on the edges of a large clique complex
    Cells,
    /// Channels; energies on the edges of a large clique complex
    Channels,
}

impl Axis {
    /// Every axis.
    pub const ALL: [Self; 7] = [
        Self::GraphsEnergies,
        Self::GraphsFull,
        Self::GraphsSparse,
        Self::Inducing,
        Self::Classes,
        Self::Cells,
        Self::Channels,
    ];

    /// The name that the flag takes.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// What grows.
    pub fn grows(self) -> &'static str {
        match self {
            Self::GraphsEnergies | Self::GraphsFull | Self::GraphsSparse => "graphs",
            Self::Inducing => "inducing graphs",
            Self::Classes => "classes",
            Self::Cells => "edges",
            Self::Channels => "channels",
        }
    }

    /// What is timed.
    pub fn step(self) -> &'static str {
        match self {
            Self::GraphsEnergies => "energies of molecules",
            Self::GraphsFull => "full posterior, an iteration",
            Self::GraphsSparse | Self::Inducing => "sparse posterior, four passes",
            Self::Classes => "softmax, an iteration",
            Self::Cells | Self::Channels => "energies of a complex",
        }
    }

    /// The sizes, each about twice the one before.
    pub fn sizes(self, quick: bool) -> &'static [usize] {
        match (self, quick) {
            (Self::GraphsEnergies, false) => &[4000, 8000, 16_000, 32_000, 64_000],
            (Self::GraphsEnergies, true) => &[50, 100, 200],
            (Self::GraphsFull, false) => &[250, 500, 1000, 2000, 4000],
            (Self::GraphsFull, true) => &[20, 40, 80],
            (Self::GraphsSparse, false) => &[8192, 16_384, 32_768, 65_536, 131_072],
            (Self::GraphsSparse, true) => &[512, 1024, 2048],
            (Self::Inducing, false) => &[128, 256, 512, 1024, 2048],
            (Self::Inducing, true) => &[8, 16, 32],
            (Self::Classes, false) => &[3, 6, 12, 24, 48],
            (Self::Classes, true) => &[3, 6],
            (Self::Cells, false) => &[20_000, 40_000, 80_000, 160_000, 320_000],
            (Self::Cells, true) => &[500, 1000, 2000],
            (Self::Channels, false) => &[2, 4, 8, 16, 32],
            (Self::Channels, true) => &[1, 2, 4],
        }
    }

    /// Exponents of time and memory as sizes grow without end.
    pub fn theory(self) -> (f64, f64) {
        match self {
            Self::GraphsEnergies | Self::GraphsSparse | Self::Classes | Self::Cells | Self::Channels => {
                (1.0, 1.0)
            }
            Self::GraphsFull => (3.0, 2.0),
            Self::Inducing => (2.0, 1.0),
        }
    }
}
