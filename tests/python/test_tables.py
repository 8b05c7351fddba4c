"""sort_table and argsort_table against the order that Python itself gives, and against the tables' own sorts."""

import datetime
import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, strategies as st

import sortile

TYPES = {
    "int8": (pyarrow.int8(), st.integers(-128, 127)),
    "uint16": (pyarrow.uint16(), st.integers(0, 2**16 - 1)),
    "int64": (pyarrow.int64(), st.integers(-(2**63), 2**63 - 1)),
    "float": (pyarrow.float64(), st.floats(allow_nan=False)),
    "bool": (pyarrow.bool_(), st.booleans()),
    "date": (pyarrow.date32(), st.dates()),
    "time": (pyarrow.timestamp("us"), st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))),
    "decimal": (pyarrow.decimal128(30, 2), st.decimals(-10**20, 10**20, places=2)),
    "text": (pyarrow.string(), st.text(max_size=4)),
    "long text": (pyarrow.large_string(), st.text("ab", max_size=40)),
    "view": (pyarrow.string_view(), st.one_of(st.text(max_size=30), st.text("a", max_size=30))),
    "binary": (pyarrow.binary(), st.binary(max_size=20)),
    "dictionary": (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), st.sampled_from(["b", "a", "", "ab"])),
    "number dictionary": (pyarrow.dictionary(pyarrow.int32(), pyarrow.int64()), st.sampled_from([3, -1, 7])),
}


@st.composite
def column(draw, n):
    """A column in several pieces, some of which begin inside their buffers: (Arrow's, Python's values)."""
    type_, values = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    pool = draw(st.lists(values, min_size=1, max_size=6)) + ([None] if draw(st.booleans()) else [])
    held = [draw(st.sampled_from(pool)) for _ in range(n)]
    cut = draw(st.integers(0, n))
    pieces = []
    for part in (held[:cut], held[cut:]):
        before = draw(st.integers(0, 3))
        pieces.append(pyarrow.array([None] * before + part, type_).slice(before))
    return pyarrow.chunked_array(pieces, type_), held


def bytes_of(value):
    return value.encode() if isinstance(value, str) else value


def order_of(columns, directions, nulls):
    """Python's own stable sort, last column first."""
    rows = list(range(len(columns[0])))
    for held, down in reversed(list(zip(columns, directions))):
        there = [r for r in rows if held[r] is not None]
        there.sort(key=lambda r: bytes_of(held[r]), reverse=down)  # a reversed sort keeps equals in order too
        lack = [r for r in rows if held[r] is None]
        rows = there + lack if nulls == "last" else lack + there
    return rows


@given(st.data())
def test_rows_of_arrow_tables(data):
    n = data.draw(st.integers(0, 60))
    made = [data.draw(column(n)) for _ in range(data.draw(st.integers(1, 3)))]
    directions = [data.draw(st.booleans()) for _ in made]
    nulls = data.draw(st.sampled_from(["last", "first"]))
    table = pyarrow.table([a for a, _ in made], names=[str(i) for i in range(len(made))])
    by = [(str(i), "descending" if down else "ascending") for i, down in enumerate(directions)]
    wanted = order_of([held for _, held in made], directions, nulls)
    assert sortile.argsort_table(table, by, nulls=nulls).tolist() == wanted
    if pyarrow.string_view() in table.schema.types:
        return  # PyArrow itself cannot take rows of such a column
    assert sortile.sort_table(table, by, nulls=nulls).equals(table.take(pyarrow.array(wanted, pyarrow.int64())))


FRUIT = {
    "name": ["fig", None, "pear", "apple", "fig", "äpfel"],
    "size": [7, 3, 12, 12, None, 7],
    "price": [0.5, float("nan"), 1.5, 0.25, 2.0, None],
}


