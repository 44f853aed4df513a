//! hodgelet-eval.
