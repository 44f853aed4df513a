//! The directory that datasets are looked for in by name.

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::path::{Path, PathBuf};

/// Where datasets are kept.
#[derive(Args, Clone, Debug)]
pub struct DataDirArgs {
    /// Directory that holds datasets by name
    #[arg(long, hide_short_help = true, value_name = "DIR", env = "HODGELET_DATA", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub data_dir: Option<PathBuf>,
}

impl DataDirArgs {
    /// The directory, if one is named: an empty variable of the environment names none.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.data_dir.as_deref().filter(|path| !path.as_os_str().is_empty())
    }
}
