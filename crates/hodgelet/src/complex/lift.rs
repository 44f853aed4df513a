//! Lifts: cells that are added to a graph before its spectra are computed.

use super::{Complex, ComplexError, MAX_CLIQUE_DIM};
use std::borrow::Cow;
use std::str::FromStr;

/// Default for the largest number of vertices of a ring.
const RING_LENGTH: usize = 8;

/// What is done to a complex before its spectra are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lift {
    /// Nothing.
    None,
    /// Cliques of a graph become simplices up to this dimension.
    Cliques(usize),
    /// Relevant cycles of up to this many vertices become polygons: the rings of a molecule.
    Rings(usize),
    /// Chordless cycles of up to this many vertices become polygons.
    Cycles(usize),
    /// The line graph: edges become vertices, joined where they share one; see `Dataset::line_graph`.
    LineGraph,
}

impl Lift {
    /// Highest dimension of the cells that are added; 0 if there are none.
    #[must_use]
    pub fn max_dim(self) -> usize {
        match self {
            Self::None | Self::LineGraph => 0,
            Self::Cliques(dim) => dim,
            Self::Rings(_) | Self::Cycles(_) => 2,
        }
    }

    /// `complex` with the cells that this lift adds to a graph. A complex that has cells beyond edges stays as it is, and
    /// so does one that is its own line graph already.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] for a dimension or length out of range, or too many cycles.
    pub fn filled(self, complex: &Complex) -> Result<Cow<'_, Complex>, ComplexError> {
        self.check()?;
        if complex.dim() > 1 {
            return Ok(Cow::Borrowed(complex));
        }
        Ok(match self {
            Self::None | Self::LineGraph => Cow::Borrowed(complex),
            Self::Cliques(dim) => Cow::Owned(complex.clique_complex(dim)?),
            Self::Rings(length) => Cow::Owned(complex.with_polygons(&complex.relevant_cycles(length)?)?),
            Self::Cycles(length) => Cow::Owned(complex.with_polygons(&complex.chordless_cycles(length)?)?),
        })
    }

    /// Validates the settings before anything is computed.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] for a dimension or length out of range.
    pub fn check(self) -> Result<(), ComplexError> {
        match self {
            Self::Cliques(found) if !(1..=MAX_CLIQUE_DIM).contains(&found) => {
                Err(ComplexError::CliqueDim { found })
            }
            Self::Rings(length) | Self::Cycles(length) => super::cycles::check_length(length),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for Lift {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Cliques(dim) => write!(f, "cliques:{dim}"),
            Self::Rings(length) => write!(f, "rings:{length}"),
            Self::Cycles(length) => write!(f, "cycles:{length}"),
            Self::LineGraph => f.write_str("line-graph"),
        }
    }
}

impl FromStr for Lift {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (name, size) = match text.split_once(':') {
            Some((name, size)) => (name, Some(size.parse::<usize>().map_err(|_| ())?)),
            None => (text, None),
        };
        match (name, size) {
            ("none", None) => Ok(Self::None),
            ("line-graph", None) => Ok(Self::LineGraph),
            // Edges are there already.
            ("cliques", Some(1)) => Ok(Self::None),
            ("cliques", dim) => Ok(Self::Cliques(dim.unwrap_or(2))),
            ("rings", length) => Ok(Self::Rings(length.unwrap_or(RING_LENGTH))),
            ("cycles", Some(length)) => Ok(Self::Cycles(length)),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for lift in [Lift::None, Lift::Cliques(3), Lift::Rings(6), Lift::Cycles(5), Lift::LineGraph] {
            assert_eq!(lift.to_string().parse(), Ok(lift));
        }
        assert_eq!("rings".parse(), Ok(Lift::Rings(RING_LENGTH)));
        assert_eq!("cliques:1".parse(), Ok(Lift::None));
        for wrong in ["", "cycles", "cliques:", "rings:x", "line-graph:2", "cubes"] {
            assert_eq!(wrong.parse::<Lift>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn cells_are_added_to_graphs_alone() {
        let square = Complex::graph(5, &[[0, 1], [1, 2], [2, 3], [0, 3], [0, 4], [1, 4]]).unwrap();
        let faces = |lift: Lift| lift.filled(&square).unwrap().n_cells(2);
        assert_eq!(faces(Lift::None), 0);
        assert_eq!(faces(Lift::Cliques(2)), 1);
        assert_eq!(faces(Lift::Rings(8)), 2);
        assert_eq!(faces(Lift::Rings(3)), 1);
        assert_eq!(faces(Lift::Cycles(4)), 2);
        let filled = Lift::Cliques(2).filled(&square).unwrap().into_owned();
        assert_eq!(Lift::Rings(8).filled(&filled).unwrap().n_cells(2), 1);
        assert_eq!(Lift::Cliques(0).filled(&square), Err(ComplexError::CliqueDim { found: 0 }));
    }
}