@pytest.mark.parametrize("by", ["name", "size", "price", [("size", "descending"), "name"], [("price", "descending")]])
@pytest.mark.parametrize("nulls", ["last", "first"])
def test_as_polars_and_pyarrow_sort(by, nulls):
    frame = polars.DataFrame(FRUIT)
    entries = [e if isinstance(e, tuple) else (e, "ascending") for e in (by if isinstance(by, list) else [by])]
    down = [d == "descending" for _, d in entries]
    wanted = frame.sort([n for n, _ in entries], descending=down, nulls_last=nulls == "last", maintain_order=True)
    found = sortile.sort_table(frame, by, nulls=nulls, nan="largest")
    assert isinstance(found, polars.DataFrame) and found.equals(wanted)
    batch = frame.to_arrow().combine_chunks().to_batches()[0]
    assert isinstance(sortile.sort_table(batch, by, nulls=nulls, nan="largest"), pyarrow.RecordBatch)
    assert polars.from_arrow(sortile.sort_table(frame.to_arrow(), by, nulls=nulls, nan="largest")).equals(wanted)


def pandas_frame():
    frame = pandas.DataFrame(FRUIT, index=list("uvwxyz"))
    frame["when"] = pandas.to_datetime(["2024-01-02", None, "2023-05-06", "2024-01-02", "2020-02-29", "2021-01-01"])
    frame["zone"] = frame["when"].dt.tz_localize("Europe/Berlin")
    frame["kind"] = pandas.Categorical(["b", "a", None, "b", "a", "c"], categories=["c", "b", "a"], ordered=True)
    frame["whole"] = pandas.array([3, None, 1, 3, 2, 1], dtype="Int32")
    frame["flag"] = [True, False, True, False, True, False]
    return frame


@pytest.mark.parametrize("name", list(pandas_frame().columns))
@pytest.mark.parametrize("direction", ["ascending", "descending"])
@pytest.mark.parametrize("nulls", ["last", "first"])
def test_as_pandas_sorts(name, direction, nulls):
    frame = pandas_frame()
    wanted = frame.sort_values(name, ascending=direction == "ascending", na_position=nulls, kind="stable")
    found = sortile.sort_table(frame, [(name, direction)], nulls=nulls)
    pandas.testing.assert_frame_equal(found, wanted)
    again = sortile.sort_table(frame, [(name, direction)], nulls=nulls, ignore_index=True)
    pandas.testing.assert_frame_equal(again, wanted.reset_index(drop=True))


