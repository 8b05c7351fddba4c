"""Which calls of JAX's arrays are done without a program of XLA's, and by what memory: on the CPU, with stand-ins for
the calls that a GPU does. What these give is tested in test_gpu.py."""

import ctypes
import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest

import sortile

F4 = np.dtype("f4")


def seen(address, n, dtype):
    return np.frombuffer((ctypes.c_char * (n * np.dtype(dtype).itemsize)).from_address(address), dtype)


@pytest.fixture
def at_once(monkeypatch):
    """JAX on the CPU as if that were a GPU: the place of its arrays, and the calls that were done at once."""
    jax = pytest.importorskip("jax")
    from sortile import _jax_now

    device = jax.local_devices()[0]
    if device.platform != "cpu":
        pytest.skip("JAX has a GPU, whose calls test_gpu.py has")
    place, done = _jax_now.Place(device, jax.sharding.SingleDeviceSharding(device)), []

    def waited(ordinal, stream, call, *arguments):
        done.append(call.__name__)
        return call(*arguments)

    def device_sort(kind, key_type, rows, n, keys, keys_out, width, values, positions, *_):
        x = seen(keys, n, "f4")
        if keys_out:
            seen(keys_out, n, "f4")[:] = np.sort(x)
        else:
            seen(positions, n, f"i{width}")[:] = np.argsort(x)

    def device_lexsort(columns, n, positions, width, *_):
        seen(positions, n, f"i{width}")[:] = np.lexsort([seen(address, n, "f4") for _, address, _ in columns[::-1]])

    calls = SimpleNamespace(device_done=waited, device_sort=device_sort, device_lexsort=device_lexsort)
    monkeypatch.setattr(_jax_now, "core", calls)
    monkeypatch.setattr(_jax_now, "_place_of", lambda sharding: place if _jax_now._only_device(sharding) is device else None)
    return SimpleNamespace(jax=jax, now=_jax_now, place=place, device=device, done=done, core=calls)


@pytest.fixture
def x(at_once):
    return at_once.jax.numpy.array([3, 1, 2], F4).block_until_ready()


def sort(at_once, x):
    """Whether the call was done at once."""
    found = at_once.now.sort(x, -1, False, "last")
    assert found is None or found.tolist() == [1, 2, 3]
    return found is not None


def test_results_are_bound_to_a_device_where_an_argument_is(at_once, x):
    bound = at_once.jax.device_put(x, at_once.device).block_until_ready()
    assert not x.committed and bound.committed
    for columns, committed in (((x, x), False), ((x, bound), True), ((bound, bound), True)):
        found = at_once.now.lexsort(columns, -1, [False, False], None, "last", lambda *_: "int32")
        assert found.tolist() == [1, 2, 0] and found.committed == committed
    assert at_once.now.sort(bound, -1, False, "last").committed and at_once.done == ["device_lexsort"] * 3 + ["device_sort"]


@pytest.mark.parametrize("axis", [7, 1, None, "x", True])
def test_a_lexsort_along_no_axis_is_refused(at_once, x, axis):
    from sortile import _jax

    host = np.asarray(x)
    try:
        wanted = sortile.lexsort([host, host], axis=axis)
    except Exception as error:
        with pytest.raises(type(error)):
            _jax.FRAMEWORK.lexsort([x, x], axis, [False, False], None, "last")
    else:
        assert _jax.FRAMEWORK.lexsort([x, x], axis, [False, False], None, "last").tolist() == wanted.tolist()
    assert not at_once.done
    assert _jax.FRAMEWORK.lexsort([x, x], 0, [False, False], None, "last").tolist() == [1, 2, 0] and at_once.done


@pytest.mark.parametrize("name", ["jax_debug_nans", "jax_debug_infs", "jax_disable_jit"])
def test_what_jax_does_with_every_call_it_does(at_once, x, name):
    config = at_once.jax.config
    assert sort(at_once, x)
    was = getattr(config, name)
    config.update(name, True)
    try:
        assert not sort(at_once, x)
    finally:
        config.update(name, was)
    assert sort(at_once, x)


