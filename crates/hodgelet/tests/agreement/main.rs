//! Two routes, one number.

mod kernel;
