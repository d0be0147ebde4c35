"""How annotators err: every parameter by name, the same for all answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NoiseModel:
    """How annotators err. Every parameter holds for all items alike.

    Parameters
    ----------
    miss_faint, miss_clear : float
        Probability of overlooking a mistake of salience 0 and of salience 1; linear between.
    false_faint, false_clear : float
        Probability of marking a true stretch of salience 0 and of salience 1; linear between.
    sensitivity : float
        Standard deviation, in log-odds, of an annotator's own tendency to overlook.
    strictness : float
        The same of an annotator's own tendency to mark what is true.
    difficulty : float
        Standard deviation, in log-odds, of an item's difficulty. It is shared by the item's
        annotators, raises both kinds of error, and so makes their errors go together.
    swap : float
        Probability of taking an invention for a mischaracterization, or the reverse.
    stray : float
        Probability of any other wrong label, `other` included.
    widen : float
        Probability of marking one more word on the left; the same on the right. In Chinese, which
        does not separate words, one or two more characters.
    phrase : float
        Probability of marking up to the punctuation marks on both sides.
    narrow : float
        Probability of leaving out the first word of a stretch of several.
    split : float
        Probability of marking a stretch of several words in two pieces.
    habit : float
        Standard deviation, in log-odds, of an annotator's own tendency to widen.
    disorder : float
        Probability that an annotation's spans were not written from left to right.
    silence : float
        Probability that no comment is left where none was marked, though the guidelines ask for one.
    remark : float
        Probability of a remark beside marked spans.
    fourth : float
        Probability that an item has a fourth annotator, as 29 of SHEEP's 20,000 items have.
    """

    miss_faint: float = 0.35
    miss_clear: float = 0.04
    false_faint: float = 0.05
    false_clear: float = 0.006
    sensitivity: float = 0.5
    strictness: float = 0.7
    difficulty: float = 0.8
    swap: float = 0.12
    stray: float = 0.03
    widen: float = 0.14
    phrase: float = 0.05
    narrow: float = 0.06
    split: float = 0.04
    habit: float = 0.6
    disorder: float = 0.12
    silence: float = 0.07
    remark: float = 0.04
    fourth: float = 29 / 20_000

    @classmethod
    def exact(cls) -> NoiseModel:
        """Annotators who never err: three an item, who mark exactly what is wrong."""
        return cls(*(0.0 for _ in cls.__dataclass_fields__))
