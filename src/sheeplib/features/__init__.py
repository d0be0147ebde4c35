"""Features of tokens: what a model's inner states say, where in the text, and how they are kept."""
