"""Parquet and Arrow files: `sort`, `check` and `info` beside what PyArrow itself makes of them; damaged files; PyArrow that is not there.

Run by `scripts/python.sh pyarrow`, which brings an interpreter with PyArrow. The tests are in it; so is what the command reads by.
"""

import datetime
import decimal
import functools
import io
import json
import math
import os
import shlex
import subprocess
import sys
import unittest

from harness import SORTILE, CommandTest, run

import pyarrow as pa
import pyarrow.parquet as pq

os.environ["SORTILE_PYTHON"] = sys.executable

FORMATS = ("parquet", "arrow", "arrows")


def as_bytes(table, form, batch=3, **options):
    sink = io.BytesIO()
    if form == "parquet":
        pq.write_table(table, sink, **options)
    else:
        table = table.unify_dictionaries() if form == "arrow" else table  # a stream may bring another dictionary with each batch
        options = pa.ipc.IpcWriteOptions(compression=options.get("compression"))
        with (pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream)(sink, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=batch)
    return sink.getvalue()


def table_of(content):
    if content.startswith(b"PAR1"):
        return pq.read_table(io.BytesIO(content))
    return (pa.ipc.open_file if content.startswith(b"ARROW1") else pa.ipc.open_stream)(io.BytesIO(content)).read_all()


def comparable(value):
    """Values in the order of the library's keys: NaN as the largest."""
    if isinstance(value, float):
        return (math.isnan(value), 0 if math.isnan(value) else value)
    return value.encode() if isinstance(value, str) else value


def rows_in_order(columns, by):
    """Row numbers by [(column, descending, nulls first), …], by Python's stable sort."""

    def compare(a, b):
        for name, descending, nulls_first in by:
            x, y = columns[name][a], columns[name][b]
            if (x is None) != (y is None):
                return -1 if (x is None) == nulls_first else 1
            if x is not None and comparable(x) != comparable(y):
                return -1 if (comparable(x) < comparable(y)) != descending else 1
        return 0

    return sorted(range(len(next(iter(columns.values())))), key=functools.cmp_to_key(compare))


SOMETIME = datetime.datetime(2024, 2, 29, 12)
TYPES = {  # of keys, with values of each
    "int8": (pa.int8(), [-128, -1, 0, 127]), "int16": (pa.int16(), [-300, 5, 300]), "int32": (pa.int32(), [-(2**31), 7, 2**31 - 1]),
    "int64": (pa.int64(), [-(2**63), -1, 1, 2**63 - 1]), "uint8": (pa.uint8(), [0, 200]), "uint16": (pa.uint16(), [1, 60000]),
    "uint32": (pa.uint32(), [1, 2**32 - 1]), "uint64": (pa.uint64(), [1, 2**63, 2**64 - 1]),
    "float16": (pa.float16(), [-1.5, 0.0, 2.0, math.inf]), "float32": (pa.float32(), [-1.5, -0.0, 0.0, math.nan, -math.inf]),
    "float64": (pa.float64(), [-1e300, 1e-300, math.nan, 3.5]), "bool": (pa.bool_(), [True, False]),
    "date32": (pa.date32(), [datetime.date(1900, 1, 1), datetime.date(2024, 2, 29)]), "date64": (pa.date64(), [datetime.date(1969, 1, 1), datetime.date(2024, 2, 29)]),
    "time32": (pa.time32("s"), [datetime.time(1, 2, 3), datetime.time(23)]), "time64": (pa.time64("us"), [datetime.time(1, 2, 3, 4), datetime.time(0)]),
    "timestamp": (pa.timestamp("us"), [SOMETIME, datetime.datetime(1900, 1, 1)]), "duration": (pa.duration("ms"), [datetime.timedelta(-1), datetime.timedelta(2)]),
    "decimal": (pa.decimal128(30, 2), [decimal.Decimal("-12345678901234567890.25"), decimal.Decimal("0.01"), decimal.Decimal("12345678901234567890.50")]),
    "string": (pa.string(), ["", "a", "aa", "a\0", "abcdefghijk", "abcdefghijkl", "ä"]), "large_string": (pa.large_string(), ["x", "xy" * 20, "xy" * 21]),
    "string_view": (pa.string_view(), ["short", "longer than twelve bytes", "longer than twelve bits"]),
    "binary": (pa.binary(), [b"", b"\xff", b"\x00\xff", b"\xff\x00"]), "fixed": (pa.binary(2), [b"ab", b"aa", b"\xff\x00"]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["b", "a", "", "ab"]),
    "numbers": (pa.dictionary(pa.int32(), pa.int64()), [3, -1, 7]),
}


