"""Detectors of hallucinated tokens: labels to learn from, what they find, and how well they find it."""
