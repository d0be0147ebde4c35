"""What a judge is asked, in our own words; nothing here needs torch.

SHEEP prints its prompt (Figure 6): a role, six labels with definitions and examples, the request for a
letter alone, and then the text. Structure and the meaning of the labels are the paper's; the wording and the
examples are ours, so letters need not be those that its prompt would give. The paper says that the question
was given as well, and its printed prompt has no place for it: here it stands before the answer. As in the
paper, the prompt is English whatever the language of question and answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.tables import OFFICIAL_NAMES, Label

MEANINGS: Mapping[Label, str] = {
    Label.INVENTION: (
        "something is named that the image does not show in any form: a thing, a person, a feature or an "
        "action made up from nothing. For instance, a bicycle leans on the wall, but there is no bicycle"
    ),
    Label.MISCHARACTERIZATION: (
        "something that is in the image is described wrongly: as another kind of thing, or with a wrong "
        "colour, place, material, posture or activity. For instance, a white cup is called brown, or a goat "
        "is called a sheep"
    ),
    Label.OCR: (
        "writing that can be read in the image is quoted or understood wrongly. For instance, a label says "
        "SALT, and the answer says SUGAR"
    ),
    Label.MISCOUNTING: (
        "the number or the amount of something in the image is wrong. For instance, four boats where there "
        "are six, or a crowd where there is one person"
    ),
    Label.OTHER: "the answer contradicts the image in a way that none of A to D describes",
    Label.NONE: "nothing in the answer contradicts the image",
}


def instructions() -> str:
    """Everything before question and answer, the same for all items."""
    lines = [f"{label} ({OFFICIAL_NAMES[label]}): {meaning}." for label, meaning in MEANINGS.items()]
    return "\n".join(
        [
            "You check what somebody wrote about an image. Look at the image and read the answer below. "
            "It hallucinates if it claims something that contradicts what the image shows. Decide which one "
            "of these six labels fits the answer best:",
            *lines,
            "Name one label by its letter, A, B, C, D, E or F. Write that letter and nothing else: no "
            "reasons, no punctuation.",
        ]
    )


def judge_prompt(question: str, response: str) -> str:
    """The text that a judge is given beside the image.

    Parameters
    ----------
    question : str
        That was answered; left out where it is empty.
    response : str
        The complete answer.

    Returns
    -------
    str

    Source
    ------
    SHEEP 4 and appendix B.2, Figure 6, for what is said; not for how.
    """
    asked = f"QUESTION:\n{question.strip()}\n\n" if question.strip() else ""
    return f"{instructions()}\n\n{asked}ANSWER TO CHECK:\n{response}"