def nested(n):
    """A table of several pieces, with structures in structures, and what lies beside their beginning."""
    rng = np.random.default_rng(n)
    def some(values, type_):
        return pyarrow.array([None if rng.random() < 0.2 else values[i % len(values)] for i in range(n + 3)], type_)
    inner = pyarrow.StructArray.from_arrays([some(["x", "", "yy"], pyarrow.string()), some([True, False], pyarrow.bool_())], ["t", "b"])
    outer = pyarrow.StructArray.from_arrays([inner, some([1.5, -2.5], pyarrow.float16()), pyarrow.nulls(n + 3)], ["in", "h", "n"])
    table = pyarrow.table({"key": pyarrow.array(rng.integers(0, 50, n + 3)), "struct": outer, "when": some([0, 10**9], pyarrow.timestamp("s", "UTC")),
                           "wide": some([decimal.Decimal(1), decimal.Decimal("-1.25")], pyarrow.decimal128(20, 2))})
    return pyarrow.concat_tables([table.slice(3, n // 3), table.slice(0, 0), table.slice(3 + n // 3)])


@pytest.mark.parametrize("n", [0, 1, 9, 1000, 40_000])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_of_structures_are_taken(n, threads):
    table = nested(n)
    rows = pyarrow.array(sortile.argsort_table(table, "key"))
    for given in (table, table.combine_chunks(), table.append_column("list", pyarrow.array([[i] for i in range(n)], pyarrow.list_(pyarrow.int64())))):
        found = sortile.sort_table(given, "key", threads=threads)
        found.validate(full=True)
        assert found.equals(given.take(rows)) and found.schema.equals(given.schema)


def test_structures_that_are_null_are_taken():
    lacks = pyarrow.array([{"x": 1}, None, {"x": None}])
    table = pyarrow.table({"key": [2, 1, 0], "struct": lacks})
    assert sortile.sort_table(table, "key")["struct"].to_pylist() == [{"x": None}, None, {"x": 1}]


TEXTS = ["", "a", "ab", "name 7", "name 70", "exactly sixteen.", "seventeen letters", "x" * 300, "\0", "äöü", None]


def large_frame(n=20_000):
    """Enough rows for threads, of every kind of column that is taken in its own way."""
    rng = np.random.default_rng(5)
    frame = pandas.DataFrame(rng.integers(0, 50, (n, 3)), columns=["a", "b", "c"])  # one block
    frame["text"] = pandas.Series(np.array(TEXTS, dtype=object)[rng.integers(0, len(TEXTS), n)], dtype="str")
    frame["arrow"] = pandas.array(frame["text"].to_numpy(), dtype=pandas.ArrowDtype(pyarrow.string()))
    frame["python"] = pandas.array(frame["text"].to_numpy(), dtype=pandas.StringDtype("python"))
    frame["object"] = pandas.Series(list(zip(rng.integers(0, 9, n))), dtype=object)
    frame["price"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2))
    frame["when"] = pandas.to_datetime(rng.integers(0, 10**9, n), unit="s")
    frame["zone"] = frame["when"].dt.tz_localize("Europe/Berlin", nonexistent="NaT", ambiguous="NaT")
    frame["kind"] = pandas.Categorical.from_codes(rng.integers(-1, 3, n), categories=["c", "b", "a"], ordered=True)
    frame["whole"] = pandas.array(np.where(rng.random(n) < 0.1, None, rng.integers(0, 9, n)), dtype="Int32")
    frame.attrs["from"] = "somewhere"
    return frame


@pytest.mark.parametrize("by", [["a", "price"], ["text"], ["arrow", "when"], ["whole", "kind", "python"]])
@pytest.mark.parametrize("nulls", ["last", "first"])
def test_large_frames_as_pandas_sorts(by, nulls):
    frame = large_frame()
    wanted = frame.sort_values(by, na_position=nulls, kind="stable")
    found = sortile.sort_table(frame, by, nulls=nulls, threads=2)
    pandas.testing.assert_frame_equal(found, wanted)
    assert found.attrs == frame.attrs
    named = frame.set_index(frame["zone"].rename("at"))
    pandas.testing.assert_index_equal(sortile.sort_table(named, by, nulls=nulls).index, named.index.take(found.index))
    again = sortile.sort_table(frame, by, nulls=nulls, ignore_index=True)
    pandas.testing.assert_frame_equal(again, wanted.reset_index(drop=True))


def test_large_frames_with_columns_of_one_name():
    frame = large_frame()[["a", "b", "text"]].set_axis(["key", "twice", "twice"], axis=1)
    pandas.testing.assert_frame_equal(sortile.sort_table(frame, "key"), frame.sort_values("key", kind="stable"))


@pytest.mark.parametrize("nulls", [True, False])
@pytest.mark.parametrize("pieces", [1, 3])
def test_texts_of_large_tables_are_taken(nulls, pieces):
    n = 20_000
    rng = np.random.default_rng(7)
    held = np.array(TEXTS if nulls else TEXTS[:-1], dtype=object)[rng.integers(0, len(TEXTS) - (not nulls), n)]
    columns = {"key": pyarrow.array(rng.integers(0, 100, n))}
    for type_ in (pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.large_binary()):
        texts = pyarrow.array(["before", *held], pyarrow.string()).cast(type_).slice(1)
        cuts = np.linspace(0, n, pieces + 1).astype(int)
        columns[str(type_)] = pyarrow.chunked_array([texts.slice(a, b - a) for a, b in zip(cuts, cuts[1:])], type_)
    columns["dictionary"] = pyarrow.array(held).dictionary_encode()
    table = pyarrow.table(columns)
    wanted = table.take(pyarrow.array(np.argsort(columns["key"].to_numpy(), kind="stable")))
    for threads in (1, 3):
        found = sortile.sort_table(table, "key", threads=threads)
        found.validate(full=True)
        assert found.equals(wanted)
    if pieces == 1:
        batch = table.combine_chunks().to_batches()[0]
        assert sortile.sort_table(batch, "key").equals(wanted.combine_chunks().to_batches()[0])


def test_short_texts_with_a_common_beginning():
    """As words: some end where others go on, hold zeros, or are the common beginning itself."""
    held = ["name " + s for s in ("", "1", "10", "100", "2", "1\0", "1234567", "12345678", "12345678901234", "\0\0")]
    for extra in ([], [None], ["name"], [""]):
        rows = (held + extra) * 3
        for down in (False, True):
            table = pyarrow.table({"x": pyarrow.array(rows, pyarrow.string())})
            found = sortile.argsort_table(table, [("x", "descending" if down else "ascending")])
            assert found.tolist() == order_of([rows], [down], "last")


@pytest.mark.parametrize("threads", [1, 3])
def test_many_texts(threads):
    rng = np.random.default_rng(3)
    words = np.array(["", "a", "ab", "common beginning", "common beginning and more", "z" * 200, "z" * 199 + "y"] +
                     ["".join(rng.choice(list("abc"), rng.integers(0, 30))) for _ in range(3000)], dtype=object)
    held = words[rng.integers(0, len(words), 60_000)]
    table = pyarrow.table({"word": pyarrow.array(held, pyarrow.string()), "row": np.arange(len(held))})
    for down in (False, True):
        by = [("word", "descending" if down else "ascending")]
        rows = sortile.argsort_table(table, by, threads=threads)
        assert rows.tolist() == sorted(range(len(held)), key=lambda r: held[r].encode(), reverse=down)


def test_texts_that_differ_in_length_alone():
    held = ["x" * (i % 700) for i in range(3000)]
    rows = sortile.argsort_table(pyarrow.table({"x": held}), "x")
    assert rows.tolist() == sorted(range(3000), key=lambda r: held[r])
    zeros = [b"\0" * (i % 20) for i in range(500)]
    rows = sortile.argsort_table(pyarrow.table({"x": pyarrow.array(zeros, pyarrow.binary())}), "x")
    assert rows.tolist() == sorted(range(500), key=lambda r: zeros[r])


COLUMNS = [[3, 1, 2, 1], [0.5, None, -1.0, 0.5], ["b", "a", None, "ab"], [True, None, False, True],
           [datetime.date(2020, 1, 2), None, datetime.date(1999, 1, 1), datetime.date(2020, 1, 2)]]


@pytest.mark.parametrize("held", COLUMNS)
@pytest.mark.parametrize("direction", [None, "descending"])
def test_columns_by_themselves(held, direction):
    by = () if direction is None else (direction,)
    series = pandas.Series(held * 6000, index=range(100, 100 + 6000 * len(held)), name="held")
    wanted = series.sort_values(kind="stable", ascending=direction is None)
    pandas.testing.assert_series_equal(sortile.sort_table(series, *by), wanted)
    pandas.testing.assert_series_equal(sortile.sort_table(series, *by, ignore_index=True), wanted.reset_index(drop=True))
    for nulls in ("last", "first"):
        order = order_of([held], [direction is not None], nulls)
        there = [held[r] for r in order]
        assert sortile.argsort_table(pyarrow.array(held), *by, nulls=nulls).tolist() == order
        assert sortile.sort_table(polars.Series("held", held), *by, nulls=nulls).to_list() == there
        pieces = pyarrow.chunked_array([pyarrow.array(held[:1]), pyarrow.array(held[1:], pyarrow.array(held).type)],
                                       pyarrow.array(held).type)
        for column in (pyarrow.array(held), pieces):
            found = sortile.sort_table(column, *by, nulls=nulls)
            assert type(found).__name__ == type(column).__name__ and found.to_pylist() == there


def test_objects_that_are_texts_stay_objects():
    n = 20_000
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"key": rng.integers(0, 9, n)}, index=rng.integers(0, 99, n))
    frame["text"] = pandas.Series(rng.choice(["x", "yy", ""], n), dtype=object, index=frame.index)
    pandas.testing.assert_frame_equal(sortile.sort_table(frame, "key"), frame.sort_values("key", kind="stable"))


