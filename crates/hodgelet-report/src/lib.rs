//! Seeing what a model does: layouts and drawings of graphs, charts, pictures on disk, and the report as one page of HTML.
//!
//! [`layout`] places the vertices of a graph, [`draw`] draws it with what is on its cells, [`chart`] draws everything else; all
//! of them give [`markup::Element`]s, which escape the text of the data wherever it appears.

pub mod card;
pub mod chart;
pub mod content;
pub mod draw;
pub mod layout;
pub mod markup;
pub mod numbers;
pub mod page;
pub mod palette;
pub mod picture;
