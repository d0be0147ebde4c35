"""Articles, elision, contraction, plurals, agreement and measure words, against hand-written phrases."""

import re

import pytest

from sheeplib.corpora.meadow import chinese, english, french, italian
from sheeplib.corpora.meadow.claims import FORMS, MENTION_FORMS, Claim
from sheeplib.corpora.meadow.grammar import capitalised, fill, parsed, say, text_of
from sheeplib.corpora.meadow.kinds import COLOURS, EVENTS, FACTS, KINDS, SETTINGS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.mention_sentences import COMPOUND_KINDS, MENTION_SENTENCES

STATED = {**FORMS, **MENTION_FORMS}
SLOT = re.compile(r"\{(\w+)\}")


def spoken(code, pattern, **fields):
    segments = fill(LANGUAGES[code], pattern, Claim("there", **fields))
    return None if segments is None else text_of(segments)


@pytest.mark.parametrize(
    ("kind", "count", "colour", "phrase"),
    [
        ("dog", 1, "red", "a red dog"),
        ("dog", 1, "orange", "an orange dog"),
        ("apple", 1, None, "an apple"),
        ("apple", 1, "green", "a green apple"),
        ("umbrella", 1, None, "an umbrella"),
        ("bus", 3, "yellow", "three yellow buses"),
        ("bench", 2, None, "two benches"),
        ("couch", 2, "pink", "two pink couches"),
        ("person", 1, "blue", "a person in blue"),
        ("person", 4, "black", "four people in black"),
    ],
)
def test_english_indefinite(kind, count, colour, phrase):
    assert spoken("en", "{a}", kind=kind, count=count, colour=colour) == phrase


def test_english_definite_and_number():
    assert (
        spoken("en", "{the} [is|are] {colour}", kind="bench", count=2, colour="red") == "the benches are red"
    )
    assert (
        spoken("en", "{the} [is|are] {colour}", kind="person", colour="red") == "the person is dressed in red"
    )
    assert spoken("en", "{num}", kind="person") == "one person"
    assert spoken("en", "{hue}", kind="person", colour="red") is None
    assert [english.noun(kind, 2) for kind in ("bus", "person", "sports ball")] == [
        "buses",
        "people",
        "balls",
    ]


@pytest.mark.parametrize(
    ("kind", "count", "colour", "phrase"),
    [
        ("dog", 1, "white", "un chien blanc"),
        ("cup", 1, "white", "une tasse blanche"),
        ("cup", 2, "white", "deux tasses blanches"),
        ("horse", 2, "brown", "deux chevaux marron"),
        ("horse", 1, "black", "un cheval noir"),
        ("boat", 3, "blue", "trois bateaux bleus"),
        ("bird", 4, "purple", "quatre oiseaux violets"),
        ("cake", 2, "pink", "deux gâteaux roses"),
        ("car", 2, "orange", "deux voitures orange"),
        ("bus", 5, "red", "cinq bus rouges"),
        ("car", 1, "green", "une voiture verte"),
        ("apple", 2, "green", "deux pommes vertes"),
        ("bottle", 1, "purple", "une bouteille violette"),
        ("kite", 2, "yellow", "deux cerfs-volants jaunes"),
        ("backpack", 2, "black", "deux sacs à dos noirs"),
        ("person", 2, "white", "deux personnes en blanc"),
    ],
)
def test_french_indefinite(kind, count, colour, phrase):
    assert spoken("fr", "{a}", kind=kind, count=count, colour=colour) == phrase


