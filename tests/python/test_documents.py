"""The examples of the documents and docstrings, run as they stand."""

import doctest
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
    ran = doctest.testmod(sortile)
    assert ran.attempted >= 8 and ran.failed == 0


def test_every_function_is_documented():
    page = (ROOT / "docs" / "python.md").read_text()
    for name in sortile.__all__:
        assert f"sortile.{name}(" in page, name
        assert len((getattr(sortile, name).__doc__ or "").split()) > 10, name
