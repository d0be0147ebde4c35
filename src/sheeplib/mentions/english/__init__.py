"""A light model of English sentences: words, phrases, what governs what, and how far a cue reaches."""