class Columnar(CommandTest):
    def random_table(self, n, names=TYPES, nulls=True):
        """Columns in several pieces, of few values, and others that cannot be keys."""
        columns, held = {}, {}
        for name in names:
            kind, values = TYPES[name]
            held[name] = [None if nulls and self.random.random() < 0.2 else self.random.choice(values) for _ in range(n)]
            cuts = [0, *sorted(self.random.randrange(n + 1) for _ in range(2)), n]
            columns[name] = pa.chunked_array([pa.array([None, *held[name][a:b]], kind).slice(1) for a, b in zip(cuts, cuts[1:])], kind)
        columns["row"] = pa.array(range(n), pa.int32())
        columns["list"] = pa.array([[str(i)] * (i % 3) if i % 5 else None for i in range(n)], pa.list_(pa.string()))
        columns["struct"] = pa.array([{"a": i, "b": str(i)} for i in range(n)], pa.struct([("a", pa.int64()), ("b", pa.string())]))
        return pa.table(columns, metadata={"of": "a test"}), held

    def same(self, got, expected):
        """Cell by cell, schema and metadata too; NaN is NaN."""
        self.assertTrue(got.schema.equals(expected.schema, check_metadata=True), (got.schema, expected.schema))
        self.assertEqual(str(got.to_pydict()), str(expected.to_pydict()))

    def test_larger_than_memory(self):
        """Rows that do not fit are put on the disk, and come out as they do from memory."""
        n = 20000
        draw = self.random
        table = pa.table({"id": pa.array([draw.randrange(9000) if draw.random() > 0.05 else None for _ in range(n)], pa.int32()), "text": [draw.choice(["aa", "b", None, "x" * 50 + str(i)]) for i in range(n)],
                          "word": pa.array([draw.choice("pqr") for _ in range(n)]).dictionary_encode(), "list": [[1, 2, i] if i % 3 else None for i in range(n)], "a.b": pa.array(range(n), pa.uint64())})
        for form in FORMATS:
            name = self.file("t." + form, as_bytes(table, form, batch=500))
            chosen = (["--by", "text:desc,id"], ["--by", "word", "-u", "--count"], ["--by", "a.b:desc", "--top", "777"], ["--by", "id", name], ["--by", "id", "--top", "0"])
            for options in chosen if form == "parquet" else chosen[1:4:2]:
                for size in ("4G", "1M"):
                    self.good("sort", "-S", size, "-T", self.folder, "--no-sync", *options, name, "-o", self.path(size + "." + form))
                self.assertEqual(table_of(self.content("4G." + form)), table_of(self.content("1M." + form)), (form, options))
                self.assertEqual(table_of(self.content("4G." + form)).schema.metadata, table_of(self.content("1M." + form)).schema.metadata)
        self.nothing_left(*(begin + "." + form for begin in ("t", "4G", "1M") for form in FORMATS))
        big = self.file("big.parquet", as_bytes(pa.table({"id": list(range(100000))}), "parquet"))
        self.refused("sort", "-S", "1M", "--by", "id", big, "-o", self.path("never"), says="the columns of --by take 2000000 bytes of memory in 100000 rows, and -S allows 1048576")
        self.refused("sort", "-S", "1M", "-T", self.path("none"), "--by", "id", self.path("t.parquet"), "-o", self.path("never"), says=["cannot be put on the disk in ", "No such file"])
        self.assertFalse(os.path.exists(self.path("never")))

    def test_every_type_of_key(self):
        for at, name in enumerate(TYPES):
            form = "arrow" if name == "float16" else FORMATS[at % 3]
            table, held = self.random_table(60, [name])
            path = self.file(f"t.{form}", as_bytes(table, form))
            table = table_of(self.content(f"t.{form}"))  # Parquet has not all of Arrow's types
            descending = self.random.random() < 0.5
            rows = rows_in_order(held, [(name, descending, not descending)])
            by = name + (":desc" if descending else "")
            got = table_of(self.good("sort", path, "--by", by, "-o", path) or self.content(f"t.{form}"))
            self.assertEqual(got["row"].to_pylist(), rows, (by, form))
            self.same(got, pa.Table.from_pylist([table.to_pylist()[i] for i in rows], table.schema))
            if at % 4 == 0:
                self.good("check", "-q", path, "--by", by)

    def test_several_keys(self):
        names = [name for name in TYPES if name != "float16"]
        for round_ in range(6):
            table, _ = self.random_table(self.random.randrange(1, 80), nulls=round_ % 2 == 0)
            form = FORMATS[round_ % 3]
            path = self.file("t." + form, as_bytes(table, form))
            held = {n: table_of(self.content("t." + form))[n].to_pylist() for n in names}
            by, words = [], []
            for name in self.random.sample(names, self.random.randrange(1, 4)):
                descending, nulls = self.random.random() < 0.5, self.random.choice(["", ":nulls-first", ":nulls-last"])
                by.append((name, descending, nulls == ":nulls-first" if nulls else not descending))
                words.append(name + (":desc" if descending else "") + nulls)
            rows = rows_in_order(held, by)
            got = table_of(self.good("sort", path, "--by", ",".join(words)))
            self.assertEqual(got["row"].to_pylist(), rows, words)
            top = table_of(self.good("sort", path, "--by", ",".join(words), "--top", "5"))
            self.assertEqual(top["row"].to_pylist(), rows[:5], words)
            key = {i: tuple(None if held[n][i] is None else comparable(held[n][i]) for n, _, _ in by) for i in rows}
            firsts = [i for at, i in enumerate(rows) if at == 0 or key[rows[at - 1]] != key[i]]
            unique = table_of(self.good("sort", path, "-u", "--count", "--by", ",".join(words)))
            self.assertEqual(unique["row"].to_pylist(), firsts, words)
            self.assertEqual(unique["count"].to_pylist(), [list(key.values()).count(key[i]) for i in firsts])

    def test_orders_of_text(self):
        path = self.file("t.parquet", as_bytes(pa.table({"v": ["1.10.0", "1.9.0", "1.9.0-rc1", None], "n": ["a10", "a9", "b", "a9b"]}), "parquet"))
        for by, expected in (("v", ["1.10.0", "1.9.0", "1.9.0-rc1"]), ("v:semver", ["1.9.0-rc1", "1.9.0", "1.10.0"]), ("v:version:desc", ["1.10.0", "1.9.0-rc1", "1.9.0"])):
            got = table_of(self.good("sort", path, "--by", by, "--nulls", "last"))
            self.assertEqual(got["v"].to_pylist(), expected + [None], by)
        self.assertEqual(table_of(self.good("sort", path, "-r", "--by", "n:natural"))["n"].to_pylist(), ["b", "a10", "a9b", "a9"])

    def test_what_files_are(self):
        """The output's name says its format; columns, metadata, codec and row groups stay; Parquet says its order."""
        table, held = self.random_table(50, ["int64", "string"])
        flat = table.drop_columns(["list", "struct"])
        for form in FORMATS:
            path = self.file("t." + form, as_bytes(table, form, compression="zstd"))
            for target in ("o.parquet", "o.arrow", "o.feather", "o.arrows")[:: 1 if form == "parquet" else 3]:
                self.good("sort", path, "--by", "int64,string:desc", "-o", self.path(target))
                content = self.content(target)
                self.assertEqual(content[:6], {"o.parquet": b"PAR1\x15\x04", "o.arrows": b"\xff\xff\xff\xff" + content[4:6]}.get(target, b"ARROW1"))
                self.assertEqual(table_of(content)["row"].to_pylist(), rows_in_order(held, [("int64", False, True), ("string", True, False)]))
            self.nothing_left(*(name for name in os.listdir(self.folder) if name[0] in "to"))
        path = self.file("f.parquet", as_bytes(flat, "parquet", compression="zstd", row_group_size=20))
        self.good("sort", path, "--by", "int64:desc,string", "-o", path)
        group = pq.ParquetFile(path).metadata.row_group(0)
        self.assertEqual((group.num_rows, group.column(0).compression), (20, "ZSTD"))
        self.assertEqual(group.sorting_columns, (pq.SortingColumn(0, True, False), pq.SortingColumn(1, False, True)))
        self.same(pq.read_table(path), table_of(as_bytes(flat, "parquet")).take(rows_in_order(held, [("int64", True, False), ("string", False, True)])))
        self.assertIn("int64:desc, string", json.loads(self.good("info", "--json", path))[0]["facts"]["each group"])
        self.good("sort", path, "--by", "string:natural", "-o", path)
        self.assertEqual(pq.ParquetFile(path).metadata.row_group(0).sorting_columns, ())  # no order that Parquet knows

    def test_many_rows(self):
        """More than one batch, made side by side, in order."""
        n = (1 << 21) + 12345
        path = self.file("t.arrow")
        with pa.ipc.new_file(path, pa.schema([("x", pa.int32()), ("d", pa.dictionary(pa.int8(), pa.string()))])) as writer:
            names = pa.array(["a", "b", None], pa.string()).take(pa.array([i * 7 % 3 for i in range(n)], pa.int32())).dictionary_encode()
            writer.write_table(pa.table({"x": pa.array([i * 7919 % n for i in range(n)], pa.int32()), "d": names.cast(pa.dictionary(pa.int8(), pa.string()))}))
        self.good("sort", path, "--by", "x:desc", "-o", self.path("o.arrow"))
        with pa.ipc.open_file(self.path("o.arrow")) as reader:
            self.assertEqual(reader.num_record_batches, 3)
            got = reader.read_all()
        self.assertEqual(got["x"].to_pylist(), list(range(n - 1, -1, -1)))
        self.good("check", "-q", self.path("o.arrow"), "-r", "-u", "--by", "x")

    def test_numbers_that_differ_in_their_last_bits(self):
        """Behind numbers of rows there is no room for these, and the sample that says so does not see them; in many pieces."""
        keys = [self.random.randrange(-2**62, 2**62) for _ in range(20000)]
        for i in range(1, len(keys), 4):
            keys[i + 1] = keys[i] ^ self.random.choice([1, 3])
        table = pa.table({"k": keys, "row": range(len(keys))})
        path = self.file("t.arrows", as_bytes(table, "arrows", 100))
        for by, descending in (("k", False), ("k:desc", True)):
            rows = table_of(self.good("sort", path, "--by", by)).column("row").to_pylist()
            self.assertEqual(rows, sorted(range(len(keys)), key=lambda i: -keys[i] if descending else keys[i]))

    def test_columns_and_row_groups_that_are_made_apart(self):
        """A Parquet file is made of columns and row groups that tasks have encoded: of all kinds of columns, few and many, with a column of counts."""
        n = 500
        of_kinds = {"k": pa.array([self.random.randrange(60) for _ in range(n)], pa.int16()), "list": pa.array([[i, None] if i % 3 else None for i in range(n)]),
                    "struct": pa.array([{"a": i, "b": {"c": str(i)}} for i in range(n)]), "map": pa.array([[("x", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
                    "dictionary": pa.array([str(i % 5) for i in range(n)]).dictionary_encode(), "null": pa.nulls(n), "truth": pa.array([i % 2 == 0 for i in range(n)])}
        for more in (0, 1, 26, 80):
            table = pa.table({**of_kinds, **{"c%d" % i: pa.array([i + j for j in range(n)]) for i in range(more)}}).replace_schema_metadata({"made": "here"})
            path = self.file("t.parquet", as_bytes(table, "parquet", row_group_size=120, compression="zstd"))
            order = sorted(range(n), key=lambda i: table["k"][i].as_py())
            self.good("sort", path, "--by", "k", "-o", self.path("o.parquet"))
            with pq.ParquetFile(self.path("o.parquet"), page_checksum_verification=True) as file:
                self.assertEqual([file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)], [120] * 4 + [20])
                self.assertTrue(file.schema_arrow.equals(pq.read_schema(path), check_metadata=True))
                self.assertEqual(file.read().to_pylist(), table.take(order).to_pylist())
                self.assertEqual(file.read_row_group(2, columns=["struct"]).to_pylist(), table.select(["struct"]).take(order[240:360]).to_pylist())
                group = file.metadata.row_group(1)
                self.assertEqual({group.column(i).compression for i in range(group.num_columns)}, {"ZSTD"})
            self.good("sort", path, "--by", "k:desc", "-u", "--count", "-o", self.path("u.parquet"))
            got = pq.read_table(self.path("u.parquet"))
            self.assertEqual(sum(got["count"].to_pylist()), n)
            self.assertEqual(got["k"].to_pylist(), sorted(set(table["k"].to_pylist()), reverse=True))

    def test_dictionaries_where_values_repeat(self):
        """Of a row group, a column has a dictionary if its values repeat; the same values come back in any case."""
        n = 500000
        draw = self.random.randrange
        table = pa.table({"wide": pa.array([draw(2**63) for _ in range(n)]), "few": pa.array([draw(1000) for _ in range(n)]), "word": pa.array(["word %d" % draw(50) for _ in range(n)]),
                          "text": pa.array(["%x" % draw(2**64) for _ in range(n)]), "list": pa.array([[1, draw(9)] for _ in range(n)])})
        path = self.file("t.parquet", as_bytes(table, "parquet", row_group_size=250000))
        made = self.good("sort", path, "--by", "few,word")
        few, word = (table[name].to_pylist() for name in ("few", "word"))
        order = sorted(range(n), key=lambda i: (few[i], word[i]))
        self.assertTrue(table_of(made).equals(table.take(order)))
        groups = pq.ParquetFile(io.BytesIO(made)).metadata
        for group in range(groups.num_row_groups):
            held = {groups.row_group(group).column(i).path_in_schema: "RLE_DICTIONARY" in groups.row_group(group).column(i).encodings for i in range(len(table.columns))}
            self.assertEqual({name: held[name] for name in ("wide", "few", "word", "text")}, {"wide": False, "few": True, "word": True, "text": False})

    def test_top_of_keys_of_every_width(self):
        """Keys of up to 64 bits together are sorted as numbers, others as text: with nulls, in both directions, -u and --top alike."""
        columns = {"a": [self.random.choice([None, -3, 0, 7]) for _ in range(300)], "b": [self.random.choice([None, True, False]) for _ in range(300)],
                   "c": [self.random.choice([None, -0.0, 0.0, math.nan, 1.5, -2.0]) for _ in range(300)], "d": [self.random.randrange(-2, 3) for _ in range(300)], "row": list(range(300))}
        types = {"a": pa.int16(), "b": pa.bool_(), "c": pa.float32(), "d": pa.int64(), "row": pa.int32()}
        path = self.file("t.parquet", as_bytes(pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()}), "parquet", row_group_size=70))
        for by in (["a"], ["c"], ["d"], ["c", "b", "a"], ["b", "d"]):
            for descending in (False, True):
                expected = rows_in_order(columns, [(name, descending, not descending) for name in by])
                got = table_of(self.good("sort", path, "--by", ",".join(by), *(["-r"] if descending else [])))["row"].to_pylist()
                self.assertEqual(got, expected, (by, descending))
                top = table_of(self.good("sort", path, "--by", ",".join(by), "--top", "9", *(["-r"] if descending else [])))["row"].to_pylist()
                self.assertEqual(top, expected[:9], (by, descending))
            once = table_of(self.good("sort", "-r", "-u", path, "--by", ",".join(by), "--top", "1"))["row"].to_pylist()
            self.assertEqual(once, expected[:1])

    def test_inputs(self):
        table, held = self.random_table(30, ["int64"])
        one, two = table.slice(0, 10), table.slice(10)
        paths = [self.file("1.parquet", as_bytes(one, "parquet")), self.file("2.parquet", as_bytes(two, "parquet"))]
        rows = rows_in_order(held, [("int64", False, True)])
        self.assertEqual(table_of(self.good("sort", *paths, "--by", "int64"))["row"].to_pylist(), rows)
        whole = as_bytes(table, "parquet")
        self.assertEqual(table_of(self.good("sort", "--by", "int64", stdin=whole))["row"].to_pylist(), rows)
        packed = subprocess.run(["gzip", "-c"], input=as_bytes(table, "arrows"), capture_output=True, check=True).stdout
        self.assertEqual(table_of(self.good("sort", self.file("t.arrows.gz", packed), "--by", "int64"))["row"].to_pylist(), rows)
        other = self.file("3.parquet", as_bytes(table.select(["row"]), "parquet"))
        self.refused("sort", paths[0], other, "--by", "row", says=["3.parquet", "its columns are row"])
        other = self.file("4.parquet", as_bytes(pa.table({"row": ["x"]}), "parquet"))
        self.refused("sort", self.path("3.parquet"), other, "--by", "row", says=["4.parquet", "'row' is of type string"])
        self.refused("sort", paths[0], self.file("t.arrow", as_bytes(table, "arrow")), "--by", "row", says=["t.arrow", "the first input is a Parquet file"])
        name = os.path.join(self.folder.encode(), b"\xff.parquet")  # no UTF-8
        os.link(paths[0], name)
        self.assertEqual(subprocess.run([SORTILE, "check", "-q", name, "--by", "row"], capture_output=True, check=False).returncode, 0)

    def test_empty_tables(self):
        table, _ = self.random_table(4)
        for form in FORMATS:
            path = self.file("t." + form, as_bytes(table.drop_columns(["float16"]).slice(0, 0), form))
            for target in ("o.parquet", "o.arrow"):
                self.good("sort", path, "--by", "int64,string", "-u", "--count", "-o", self.path(target))
                got = table_of(self.content(target))
                self.assertEqual((got.num_rows, got.schema.names[-1]), (0, "count"))
            self.good("check", "-q", path, "--by", "string")
            self.good("info", path)

    def test_check(self):
        path = self.file("t.parquet", as_bytes(pa.table({"x": [1, 2, 2, 1], "s": ["a", "b", "b", "c"]}), "parquet"))
        self.assertIn(b"duplicate keys: 1", self.good("check", path, "--by", "s"))
        for options, says in ((["--by", "x"], ["row 4", "smaller than"]), (["--by", "s", "-u"], ["row 3", "equal to"]), (["-r", "--by", "s"], ["row 2", "smaller than"])):
            status, out, err = run("check", path, *options)
            self.assertEqual((status, err.count(b"\n")), (1, 1), options)
            self.assertTrue(out.startswith(b"records: 4\nchecksum: "), out)
            for text in says:
                self.assertIn(text.encode(), err)
        self.assertEqual(run("sort", "-c", path, "--by", "s")[0], 0)
        self.assertEqual(run("sort", "-C", path, "--by", "x"), (1, b"", b""))
        self.good("sort", path, "--by", "x,s", "-o", self.path("s.arrow"))
        self.assertEqual(self.good("check", self.path("s.arrow"), "--by", "x,s").splitlines()[1], run("check", path, "--by", "x,s")[1].splitlines()[1])

    def test_permutation(self):
        """The rows of two files are compared by their values, whatever the order, the format, dictionaries and row groups."""
        table = pa.table({"x": [3, None, 2, 1], "s": ["a", "b", None, "c"], "f": [0.5, float("nan"), -1.0, 0.0], "d": [b"", None, b"q", b"q"]})
        path = self.file("t.parquet", as_bytes(table, "parquet", row_group_size=3))
        for form in FORMATS:
            self.good("sort", path, "--by", "x", "-o", self.path("sorted." + form))
            self.good("check", self.path("sorted." + form), "--by", "x", "--permutation-of", path)
        one_more = pa.concat_tables([table, table.slice(0, 1)])
        for name, other, says in (("more", one_more, "holds 4 records"), ("null", table.set_column(0, "x", pa.array([3, None, None, 1])), "some records are different"), ("moved", table.set_column(0, "x", pa.array([3, 1, 2, None])), "some records are different"),
                                  ("text", table.set_column(1, "s", pa.array(["a", "b", None, "C"])), "some records are different"), ("type", table.set_column(0, "x", table.column(0).cast(pa.int32())), "its columns are others"),
                                  ("name", table.rename_columns(["y", "s", "f", "d"]), "its columns are others"), ("empty", table.set_column(3, "d", pa.array([None, b"", b"q", b"q"])), "some records are different")):
            status, _, err = run("check", self.path("sorted.arrow"), "--by", "x", "--permutation-of", self.file(name + ".parquet", as_bytes(other, "parquet")))
            self.assertEqual((status, err.count(b"\n")), (1, 1), (name, err))
            self.assertIn(says.encode(), err, name)

    def test_merge(self):
        """The merge of sorted files is the sort of them all."""
        parts = [pa.table({"x": [self.random.choice([None, 1, 2, 5]) for _ in range(n)], "s": ["%d" % self.random.randrange(30) for _ in range(n)], "from": [i] * n},
                          pa.schema([("x", pa.int32()), ("s", pa.string()), ("from", pa.int8())])) for i, n in enumerate((40, 0, 25))]
        for form in FORMATS:
            paths = [self.file("%d.%s" % (i, form), as_bytes(part, form)) for i, part in enumerate(parts)]
            for options in (["--by", "x"], ["--by", "s:natural,x", "-r"], ["--by", "x:nulls-last,s"], ["--by", "x", "-u"]):
                expected = self.good("sort", *paths, *options)
                once = [self.file("s" + os.path.basename(path), self.good("sort", path, *options)) for path in paths]
                for command in (["merge"], ["sort", "-m"]):
                    self.assertTrue(table_of(self.good(*command, *once, *options)).equals(table_of(expected)), (form, options))
            wrong = self.file("wrong." + form, as_bytes(pa.table({"x": pa.array([1, 2, 1], pa.int32()), "s": ["", "", ""], "from": pa.array([0, 0, 0], pa.int8())}), form))
            self.refused("merge", self.good("sort", paths[0], "--by", "x", "-o", paths[0]) or paths[0], wrong, "--by", "x", "-o", self.path("o." + form), says=["wrong." + form, "row 3 is out of order"])

    def test_info(self):
        for form in FORMATS:
            for _ in range(2):
                table, _ = self.random_table(self.random.randrange(2, 6), ["bool", "string", "int8"])
                path = self.file("t." + form, as_bytes(table, form))
                (told,) = json.loads(self.good("info", "--json", path))
                self.assertEqual((told["format"], told["record"], told["records"]), (form, "row", table.num_rows))
                self.assertEqual([(c["name"], c["empty"]) for c in told["columns"]], [(n, table[n].null_count) for n in table.schema.names])
                self.assertTrue(told["sorted_by"])  # `row` ascends, unless others do
                for order in told["sorted_by"]:
                    self.good("check", "-q", path, *shlex.split(order))
        (told,) = json.loads(self.good("info", "--json", self.file("t.parquet", as_bytes(pa.table({"x": [1, None], "c": ["a", "a"]}), "parquet", compression="gzip"))))
        self.assertEqual([(c["type"], c["order"]) for c in told["columns"]], [("int64", "descending"), ("string", "constant")])
        self.assertEqual((told["facts"]["packed by"], told["sorted_by"]), ("gzip", ["--by x:desc"]))
        self.assertEqual(self.good("sort", "--types", self.path("t.parquet")), b"x\tint64\nc\tstring\n")

    def test_refusals(self):
        table, _ = self.random_table(4, ["int64", "string"])
        path = self.file("t.parquet", as_bytes(table, "parquet"))
        twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
        self.file("twice.arrow", as_bytes(twice, "arrow"))
        self.file("counts.arrow", as_bytes(pa.table({"count": [1]}), "arrow"))
        for arguments, says in ((["sort", path], "--by"), (["sort", path, "-n", "--by", "row"], "-n"), (["sort", path, "--by", "none"], "no column 'none' (columns: int64, string"),
                                (["sort", path, "--by", "list"], "'list' is of type list<"), (["sort", path, "--by", "int64:natural"], ":natural goes with text"),
                                (["sort", path, "--by", "string:num"], ":num goes with"), (["sort", path, "--by", "row", "--no-header"], "--no-header"),
                                (["sort", path, "--by", "row", "--type", "u32"], "--type"), (["sort", path, "--by", "row", "-o", self.path("o.csv")], "o.csv"),
                                (["sort", path, "--by", "row", "--quantiles", "0.5"], "--quantiles"), (["sort", path, "--by", "row", "-u", "--count", "--values-output", "c"], "--values-output"),
                                (["sort", self.path("twice.arrow"), "--by", "a"], "2 columns 'a'"), (["sort", self.path("counts.arrow"), "--by", "count", "-u", "--count"], "'count' already"),
                                (["merge", path], "--by"), (["merge", path, "--by", "row", "-k1"], "-k"), (["merge", path, "--by", "row", "-o", self.path("o.csv")], "o.csv"),
                                (["check", "-q", path, "--by", "row", "--permutation-of", path], ["its column 'list' is of type list<", "--permutation-of does not compare"]),
                                (["sort", self.file("w.csv", b"a\n1\n"), "--by", "a", "-o", self.path("o.parquet")], "Parquet")):
            self.refused(*arguments, says=says)
        self.refused("sort", "--by", "a", self.file("p.csv", self.content("t.parquet")), says=["p.csv", "begins as a Parquet file"])
        self.refused("sort", self.file("no.parquet", b"a text\n"), "--by", "a", says=["no.parquet", "cannot be read"])
        self.refused("sort", self.path("missing.parquet"), "--by", "a", says="missing.parquet")
        self.nothing_left("t.parquet", "twice.arrow", "counts.arrow", "w.csv", "p.csv", "no.parquet")

    def test_without_pyarrow(self):
        path = self.file("t.parquet", as_bytes(pa.table({"a": [1]}), "parquet"))
        broken = self.file("broken", b"#!/bin/sh\nkill -SEGV $$\n")
        os.chmod(broken, 0o700)
        talks = self.file("talks", b"#!/bin/sh\necho hello\n")
        os.chmod(talks, 0o700)
        os.mkdir(self.path("empty"))
        self.file("empty/pyarrow.py", b"raise ImportError('nothing here')\n")
        for python, more, says in (("/no/such/python", {}, "no interpreter: /no/such/python"), ("false", {}, "status 1"), (broken, {}, "ended by a signal"), (talks, {}, "hello"),
                                   (sys.executable, {"PYTHONPATH": self.path("empty")}, "nothing here")):
            for command in (["sort", "-o", path],):
                self.refused(*command, path, "--by", "a", env={"SORTILE_PYTHON": python, **more}, says=["t.parquet", says] + (["SORTILE_PYTHON"] if says not in ("hello", "ended by a signal") else []))
        # A PyArrow that needs NumPy gets it.
        os.mkdir(self.path("old"))
        os.mkdir(self.path("old/pyarrow"))
        self.file("old/numpy.py", b"")
        self.file("old/pyarrow/__init__.py", b"import numpy\nraise ImportError('an old one, with NumPy')\n")
        self.refused("sort", path, "--by", "a", env={"SORTILE_PYTHON": sys.executable, "PYTHONPATH": self.path("old")}, says="an old one, with NumPy")
        # Modules in the folder where the command runs are not the interpreter's.
        self.good("check", "-q", path, "--by", "a", cwd=self.path("empty"))

    def test_damaged_files(self):
        """Every file that is cut short, or has bytes changed, is refused in one line or sorted: never a crash, never something left behind."""
        table, _ = self.random_table(9, ["int64", "string", "dictionary"])
        refused = 0
        for form, options in (("parquet", {}), ("arrow", {}), ("arrow", {"compression": "lz4"}), ("arrows", {})):
            whole = as_bytes(table, form, **options)
            cases = [whole[: self.random.randrange(len(whole))] for _ in range(3)]
            for _ in range(5):
                content = bytearray(whole)
                for _ in range(self.random.randrange(1, 4)):
                    content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
                cases.append(bytes(content))
            for content in cases:
                path = self.file("t." + form, content)
                status, out, err = run("sort", path, "--by", "string,int64", "-o", self.path("o"), env={"SORTILE_PYTHON": sys.executable})
                self.assertIn((status, err.count(b"\n")), ((0, 0), (2, 1)), (form, err))
                refused += status == 2
                self.nothing_left(*[path.rsplit("/", 1)[1]] + (["o"] if status == 0 else []))
                for name in os.listdir(self.folder):
                    os.unlink(self.path(name))
        self.assertGreater(refused, 12)
        told = b"what is told"  # stands in the one page, which has a checksum
        page = as_bytes(pa.table({"x": [told]}), "parquet", write_page_checksum=True, compression="none", use_dictionary=False, write_statistics=False)
        self.refused("sort", self.file("t.parquet", page.replace(told, told.upper(), 1)), "--by", "x", says=["t.parquet", "cannot be read"])


if __name__ == "__main__":
    unittest.main()
