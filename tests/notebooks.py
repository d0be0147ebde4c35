"""Small notebooks for tests of what runs and shows them."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PARAMETERS = "n: int = 3  # how many\nnames: list[str] = ['a']  # who\ncorpus: str | None = None  # data"


def write_notebook(path: Path, *code: str, prose: str = "# A chapter", parameters: str = PARAMETERS) -> Path:
    """A notebook with a title, a cell of parameters and the given cells; equal calls give equal files."""
    cells = [new_markdown_cell(prose), new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    cells += [new_code_cell(source) for source in code]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), path)
    return path


def outputs(path: Path) -> list[str]:
    """Plain text of all outputs of an executed notebook."""
    cells = nbformat.read(path, as_version=4).cells
    found = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    return [o.text if o.output_type == "stream" else o.data["text/plain"] for o in found]
