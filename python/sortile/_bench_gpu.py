"""Rows of `sortile.bench` for arrays on a GPU: each framework that is installed against its own sorts.

A call queues its work; a run ends when the device has done all of it. torch.sort gives positions beside the keys
whether they are wanted or not. Of the largest sorts the memory is counted too. ``call`` rows compare with the compiled
call alone, into an array that is there already (in JAX with the XLA call alone): what is more is this package's and the
framework's part.
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
from ._bench_keys import keys
from ._gpu import KEYS, POSITIONS, GpuArrays
from .bench import Call, Contest, Options, Sides

SIZES = (10, 1000, 10**5, 2**20, 2**24, 2**28)
LARGEST = SIZES[-1]
TINY = (10, 1000)
SMALL = (10, 100, 1000, 10**4, 10**5)
LARGE = (2**20, 2**24)
FEW = "range:100000"

There = Callable[[Any], Any]  # a host array's way to the GPU


def usual(dtype: str) -> str:
    """The workload of the rows of this type."""
    return "unit" if dtype.startswith("float") else "uniform"


def on_torch(_: Options, below: int) -> Iterator[Contest]:
    with suppress(ImportError):
        import torch

        if not torch.cuda.is_available():
            return
        done = torch.cuda.synchronize

        def there(x: Any) -> Any:
            return torch.from_numpy(x).cuda()

        def peak(call: Call) -> int:
            done()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            call()
            return torch.cuda.max_memory_allocated() - before

        targets = {"int32": 2.5, "int64": 3.0}
        argsort = partial(torch.argsort, stable=True)
        for dtype in ("int32", "int64", "float32"):
            for n in takewhile(below.__gt__, SIZES):
                aim = targets.get(dtype, 1.0) if n == LARGEST else 1.0
                make = lanes(there, (n,), dtype, sortile.sort, torch.sort, done, peak)
                yield Contest(f"PyTorch sort {dtype}", n, usual(dtype), "torch.sort", aim, make)
                if n < LARGEST:
                    make = lanes(there, (n,), dtype, sortile.argsort, argsort, done)
                    yield Contest(f"PyTorch argsort {dtype}", n, usual(dtype), "torch.argsort stable", 1.0, make)
        for n in takewhile(below.__gt__, LARGE):
            make = groups(there, n, sortile.unique, torch.unique, done)
            yield Contest("PyTorch unique int64", n, FEW, "torch.unique", 1.0, make)
        if below > 2**24:
            for dtype in ("int32", "float32"):
                for count in (2**4, 2**14):
                    make = lanes(there, (count, 2**24 // count), dtype, sortile.sort, torch.sort, done)
                    yield Contest(f"PyTorch sort {count} rows {dtype}", 2**24, usual(dtype), "torch.sort", 1.0, make)
        for shape, k in (((2**20,), 10), ((2**26,), 10), ((2**26,), 10_000), ((4096, 4096), 32)):
            if prod(shape) < below:
                name = f"PyTorch top_k {k} of {shape[-1]}"
                make = lanes(there, shape, "float32", partial(top_k, k), partial(torch_top_k, k), done)
                yield Contest(name, prod(shape), "unit", "torch.topk", 1.0, make)
        yield from small("PyTorch", there, torch_small(torch), done, below)
        from . import _torch

        yield from calls("PyTorch", _torch.FRAMEWORK, there, done, below)


def top_k(k: int, x: Any) -> Any:
    return sortile.top_k(x, k)


def torch_top_k(k: int, x: Any) -> Any:
    return x.topk(k)


def on_cupy(_: Options, below: int) -> Iterator[Contest]:
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
                aim = targets.get(dtype, 1.0) if n == LARGEST else 1.0
                make = lanes(cupy.asarray, (n,), dtype, sortile.sort, cupy.sort, done, peak)
                yield Contest(f"CuPy sort {dtype}", n, usual(dtype), "cupy.sort", aim, make)
                if n < LARGEST:
                    make = lanes(cupy.asarray, (n,), dtype, sortile.argsort, cupy.argsort, done)
                    yield Contest(f"CuPy argsort {dtype}", n, usual(dtype), "cupy.argsort", 1.0, make)
        for n in takewhile(below.__gt__, LARGE):
            make = groups(cupy.asarray, n, sortile.unique, cupy.unique, done)
            yield Contest("CuPy unique int64", n, FEW, "cupy.unique", 1.0, make)
        yield from small("CuPy", cupy.asarray, cupy_small(cupy), done, below)
        from . import _cupy

        yield from calls("CuPy", _cupy.FRAMEWORK, cupy.asarray, done, below)


def on_jax(_: Options, below: int) -> Iterator[Contest]:
    with suppress(ImportError):
        import jax

        if all(d.platform != "gpu" for d in jax.devices()):
            return
        jax.config.update("jax_enable_x64", True)

        def waited(call: Call) -> Call:
            return lambda *inputs: jax.block_until_ready(call(*inputs))

        def there(x: Any) -> Any:
            return jax.block_until_ready(jax.device_put(x))

        def plain(dtype: str, n: int, ours: Call, theirs: Call) -> Callable[[], Sides]:
            return lanes(there, (n,), dtype, waited(ours), waited(theirs), lambda: None)

        for n in takewhile(below.__gt__, (10, 1000, 2**20, 2**26, LARGEST)):
            for dtype in ("int32", "int64"):
                argsort = jax.jit(partial(jax.numpy.argsort, stable=True))
                aim = 20.0 if dtype == "int64" and n == LARGEST else 1.0
                make = plain(dtype, n, sortile.argsort, argsort)
                yield Contest(f"JAX argsort {dtype}", n, "uniform", "jnp.argsort", aim, make)
                sort = jax.jit(partial(jax.numpy.sort, stable=True))
                make = plain(dtype, n, sortile.sort, sort)
                yield Contest(f"JAX sort {dtype}", n, "uniform", "jnp.sort", 1.0, make)
        yield from small("JAX", there, jax_small(jax), lambda: None, below, waited)
        from . import _jax

        for n in takewhile(below.__gt__, TINY):
            sort = jax.jit(lambda x: _jax.FRAMEWORK.sort_rows(x[None], False)[0])
            make = plain("int32", n, sortile.sort, sort)
            yield Contest("JAX call", n, "uniform", "compiled call", 0.0, make)
            argsort = jax.jit(lambda x: _jax.FRAMEWORK.argsort_rows(x[None], False, "int64")[0])
            make = plain("int32", n, sortile.argsort, argsort)
            yield Contest("JAX argsort call", n, "uniform", "compiled call", 0.0, make)


def lanes(
    there: There, shape: tuple[int, ...], dtype: str, ours: Call, theirs: Call, done: Call,
    peak: Callable[[Call], int] | None = None,
) -> Callable[[], Sides]:
    """Sides of two functions of one array; where memory can be counted, that of the largest."""

    def make() -> Sides:
        x = there(keys(usual(dtype), prod(shape), dtype)).reshape(shape)
        return Sides([partial(ours, x)], [partial(theirs, x)], done, **({} if peak is None else memory(x, peak)))

    return make


def groups(there: There, n: int, ours: Call, theirs: Call, done: Call) -> Callable[[], Sides]:
    def make() -> Sides:
        x = there(keys(FEW, n, "int64"))
        return Sides([partial(ours, x)], [partial(theirs, x)], done)

    return make


Small = Callable[[Any, Any, Any], Any]
"""Of three arrays: keys; of the function's other arguments one more array; the keys in order."""
Rivals = dict[str, tuple[str, Small]]

