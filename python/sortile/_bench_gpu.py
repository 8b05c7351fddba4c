"""Rows of `sortile.bench` for arrays on a GPU: each framework that is installed against its own sorts.

A call queues its work; a run ends when the device has done all of it. torch.sort gives positions beside the keys
whether they are wanted or not. Of the largest sorts the memory is counted too. ``call`` rows compare with the compiled
call alone, into an array that is there already: what is more is this package's and the framework's part.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import takewhile
from math import prod
from typing import Any, Callable, Iterator

import numpy as np

import sortile

from ._backend import core
from ._gpu import KEYS, GpuArrays
from .bench import Call, Contest

SIZES = (10, 1000, 10**5, 2**20, 2**24, 2**28)
LARGEST = SIZES[-1]


def host_keys(n: int, dtype: str) -> Any:
    """Uniform over all bits; floats uniform in [0, 1)."""
    rng = np.random.default_rng(1)
    if dtype.startswith("float"):
        return rng.random(n, dtype="float32").astype(dtype, copy=False)
    return rng.integers(0, 2**64, n * np.dtype(dtype).itemsize // 8 + 1, dtype="u8").view(dtype)[:n]


def on_torch(_: int | None, below: int) -> Iterator[Contest]:
    with suppress(ImportError):
        import torch

        if not torch.cuda.is_available():
            return
        done = torch.cuda.synchronize

        def peak(call: Call) -> int:
            done()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            call()
            return torch.cuda.max_memory_allocated() - before

        targets = {"int32": 2.5, "int64": 3.0}
        for dtype in ("int32", "int64", "float32"):
            for n in takewhile(below.__gt__, SIZES):
                x = torch.from_numpy(host_keys(n, dtype)).cuda()
                aim = targets.get(dtype, 1.0) if n == LARGEST else 1.0
                yield Contest(f"PyTorch sort {dtype}", n, partial(sortile.sort, x), "torch.sort",
                              partial(torch.sort, x), aim, done, **memory(x, peak))
                if n < LARGEST:
                    yield Contest(f"PyTorch argsort {dtype}", n, partial(sortile.argsort, x), "torch.argsort stable",
                                  partial(torch.argsort, x, stable=True), 1.0, done)
        for dtype in ("int32", "float32"):
            for count in (2**4, 2**14):
                rows = torch.from_numpy(host_keys(2**24, dtype)).cuda().reshape(count, -1)
                yield Contest(f"PyTorch sort {count} rows {dtype}", rows.numel(), partial(sortile.sort, rows),
                              "torch.sort", partial(torch.sort, rows), 1.0, done)
        for shape, k in (((2**20,), 10), ((2**26,), 10), ((2**26,), 10_000), ((4096, 4096), 32)):
            x = torch.from_numpy(host_keys(prod(shape), "float32")).cuda().reshape(shape)
            yield Contest(f"PyTorch top_k {k} of {shape[-1]}", x.numel(), partial(sortile.top_k, x, k), "torch.topk",
                          partial(torch.topk, x, k), 1.0, done)
        from . import _torch

        x = torch.from_numpy(host_keys(1000, "int32")).cuda()
        yield Contest("PyTorch call", 1000, partial(sortile.sort, x), "compiled call",
                      compiled_call(_torch.FRAMEWORK, x), 0.0, done)


def on_cupy(_: int | None, below: int) -> Iterator[Contest]:
    with suppress(ImportError):
        import cupy

        if not cupy.cuda.is_available():
            return
        done = cupy.cuda.Device().synchronize

        class Counted(cupy.cuda.MemoryHook):  # type: ignore[misc]
            name = "sortile.bench"
            now = most = 0

            def malloc_postprocess(self, **of: Any) -> None:
                self.now += of["mem_size"]
                self.most = max(self.most, self.now)

            def free_postprocess(self, **of: Any) -> None:
                self.now -= of["mem_size"]

        def peak(call: Call) -> int:
            with Counted() as counted:
                call()
            return int(counted.most)

        targets = {"uint32": 1.8, "int64": 2.8}
        for dtype in ("uint32", "int64", "float32"):
            for n in takewhile(below.__gt__, SIZES):
                x = cupy.asarray(host_keys(n, dtype))
                aim = targets.get(dtype, 1.0) if n == LARGEST else 1.0
                yield Contest(f"CuPy sort {dtype}", n, partial(sortile.sort, x), "cupy.sort", partial(cupy.sort, x),
                              aim, done, **memory(x, peak))
        from . import _cupy

        x = cupy.asarray(host_keys(1000, "int32"))
        yield Contest("CuPy call", 1000, partial(sortile.sort, x), "compiled call",
                      compiled_call(_cupy.FRAMEWORK, x), 0.0, done)


def on_jax(_: int | None, below: int) -> Iterator[Contest]:
    with suppress(ImportError):
        import jax

        if all(d.platform != "gpu" for d in jax.devices()):
            return
        jax.config.update("jax_enable_x64", True)

        def waited(call: Callable[[Any], Any], x: Any) -> Callable[[], Any]:
            return lambda: call(x).block_until_ready()

        for n in takewhile(below.__gt__, (10, 1000, 2**20, 2**26, LARGEST)):
            for dtype in ("int32", "int64"):
                x = jax.device_put(host_keys(n, dtype))
                argsort = jax.jit(partial(jax.numpy.argsort, stable=True))
                aim = 20.0 if dtype == "int64" and n == LARGEST else 1.0
                yield Contest(f"JAX argsort {dtype}", n, waited(sortile.argsort, x), "jnp.argsort",
                              waited(argsort, x), aim)
                sort = jax.jit(partial(jax.numpy.sort, stable=True))
                yield Contest(f"JAX sort {dtype}", n, waited(sortile.sort, x), "jnp.sort", waited(sort, x), 1.0)


def memory(x: Any, peak: Callable[[Call], int]) -> dict[str, Any]:
    """Of a contest of sorts of x: how memory is counted, where it is."""
    if x.shape[0] < LARGEST:
        return {}
    return {"peak": peak, "workspace": int(sortile.explain(x).rpartition("workspace ")[2].split()[0])}


def compiled_call(framework: GpuArrays, x: Any) -> Callable[[], Any]:
    """The sort without anything around it but its workspace."""
    out = framework.empty(tuple(x.shape), x.dtype, x)
    queue = framework.queue(x)
    arguments = (framework.key_type(x), 1, x.shape[0], framework.address(x), framework.address(out), 0, 0, 0)
    return lambda: core.device_sort(KEYS, *arguments, False, *queue)


def machine() -> dict[str, Any]:
    about: dict[str, Any] = {}
    with suppress(ImportError):
        import torch

        about["torch"] = torch.__version__
        if torch.cuda.is_available():
            about["gpu"] = torch.cuda.get_device_name()
            about["cuda"] = torch.version.cuda
    with suppress(ImportError):
        import cupy

        about["cupy"] = cupy.__version__
    with suppress(ImportError):
        import jax

        about["jax"] = jax.__version__
    return about


SUITES = (on_torch, on_cupy, on_jax)