def test_french_articles_elide_and_contract():
    def phrases(build, kinds, count=1):
        return [text_of(build(kind, count)) for kind in kinds]

    kinds = ("dog", "cup", "bird", "clock")
    assert phrases(french.definite, kinds) == ["le chien", "la tasse", "l’oiseau", "l’horloge"]
    assert phrases(french.of_definite, kinds) == ["du chien", "de la tasse", "de l’oiseau", "de l’horloge"]
    assert phrases(french.to_definite, kinds) == ["au chien", "à la tasse", "à l’oiseau", "à l’horloge"]
    assert phrases(french.definite, ("horse",), 2) == ["les chevaux"]
    assert phrases(french.of_definite, ("horse",), 2) == ["des chevaux"]
    assert phrases(french.to_definite, ("bird",), 2) == ["aux oiseaux"]
    assert phrases(french.bare, kinds) == ["de chien", "de tasse", "d’oiseau", "d’horloge"]
    assert phrases(french.demonstrative, kinds) == ["ce chien", "cette tasse", "cet oiseau", "cette horloge"]
    assert phrases(french.demonstrative, ("cup",), 2) == ["ces tasses"]
    assert spoken("fr", "{of_a}", kind="dog") == "d’un chien"
    assert spoken("fr", "{of_a}", kind="dog", count=2) == "de deux chiens"
    assert spoken("fr", "{no}", kind="clock") == "aucune horloge"
    assert spoken("fr", "de couleur {hue}", kind="dog", colour="white") == "de couleur blanche"
    assert spoken("fr", "{hue}", kind="person", colour="white") is None


def test_french_agreement_in_predicates():
    pattern = "{the} [est|sont] {colour}"
    assert spoken("fr", pattern, kind="apple", count=2, colour="white") == "les pommes sont blanches"
    assert (
        spoken("fr", pattern, kind="person", count=2, colour="white")
        == "les personnes sont habillées en blanc"
    )
    assert spoken("fr", "{the} [situé|située|situés|situées]", kind="cup", count=2) == "les tasses situées"
    assert (
        spoken("fr", "{the} {pose}", kind="person", count=2, pose="sitting") == "les personnes sont assises"
    )
    assert spoken("fr", "{the} {trait}", kind="chair", trait="three_legs") == "la chaise a trois pieds"
    assert (
        spoken("fr", "{the} {trait}", kind="dog", count=2, trait="three_legs")
        == "les chiens ont trois pattes"
    )


@pytest.mark.parametrize(
    ("kind", "count", "colour", "phrase"),
    [
        ("dog", 1, "white", "un cane bianco"),
        ("backpack", 1, "red", "uno zaino rosso"),
        ("car", 1, "red", "un’auto rossa"),
        ("bird", 1, "blue", "un uccello blu"),
        ("cup", 1, "black", "una tazza nera"),
        ("cup", 2, "black", "due tazze nere"),
        ("boat", 2, "white", "due barche bianche"),
        ("bench", 2, "green", "due panchine verdi"),
        ("clock", 3, "white", "tre orologi bianchi"),
        ("dog", 2, "brown", "due cani marroni"),
        ("bus", 4, "purple", "quattro autobus viola"),
        ("car", 5, "pink", "cinque auto rosa"),
        ("person", 1, "red", "una persona vestita di rosso"),
        ("person", 2, "yellow", "due persone vestite di giallo"),
    ],
)
def test_italian_indefinite(kind, count, colour, phrase):
    assert spoken("it", "{a}", kind=kind, count=count, colour=colour) == phrase


def test_italian_articles_elide_and_contract():
    def phrases(build, count=1):
        return [text_of(build(kind, count)) for kind in ("dog", "backpack", "bird", "cup", "car")]

    assert phrases(italian.definite) == ["il cane", "lo zaino", "l’uccello", "la tazza", "l’auto"]
    assert phrases(italian.definite, 2) == ["i cani", "gli zaini", "gli uccelli", "le tazze", "le auto"]
    assert phrases(italian.of_definite) == [
        "del cane",
        "dello zaino",
        "dell’uccello",
        "della tazza",
        "dell’auto",
    ]
    assert phrases(italian.of_definite, 2) == [
        "dei cani",
        "degli zaini",
        "degli uccelli",
        "delle tazze",
        "delle auto",
    ]
    assert phrases(italian.to_definite) == ["al cane", "allo zaino", "all’uccello", "alla tazza", "all’auto"]
    assert phrases(italian.to_definite, 2) == [
        "ai cani",
        "agli zaini",
        "agli uccelli",
        "alle tazze",
        "alle auto",
    ]
    assert phrases(italian.demonstrative)[:4] == [
        "questo cane",
        "questo zaino",
        "quest’uccello",
        "questa tazza",
    ]
    assert [spoken("it", "{no}", kind=kind) for kind in ("dog", "backpack", "cup", "car")] == [
        "nessun cane", "nessuno zaino", "nessuna tazza", "nessun’auto",
    ]  # fmt: skip
    assert spoken("it", "di colore {hue}", kind="cup", colour="white") == "di colore bianco"
    # s before a consonant takes the heavy article; s before a vowel does not
    assert [italian.onset(word) for word in ("specchio", "sedia", "zaino", "auto")] == [
        "heavy", "plain", "heavy", "vowel",
    ]  # fmt: skip


