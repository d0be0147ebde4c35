"""Can a text's words and spelling tell who wrote it? N-gram classifiers, and what leakage flatters.

`shift` cross-validates a classifier and gives tables; `telling` shows the n-grams that it goes by;
`as_printed` sets the numbers beside those of SHEEP, Table 3.
"""

from sheeplib.shift.evaluation import Shift, shift
from sheeplib.shift.folds import clusters, partition
from sheeplib.shift.method import Method
from sheeplib.shift.ngrams import characters, words
from sheeplib.shift.paper import as_printed
from sheeplib.shift.tasks import HUMAN, SOURCES, TASKS, origins, unavailable
from sheeplib.shift.weights import telling

__all__ = [
    "HUMAN", "SOURCES", "TASKS", "Method", "Shift", "as_printed", "characters", "clusters", "origins",
    "partition", "shift", "telling", "unavailable", "words",
]  # fmt: skip
