"""Detectors that learn from what captions name without claiming it: NAME-Bench, section on retraining."""
