"""Translation between English, French, Italian and Chinese, with a look at what came out.

Without Chinese by NLLB, a sequence-to-sequence model that is told the target language by its first token;
with Chinese by Qwen3, which is asked in a chat. Both search with 4 beams and draw nothing.

Source
------
SHEEP, section 4 and appendix B.1. The wording of the prompt is ours, and so is the check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sheeplib.errors import InputError, Problem
from sheeplib.models import runs
from sheeplib.models.sentences import LANGUAGES, spans, suspicious

if TYPE_CHECKING:
    from sheeplib.models.decoding import Written
    from sheeplib.models.model import Model
    from sheeplib.models.translators import Translator

SPLITS = ("never", "long", "always")


@dataclass(frozen=True)
class Translation:
    """A translated text, and what to know about it.

    Parameters
    ----------
    text : str
        Empty if nothing was translated.
    finish : {"eos", "length", "refused"}
        Whether the model ended by itself, was cut, or was not asked.
    doubt : str
        Why a person should look at it; empty if nothing was noticed.
    tokens : int
        Tokens written.
    pieces : int
        Parts that the text was translated in: 1 unless it was split, 0 if there was nothing to do.
    """

    text: str
    finish: str
    doubt: str
    tokens: int
    pieces: int


def translator_for(source: str, target: str) -> str:
    """Name of the model that translates between two languages.

    Raises
    ------
    InputError
        If a language is not one of `LANGUAGES`, or both are the same.

    Source
    ------
    SHEEP, appendix B.1: Qwen3 8B for anything with Chinese, NLLB-200 3.3B otherwise.
    """
    check_pair(source, target)
    return "qwen3-8b" if "zh" in (source, target) else "nllb-200-3.3b"


def check_pair(source: str, target: str) -> None:
    """Refuse languages that are not known, and a language into itself.

    Raises
    ------
    InputError
    """
    problems = [
        Problem("unknown language", f"Known: {', '.join(LANGUAGES)}", field=name, value=language)
        for name, language in {"source": source, "target": target}.items()
        if language not in LANGUAGES
    ]
    if not problems and source == target:
        problems = [Problem("source and target are one language", "Choose two", value=source)]
    if problems:
        raise InputError(problems)


def translate(
    model: Model,
    texts: Sequence[str],
    source: str,
    target: str,
    *,
    beams: int = 4,
    max_tokens: int = 512,
    batch_size: int = 8,
    split: str = "long",
) -> list[Translation]:
    """Translate texts.

    Parameters
    ----------
    model : Model
        NLLB (class M2M100), or a model that chats and reads text alone, such as Qwen3.
    texts : sequence of str
    source, target : str
        Of `LANGUAGES`.
    beams : int
        Width of the search.
    max_tokens : int
        Most tokens written for a text, or for a piece of it.
    batch_size : int
        Texts of like length that are translated at once.
    split : {"never", "long", "always"}
        Which texts to translate sentence by sentence: none; those too long for the model; all, which
        keeps NLLB from stopping after the first sentence, but is not what SHEEP did.

    Returns
    -------
    list of Translation
        In the order of the texts. Nothing is cut without a word: a text that is too long, or holds what
        the model would read as a command, is refused; see `doubt`.

    Raises
    ------
    InputError
        If an option cannot be used, the model does not translate, or memory runs out.
    """
    from sheeplib.models.decoding import Settings
    from sheeplib.models.translators import translator

    check_pair(source, target)
    runs.check_sizes(batch_size=batch_size)
    if split not in SPLITS:
        raise InputError(Problem("unknown way to split", f"One of: {', '.join(SPLITS)}", value=split))
    asked = translator(model, source, target, Settings(temperature=0, max_tokens=max_tokens, beams=beams))
    plans = [_plan(asked, text, split) for text in texts]
    pieces = sorted({piece for plan in plans for piece in plan.pieces}, key=lambda text: (-len(text), text))
    written: dict[str, Written] = {}
    for block in runs.blocks(pieces, batch_size):
        written |= dict(zip(block, asked.write(block), strict=True))
    return [_joined(asked, text, plan, written) for text, plan in zip(texts, plans, strict=True)]


@dataclass(frozen=True)
class _Plan:
    """The pieces of a text, and what stood between them; or why it will not be translated."""

    pieces: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    refusal: str = ""


def _plan(asked: Translator, text: str, split: str) -> _Plan:
    if not text.strip():
        return _Plan()
    if refusal := asked.refusal(text):
        return _Plan(refusal=refusal)
    reason = asked.too_long(text)
    if split == "never" and reason:
        return _Plan(refusal=reason)
    if split != "always" and not reason:
        return _Plan((text.strip(),))
    places = spans(text, asked.source) or [(0, len(text))]
    pieces = tuple(text[start:end] for start, end in places)
    gaps = tuple(text[a:b] for (_, a), (b, _) in zip(places, places[1:], strict=False))
    refusal = next((f"a sentence of {why}" for piece in pieces if (why := asked.too_long(piece))), "")
    return _Plan(refusal=refusal) if refusal else _Plan(pieces, gaps)


def _joined(asked: Translator, text: str, plan: _Plan, written: Mapping[str, Written]) -> Translation:
    if plan.refusal:
        return Translation("", "refused", plan.refusal, 0, 0)
    done = [written[piece] for piece in plan.pieces]
    said = done[0].text if done else ""
    for gap, piece in zip(plan.gaps, done[1:], strict=True):
        # Lines stay lines; and Chinese sets no spaces.
        said += (gap if "\n" in gap else "" if asked.target == "zh" else " ") + piece.text
    cut = any(piece.finish == "length" for piece in done)
    doubt = "cut: it needs more tokens" if cut else suspicious(text, said, asked.source, asked.target)
    return Translation(
        said, "length" if cut else "eos", doubt, sum(piece.tokens for piece in done), len(done)
    )
