//! hodgelet-data.
