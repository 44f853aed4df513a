"""Tests of inputs: one file a library."""
