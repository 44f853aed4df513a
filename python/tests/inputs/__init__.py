"""Tests of inputs: one file per library."""