def test_italian_agreement_in_predicates():
    assert (
        spoken("it", "{the} [è|sono] {colour}", kind="bench", count=2, colour="white")
        == "le panchine sono bianche"
    )
    assert spoken("it", "[Quanto|Quanta|Quanti|Quante] {kinds}", kind="car", count=2) == "Quante auto"
    assert spoken("it", "{the} {pose}", kind="cat", count=2, pose="sitting") == "i gatti sono seduti"
    assert spoken("it", "{the} {trait}", kind="chair", trait="four_legs") == "la sedia ha quattro gambe"


@pytest.mark.parametrize(
    ("kind", "count", "colour", "phrase"),
    [
        ("dog", 1, None, "一只狗"),
        ("car", 2, None, "两辆汽车"),
        ("chair", 3, None, "三把椅子"),
        ("horse", 1, "white", "一匹白色的马"),
        ("tv", 2, "black", "两台黑色的电视机"),
        ("banana", 2, "blue", "两根蓝色的香蕉"),
        ("couch", 1, "red", "一张红色的沙发"),
        ("boat", 4, "white", "四艘白色的帆船"),
        ("person", 2, "purple", "两个穿紫色衣服的人"),
    ],
)
def test_chinese_measure_words(kind, count, colour, phrase):
    assert spoken("zh", "{a}", kind=kind, count=count, colour=colour) == phrase


def test_chinese_definite_and_predicates():
    assert text_of(chinese.definite("horse")) == "这匹马"
    assert text_of(chinese.definite("horse", 2)) == "这些马"
    assert spoken("zh", "{the}{colour}", kind="dog", colour="red") == "这只狗是红色的"
    assert spoken("zh", "{the}{colour}", kind="person", count=2, colour="red") == "这些人穿着红色的衣服"


def test_signs_are_quoted_as_each_language_does():
    quoted = {code: spoken(code, "{word}", word="STOP") for code in LANGUAGES}
    assert quoted == {"en": "“STOP”", "fr": "«\u00a0STOP\u00a0»", "it": "«STOP»", "zh": "“STOP”"}


def test_a_pattern_comes_apart_from_left_to_right():
    assert parsed("{the} [is|are] <not> {colour}.") == (
        ("the", "", "", ""), ("", "", "", " "), ("", "is|are", "", ""), ("", "", "", " "), ("", "", "<", ""),
        ("", "", "", "not"), ("", "", ">", ""), ("", "", "", " "), ("colour", "", "", ""), ("", "", "", "."),
    )  # fmt: skip
    assert parsed("") == ()


def test_roles_cover_exactly_what_states_a_field():
    claim = Claim("there", "bird", 3, "blue")
    for code, parts in {
        "en": {"count": "three", "colour": "blue", "kind": "birds"},
        "fr": {"count": "trois", "colour": "bleus", "kind": "oiseaux"},
        "it": {"count": "tre", "colour": "blu", "kind": "uccelli"},
        "zh": {"count": "三", "colour": "蓝色", "kind": "鸟"},
    }.items():
        segments = fill(LANGUAGES[code], "{a}", claim)
        assert {segment.role: segment.text for segment in segments if segment.role} == parts


