"""Records of one size: ranges of bytes as keys, the sort benchmark's records, what check says of them; against Python's sort."""

import struct
import unittest
import zlib

from harness import CommandTest, run

CODES = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q", "f32": "f", "f64": "d"}


class Records(CommandTest):
    def random_keys(self, size):
        """Ranges of a record: as --key says them, and as Python's sort takes them, the last one first."""
        r = self.random
        keys, steps = [], []
        for _ in range(r.randrange(1, 4)):
            descending = r.random() < 0.4
            kind = r.choice([None, *CODES])
            length = struct.calcsize("<" + CODES[kind]) if kind else r.randrange(1, size + 1)
            if length > size:
                continue
            offset = r.randrange(size - length + 1)
            big = kind is not None and r.random() < 0.4
            keys += ["--key", "%d:%d%s%s%s" % (offset, length, ":" + kind if kind else "", r.choice([":be"]) if big else r.choice(["", ":le"]) if kind else "",
                                               ":desc" if descending else r.choice(["", ":asc"]))]
            steps.append((offset, length, kind, big, descending))

        def key_of(offset, length, kind, big):
            if kind is None:
                return lambda record: record[offset:offset + length]
            code = (">" if big else "<") + CODES[kind]

            def number(record):
                value = struct.unpack_from(code, record, offset)[0]
                return (value != value, 0 if value != value else value)
            return number
        return keys, [(key_of(*step[:4]), step[4]) for step in steps]

    def test_random_records(self):
        for _ in range(60):
            size = self.random.choice([1, 2, 5, 8, 9, 16, 33, 100])
            few = [bytes(self.random.choice(b"\x00\x01\x7f\x80\xff") for _ in range(size)) for _ in range(4)]
            records = [self.random.choice(few) if self.random.random() < 0.3 else self.random.randbytes(size) for _ in range(self.random.choice([0, 1, 2, 50, 700]))]
            keys, steps = self.random_keys(size)
            expected = list(records)
            for key, descending in reversed(steps):
                expected.sort(key=key, reverse=descending)
            if not steps:
                expected.sort()
            path = self.file("r.dat", b"".join(records))
            out = self.good("sort", path, "--record", size, *keys)
            self.assertEqual(out, b"".join(expected), (size, keys))
            self.good("check", "-q", self.file("s.dat", out), "--record", size, *keys, "--permutation-of", path)
            half = len(expected) // 2
            a, b = self.file("a.dat", b"".join(expected[:half])), self.file("b.dat", b"".join(expected[half:]))
            self.assertEqual(self.good("merge", a, b, "--record", size, *keys), out)
            self.assertEqual(self.good("sort", b, a, "--record", size, *keys)[:size], out[:size])

    def test_unique(self):
        records = [b"%02d%04d" % (self.random.randrange(20), i) for i in range(500)]
        first = {}
        for record in records:
            first.setdefault(record[:2], record)
        path = self.file("r", b"".join(records))
        self.assertEqual(self.good("sort", path, "--record", "6", "--key", "0:2", "-u"), b"".join(first[key] for key in sorted(first)))

    def test_sort_benchmark(self):
        """The first records are those that gensort makes; checksum and duplicates are those that valsort says."""
        binary = self.good("gen", "sortbenchmark", "-n", "1000")
        self.assertEqual(len(binary), 100_000)
        self.assertEqual(binary[:12], b"JimGrayRIP\x00\x11")
        self.assertEqual(binary[12:100], b"0" * 32 + b"\x88\x99\xaa\xbb" + b"222200002222000022220000222200002222000000001111"[:48] + b"\xcc\xdd\xee\xff")
        text = self.good("gen", "sortbenchmark", "-n", "3", "--format", "lines")
        self.assertEqual(text[:100], b"AsfAGHM5om  00000000000000000000000000000000  0000222200002222000022220000222200002222000000001111\r\n")
        self.assertEqual(self.good("gen", "sortbenchmark", "-n", "30k", "--threads", "1"), self.good("gen", "sortbenchmark", "-n", "30k", "--threads", "3"))
        path, out = self.file("r.dat", binary), self.path("s.dat")
        self.good("sort", path, "--record", "100", "--key", "0:10", "-o", out)
        records = [binary[i:i + 100] for i in range(0, len(binary), 100)]
        self.assertEqual(self.content("s.dat"), b"".join(sorted(records, key=lambda record: record[:10])))
        told = self.good("check", out, "--record", "100", "--key", "0:10", "--permutation-of", path).decode()
        self.assertEqual(told, "records: 1000\nchecksum: %x\nduplicate keys: 0\n" % sum(map(zlib.crc32, records)))

    def test_disorder(self):
        path = self.file("r", b"b1a1a2")
        status, out, err = run("check", path, "--record", "2", "--key", "0:1")
        self.assertEqual((status, out), (1, b"records: 3\nchecksum: %x\nduplicate keys: 1\n" % sum(map(zlib.crc32, [b"b1", b"a1", b"a2"]))))
        self.assertIn(b"record 1 (offset 2)", err)
        self.assertEqual(run("sort", "-c", path, "--record", "2", "--key", "0:1")[:2], (1, b""))
        self.refused("merge", path, "--record", "2", "-o", self.path("o"), says=["record 1", "out of order"])
        self.nothing_left("r")

    def test_top(self):
        data = bytes(self.random.randrange(256) for _ in range(400000))
        path = self.file("r", data)
        records = [data[i:i + 4] for i in range(0, len(data), 4)]
        for key, of, reverse in (("0:2", lambda r: r[:2], False), ("1:2:u16:desc", lambda r: r[1] + 256 * r[2], True)):
            for k in (0, 3, 20000):
                for memory in ([], ["-S", "1M"]):
                    expected = b"".join(sorted(records, key=of, reverse=reverse)[:k])
                    self.assertEqual(self.good("sort", path, "--record", "4", "--key", key, "--top", k, *memory), expected, (key, k))

    def test_misuse(self):
        path = self.file("r.dat", b"0123456789")
        self.refused("sort", path, "--record", "4", says=["r.dat", "10 bytes", "2 bytes are left over", "offset 8"])
        self.refused("sort", path, "--record", "0", says="1 to")
        self.refused("sort", path, "--record", "x", says="x")
        for key, says in {"0": "FIELD", "0:0": "one byte", "3:3": "beyond", "0:6": "beyond", "18446744073709551615:2": "beyond", "0:2:u32": "4 bytes, not 2", "0:2:up": ":up", "0:2:be": ":be goes with",
                          "0:2:u16:u16": ":u16", "a:2": "field", "0:": "a length"}.items():
            status, out, err = run("sort", path, "--record", "5", "--key", key)
            self.assertEqual((status, out, err.count(b"\n")), (2, b"", 1), key)
            if says not in ("FIELD", "field"):
                self.assertIn(says.encode(), err, key)
        self.refused("sort", self.file("t.csv", b"a\n"), "--record", "2", says="t.csv")
        self.refused("sort", path, "--record", "2", "-n", says="-n goes with text")
        self.refused("sort", path, "--record", "2", "--type", "u16", says="--key 8:4:u32")
        for key, word in (("0:2:u16:be:le", "le"), ("0:2:asc:desc", "desc"), ("0:2:u16:u16", "u16"), ("0:2:i16:u16", "u16")):
            self.refused("sort", path, "--record", "2", "--key", key, says="--key %s: ':%s' says again" % (key, word))
        for options in (["--record", "2"], ["--format", "raw", "--type", "u16"]):
            status, out, err = run("sort", path, *options, "--debug")
            self.assertEqual((status, out), (2, b""))
            self.assertIn(b"--debug goes with lines", err)
        self.refused("gen", "sortbenchmark", "-n", "1", "--type", "u32", says="records of its own")
        self.refused("gen", "sortbenchmark", "-n", "1", "-o", self.path("x.npy"), says="allowed")


if __name__ == "__main__":
    unittest.main()
