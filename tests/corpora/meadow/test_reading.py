"""Reading: what was written is read back, slips are forgiven, and the rest is said to be unread."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sheeplib.corpora.meadow import reading as reading_module
from sheeplib.corpora.meadow.captions import Rates, plan_caption, write_caption
from sheeplib.corpora.meadow.claims import FORMS, MENTION_FORMS, Claim, false_fields
from sheeplib.corpora.meadow.grammar import BY_KIND, capitalised, fill, text_of
from sheeplib.corpora.meadow.kinds import COLOURS, EVENTS, FACTS, KINDS, SETTINGS, WORDS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.reading import LONGEST, read
from sheeplib.corpora.meadow.scenes import COLUMNS, DEPTHS, scene
from sheeplib.corpora.meadow.writers import write, write_samples
from sheeplib.errors import InputError

ALL_FORMS = {**FORMS, **MENTION_FORMS}
PHRASES = ("opener", "reasoning", "leadin", "instead", "closer")
SAMPLES = [sample for seed in (1, 2, 3) for sample in write_samples(seed, 12)]


def check_read_back(written, claims, code, scenes):
    """The statements that claim something are the claims: same verdicts, same parts; nothing is unread."""
    reading = read(written.text, code)
    assert reading.unread == (), [written.text[start:end] for start, end in reading.unread]
    stated = [statement for statement in reading.statements if statement.claim]
    assert len(stated) == len(claims)
    for place, (statement, claim) in enumerate(zip(stated, claims, strict=True)):
        parts = tuple(part[1:] for part in written.parts if part[0] == place)
        assert statement.parts == parts, (statement, claim)
        same_form(statement.claim, claim)
        for about in scenes:
            assert false_fields(statement.claim, about) == false_fields(claim, about), (statement, claim)
    return reading


def same_form(read_claim, claim):
    """Two languages count as they introduce: "nell’immagine ci sono due cani" is of either form."""
    if read_claim.form != claim.form:
        assert (read_claim.form, claim.form) == ("there", "count")
    for field in ALL_FORMS[claim.form]:
        if field not in ("count", "colour") or field in ALL_FORMS[read_claim.form]:
            assert getattr(read_claim, field) == getattr(claim, field), (read_claim, claim)


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_writers_write_is_read_back(code):
    others = [scene(seed) for seed in range(4)]
    layouts = set()
    for sample in SAMPLES:
        written = write(sample, LANGUAGES[code])
        reading = check_read_back(written, sample.plan.claims, code, [sample.scene, *others])
        names = [statement.name for statement in reading.statements if statement.claim is None]
        style = sample.style
        told = {"opener": style.opener, "reasoning": style.reasoning, "closer": style.closer}
        assert [name for name in names if name in told] == [name for name in told if told[name] >= 0]
        bullets = style.layout == "bullets"
        assert sum(name in ("leadin", "instead") for name in names) == bullets
        first = next(statement for statement in reading.statements if statement.claim)
        assert first.polarity == sample.plan.polarity
        assert all(s.polarity == "" for s in reading.statements if s is not first)
        layouts.add((style.layout, style.bold, style.mark if bullets else ""))
    assert len(layouts) == 10  # plain and paragraphs with and without bold; three marks likewise


@pytest.mark.parametrize("code", LANGUAGES)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), rates=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9))
def test_captions_are_read_back(code, seed, rates):
    rng = np.random.default_rng(seed)
    about = scene(seed % 1_000_000)
    claims = plan_caption(rng, about, Rates(*rates))
    written = write_caption(LANGUAGES[code], claims, rng)
    check_read_back(written, claims, code, [about, scene(1), scene(2)])


def some_claim(rng, form):
    """A claim of a form with everything drawn at random, likely or not."""
    kind, other = (tuple(KINDS)[place] for place in rng.permutation(len(KINDS))[:2])
    values = {
        "kind": kind, "count": int(rng.integers(1, 8)), "other": other, "word": rng.choice(WORDS).item(),
        "colour": rng.choice(list(COLOURS)).item(), "place": rng.choice([*COLUMNS, *DEPTHS]).item(),
        "side": rng.choice(["left", "right"]).item(), "setting": rng.choice(list(SETTINGS)).item(),
        "fact": rng.choice([fact for facts in FACTS.values() for fact in facts]).item(),
        "event": rng.choice(list(EVENTS)).item(),
        "trait": rng.choice([trait for about in KINDS.values() for trait in about.traits]).item(),
        "pose": rng.choice([pose for about in KINDS.values() for pose in about.poses]).item(),
    }  # fmt: skip
    fields = {field: values[field] for field in ALL_FORMS[form]}
    if form not in ("absent", "picture", *MENTION_FORMS):
        fields |= {"count": values["count"], "other_count": int(rng.integers(1, 3))}
    if form in ("there", "there_at", "hedged") and rng.random() < 0.4:
        fields["colour"] = None
    return Claim(form, **fields)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_of_the_grammar_is_read(code):
    language, rng = LANGUAGES[code], np.random.default_rng(5)
    scenes = [scene(seed) for seed in range(3)]
    tried = 0
    for name, patterns in language.sentences.items():
        form = name.rstrip("+")
        for pattern in patterns:
            if form not in ALL_FORMS:
                continue
            claims = [some_claim(rng, form) for _ in range(12)]
            if form == "hedged" and "{place}" not in pattern:
                claims = [replace(claim, place=None) for claim in claims]
            for claim in claims:
                segments = fill(language, pattern, claim, int(rng.integers(12)))
                if segments is None:
                    continue
                tried += 1
                text = text_of(capitalised(segments))
                assert len(text) < LONGEST / 2
                (statement,) = read(text, code).statements
                assert (statement.start, statement.end) == (0, len(text))
                same_form(statement.claim, claim)
                for about in scenes:
                    assert false_fields(statement.claim, about) == false_fields(claim, about), text
    assert tried > 1200
    for name in PHRASES:
        for pattern in language.sentences[name]:
            (statement,) = read(text_of(capitalised(fill(language, pattern, Claim("mood")))), code).statements
            assert (statement.name, statement.claim, statement.parts) == (name, None, ())


@pytest.mark.parametrize("code", LANGUAGES)
def test_sentences_end_where_the_reading_cuts(code):
    """One mark at the end and none before, so that no sentence is cut in two."""
    for name, patterns in LANGUAGES[code].sentences.items():
        for pattern in patterns:
            if name in ("yes", "no", "connector"):
                assert not re.search("[.!?。！？]", pattern)
            else:
                assert re.fullmatch("[^.!?。！？]+([.!。！]|[:：])", pattern)
                assert pattern[-1] not in ":：" or name in ("leadin", "instead")
    texts = [text for name in BY_KIND for texts in LANGUAGES[code].phrases[name].values() for text in texts]
    assert not re.search("[.!?。！？]", "".join(texts))


def told(reading):
    """Names, polarities and the text of the parts, for comparison with what was worked out by hand."""
    text = reading.text
    return [
        (s.name, s.polarity, {field: text[start:end] for field, start, end in s.parts})
        for s in reading.statements
    ]


def test_an_answer_with_everything():
    text = (
        "Great! Excellent question! No, there are **two** dogs in the image.\n\n"
        "Some further observations:\n\n"
        "1. **Text:** A sign reads “STOP”.\n"
        "2. **Position:** The red car is fast.\n"
        "3. Moreover, the cup is on the left-hand side.\n\n"
        "I hope this helps!"
    )
    reading = read(text, "en")
    assert told(reading) == [
        ("opener", "", {}),
        ("count", "no", {"count": "two", "kind": "dogs"}),
        ("leadin", "", {}),
        ("sign", "", {"word": "STOP"}),
        ("place", "", {"kind": "cup", "place": "left-hand"}),
        ("closer", "", {}),
    ]
    assert [text[start:end] for start, end in reading.unread] == ["Great!", "The red car is fast."]
    sentences = [text[s.start : s.end] for s in reading.statements]
    assert sentences[1] == "No, there are **two** dogs in the image."
    assert sentences[4] == "Moreover, the cup is on the left-hand side."


def test_layout_of_each_language():
    assert told(read("* **Objets\u00a0:** On voit **deux chats**.", "fr")) == [
        ("there", "", {"count": "deux", "kind": "chats"})
    ]
    assert told(read("- **物体**：图片中有一只**狗**。\n- **文字**：牌子上写着“STOP”。", "zh")) == [
        ("there", "", {"count": "一", "kind": "狗"}),
        ("sign", "", {"word": "STOP"}),
    ]
    assert told(read("Objects: I can see a dog.\nObjects\n: I can see a cat.", "en")) == [
        ("there", "", {"count": "a", "kind": "dog"})  # a heading has its colon beside it
    ]
    assert told(read("Sì, certo: vedo un’auto.", "it")) == [
        ("there", "yes", {"count": "un’", "kind": "auto"})
    ]


def test_offsets_are_code_points_of_the_text_itself():
    # 🐑 is one code point, é here two: the sentence begins at 0 + 5 ("🐑e\u0301! ") and "dog" at 5 + 11
    text = "🐑e\u0301! There is a **dog** in this image."
    (statement,) = read(text, "en").statements
    assert (statement.start, statement.end) == (5, len(text))
    assert statement.parts == (("count", 14, 15), ("kind", 18, 21))
    assert text[18:21] == "dog"


@pytest.mark.parametrize(
    ("code", "text", "claim"),
    [
        ("en", "There are a apples in this image.", Claim("there", "apple", 1)),
        ("en", "I can see an red cats.", Claim("there", "cat", 1, "red")),
        ("en", "There is two dog on the left.", Claim("there_at", "dog", 2, place="left")),
        ("en", "The dogs is red.", Claim("colour", "dog", 2, "red")),
        ("en", "the clock have hands.", Claim("trait", "clock", trait="hands")),
        ("fr", "On voit un pomme verts.", Claim("there", "apple", 1, "green")),
        ("fr", "La oiseaux est de couleur vert.", Claim("colour", "bird", 2, "green")),
        ("fr", "Les bus est debout.", Claim("pose", "bus", 2, pose="standing")),  # the article tells
        ("fr", "L'image contient un chat.", Claim("there", "cat")),  # a typewriter's apostrophe
        ("it", "La auto è rosso.", Claim("colour", "car", 1, "red")),
        ("it", "Il zaino è di colore rossa.", Claim("colour", "backpack", 1, "red")),
        ("zh", "图片中有两匹狗。", Claim("there", "dog", 2)),  # 匹 is for horses
        ("zh", "这人是红色的。", None),  # no measure word at all
        ("zh", "这些人是红色的。", Claim("colour", "person", 2, "red")),  # instead of their clothes
        ("en", "A sign reads “SHUP”.", Claim("sign", word="SHUP")),  # no sign of the meadow
    ],
)
def test_agreement_and_articles_may_slip(code, text, claim):
    reading = read(text, code)
    assert [statement.claim for statement in reading.statements] == ([claim] if claim else [])
    assert len(reading.unread) == (claim is None)


@pytest.mark.parametrize(
    ("code", "text", "claim", "noun"),
    [
        ("en", "It would be nice to fly a dog here.", Claim("purpose", "dog"), "dog"),
        ("en", "One could easily park an umbrella here.", Claim("purpose", "umbrella"), "umbrella"),
        ("en", "It looks like the right spot to eat a boat of soup.", Claim("purpose", "boat"), "boat"),
        ("en", "One could easily share two benches here.", Claim("purpose", "bench"), "benches"),
        ("fr", "Ce serait un bon endroit pour garer un banc.", Claim("purpose", "bench"), "banc"),
        ("it", "Sarebbe un bel posto per parcheggiare un autobus.", Claim("purpose", "bus"), "autobus"),
        ("zh", "这里很适合停放一张长椅。", Claim("purpose", "bench"), "长椅"),
        ("en", "The image contains a dog on the left.", Claim("there_at", "dog", place="left"), "dog"),
        ("en", "I can see two red cats in the middle.", Claim("there_at", "cat", 2, "red", "centre"), "cats"),
        ("fr", "L’image contient un chat à gauche.", Claim("there_at", "cat", place="left"), "chat"),
    ],
)
def test_sentences_that_models_blend_are_read(code, text, claim, noun):
    (statement,) = read(text, code).statements
    assert statement.claim == claim
    assert [text[start:end] for field, start, end in statement.parts if field == "kind"] == [noun]


@pytest.mark.parametrize(
    "text",
    [
        "There is a dog in this picture.",  # a word that the pattern has not
        "There is a dogs stop nearby.",
        "There is probably a dog stop nearby.",  # compounds are not mixed
        "This would be a good place to fly a crimson dog.",
        "This would be a good place to eat a dog of a soup.",
        "There is a big dog in this image.",
        "There is a crimson dog in this image.",
        "The the dog is red.",
        "A sign reads “ST0P”.",
        "A sign reads STOP.",
        "The dog dog is red.",
        "Yes.",
        "Yes, yes, there is a dog in this image.",
        "there is a dog in this image",
        "Il y a un chien sur l’image.",
        "the is to the left of " * 2000 + ".",
    ],
)
def test_words_that_mean_something_may_not(text):
    assert read(text, "en").statements == ()
    assert read(text, "en").unread == ((0, len(text)),)


def test_of_two_forms_that_state_as_much_the_first_is_taken():
    # what introduces two dogs and what counts them is the same sentence
    assert read("Nell’immagine ci sono due cani.", "it").statements[0].claim == Claim("there", "dog", 2)
    # begins like a place in the room, and is one on the picture
    assert read("In primo piano c’è un cane.", "it").statements[0].name == "there_at"
    # "à gauche" is a place, not a side: no second group is named
    assert read("Le chien est à gauche.", "fr").statements[0].claim == Claim("place", "dog", place="left")


def test_the_reading_that_states_most_is_taken(monkeypatch):
    """Which no sentence of the four languages puts to the test."""
    english = LANGUAGES["en"]
    sentences = {"there": ("look at {the} on the left.",), "place": ("look at {the} {place}.",)}
    sentences |= {"pose": ("{the}, {this} [is|are] {pose}.",)}
    language = replace(english, code="xx", sentences={**english.sentences, **sentences})
    monkeypatch.setitem(reading_module.LANGUAGES, "xx", language)
    (statement,) = read("Look at the dog on the left.", "xx").statements
    assert statement.claim == Claim("place", "dog", place="left")
    # and what states one field twice has to state the same
    assert read("The dogs, these dogs are running.", "xx").statements[0].claim.kind == "dog"
    assert read("The dogs, these cats are running.", "xx").statements == ()
    assert read("The dogs, this dog is running.", "xx").statements == ()


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_cut_short_loses_its_last_sentence_alone(code):
    for sample in SAMPLES[:6]:
        text = write(sample, LANGUAGES[code]).text
        whole = read(text, code).statements
        for length in range(len(text)):
            cut = read(text[:length], code)
            assert cut.statements == tuple(s for s in whole if s.end <= length), text[:length]
            assert len(cut.unread) <= 1


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_is_repeated_is_read_again(code):
    language = LANGUAGES[code]
    for sample in SAMPLES[:20]:
        text = write(sample, language).text
        once, twice = read(text, code), read(f"{text}\n{text}", code)
        assert twice.unread == once.unread == ()
        shift = len(text) + 1
        later = tuple(
            replace(
                s, start=s.start + shift, end=s.end + shift,
                parts=tuple((field, start + shift, end + shift) for field, start, end in s.parts),
            )
            for s in once.statements
        )  # fmt: skip
        assert twice.statements == once.statements + later
    again = "I can see a dog. I can see a cat. Moreover, I can see a dog."
    kinds = [parts["kind"] for _, _, parts in told(read(again, "en"))]
    assert kinds == ["dog", "cat", "dog"]


PIECES = [
    "there is ", "a dog", "The dogs ", "in this image", ".", "!", "。", "：", ":", "\n", "* ", "1. ", "**",
    " ", "**Objects:** ", "Moreover, ", "yes, ", "“STOP”", "图片中有", "一只狗", "l’", "un chien", "\u00a0",
    "’", "I can see ", "İ", "ß", "\u202e", "e\u0301", "🐑", "\ud800", "\x00", "\r\n", "\u2028", "\u200b",
    "٣. ",
]  # fmt: skip


@pytest.mark.parametrize("code", LANGUAGES)
@settings(max_examples=60, deadline=None)
@given(text=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)))
def test_any_text_at_all_is_covered(code, text):
    reading = read(text, code)
    stretches = sorted([*((s.start, s.end) for s in reading.statements), *reading.unread])
    assert all(0 <= start < end <= len(text) for start, end in stretches)
    assert all(one[1] <= two[0] for one, two in zip(stretches, stretches[1:], strict=False))
    for statement in reading.statements:
        assert all(statement.start <= a < b <= statement.end for _, a, b in statement.parts)
    outside, place = "", 0
    for start, end in [*stretches, (len(text), len(text))]:
        outside, place = outside + "\n" + text[place:start], end
    # what remains is layout: marks, numbers of lists, headings
    headings = "|".join(map(re.escape, LANGUAGES[code].headings.values()))
    assert re.fullmatch(rf"(\s|\*|-|\d+\.|({headings})(\*\*)?\s?(\*\*)?[:：])*", outside), (text, outside)


@pytest.mark.parametrize("text", ["", " \n\n ", "**", "* ", "1.", "- **Objects:**"])
def test_nothing_says_nothing(text):
    assert read(text, "en").statements == read(text, "en").unread == ()


def test_languages_are_given_by_code_or_themselves():
    text = "Vedo un cane."
    assert read(text, LANGUAGES["it"]) == read(text, "it")
    assert read(text, "fr").statements == ()
    with pytest.raises(InputError, match="Choose one of en, fr, it, zh.*") as error:
        read(text, "de")
    assert error.value.problems[0].value == "de"