def every_claim():
    """Claims of every form with every value, singular and plural."""
    for kind, about in KINDS.items():
        for count in (1, 2, 5):
            for colour in (None, *COLOURS):
                yield Claim("there", kind, count, colour)
                yield Claim("there_at", kind, count, colour, place="left")
                if colour:
                    yield Claim("colour", kind, count, colour)
            yield Claim("count", kind, count)
            for place in ("left", "centre", "right", "background", "foreground"):
                yield Claim("place", kind, count, place=place)
            for other in KINDS:
                yield Claim("side", kind, count, other=other, other_count=3 - min(count, 2), side="left")
            for pose in about.poses:
                yield Claim("pose", kind, count, pose=pose)
            for trait in about.traits:
                yield Claim("trait", kind, count, trait=trait)
        for count in (1, 3):
            for colour in (None, "white"):
                for place in (None, "left", "centre", "right", "background", "foreground"):
                    yield Claim("hedged", kind, count, colour, place)
        for form in ("absent", "picture", "purpose", "generic"):
            yield Claim(form, kind)
    yield from (Claim("compound", kind) for kind in COMPOUND_KINDS)
    yield from (Claim("setting", setting=setting) for setting in SETTINGS)
    yield from (Claim("fact", fact=fact) for facts in FACTS.values() for fact in facts)
    yield from (Claim("event", event=event) for event in EVENTS)
    yield Claim("sign", word="STOP")
    yield Claim("mood")


ARTEFACTS = r"  | [,.]|[{}\[\]<>|~]|None"
BROKEN = {
    "en": r"\b[Aa] [aeiou]|\b[Aa]n [^aeiou]|" + ARTEFACTS,
    "fr": r"\b[Dd]e les?\b|\b[Àà] les?\b|\b([Ll]e|[Ll]a|[Dd]e|[Cc]e|[Qq]ue) [aeiouéh]|[^\u00a0][!?;:]|’ |"
    + ARTEFACTS,
    "it": r"\b[Dd]i (il|lo|la|i|gli|le)\b|\b[Aa] (il|lo|i|gli|le)\b|\b([Ii]l|[Ll]o|[Ll]a|[Uu]na) [aeiou]|’ |"
    r"\b([Ii]l|[Uu]n|[Dd]el|[Aa]l|[Nn]essun) (z|s[^aeiou])| [!?:]|" + ARTEFACTS,
    "zh": r"\s|[a-z]|[A-Z](?<!STOP)(?<!STO)(?<!ST)(?<!S)|[,.!?:;]|" + ARTEFACTS,
}


