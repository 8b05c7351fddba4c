"""The examples of the documents, docstrings and the notebook, run as they stand."""

import doctest
import importlib
import inspect
import json
import pkgutil
import re
from pathlib import Path

import pytest

import sortile

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("python*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_blocks_run(page):
    names: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        exec(compile(block, str(page), "exec"), names)


def test_docstrings():
    ran = 0
    for module in {getattr(sortile, name).__module__ for name in sortile.__all__}:
        found = doctest.testmod(importlib.import_module(module))
        assert found.failed == 0, module
        ran += found.attempted
    assert ran >= 20


def test_docstrings_are_whole():
    """Every function has the sections of NumPy's style, and names each of its parameters."""
    for name in sortile.__all__:
        call = getattr(sortile, name)
        text, parameters = inspect.getdoc(call), list(inspect.signature(call).parameters)
        wanted = ["Examples", *(["Parameters", "Returns", "Raises", "Notes"] if parameters else [])]
        assert [w for w in wanted if f"{w}\n{'-' * len(w)}\n" not in text] == [], name
        assert [p for p in parameters if not re.search(rf"\b{p}\b", text)] == [], name


def test_notebook(monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("svg")
    monkeypatch.setenv("SORTILE_NOTEBOOK_LARGEST", "1000")
    drawn = []
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: drawn.append(len(matplotlib.pyplot.gcf().axes)))
    cells = json.loads((ROOT / "docs" / "python-speed.ipynb").read_text())["cells"]
    names: dict = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert drawn == [2, 2, 2, 2]
    matplotlib.pyplot.close("all")


def test_modules_are_small_and_say_what_they_are_for():
    for module in pkgutil.iter_modules(sortile.__path__):
        source = Path(sortile.__path__[0], f"{module.name}.py")
        if source.exists():
            text = source.read_text()
            assert text.startswith('"""') and text.count("\n") <= 400, module.name


def test_every_function_is_documented():
    page = (ROOT / "docs" / "python.md").read_text()
    for name in sortile.__all__:
        assert f"sortile.{name}(" in page, name
        assert len((getattr(sortile, name).__doc__ or "").split()) > 10, name
