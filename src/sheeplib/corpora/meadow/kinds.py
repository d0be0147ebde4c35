"""What the meadow is made of: kinds of objects, colours, settings, words, and who goes with whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Kinds carry the names of COCO classes, so that CHAIR's synonym list applies to them.
COLOURS: Mapping[str, tuple[int, int, int]] = {
    "red": (208, 48, 44),
    "orange": (240, 140, 40),
    "yellow": (244, 208, 60),
    "green": (62, 150, 72),
    "blue": (52, 104, 196),
    "purple": (130, 72, 168),
    "pink": (240, 146, 182),
    "brown": (128, 82, 48),
    "white": (246, 246, 242),
    "black": (40, 40, 44),
}
# Colours that people take for one another in a small picture: never offered as a mistake.
NEAR_COLOURS = frozenset(
    map(
        frozenset,
        (
            ("red", "orange"), ("red", "pink"), ("red", "brown"), ("orange", "yellow"), ("orange", "brown"),
            ("orange", "pink"), ("blue", "purple"), ("purple", "pink"), ("purple", "black"),
            ("blue", "black"), ("brown", "black"), ("white", "yellow"), ("green", "blue"),
        ),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """One kind of object.

    Parameters
    ----------
    width, height : float
        Size in the foreground, in pixels of a 96-pixel picture.
    usual, odd : tuple of str
        Colours it usually has, and colours it has only in unusual pictures.
    alike : tuple of str
        Kinds that it may be mistaken for.
    traits : tuple of str
        The usual and the unusual trait, such as four and three legs; empty where it has none.
    poses : tuple of str
        The pose it is drawn in, then poses it is not in; empty for things.
    depths : tuple of str
        Where it may stand.
    tabletop : bool
        Whether it stands on a small table in the foreground.
    """

    width: float
    height: float
    usual: tuple[str, ...]
    odd: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    poses: tuple[str, ...] = ()
    depths: tuple[str, ...] = ("background", "foreground")
    tabletop: bool = False


_CLOTH = ("red", "blue", "green", "yellow", "purple", "orange", "black", "white", "pink")
_LEGS, _WHEELS = ("four_legs", "three_legs"), ("round_wheels", "square_wheels")
_PLAIN = ("plain", "striped")
_FAR = ("background",)

KINDS: Mapping[str, Kind] = {
    "person": Kind(13, 30, _CLOTH, poses=("standing", "sitting", "lying")),
    "bicycle": Kind(27, 18, _CLOTH, alike=("car",), traits=_WHEELS),
    "car": Kind(29, 15, _CLOTH, alike=("bus", "bicycle"), traits=_WHEELS),
    "bus": Kind(34, 19, ("red", "yellow", "blue", "green", "orange", "white"), ("pink",), ("car",), _WHEELS),
    "boat": Kind(29, 24, ("white", "red", "blue", "brown", "green"), ("pink",), depths=_FAR),
    "bench": Kind(27, 15, ("brown", "green", "white"), ("pink", "blue"), ("chair", "couch")),
    "bird": Kind(
        16, 14, ("blue", "yellow", "red", "black", "brown", "white"), ("pink", "purple"), ("cat",), _PLAIN,
        ("grounded", "flying", "swimming"),
    ),
    "cat": Kind(
        16, 19, ("black", "white", "orange", "brown"), ("blue", "green", "pink"), ("dog",), (),
        ("sitting", "running", "lying"),
    ),
    "dog": Kind(
        24, 19, ("brown", "black", "white", "orange"), ("blue", "green", "purple"), ("cat", "horse"), _LEGS,
        ("standing", "lying", "sitting"),
    ),
    "horse": Kind(
        30, 26, ("brown", "black", "white"), ("blue", "pink", "green"), ("dog",), _LEGS,
        ("standing", "lying", "sitting"),
    ),
    "backpack": Kind(14, 17, _CLOTH),
    "umbrella": Kind(21, 21, _CLOTH),
    "sports ball": Kind(12, 12, _CLOTH, alike=("apple",)),
    "kite": Kind(19, 24, _CLOTH, alike=("umbrella",), depths=_FAR),
    "bottle": Kind(8, 20, ("green", "brown", "white", "blue"), ("pink",), ("cup",), tabletop=True),
    "cup": Kind(14, 11, _CLOTH, (), ("bowl", "bottle"), ("handle", "no_handle"), tabletop=True),
    "bowl": Kind(17, 9, _CLOTH, (), ("cup",), tabletop=True),
    "banana": Kind(17, 12, ("yellow",), ("blue", "purple", "red"), ("apple",), _PLAIN, tabletop=True),
    "apple": Kind(12, 13, ("red", "green", "yellow"), ("blue", "purple", "black"), ("banana",), _PLAIN,
                  tabletop=True),
    "cake": Kind(18, 14, ("pink", "white", "brown", "yellow"), ("blue", "green"), tabletop=True),
    "chair": Kind(14, 21, ("brown", "white", "red", "blue", "green"), ("pink",), ("bench",), _LEGS),
    "couch": Kind(32, 17, ("red", "blue", "green", "brown", "purple"), ("pink",), ("bench", "chair")),
    "tv": Kind(23, 18, ("black", "white"), ("red", "pink", "green"), ("clock",)),
    "clock": Kind(15, 15, ("white", "red", "blue", "black", "yellow"), (), ("tv",), ("hands", "no_hands"),
                  depths=_FAR),
}  # fmt: skip
AERIAL = frozenset({"kite", "clock"})  # drawn high up, where signs and pictures hang too

# How often a kind is drawn in a setting. The skew tempts whoever knows the world but not the image.
SETTINGS: Mapping[str, Mapping[str, float]] = {
    "street": {"car": 9, "bus": 6, "person": 7, "bicycle": 5, "dog": 3, "umbrella": 3, "bench": 2, "bird": 2,
               "backpack": 2, "cat": 1, "clock": 1, "horse": 0.5, "sports ball": 1, "banana": 0.4},
    "park": {"dog": 7, "sports ball": 4, "bench": 6, "person": 6, "bird": 5, "kite": 4, "bicycle": 3,
             "horse": 3, "umbrella": 1, "backpack": 2, "cat": 1.5, "apple": 1, "chair": 0.5, "car": 0.5},
    "kitchen": {"cup": 8, "bowl": 6, "bottle": 5, "apple": 5, "banana": 4, "cake": 3, "chair": 4, "clock": 3,
                "cat": 2.5, "person": 3, "tv": 0.7, "dog": 1, "umbrella": 0.3},
    "lounge": {"couch": 9, "tv": 6, "cat": 4, "chair": 4, "clock": 3, "person": 4, "cup": 3, "dog": 2.5,
               "bottle": 1.5, "cake": 1, "backpack": 1, "sports ball": 1, "bowl": 1, "bicycle": 0.4},
    "harbour": {"boat": 10, "bird": 6, "person": 6, "bench": 3, "bicycle": 3, "dog": 2, "car": 2,
                "umbrella": 2, "backpack": 1.5, "bottle": 1, "cat": 1.5, "clock": 0.5},
    "beach": {"umbrella": 7, "sports ball": 5, "kite": 5, "person": 7, "bird": 5, "boat": 4, "dog": 3,
              "chair": 3, "horse": 1.5, "bottle": 1.5, "banana": 0.7, "backpack": 2, "apple": 0.5},
}  # fmt: skip
PARTNERS: Mapping[str, str] = {
    "cup": "bowl", "bowl": "cup", "couch": "tv", "tv": "couch", "dog": "sports ball", "car": "bus",
    "boat": "bird", "banana": "apple", "kite": "person", "bus": "person",
}  # fmt: skip
INDOORS = frozenset({"kitchen", "lounge"})

WORD_PAIRS = (
    ("STOP", "SHOP"), ("OPEN", "OVEN"), ("CAFE", "CAVE"), ("SALE", "SAFE"), ("BANK", "BARK"),
    ("FISH", "DISH"), ("POST", "PORT"), ("PARK", "DARK"), ("BOOK", "COOK"), ("MENU", "VENUE"),
)  # fmt: skip
CONFUSABLE: Mapping[str, str] = {a: b for pair in WORD_PAIRS for a, b in (pair, pair[::-1])}
WORDS = tuple(CONFUSABLE)

# What a backdrop always shows, so that it may be stated; and what no backdrop or sprite shows.
FACTS: Mapping[str, tuple[str, ...]] = {
    "street": ("houses", "road"),
    "park": ("trees", "lawn"),
    "kitchen": ("tiles", "counter"),
    "lounge": ("wallpaper", "floorboards"),
    "harbour": ("water", "quay"),
    "beach": ("sea", "sand"),
}
EVENTS: Mapping[str, frozenset[str]] = {
    "plane": frozenset({"street", "park", "harbour", "beach"}),
    "rainbow": frozenset({"street", "park", "harbour", "beach"}),
    "snow": frozenset({"street", "park", "harbour"}),
    "balloon": frozenset({"park", "harbour", "beach"}),
    "fountain": frozenset({"park", "street"}),
    "lighthouse": frozenset({"harbour", "beach"}),
    "statue": frozenset({"street", "park"}),
    "candle": INDOORS,
    "fireplace": frozenset({"lounge"}),
    "rug": frozenset({"lounge"}),
    "fridge": frozenset({"kitchen"}),
    "mirror": INDOORS,
}


def near_colours(one: str, other: str) -> bool:
    """Whether two colours are the same or easily taken for one another."""
    return one == other or frozenset((one, other)) in NEAR_COLOURS
