//! Two routes, one number.

mod kernel;
mod train;