def test_orders_of_types_of_their_own():
    words = ["b", "a", None, "c", "a"]
    frame = polars.DataFrame({"e": polars.Series(words, dtype=polars.Enum(["c", "a", "b"])), "n": [None] * 5, "row": range(5)})
    for down in (False, True):
        direction = "descending" if down else "ascending"
        for name in ("e", "n"):
            wanted = frame.sort(name, descending=down, nulls_last=True, maintain_order=True)
            assert sortile.sort_table(frame, [(name, direction)]).equals(wanted)
    for kind in (polars.Int128, polars.UInt128):
        wide = polars.Series([2**100, None, 3, 2**100 + 1], dtype=kind)
        assert sortile.sort_table(wide, "descending").to_list() == [2**100 + 1, 2**100, 3, None]
    table = pyarrow.table({"f": pyarrow.array([b"bb", None, b"ab"], pyarrow.binary(2)), "n": pyarrow.nulls(3)})
    assert sortile.argsort_table(table["f"].slice(1)).tolist() == sortile.argsort_table(table["f"].chunk(0).slice(1)).tolist() == [1, 0]
    assert sortile.argsort_table(pyarrow.array([b"", None, b""], pyarrow.binary(0))).tolist() == [0, 2, 1]
    assert sortile.argsort_table(table["n"].dictionary_encode()).tolist() == [0, 1, 2]
    assert sortile.argsort_table(table, "f").tolist() == [2, 0, 1]
    assert sortile.argsort_table(table, ["n", ("f", "descending")]).tolist() == [0, 2, 1]
    several = pandas.DataFrame([[1, 3], [0, 2]], columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    assert sortile.argsort_table(several, ("a", "y")).tolist() == [1, 0]
    assert sortile.argsort_table(several, [(("a", "y"), "descending")]).tolist() == [0, 1]


@pytest.mark.parametrize("n", [4, 20_000])
def test_views_of_texts(n):
    """PyArrow takes no rows of these."""
    held = [None, "b", "", "a text that is longer than twelve bytes"] * (n // 4)
    keys = np.arange(n)[::-1]
    for type_, texts in ((pyarrow.string_view(), held), (pyarrow.binary_view(), [t if t is None else t.encode() for t in held])):
        array = pyarrow.array(texts, type_)
        pieces = pyarrow.chunked_array([array[:1], array[1:]])
        for column in (array, pieces):
            found = sortile.sort_table(column, "descending")
            assert found.type == type_ and found.to_pylist() == sorted(filter(None, texts), reverse=True) + texts[2:3] * (n // 4) + [None] * (n // 4)
            table = sortile.sort_table(pyarrow.table({"k": keys, "text": column}), "k")
            assert table.schema.field("text").type == type_ and table["text"].to_pylist() == texts[::-1]


@pytest.mark.parametrize("nulls", ["last", "first"])
@pytest.mark.parametrize("held", [["b", None, "", "a text of more than sixteen bytes"], [2.5, None, -1.0, 0.0]])
def test_dictionaries_with_entries_that_are_null(held, nulls):
    n = 40_000
    rng = np.random.default_rng(5)
    pieces, rows = [], []
    for length in (3, 0, n):
        entries = pyarrow.array([held[0], *held]).slice(1)
        numbers = [None if i == 4 else i for i in rng.integers(0, 5, length).tolist()]
        pieces.append(pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, *numbers], pyarrow.int8()), entries).slice(1))
        rows += [None if i is None else held[i] for i in numbers]
    column = pyarrow.chunked_array(pieces)
    for down in (False, True):
        found = sortile.argsort_table(column, "descending" if down else "ascending", nulls=nulls, threads=2)
        assert found.tolist() == order_of([rows], [down], nulls)


