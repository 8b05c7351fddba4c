"""PyTorch's and JAX's arrays in host memory: read where they lie. Arrays of modules that are not there, or not known."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import sortile


def test_host_arrays_are_read_where_they_lie(host):
    x = np.array([[3.0, 1.0], [2.0, 5.0]], "f4")
    there = host.there(x)
    for axis in (0, 1, None):
        found = sortile.sort(there, axis=axis)
        assert type(found) is type(there) and np.array_equal(host.back(found), np.sort(x, axis=axis))
        assert np.array_equal(host.back(sortile.argsort(there, axis=axis)), np.argsort(x, axis=axis, kind="stable"))
    values, counts = sortile.unique(there, return_counts=True)
    assert values.tolist() == [1, 2, 3, 5] and type(values) is type(there) and counts.tolist() == [1, 1, 1, 1]
    lanes = host.there(x.reshape(-1))
    for order in (counts, sortile.argsort_rows([lanes, lanes]), sortile.lexsort([lanes]), sortile.lexsort([there, there])):
        assert type(order) is type(there)
    assert sortile.argsort_rows([lanes, x.reshape(-1)]).tolist() == [1, 2, 0, 3]


def test_bfloat16_in_host_memory(host):
    x = host.xp.asarray(host.there(np.array([3.0, -1.0, np.nan, 2.0], "f4")), dtype=host.xp.bfloat16)
    found = sortile.sort(x)
    assert type(found) is type(x) and found.dtype == x.dtype and found[:3].tolist() == [-1, 2, 3]
    assert sortile.argsort(x, descending=True).tolist() == [0, 3, 1, 2]
    assert sortile.top_k(x, 1).values.tolist() == [3] and sortile.unique(x[:2]).tolist() == [-1, 3]
    assert sortile.segment_sort(x, [0, 2]).tolist()[:2] == [-1, 3] and "engine    cpu" in sortile.explain(x)


def test_types_by_the_frameworks_names(host):
    x = host.there(np.array([3, 1, 2], "i4"))
    for order in (sortile.argsort(x, dtype=host.xp.uint32), sortile.argsort_rows([x], dtype=host.xp.uint32),
                  sortile.lexsort([x], dtype=host.xp.uint32), sortile.segment_argsort(x, [0, 3], dtype=host.xp.uint32)):
        assert order.dtype == host.xp.uint32 and order.tolist() == [1, 2, 0]


def test_many_threads_at_once(host):
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in (3, 100, 5000, 60_000):
            x = rng.integers(0, 1000, n).astype(rng.choice(["u1", "f4", "i4"]))
            there = host.there(x)
            if not (np.array_equal(host.back(sortile.argsort(there)), np.argsort(x, kind="stable"))
                    and np.array_equal(host.back(sortile.sort(there, descending=True)), np.sort(x)[::-1])):
                failures.append((seed, n))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_nothing_is_imported_for_those_who_do_not_use_it():
    code = ("import sys, numpy, sortile; sortile.sort(numpy.arange(5)); sortile.sort([2, 1]);"
            "print([m for m in ('torch', 'cupy', 'jax', 'pandas', 'pyarrow', 'polars', 'tqdm') if m in sys.modules])")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


class OnAGpu:
    """A tensor that says that it lies on a GPU."""

    def __dlpack__(self, **how):
        raise AssertionError("an array on a GPU was asked for")

    def __dlpack_device__(self):
        return (2, 0)

    @staticmethod
    def from_dlpack(x):
        return x

    def __array_namespace__(self):
        return OnAGpu


def test_a_gpu_array_of_an_unknown_kind_is_refused_by_name():
    with pytest.raises(TypeError, match="this OnAGpu lies in the memory of a device"):
        sortile.sort(OnAGpu())


class OfNoModule:
    """An array in host memory whose module is not there, and that has no way back."""

    __module__ = "nowhere.at.all"
    where, error = (1, 0), None

    def __dlpack__(self, **how):
        if self.error is not None:
            raise self.error
        return np.array([3, 1, 2]).__dlpack__(**how)

    def __dlpack_device__(self):
        return self.where


def test_arrays_of_an_unknown_module(monkeypatch):
    x = OfNoModule()
    assert not sortile.is_sorted(x)
    assert sortile.sort(np.array([2, 1, 0]), out=x) is x
    with pytest.raises(TypeError, match=r"nowhere, whose this OfNoModule is, has no from_dlpack\(\)"):
        sortile.sort(x)
    monkeypatch.setattr(OfNoModule, "error", ValueError("no such version"))
    with pytest.raises(TypeError, match="NumPy cannot take this OfNoModule: no such version"):
        sortile.is_sorted(x)
    monkeypatch.setattr(OfNoModule, "where", (2, 0))
    with pytest.raises(TypeError, match="this OfNoModule lies in the memory of a device"):
        sortile.sort(x)


def test_a_gpu_array_without_the_engine_is_refused_by_name(monkeypatch):
    from sortile import _gpu

    monkeypatch.setattr(_gpu.core, "has_gpu_engine", False)
    wanted = "lies on a GPU, and this package has the CPU engine alone; pip install sortile-cu13"
    with pytest.raises(TypeError, match=wanted):
        _gpu.need_gpu_engine(OnAGpu())


def test_xlas_structs_lie_as_ours_do(host):
    """xla_abi.hpp against the header of the JAX that is installed."""
    compiler = shutil.which("c++") or pytest.skip("there is no C++ compiler")
    if host.name != "jax":
        pytest.skip("JAX alone has the header")
    here, headers = Path(__file__).parent, host.jax.ffi.include_dir()
    has_details = "XLA_FFI_Error_GetDetails" in Path(headers, "xla", "ffi", "api", "c_api.h").read_text()
    ran = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{here.parents[1] / 'python' / 'src'}",
         f"-I{headers}", *(["-DERRORS_HAVE_DETAILS"] if has_details else []), str(here / "xla_abi_check.cpp")],
        capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
