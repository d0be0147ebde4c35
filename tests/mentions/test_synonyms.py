"""Synonym lists: ours, the real one, and files that are wrong."""

import json

import pytest

from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.errors import InputError
from sheeplib.mentions.synonyms import own_synonyms, read_synonyms


def test_our_lists_name_each_class_by_its_name_and_no_word_names_two():
    coco = own_synonyms("coco")
    assert len(coco.concepts) == 80
    assert all(concept in words for concept, words in coco.words.items())
    words = [word for listed in coco.words.values() for word in listed]
    assert len(words) == len(set(words)) and all(word == word.strip().lower() for word in words)
    assert set(own_synonyms("meadow").concepts) == set(KINDS) <= set(coco.concepts)
    known = {*words, "home plate", "train track"}
    assert set(coco.double_words.values()) <= known


def test_the_list_of_chair_reads_with_its_blanks_and_capitals(shared):
    read = read_synonyms(shared / "coco" / "synonyms.json")
    assert len(read.concepts) == 80
    assert " motor bike" in read.words["motorcycle"] and "iPhone" in read.words["cell phone"]
    assert read.double_words["wine glas"] == "wine glass"


def test_a_name_of_ours_is_read_unless_a_file_has_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_synonyms("coco") is own_synonyms("coco")
    (tmp_path / "coco").write_text('{"synonyms": {"dog": ["dog"]}}')
    assert read_synonyms("coco").concepts == ("dog",)


WRONG = {
    "not json": ("{", "invalid JSON"),
    "a list": ("[]", "not a synonym list"),
    "no words": ('{"synonyms": {"dog": []}}', "synonyms.dog"),
    "no classes": ('{"synonyms": {}}', "no classes"),
    "a number": ('{"synonyms": {"dog": [3]}}', "synonyms.dog"),
    "a blank": ('{"synonyms": {"dog": [" "]}}', "not a word"),
    "twice": ('{"synonyms": {"dog": ["pup"], "cat": ["pup"]}}', "names 'dog', too"),
    "pairs": ('{"synonyms": {"dog": ["dog"]}, "double_words": []}', "double_words"),
    "a pair": ('{"synonyms": {"dog": ["dog"]}, "double_words": {"a b": 1}}', "double_words.a b"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_file_and_field(case, tmp_path):
    text, said = WRONG[case]
    path = tmp_path / "words.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_synonyms(path)
    assert said in str(error.value) and str(path) in str(error.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_synonyms(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'{"synonyms": {"caf\xe9": ["x"]}}')
    with pytest.raises(InputError, match="not UTF-8"):
        read_synonyms(tmp_path / "latin.json")
    with pytest.raises(InputError, match="no such synonym list"):
        own_synonyms("atlantis")


def test_lists_are_compact():
    for name in ("coco", "meadow"):
        synonyms = own_synonyms(name)
        size = len(json.dumps([dict(synonyms.words), dict(synonyms.double_words)]))
        assert size < 6000