def test_rows_of_dictionaries_with_entries_that_are_null():
    pieces = [
        pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(numbers, pyarrow.int8()), pyarrow.array(entries, pyarrow.string()), ordered=True)
        for numbers, entries in (([2, 0, 1, None], ["c", None, "b"]), ([], ["z"]), ([0, 1, 0], ["a", "b"]), ([0], [None]))
    ]
    column = pyarrow.chunked_array([pieces[0].slice(1), *pieces[1:]])
    texts = ["c", None, None, "a", "b", "a", None]
    found = sortile.sort_table(column)
    assert found.type == column.type and found.to_pylist() == ["a", "a", "b", "c", None, None, None]
    table = sortile.sort_table(pyarrow.table({"k": range(7), "text": column}), ("k", "descending"))
    assert table.schema.field("text").type == column.type and table["text"].to_pylist() == texts[::-1]


@pytest.mark.parametrize("ends", [pyarrow.int16(), pyarrow.int32(), pyarrow.int64()])
@pytest.mark.parametrize("values", [
    pyarrow.array(["a", "b", None]), pyarrow.array([[1], [], [2]]), pyarrow.array(["a", None, "c"], pyarrow.string_view()),
    pyarrow.array(["a", "b", "a"]).dictionary_encode()], ids=lambda values: str(values.type))
