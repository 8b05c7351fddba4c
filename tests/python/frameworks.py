"""The frameworks whose arrays are sorted on a GPU, one class each: how NumPy's arrays go there and come back.

Where a framework, a GPU or the engine for it is missing, its tests are skipped, and say what is missing.
"""

import importlib

import numpy as np
import pytest

import sortile

NAMES = ["torch", "cupy", "jax"]


class Torch:
    name = "torch"
    types = ("?", "u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8")

    def __init__(self, device):
        import torch

        self.xp, self.device = torch, device

    def has_gpu(self):
        return self.xp.cuda.is_available()

    def there(self, x):
        return self.xp.from_numpy(np.ascontiguousarray(x).reshape(np.shape(x))).to(self.device)  # which has an axis at least

    def back(self, x):
        return x.detach().cpu().numpy()


class CuPy:
    name = "cupy"
    types = ("?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8")

    def __init__(self, device):
        import cupy

        self.xp = cupy

    def has_gpu(self):
        return self.xp.cuda.is_available()

    def there(self, x):
        return self.xp.asarray(x)

    def back(self, x):
        return self.xp.asnumpy(x)


class Jax:
    name = "jax"
    types = ("?", "u1", "u2", "u4", "i1", "i2", "i4", "f2", "f4")  # 64-bit ones are off unless a program turns them on

    def __init__(self, device):
        import jax

        self.xp, self.jax = jax.numpy, jax
        self.platform = "gpu" if device == "cuda" else "cpu"

    def has_gpu(self):
        return any(d.platform == "gpu" for d in self.jax.devices())

    def there(self, x):
        return self.jax.device_put(x, self.jax.devices(self.platform)[0])

    def back(self, x):
        return np.asarray(x)


def some_types(framework, seed):
    """All types; of JAX's, which compiles a program for each, a third."""
    return framework.types[seed % 3 :: 3] if framework.name == "jax" else framework.types


def on_gpu(name):
    """The framework, or a skip that says why there is none."""
    pytest.importorskip(name, reason=f"{name} is not installed")
    framework = {"torch": Torch, "cupy": CuPy, "jax": Jax}[name]("cuda")
    if not framework.has_gpu():
        pytest.skip(f"{name} finds no GPU here")
    engines = {engine["name"]: engine for engine in sortile.info()["engines"]}
    if "cuda" not in engines:
        pytest.skip("sortile-cu13, which has the engine for GPUs, is not installed")
    if not engines["cuda"]["usable"]:
        pytest.skip(f"the engine for GPUs cannot be used: {engines['cuda']['reason']}")
    return framework


def host(name):
    pytest.importorskip(name, reason=f"{name} is not installed")
    return {"torch": Torch, "jax": Jax}[name]("cpu")


def is_installed(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True
