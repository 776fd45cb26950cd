"""The notebook of the documentation runs."""

import os
import pathlib

import nbclient
import nbformat

NOTEBOOK = pathlib.Path(__file__).parent.parent / "notebook.ipynb"


def test_the_notebook_runs(folder):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    os.environ["PLYFOLD_LIBRARY"] = str(folder / "games.plyfold")
    nbclient.NotebookClient(notebook, timeout=120).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("Carlsen, Magnus" in str(output.get("data", output.get("text"))) for output in outputs)