def test_rows_of_runs(ends, values):
    runs = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([2, 5, 20_000], ends), values)
    pieces = pyarrow.chunked_array([runs.slice(1, 4), runs.slice(3, 0), runs.slice(1), runs])
    rng = np.random.default_rng(3)
    for column in (pieces, pieces.slice(0, 0)):
        keys = rng.integers(0, 9, len(column))
        table = pyarrow.table({"k": keys, "runs": column})
        found, held = sortile.sort_table(table, by="k"), column.to_pylist()
        found.validate(full=True)
        assert found.schema == table.schema
        assert found["runs"].to_pylist() == [held[row] for row in np.argsort(keys, kind="stable")]
    batch = pyarrow.record_batch({"k": [2, 1, 0], "runs": runs.slice(1, 3)})
    found = sortile.sort_table(batch, by="k")
    found.validate(full=True)
    assert found.schema == batch.schema and found["runs"].to_pylist() == runs.slice(1, 3).to_pylist()[::-1]
    assert len(found["runs"].run_ends) == 2  # still runs


VIEW = pyarrow.string_view()


@pytest.mark.parametrize("type_, held", [
    (pyarrow.struct([("a", VIEW), ("b", pyarrow.int8())]), {"a": "x", "b": 1}),
    (pyarrow.list_(VIEW), ["x", None]),
    (pyarrow.large_list(pyarrow.struct([pyarrow.field("a", VIEW, metadata={"of": "a"})])), [{"a": "x"}]),
    (pyarrow.list_(pyarrow.binary_view(), 2), [b"x", b""]),
    (pyarrow.map_(VIEW, VIEW), [("x", "y")]),
    (pyarrow.list_view(VIEW), ["x"])], ids=str)
def test_rows_of_what_holds_views(type_, held):
    array = pyarrow.array([held, None, held], type_)
    for column in (array, pyarrow.chunked_array([array.slice(0, 1), array.slice(1)])):
        table = pyarrow.table({"k": [2, 1, 0], "v": column})
        found = sortile.sort_table(table, by="k")
        found.validate(full=True)
        assert found.schema.equals(table.schema, check_metadata=True) and found["v"].to_pylist() == [held, None, held]


def test_by_may_be_named():
    table = pyarrow.table({"a": [2, 3, 1]})
    assert sortile.argsort_table(table, by="a").tolist() == [2, 0, 1]
    assert sortile.sort_table(table, by=[("a", "descending")])["a"].to_pylist() == [3, 2, 1]
    assert sortile.sort_table(table["a"], by="descending").to_pylist() == [3, 2, 1]
    with pytest.raises(TypeError):
        sortile.sort_table(table=table, by="a")


class Metres(pyarrow.ExtensionType):
    """A type that PyArrow is not told of by name."""

    def __init__(self):
        super().__init__(pyarrow.int32(), "tests.metres")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