OURS: dict[str, tuple[str, Small]] = {
    "sort_by_key": ("int32", lambda x, y, s: sortile.sort_by_key(x, y)),
    "top_k 10": ("float32", lambda x, y, s: sortile.top_k(x, 10)),
    "partition": ("float32", lambda x, y, s: sortile.partition(x, x.shape[0] // 2)),
    "median": ("float32", lambda x, y, s: sortile.median(x)),
    "three quantiles": ("float32", lambda x, y, s: sortile.quantile(x, [0.25, 0.5, 0.75])),
    "lexsort": ("int32", lambda x, y, s: sortile.lexsort((x, y))),
    "merge": ("int32", lambda x, y, s: sortile.merge(s, s)),
    "is_sorted": ("int32", lambda x, y, s: sortile.is_sorted(s)),
    "ten segments": ("int32", lambda x, y, s: sortile.segment_sort(x, y)),
    "top 3 of ten segments": ("float32", lambda x, y, s: sortile.segment_top_k(x, 3, y)),
    "group_by": ("int64", lambda x, y, s: sortile.group_by(x)),
    "unique": ("int64", lambda x, y, s: sortile.unique(x)),
    "unique with inverse, counts": (
        "int64",
        lambda x, y, s: sortile.unique(x, return_inverse=True, return_counts=True),
    ),
}


def torch_small(torch: Any) -> Rivals:
    def by_key(x: Any, y: Any, _: Any) -> Any:
        found, order = torch.sort(x, stable=True)
        return found, y[order]

    def lexsort(x: Any, y: Any, _: Any) -> Any:
        order = torch.argsort(x, stable=True)
        return order[torch.argsort(y[order], stable=True)]

    wanted = torch.tensor([0.25, 0.5, 0.75]).cuda()
    whole = partial(torch.unique, return_inverse=True, return_counts=True)
    return {
        "sort_by_key": ("torch.sort, indexing", by_key),
        "top_k 10": ("torch.topk", lambda x, y, s: x.topk(10)),
        "median": ("torch.median", lambda x, y, s: torch.median(x)),
        "three quantiles": ("torch.quantile", lambda x, y, s: torch.quantile(x, wanted)),
        "lexsort": ("torch.argsort, twice", lexsort),
        "merge": ("torch.sort of cat", lambda x, y, s: torch.sort(torch.cat((s, s)))),
        "is_sorted": ("comparisons, all", lambda x, y, s: bool((s[1:] >= s[:-1]).all())),
        "ten segments": ("torch.sort of ten rows", lambda x, y, s: torch.sort(x.reshape(10, -1))),
        "top 3 of ten segments": ("torch.topk of ten rows", lambda x, y, s: x.reshape(10, -1).topk(3)),
        "group_by": ("torch.unique, all", lambda x, y, s: whole(x)),
        "unique": ("torch.unique", lambda x, y, s: torch.unique(x)),
        "unique with inverse, counts": ("torch.unique", lambda x, y, s: whole(x)),
    }


def cupy_small(cupy: Any) -> Rivals:
    whole = partial(cupy.unique, return_inverse=True, return_counts=True)
    wanted = cupy.asarray([0.25, 0.5, 0.75])
    return {
        "sort_by_key": ("cupy.argsort, indexing", lambda x, y, s: (x[order := cupy.argsort(x)], y[order])),
        "top_k 10": ("cupy.argpartition", lambda x, y, s: cupy.argpartition(x, x.shape[0] - 10)[-10:]),
        "partition": ("cupy.partition", lambda x, y, s: cupy.partition(x, x.shape[0] // 2)),
        "median": ("cupy.median", lambda x, y, s: cupy.median(x)),
        "three quantiles": ("cupy.quantile", lambda x, y, s: cupy.quantile(x, wanted)),
        "lexsort": ("cupy.lexsort", lambda x, y, s: cupy.lexsort(cupy.stack((x, y)))),
        "merge": ("cupy.sort of concatenate", lambda x, y, s: cupy.sort(cupy.concatenate((s, s)))),
        "is_sorted": ("comparisons, all", lambda x, y, s: bool((s[1:] >= s[:-1]).all())),
        "ten segments": ("cupy.sort of ten rows", lambda x, y, s: cupy.sort(x.reshape(10, -1))),
        "top 3 of ten segments": ("cupy.sort of ten rows", lambda x, y, s: cupy.sort(x.reshape(10, -1))[:, :-4:-1]),
        "group_by": ("cupy.unique, all", lambda x, y, s: whole(x)),
        "unique": ("cupy.unique", lambda x, y, s: cupy.unique(x)),
        "unique with inverse, counts": ("cupy.unique", lambda x, y, s: whole(x)),
    }


def jax_small(jax: Any) -> Rivals:
    jnp = jax.numpy
    whole = partial(jnp.unique, return_inverse=True, return_counts=True)
    wanted = jnp.asarray([0.25, 0.5, 0.75])

    def by_key(x: Any, y: Any, _: Any) -> Any:
        return jax.lax.sort((x, y), num_keys=1)

    def compiled(call: Small) -> Small:
        made: Small = jax.jit(call)
        return made

    ordered = compiled(lambda x, y, s: (s[1:] >= s[:-1]).all())
    return {
        "sort_by_key": ("lax.sort", compiled(by_key)),
        "top_k 10": ("lax.top_k", compiled(lambda x, y, s: jax.lax.top_k(x, 10))),
        "partition": ("jnp.partition", compiled(lambda x, y, s: jnp.partition(x, x.shape[0] // 2))),
        "median": ("jnp.median", compiled(lambda x, y, s: jnp.median(x))),
        "three quantiles": ("jnp.quantile", compiled(lambda x, y, s: jnp.quantile(x, wanted))),
        "lexsort": ("jnp.lexsort", compiled(lambda x, y, s: jnp.lexsort((x, y)))),
        "merge": ("jnp.sort of concatenate", compiled(lambda x, y, s: jnp.sort(jnp.concatenate((s, s))))),
        "is_sorted": ("comparisons, all", lambda x, y, s: bool(ordered(x, y, s))),
        "ten segments": ("jnp.sort of ten rows", compiled(lambda x, y, s: jnp.sort(x.reshape(10, -1)))),
        "top 3 of ten segments": ("lax.top_k of ten rows", compiled(lambda x, y, s: jax.lax.top_k(x.reshape(10, -1), 3))),
        "group_by": ("jnp.unique, all", lambda x, y, s: whole(x)),
        "unique": ("jnp.unique", lambda x, y, s: jnp.unique(x)),
        "unique with inverse, counts": ("jnp.unique", lambda x, y, s: whole(x)),
    }


def small(
    title: str, there: There, rivals: Rivals, done: Call, below: int, waited: Callable[[Call], Call] = lambda call: call
) -> Iterator[Contest]:
    """The other functions, of few elements, beside the framework's nearest calls."""

    def sides(name: str, n: int) -> Sides:
        dtype, ours = OURS[name]
        x = keys(workload(name), n, dtype)
        ordered = sortile.sort(x)
        second = np.arange(0, n + 1, n // 10) if name.endswith("ten segments") else keys("uniform", n, "int32")[::-1].copy()
        inputs = there(x), there(second), there(ordered)
        return Sides([partial(waited(ours), *inputs)], [partial(waited(rivals[name][1]), *inputs)], done)

    def workload(name: str) -> str:
        return FEW if OURS[name][0] == "int64" else usual(OURS[name][0])

    for name in (name for name in OURS if name in rivals):
        for n in takewhile(below.__gt__, SMALL[name.endswith("ten segments") :]):  # segments of one element need no sort
            make = partial(sides, name, n)
            yield Contest(f"{title} {name} {OURS[name][0]}", n, workload(name), rivals[name][0], 1.0, make)


def calls(title: str, framework: GpuArrays, there: There, done: Call, below: int) -> Iterator[Contest]:
    """Whole calls beside the compiled part of each."""

    def sides(n: int, whole: Call, wanted: int) -> Sides:
        x = there(keys("uniform", n, "int32"))
        return Sides([partial(whole, x)], [compiled_call(framework, x, wanted)], done)

    for n in takewhile(below.__gt__, TINY):
        for name, whole, wanted in ("call", sortile.sort, KEYS), ("argsort call", sortile.argsort, POSITIONS):
            make = partial(sides, n, whole, wanted)
            yield Contest(f"{title} {name}", n, "uniform", "compiled call", 0.0, make)


def memory(x: Any, peak: Callable[[Call], int]) -> dict[str, Any]:
    """Of a contest of sorts of x: how memory is counted, where it is."""
    if x.shape[0] < LARGEST:
        return {}
    return {"peak": peak, "workspace": int(sortile.explain(x).rpartition("workspace ")[2].split()[0])}


def compiled_call(framework: GpuArrays, x: Any, wanted: int) -> Callable[[], Any]:
    """The sort, or that of positions, without anything around it but its workspace."""
    keys_out = framework.empty(tuple(x.shape), x.dtype, x) if wanted == KEYS else None
    order = framework.empty(tuple(x.shape), framework.typed("int64"), x) if wanted == POSITIONS else None
    to_keys, to_order = (0 if a is None else framework.address(a) for a in (keys_out, order))
    width = 0 if order is None else 8
    arguments = (framework.key_type(x), 1, x.shape[0], framework.address(x), to_keys, width, 0, to_order)
    queue = framework.queue(x)

    def call(_: Any = (keys_out, order)) -> None:  # which have to stay
        core.device_sort(wanted, *arguments, False, *queue)

    return call


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
