"""How many random cases a test draws: SORTILE_EXAMPLES, 100 where it is not set. The frameworks that tests run with."""

import os

import pytest
from hypothesis import settings

import frameworks
from short_tests import unless_short

# JAX's compiler takes most of the time of its tests, and optimises what surrounds the calls that are tested.
os.environ.setdefault("XLA_FLAGS", unless_short("", "--xla_backend_optimization_level=0"))

settings.register_profile("sortile", deadline=None, max_examples=int(os.environ.get("SORTILE_EXAMPLES", "100")))
settings.load_profile("sortile")


@pytest.fixture(scope="module", params=["torch", "jax"])
def host(request):
    """A framework whose arrays lie in host memory."""
    return frameworks.host(request.param)


@pytest.fixture(scope="module", params=frameworks.NAMES)
def gpu(request):
    """A framework whose arrays lie on a GPU."""
    return frameworks.on_gpu(request.param)


@pytest.fixture(scope="module", params=["cpu", "gpu"])
def jax(request):
    """JAX, with its arrays there."""
    if request.param == "gpu":
        frameworks.on_gpu("jax")
    jax = frameworks.host("jax").jax
    with jax.default_device(jax.devices(request.param)[0]):
        yield jax


@pytest.fixture(scope="module", params=["cpu", "cuda"])
def device(request):
    """Where PyTorch's arrays lie."""
    frameworks.on_gpu("torch") if request.param == "cuda" else frameworks.host("torch")
    return request.param