@pytest.mark.parametrize("n", [3, 20_000])
def test_types_of_others_stay(n):
    numbers = pyarrow.array([None, *range(n - 1, 0, -1)], pyarrow.int32())
    metres = pyarrow.ExtensionArray.from_storage(Metres(), numbers)
    pieces = pyarrow.chunked_array([metres[:1], metres[1:]])
    within = pyarrow.StructArray.from_arrays([metres], ["of"])
    for column in (metres, pieces):
        found = sortile.sort_table(column)
        assert found.type == Metres() and found.to_pylist() == [*range(1, n), None]
    table = pyarrow.table({"k": np.arange(n)[::-1], "m": pieces, "s": within})
    found = sortile.sort_table(table, "k")
    assert found.schema.equals(table.schema) and found["m"].to_pylist() == [*range(1, n), None]
    assert found["s"].to_pylist() == [{"of": m} for m in (*range(1, n), None)]
    known = pyarrow.table({"k": [1, 0], "u": pyarrow.array([b"b" * 16, None], pyarrow.uuid())})
    assert sortile.sort_table(known, "k").equals(known.take([1, 0]))


def test_what_schemas_say_stays():
    for n in (3, 20_000):
        field = pyarrow.field("a", pyarrow.int64(), nullable=False, metadata={"of": "a field"})
        schema = pyarrow.schema([field], metadata={"of": "the table"})
        table = pyarrow.table({"a": pyarrow.array(np.arange(n)[::-1])}, schema=schema)
        for given in (table, table.to_batches()[0]):
            found = sortile.sort_table(given, "a")
            assert found.schema.equals(schema, check_metadata=True) and found["a"].to_pylist() == list(range(n))


