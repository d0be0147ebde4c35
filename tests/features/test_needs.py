"""Needs: what is written is what is read, defaults are filled in, and mistakes are named."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib.errors import InputError
from sheeplib.features.needs import METHODS, QUANTITIES, Need, parse


@st.composite
def written(draw):
    """Any need, with or without its optional parts."""
    quantity = draw(st.sampled_from(sorted(QUANTITIES)))
    about = QUANTITIES[quantity]
    text = quantity
    if any(about.variants):
        text += draw(st.sampled_from([f":{name}" for name in about.variants if name] + [""]))
    if about.layers:
        layers = ["", ":all", ":mid", ":last", ":last-1", ":last3", ":2", ":1-3", ":3/4", ":0/1", ":1/1"]
        text += draw(st.sampled_from(layers))
    if about.rows:
        text += draw(st.sampled_from([f"@{row}" for row in about.rows] + [""]))
    return text


@settings(deadline=None)
@given(written())
def test_the_text_of_a_need_is_read_back_as_itself(text):
    if text in METHODS:  # a bare name that is both is the method's
        return
    (need,) = parse([text])
    assert parse([str(need)]) == (need,) or str(need) in METHODS
    assert set(str(need).replace("@", ":").split(":")) >= set(text.replace("@", ":").split(":")) - {"all", ""}


@settings(deadline=None)
@given(written())
def test_every_need_of_tokens_names_its_row(text):
    for need in parse([text]):
        assert (need.row in ("gen", "own")) == (need.about.place != "item")
        assert str(need).endswith(f"@{need.row}") or need.about.place == "item"


@pytest.mark.parametrize(
    "short, full",
    [
        ("gen_logits", "gen_logits@gen"),
        ("evidence", "evidence:repo@gen"),
        ("evidence:canonical", "evidence:canonical@gen"),
        ("lens:all", "lens@gen"),
        ("hidden_norms", "hidden_norms@own"),
        ("hidden@gen", "hidden:mid@gen"),
        ("hidden:all@gen", "hidden:all@gen"),
        ("layer_cosine", "layer_cosine@own"),
        ("attention_masses", "attention_masses@gen"),
        ("attention_masses:heads:5-18", "attention_masses:heads:5-18@gen"),
        ("attention_gini", "attention_gini:last3@own"),
        ("attention_gini:all", "attention_gini:all@own"),
        ("image_mean", "image_mean"),
        ("prompt_state", "prompt_state:3/4"),
    ],
)
def test_defaults_are_filled_in(short, full):
    assert [str(need) for need in parse([short])] == [full]


def test_methods_stand_for_their_needs():
    for method, needs in METHODS.items():
        assert sorted(str(need) for need in parse([method])) == sorted(needs), (
            "needs of methods are written in full"
        )
    # NAME-Bench's SVAR looks where the token is generated; SHEEP's features look at the token's own row.
    assert {need.row for need in parse("svar")} == {"gen"}
    assert {need.row for need in parse("hallushift") if need.about.reads == "attention"} == {"own"}
    assert [str(need) for need in parse("hidden")] == ["hidden:last@own", "hidden:mid@own"]


def test_needs_are_sorted_and_each_is_there_once():
    needs = parse(["nll", "entropy", "gen_logits", "visible_keys", "attention_max@gen", "visible_keys@own"])
    assert [str(need) for need in needs] == ["attention_max@gen", "gen_logits@gen", "visible_keys@own"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("hiden:mid", "Did you mean 'hidden'"),
        ("overthinkin", "Did you mean 'overthinking'"),
        ("perplexity_of_the_sheep", "Known: gen_logits, evidence"),
        ("gen_logits@own", "'gen_logits' is read at: gen"),
        ("hidden:mid@", "'hidden' is read at: own, gen"),
        ("image_mean@gen", "the item, not at a token"),
        ("hidden:middle", "'hidden' takes: all, mid, last, last-1, last3, 5, 5-18, 3/4"),
        ("hidden:heads", "'hidden' takes: all"),
        ("hidden:last0", "'hidden' takes: all"),
        ("gen_logits:3", "'gen_logits' takes: nothing"),
        ("evidence:lcp_point", "'evidence' takes: repo, canonical"),
        ("attention_masses:heads:mid:last", "unknown part"),
        ("hidden:1/0", "unknown part"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        parse([text])


def test_one_column_cannot_be_read_at_two_rows():
    with pytest.raises(InputError, match="'layer_cosine@gen' and 'layer_cosine@own' give the same column"):
        parse(["layer_cosine@own", "layer_cosine@gen"])


@pytest.mark.parametrize(
    "text, depth, indices",
    [
        # Hidden states count 0..L, layers of attention 0..L-1, those of the lens 1..L.
        ("hidden:all", 4, (0, 1, 2, 3, 4)),
        ("attention_max:all", 4, (0, 1, 2, 3)),
        ("lens:all", 4, (1, 2, 3, 4)),
        ("hidden:last", 32, (32,)),
        ("hidden:last-1", 32, (31,)),  # HALP's "L-1": the output of the last layer but one
        ("attention_max:last", 32, (31,)),
        ("hidden:mid", 28, (14,)),
        ("hidden:mid", 5, (2,)),
        ("hidden:3/4", 30, (22,)),  # floor(22.5)
        ("hidden:1/1", 30, (30,)),
        ("attention_max:1/1", 30, (29,)),
        ("lens:0/1", 30, (1,)),
        ("hidden:1", 1, (1,)),
        ("attention_gini:last3", 30, (27, 28, 29)),
        ("attention_gini:last3", 2, (0, 1)),
        ("hidden:last3", 4, (2, 3, 4)),
        ("attention_masses:5-18", 32, tuple(range(5, 19))),
        ("image_mean", 32, ()),
    ],
)
def test_layers_as_numbers(text, depth, indices):
    assert parse([text])[0].indices(depth) == indices


@pytest.mark.parametrize(
    "text", ["hidden:5", "attention_max:4", "lens:0", "hidden:3-9", "hidden:3-2", "hidden:5/4"]
)
def test_a_layer_that_is_not_there_is_an_error(text):
    with pytest.raises(InputError, match="no such layer.*This decoder has [01] to [34]"):
        parse([text])[0].indices(4)


def test_halp_reads_the_layers_of_its_paper():
    # {0, L/4, L/2, 3L/4, L-1} of the hidden states.
    needs = parse("halp")
    layers = {
        q: sorted(n.indices(32)[0] for n in needs if n.quantity == q) for q in ("prompt_state", "image_state")
    }
    assert layers == {"prompt_state": [0, 8, 16, 24, 31], "image_state": [0, 8, 16, 24, 31]}


def test_what_is_wide_is_given_for_kept_tokens_alone():
    names = [f"{q}:heads" if "heads" in QUANTITIES[q].variants else q for q in QUANTITIES]
    wide = {str(need) for need in parse(names) if need.large}
    assert wide == {
        "attention_entropy:heads@own",
        "attention_masses:heads@gen",
        "contextual_lens:mid@own",
        "glsim:repo@gen",
        "hidden:last@own",
        "hidden:mid@own",
        "image_attention:heads@gen",
        "internal_confidence:repo@own",
    }


def test_names_of_columns_and_arrays():
    assert Need("gen_logits", "", "gen").arrays == ()
    assert "token_nll" in Need("gen_logits", "", "gen").columns
    assert Need("lens", "all", "gen").arrays == ("lens_entropy@gen", "lens_token@gen")
    assert Need("lens", "last3", "gen").arrays == ("lens_entropy:last3@gen", "lens_token:last3@gen")
    assert Need("attention_masses", "all", "gen", "heads").arrays == ("attention_masses:heads@gen",)


def test_needs_are_read_without_torch():
    code = "import sys, sheeplib.features.needs, sheeplib.features.gathering; print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
