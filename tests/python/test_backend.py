"""Which compiled module sorts: that of sortile-cu13 where it is installed in the same version."""

import os
import subprocess
import sys

import pytest

import sortile

CODE = "import sortile; print(sortile.info()['module'], sortile.sort([3, 1, 2]))"


def run_beside(folder, module):
    """CODE, beside a package called sortile_cu13 whose compiled module is this text."""
    package = folder / "sortile_cu13"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_core.py").write_text(module)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True)


def test_sortile_cu13_is_found_at_import(tmp_path):
    ran = run_beside(tmp_path, "from sortile._core import *\nfrom sortile._core import has_gpu_engine")
    assert ran.returncode == 0 and ran.stdout == "sortile_cu13._core [1 2 3]\n", ran.stderr


def test_another_version_is_refused_by_name(tmp_path):
    ran = run_beside(tmp_path, "def info(): return {'version': '9.9'}")
    assert ran.returncode == 1
    wanted = f"ImportError: sortile {sortile.__version__} and sortile-cu13 9.9 are installed; their versions must agree"
    assert wanted in ran.stderr


def test_a_broken_one_is_not_passed_over(tmp_path):
    ran = run_beside(tmp_path, "raise ImportError('libcuda is not what it was')")
    assert ran.returncode == 1 and "libcuda is not what it was" in ran.stderr


@pytest.mark.skipif(sortile.info()["module"] != "sortile._core", reason="sortile-cu13 is installed")
def test_without_it_the_gpu_engine_says_why_not():
    (engine,) = [e for e in sortile.info()["engines"] if e["name"] == "cuda"]
    assert not engine["usable"] and "pip install sortile-cu13" in engine["reason"]