def test_no_call_under_a_mesh_is_done_at_once(at_once, x):
    jax = at_once.jax
    mesh = jax.sharding.Mesh(np.array([at_once.device]), ("rows",))
    use = getattr(jax, "set_mesh", None) or jax.sharding.use_mesh
    bound = jax.device_put(x, at_once.device).block_until_ready()
    assert sort(at_once, x) and sort(at_once, bound)
    with use(mesh):
        assert not sort(at_once, x) and not sort(at_once, bound)
        for kind in ((True, (7,), F4), (False, (7,), F4)):  # what is made there, if any, is spare nowhere else
            try:
                made = at_once.place.spares[kind[0]].take(*kind[1:])[0]
                assert made.committed == kind[0] and at_once.now._only_device(made.sharding) is at_once.device
            except at_once.now.NoSpares:
                pass
    assert sort(at_once, x)


def test_arrays_that_xla_makes_otherwise_are_no_spares(at_once, monkeypatch):
    for other in (at_once.jax.device_put(np.zeros(5, F4), at_once.device), at_once.jax.numpy.zeros(5, "f2")):
        monkeypatch.setattr(at_once.now.Spares, "_maker", lambda *_, other=other: lambda: [other])
        with pytest.raises(at_once.now.NoSpares):
            at_once.now.Spares(at_once.place, False).take((5,), F4)
    assert not at_once.place.free


def test_arrays_that_are_not_bound_go_where_jax_puts_them(at_once, x, monkeypatch):
    bound = at_once.jax.device_put(x, at_once.device).block_until_ready()
    with at_once.jax.default_device(at_once.device):
        assert sort(at_once, x)
    at_once.jax.config.update("jax_default_device", "cpu")
    try:
        assert not sort(at_once, x) and sort(at_once, bound)
    finally:
        at_once.jax.config.update("jax_default_device", None)
    monkeypatch.setattr(at_once.place, "is_first", False)
    assert not sort(at_once, x) and sort(at_once, bound)
    with at_once.jax.default_device(at_once.device):
        assert sort(at_once, x)


def test_nothing_is_done_at_once_where_nobody_tells_of_traces(monkeypatch):
    pytest.importorskip("jax")

    def imported_anew():
        found = importlib.util.find_spec("sortile._jax_now")
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        return module

    assert imported_anew()._is_left_to_us()
    monkeypatch.delattr("jax._src.core.trace_state_clean")
    assert not imported_anew()._is_left_to_us()


def test_a_deleted_array_is_jaxs_to_refuse(at_once, x):
    """JAX crashes where it is asked whether such an array is ready."""
    x.delete()
    assert at_once.now.sort(x, -1, False, "last") is None
    with pytest.raises(RuntimeError, match="deleted"):
        sortile.sort(x)


def test_a_nan_that_is_an_array_is_no_word(at_once, x):
    for nan in (np.array(["last"]), np.array("last"), np.array(["last", "largest"]), None, 3):
        assert at_once.now.sort(x, -1, False, nan) is None and at_once.now.top_k(x, 2, -1, True, nan) is None
    assert not at_once.done


@pytest.mark.parametrize("raised", [KeyboardInterrupt, ValueError])
def test_what_a_call_queued_is_waited_for_before_its_error_goes_on(at_once, x, raised):
    """Workspace is spare again only then."""
    spares, order = at_once.place.spares[False], []

    def fails(*given):
        address, _ = given[-1](100)
        assert address % 256 == 0
        raise raised

    def waited(ordinal, stream, call, *arguments):
        try:
            call(*arguments)
        finally:
            order.append(sum(len(found) for (_, _, dtype), found in at_once.place.free.items() if dtype == "u1"))

    at_once.core.device_sort, at_once.core.device_done = fails, waited
    with pytest.raises(raised):
        at_once.now.sort(x, -1, False, "last")
    (room,) = {shape for _, shape, dtype in at_once.place.free if dtype == "u1"}
    assert order == [len(at_once.place.free[False, room, np.dtype("u1")]) - 1]


