"""The miniature models of the meadow: how they are trained, what they can do, where they are kept."""