def test_broken_phrases_would_be_noticed():
    for code, texts in {
        "en": ("a apple", "an dog", "a  dog", "a dog ."),
        "fr": ("de le chien", "à les tasses", "le oiseau", "la horloge", "que on", "bravo!", "l’ oiseau"),
        "it": ("di il cane", "a gli zaini", "la auto", "una auto", "il zaino", "un specchio", "l’ auto"),
        "zh": ("一只 狗", "一只dog", "狗,", "有{a}", "BOOK"),
    }.items():
        assert all(re.search(BROKEN[code], text) for text in texts), code


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_pattern_of_any_form_breaks(code):
    language, broken = LANGUAGES[code], re.compile(BROKEN[code])
    assert set(STATED) <= set(language.sentences)
    for claim in every_claim():
        whole = len(language.sentences[claim.form]) + len(language.sentences.get(claim.form + "+", ()))
        for variant in range(
            whole if claim.kind in (None, "bird", "backpack", "clock", "person", "cup") else 2
        ):
            segments = capitalised(say(language, claim, variant, later=True))
            text = text_of(segments)
            assert not broken.search(text), (text, broken.search(text))
            assert text[-1] in ".!。！"
            stated = {field for field in STATED[claim.form] if getattr(claim, field) is not None}
            assert stated <= {segment.role for segment in segments} | {"mood"}, (claim, text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_language_has_its_patterns(code):
    language = LANGUAGES[code]
    patterns = language.patterns()
    assert len(set(patterns)) == len(patterns) >= 100
    known = set(language.slots) | set(language.phrases)
    everything = [*patterns, *(text for texts in language.questions.values() for text in texts)]
    assert all(slot in known for text in everything for slot in SLOT.findall(text))
    assert set(language.questions) == set(LANGUAGES["en"].questions)
    assert set(language.sentences) == set(LANGUAGES["en"].sentences)
    assert {name: set(values) for name, values in language.phrases.items()} == {
        name: set(values) for name, values in LANGUAGES["en"].phrases.items()
    }
    assert set(language.headings) == set(FORMS)


def hedged(code, variant, **fields):
    return text_of(say(LANGUAGES[code], Claim("hedged", **fields), variant))


def test_hedged_sentences_agree_and_state_a_place_if_there_is_one():
    dogs = {"kind": "dog", "count": 2, "colour": "white"}
    assert hedged("en", 0, **dogs) == "there might be two white dogs."
    assert hedged("en", 1, **dogs) == "there seem to be two white dogs."
    assert hedged("en", 0, **dogs, place="left") == "there might be two white dogs on the left."
    assert hedged("fr", 0, kind="cup", place="right") == "il y a peut-être une tasse à droite."
    assert hedged("fr", 2, **dogs) == "c’est difficile à dire, mais il pourrait y avoir deux chiens blancs."
    assert hedged("it", 0, kind="cup") == "forse c’è una tazza."
    assert hedged("it", 0, **dogs, place="background") == "forse ci sono due cani bianchi sullo sfondo."
    assert hedged("it", 4, **dogs) == "si intravedono forse due cani bianchi."
    assert hedged("zh", 0, **dogs) == "图中可能有两只白色的狗。"
    assert hedged("zh", 0, **dogs, place="left") == "画面左边可能有两只白色的狗。"


def test_a_claim_without_a_place_never_takes_a_sentence_with_one():
    for language in LANGUAGES.values():
        for place in (None, "left"):
            for variant in range(24):
                segments = say(language, Claim("hedged", "dog", place=place), variant, later=True)
                assert [s.role for s in segments if s.role == "place"] == ["place"] * (place is not None)


def test_purposes_kinds_at_large_and_compounds():
    said = {
        (code, form): text_of(say(LANGUAGES[code], Claim(form, "kite"), 0))
        for code in LANGUAGES
        for form in ("purpose", "generic", "compound")
    }
    assert said == {
        ("en", "purpose"): "this would be a good place to fly a kite.",
        ("en", "generic"): "kites are a common sight in places like this.",
        ("en", "compound"): "there is probably a kite festival nearby.",
        ("fr", "purpose"): "ce serait un bon endroit pour faire voler un cerf-volant.",
        ("fr", "generic"): "on voit souvent des cerfs-volants dans ce genre d’endroit.",
        ("fr", "compound"): "il y a sans doute un festival de cerfs-volants non loin de là.",
        ("it", "purpose"): "sarebbe un bel posto per far volare un aquilone.",
        ("it", "generic"): "in posti come questo si vedono spesso aquiloni.",
        ("it", "compound"): "nei dintorni c’è probabilmente un festival degli aquiloni.",
        ("zh", "purpose"): "这里很适合放风筝。",
        ("zh", "generic"): "风筝在这样的地方很常见。",
        ("zh", "compound"): "附近可能有一个风筝节。",
    }


def nouns(code, kind):
    if code == "zh":
        return {chinese.NOUNS[kind][0]}
    return set({"en": english, "fr": french, "it": italian}[code].NOUNS[kind][:2])


@pytest.mark.parametrize("code", LANGUAGES)
def test_purposes_and_compounds_mark_the_noun_of_their_kind(code):
    language = LANGUAGES[code]
    assert set(language.phrases["purpose"]) == set(KINDS)
    assert set(language.phrases["compound"]) == set(COMPOUND_KINDS)
    for slot in ("purpose", "compound"):
        for kind in language.phrases[slot]:
            segments = fill(language, f"{{{slot}}}", Claim(slot, kind))
            assert [segment.role for segment in segments if segment.role] == ["kind"]
            assert {segment.text for segment in segments if segment.role} <= nouns(code, kind)
    assert fill(language, "{compound}", Claim("compound", "person")) is None


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_mention_names_a_kind_by_the_way(code):
    words = {noun for kind in KINDS for noun in nouns(code, kind)}
    edge = "" if code == "zh" else r"\b"
    by_the_way = re.compile(edge + "(" + "|".join(words) + ")" + edge)
    for patterns in MENTION_SENTENCES[code].values():
        for pattern in patterns:
            assert not by_the_way.search(pattern), pattern
    for kind, (purpose,) in LANGUAGES[code].phrases["purpose"].items():
        found = by_the_way.findall(purpose.replace("<", "").replace(">", ""))
        assert len(found) == 1, (kind, purpose)