def test_the_wait_is_the_compiled_parts():
    """Without an engine for GPUs it says so, after the call; what the call raises comes first."""
    from sortile._backend import core

    if core.has_gpu_engine:
        pytest.skip("the compiled part has an engine for GPUs")
    called = []
    with pytest.raises(Exception, match="no engine for GPUs"):
        core.device_done(0, 2, lambda *given: called.append(given), 1, "two")
    assert called == [(1, "two")]

    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        core.device_done(0, 2, fails)


def kept(place):
    sizes = [sum(a.nbytes for a, _ in found) for found in place.free.values()]
    assert sum(sizes) == place.kept
    return place.kept


def test_what_is_spare_has_one_limit(at_once, monkeypatch):
    place, limit, whole = at_once.place, at_once.now.KEPT, at_once.now.Spares._maker

    def maker(spares, shape, dtype, count):
        size = count * int(np.prod(shape)) * dtype.itemsize
        assert count == 1 or count <= 64 and size <= limit // 4
        assert place.kept + size <= limit
        return whole(spares, shape, dtype, count)

    monkeypatch.setattr(at_once.now.Spares, "_maker", maker)
    place.spares[True].take((10,), F4)
    assert len(place.free[True, (10,), F4]) == 63  # of 64 at once
    for n in range(1, 40):  # each shape is a program to compile; eight arrays of 1 MiB are made at once
        spares = place.spares[n % 2 == 0]
        a, _ = spares.take((2**18 - n,), F4)
        assert a.nbytes == 4 * (2**18 - n) and kept(place) <= limit
    assert 3 * limit // 4 <= kept(place)
    for n in range(2, 30):
        place.spares[n % 2 == 0].give_back((np.empty(n * 2**20, "u1"), 0))  # as spare as any
        assert kept(place) <= limit
    for n in range(2 * at_once.now.SHAPES):
        place.spares[False].give_back((np.empty(n, "i2"), 0))
    assert len(place.free) <= at_once.now.SHAPES and kept(place) <= limit
    place.spares[False].give_back((np.empty(limit + 1, "u1"), 0))
    assert kept(place) == 0 and not place.free
    for bytes, beside in ((limit // 2, 0), (limit // 16, 3), (limit // 4, 0)):
        place.drop_beyond(0)
        large, _ = place.spares[False].take((bytes,), np.dtype("u1"))
        assert large.nbytes == bytes and kept(place) == beside * bytes


def test_what_was_used_last_stays(at_once):
    spares = at_once.place.spares[False]
    first, second, third = ((np.empty(n, "i2"), 0) for n in (1, 2, 3))
    for each in (first, first, second, third):
        spares.give_back(each)
    spares.take((1,), np.dtype("i2"))
    assert [shape for _, shape, _ in at_once.place.free] == [(2,), (3,), (1,)]
    spares.give_back(second)
    assert [shape for _, shape, _ in at_once.place.free] == [(3,), (1,), (2,)]


def test_where_memory_is_short_xla_is_asked(at_once, x, monkeypatch):
    """And what was spare is given up, so that XLA has it."""
    place = at_once.place
    assert sort(at_once, x) and place.free
    place.free.pop((False, (3,), F4))
    place.spares[True].take((10,), F4)

    def none_left(*_):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory")

    monkeypatch.setattr(at_once.now.Spares, "_maker", lambda *_: none_left)
    place.spares[False].makers.clear()
    assert not sort(at_once, x) and not place.free and place.kept == 0


def test_a_call_whose_workspace_is_not_to_be_had_is_xlas(at_once, x, monkeypatch):
    whole = at_once.now.Spares._more

    def more(spares, kind):
        if kind[2] == "u1":
            raise at_once.now.NoSpares
        return whole(spares, kind)

    monkeypatch.setattr(at_once.now.Spares, "_more", more)
    at_once.core.device_sort = lambda *given: given[-1](1000)
    assert at_once.now.sort(x, -1, False, "last") is None
