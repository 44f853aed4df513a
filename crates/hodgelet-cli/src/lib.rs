//! The `hodgelet` command as a library: what its subcommands are made of.

pub mod download;
