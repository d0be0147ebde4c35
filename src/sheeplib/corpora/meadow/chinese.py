"""Chinese nouns, measure words and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.corpora.meadow.chinese_sentences import HEADINGS, PHRASES, QUESTIONS, SENTENCES
from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Language, Segments, noun_phrase
from sheeplib.corpora.meadow.mention_sentences import MENTION_PHRASES, MENTION_SENTENCES

# Noun and measure word.
NOUNS: Mapping[str, tuple[str, str]] = {
    "person": ("人", "个"),
    "bicycle": ("自行车", "辆"),
    "car": ("汽车", "辆"),
    "bus": ("公交车", "辆"),
    "boat": ("帆船", "艘"),
    "bench": ("长椅", "张"),
    "bird": ("鸟", "只"),
    "cat": ("猫", "只"),
    "dog": ("狗", "只"),
    "horse": ("马", "匹"),
    "backpack": ("背包", "个"),
    "umbrella": ("雨伞", "把"),
    "sports ball": ("球", "个"),
    "kite": ("风筝", "只"),
    "bottle": ("瓶子", "个"),
    "cup": ("杯子", "个"),
    "bowl": ("碗", "只"),
    "banana": ("香蕉", "根"),
    "apple": ("苹果", "个"),
    "cake": ("蛋糕", "个"),
    "chair": ("椅子", "把"),
    "couch": ("沙发", "张"),
    "tv": ("电视机", "台"),
    "clock": ("时钟", "个"),
}
COLOURS: Mapping[str, str] = {
    "red": "红色", "orange": "橙色", "yellow": "黄色", "green": "绿色", "blue": "蓝色", "purple": "紫色",
    "pink": "粉色", "brown": "棕色", "white": "白色", "black": "黑色",
}  # fmt: skip
NUMBERS = "零一两三四五六七"  # before a measure word, two is 两 and not 二


def noun(kind: str) -> str:
    """The noun of a kind."""
    return NOUNS[kind][0]


def measure(kind: str) -> str:
    """The measure word of a kind's noun."""
    return NOUNS[kind][1]


def indefinite(claim: Claim) -> Segments:
    """Say "一只红色的狗", "两辆汽车", "三个穿红色衣服的人"."""
    kind = claim.kind or ""
    colour = COLOURS[claim.colour] if claim.colour else ""
    person = kind == "person"
    return noun_phrase(
        (NUMBERS[claim.count], "count"),
        (measure(kind), ""),
        ("穿" if colour and person else "", "dress"),
        (colour, "colour"),
        (("衣服的" if person else "的") if colour else "", ""),
        (noun(kind), "kind"),
    )


def definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "这只狗", "这些狗"."""
    return noun_phrase(("这些" if count > 1 else "这" + measure(kind), ""), (noun(kind), role))


def _pronoun(claim: Claim) -> Segments:
    return noun_phrase(("他" if claim.kind == "person" else "它", ""), ("们" if claim.count > 1 else "", ""))


def _colour(claim: Claim) -> Segments:
    """Say "是红色的", and of people "穿着红色的衣服"."""
    before, after = ("穿着", "的衣服") if claim.kind == "person" else ("是", "的")
    return noun_phrase((before, ""), (COLOURS[claim.colour or ""], "colour"), (after, ""))


def _hue(claim: Claim) -> Segments | None:
    return None if claim.kind == "person" else noun_phrase((COLOURS[claim.colour or ""], "colour"))


CHINESE = Language(
    code="zh",
    joiner="",
    slots={
        "a": indefinite,
        "the": lambda claim: definite(claim.kind or "", claim.count),
        "the2": lambda claim: definite(claim.other or "", claim.other_count, "other"),
        "it": _pronoun,
        "kind": lambda claim: noun_phrase((noun(claim.kind or ""), "kind")),
        "measure": lambda claim: noun_phrase((measure(claim.kind or ""), "")),
        "colour": _colour,
        "hue": _hue,
        "word": lambda claim: noun_phrase(("“", ""), (claim.word or "", "word"), ("”", "")),
    },
    sentences={**SENTENCES, **MENTION_SENTENCES["zh"]},
    phrases={**PHRASES, **MENTION_PHRASES["zh"]},
    questions=QUESTIONS,
    headings=HEADINGS,
    feminine=lambda kind: False,
    colon="：",
)
