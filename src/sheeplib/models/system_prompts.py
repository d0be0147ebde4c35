"""System prompts that ask a model to answer in the language of the question.

The wording is ours: SHEEP says that Gemma3's system prompt was localised, and not what it was.
"""

from __future__ import annotations

from collections.abc import Mapping

LOCALISED: Mapping[str, str] = {
    "en": (
        "You answer questions about an image. Reply in English. Say what can be seen in the image; "
        "if something cannot be made out, say so."
    ),
    "fr": (
        "Tu réponds à des questions sur une image. Réponds en français. Dis ce que l’on peut voir sur "
        "l’image ; si quelque chose ne s’y distingue pas, dis-le."
    ),
    "it": (
        "Rispondi a domande su un’immagine. Rispondi in italiano. Di’ che cosa si vede nell’immagine; "
        "se qualcosa non si distingue, dillo."
    ),
    "zh": (
        "你负责回答关于图片的问题。请用中文回答。请说明图片中能看到的内容；如果有什么看不清楚，请直接说明。"
    ),
}
NEEDING = frozenset({"gemma3"})  # architectures that answer in another language than they are asked in


def system_prompts(architecture: str, system: str = "auto") -> str | Mapping[str, str]:
    """The system prompt to generate with.

    Parameters
    ----------
    architecture : str
        Name of the model's class, such as `gemma3`.
    system : str
        `auto`: localised for Gemma3, none for others, as in SHEEP. `localised`: for any model. `none`.
        Anything else is the prompt itself.

    Returns
    -------
    str or mapping of str to str
        A prompt, empty for none; or one a language. Questions in other languages get none.

    Source
    ------
    SHEEP, section 4.
    """
    if system == "auto":
        system = "localised" if architecture in NEEDING else "none"
    if system == "localised":
        return LOCALISED
    return "" if system == "none" else system
