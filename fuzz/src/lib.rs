//! Fuzzing: functions of bytes that must neither panic nor give anything unsound, inputs to begin with, and changes to them.

pub mod mutate;
pub mod seeds;
pub mod signed;
pub mod targets;
