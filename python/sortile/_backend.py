"""The compiled module: that of `sortile-cu13`, which has the GPU engine too, where it is installed; else our own."""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _core as core

__all__ = ["core", "module_name"]


def _load() -> tuple[object, str]:
    if importlib.util.find_spec("sortile_cu13") is None:
        return importlib.import_module("sortile._core"), "sortile._core"
    with_gpu = importlib.import_module("sortile_cu13._core")
    theirs, ours = with_gpu.info()["version"], version("sortile")
    if theirs != ours:
        raise ImportError(
            f"sortile {ours} and sortile-cu13 {theirs} are installed; their versions must agree: "
            f"pip install sortile-cu13=={ours}, or pip uninstall sortile-cu13"
        )
    return with_gpu, "sortile_cu13._core"


_module, module_name = _load()
if not TYPE_CHECKING:
    core = _module