def test_refusals():
    table = pyarrow.table({"a": [1], "b": [[1]], "c": [decimal.Decimal(1)]})
    for call, error, text in [
        (lambda: sortile.sort_table(table, "z"), ValueError, "no column called 'z'; the table has a, b, c"),
        (lambda: sortile.sort_table(table, [("a", "up")]), ValueError, "direction 'up' of column 'a'"),
        (lambda: sortile.sort_table(table, []), ValueError, "by names no column"),
        (lambda: sortile.argsort_table(table, "a", dtype="f4"), TypeError, "allowed are int64 and uint32"),
        (lambda: sortile.sort_table(table, "a", nulls="middle"), ValueError, "nulls must be"),
        (lambda: sortile.sort_table(table, "b"), TypeError, "sort_table: column 'b' of type list has no order here; those that have: numbers"),
        (lambda: sortile.argsort_table(table["b"]), TypeError, "sortile.argsort_table: a column of type list has no order here"),
        (lambda: sortile.argsort_rows(table), TypeError, "sortile.argsort_rows: Table is a table, which argsort_table"),
        (lambda: sortile.lexsort(table.to_pandas()), TypeError, "sortile.lexsort: DataFrame is a table, which argsort_table"),
        (lambda: sortile.sort_table(polars.LazyFrame({"a": [1]}), "a"), TypeError, "LazyFrame holds no rows yet; its collect"),
        (lambda: sortile.sort_table({"a": [1]}, "a"), TypeError, "no table that is known here"),
        (lambda: sortile.sort(polars.Series([1])), TypeError, "is a column or a table"),
        (lambda: sortile.sort_table(table), ValueError, "by names no column"),
        (lambda: sortile.sort_table(polars.Series([1]), "up"), ValueError, "by is 'up'; of a column it is"),
        (lambda: sortile.sort_table(pandas.Series([1]), ["descending"]), ValueError, "of a column it is"),
    ]:
        with pytest.raises(error, match=text):
            call()
    objects = polars.DataFrame({"o": polars.Series([object(), object()], dtype=polars.Object), "l": [[1], [2]]})
    objects = objects.with_columns(s=polars.Series([{"x": 1}, {"x": 0}]), n=polars.Series([1, None]))
    runs = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([1, 2], pyarrow.int32()), pyarrow.array([3, 4]))
    held = pyarrow.table({"k": [1, 0], "within": pyarrow.StructArray.from_arrays([runs], ["runs"])})
    numbers = pyarrow.array(range(100), pyarrow.int8())
    entries = ([f"{letter}{number}" for number in range(100)] for letter in "ab")
    pieces = [pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(texts)) for texts in entries]
    many = pyarrow.table({"k": range(200), "many": pyarrow.chunked_array(pieces)})
    wide = pandas.DataFrame({"n": [1.0, np.nan], "between": pandas.IntervalIndex.from_tuples([(0, 1), (1, 2)])})
    for call, text in [
        (lambda: sortile.argsort_table(objects, "o"), "sortile.argsort_table: column 'o' of type Object has no order here"),
        (lambda: sortile.argsort_table(objects, "l"), "sortile.argsort_table: column 'l' of type large_list has no order here"),
        (lambda: sortile.argsort_table(objects, ["n", "s"], nulls="first"), "column 's' of type struct has no order here"),
        (lambda: sortile.argsort_table(wide, ["n", "between"], nulls="first"), "column 'between' of type struct has no order"),
        (lambda: sortile.sort_table(held, "k"), "takes no rows of column 'within' of type struct<runs: run_end.*argsort_table"),
        (lambda: sortile.sort_table(many, "k"), "takes no rows of column 'many' of type dictionary.*a larger index type"),
        (lambda: sortile.sort_table(many["many"]), "takes no rows of a column of type dictionary.*a larger index type"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()
    frame = pandas.DataFrame({"mixed": [1, "a"], "sparse": pandas.arrays.SparseArray([1, 0])})
    for call, error, text in [
        (lambda: sortile.sort_table(frame, "mixed"), TypeError, "sortile.sort_table: column 'mixed' of type object has no"),
        (lambda: sortile.argsort_table(frame.assign(big=[2**70, 1]).astype({"big": object}), "big"), TypeError,
         "sortile.argsort_table: column 'big' of type object has no order here"),
        (lambda: sortile.argsort_table(frame.assign(long=np.array([2, 1], "g")), "long"), TypeError,
         "sortile.argsort_table: column 'long' of type float128 has no order here"),
        (lambda: sortile.argsort_table(frame, "sparse"), TypeError, "sortile.argsort_table: column 'sparse' of type Sparse"),
        (lambda: sortile.argsort_table(frame, "z"), ValueError, "sortile.argsort_table: no column called 'z'"),
        (lambda: sortile.argsort_table(frame, [("mixed", ["up"])]), ValueError, "sortile.argsort_table: direction"),
        (lambda: sortile.argsort_table(frame, np.array(["mixed"])), ValueError, "sortile.argsort_table: no column called"),
        (lambda: sortile.argsort_table(frame, "mixed", nulls="up"), ValueError, "sortile.argsort_table: nulls must be"),
        (lambda: sortile.argsort_table(frame, "mixed", nulls=np.array(["last", "first"])), ValueError, "nulls must be"),
        (lambda: sortile.argsort_table(3), TypeError, "sortile.argsort_table: builtins.int is no table"),
        (lambda: sortile.argsort_table(polars.Series([1]), 3), ValueError, "sortile.argsort_table: by is 3"),
        (lambda: sortile.sort_table(None), TypeError, "sortile.sort_table: builtins.NoneType is no table"),
        (lambda: sortile.sort_table(table, "a", ignore_index="no"), TypeError, "ignore_index is 'no'"),
    ]:
        with pytest.raises(error, match=text):
            call()
    twice = pandas.DataFrame([[1, 2]], columns=["a", "a"])
    for table in (twice, pyarrow.Table.from_pandas(pandas.DataFrame([[1, 2]])).rename_columns(["a", "a"])):
        with pytest.raises(ValueError, match="2 columns called 'a'"):
            sortile.sort_table(table, "a")


def test_odd_names_of_columns():
    names = ["a", 0, None, ("x", "y"), float("nan"), True]
    frame = pandas.DataFrame(np.arange(12).reshape(2, 6)[::-1], columns=pandas.Index(names, dtype=object, tupleize_cols=False))
    for name in names:
        assert sortile.argsort_table(frame, [name]).tolist() == [1, 0], name
    levels = pandas.MultiIndex.from_tuples([("b", "x"), ("a", "x"), ("b", "y")])  # not in order
    several = pandas.DataFrame([[1, 2, 3], [0, 5, 5]], columns=levels)
    assert sortile.argsort_table(several, ("a", "x")).tolist() == [0, 1]
    for name in ("b", ("b",), [["a"]], [slice(0, 1)], frame, 0, {1}):
        with pytest.raises(ValueError, match="sortile.argsort_table: no column called"):
            sortile.argsort_table(several, name)
