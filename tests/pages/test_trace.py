"""sortile classics run --trace: the file holds what docs/trace-format.md says, and memory can be rebuilt from it."""

import json
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

from harness import CommandTest, run  # noqa: E402

RUNS = [["radix-1bit", "-n", 40, "--bits", "0:3"], ["radix-bits", "-n", 600, "--bits", "0:4"], ["scan-blelloch", "-n", 64],
        ["bitonic-shared", "-n", 64], ["quicksort-atomic", "-n", 90, "--pairs", "--set", "small=32"], ["rank-constant", "-n", 70],
        ["radix-1bit-one-launch", "-n", 1100, "--type", "u64", "--bits", "3:5"], ["scan-single-pass", "-n", 1500]]


def replayed(trace):
    """The arrays' bytes after all events, from the events alone; checks what each request found on the way."""
    arrays = [bytearray(b"\xa5" * a["bytes"]) for a in trace["arrays"]]
    launch, shared, wrong, latest = None, {}, [], {}

    def numbers(values, size):
        unit = min(size, 4)
        each = max(1, size // 4)
        return [b"".join(v.to_bytes(unit, "little") for v in values[i:i + each]) for i in range(0, len(values), each)]

    for n, e in enumerate(trace["events"]):
        if e["do"] == "launch":
            launch, shared, latest = trace["launches"][e["launch"]], {}, {}
        elif e["do"] == "block":
            shared[e["block"]] = (bytearray(launch["shared_bytes"]), set())
        elif e["do"] == "host writes":
            data = b"".join(numbers(e["values"], trace["arrays"][e["array"]]["element"]))
            arrays[e["array"]][e["at"]:e["at"] + len(data)] = data
        elif e["do"] == "request" and e["space"] != "constant":
            memory, known = (arrays[e["array"]], None) if e["space"] == "global" else shared[e.get("owner", e["block"])]
            for at, before, after, tick in zip(e["at"], numbers(e["before"], e["size"]), numbers(e.get("after", e["before"]), e["size"]),
                                               e.get("ticks", [None] * len(e["at"]))):
                if e["what"] in ("load", "ordered load") and (known is None or at in known) and bytes(memory[at:at + e["size"]]) != before:
                    wrong.append((n, at))
                place = (e["space"], e.get("array"), e.get("owner", e["block"]) if known is not None else None, at)
                if tick is not None and tick < latest.get(place, 0):
                    continue
                latest[place] = tick or 0
                memory[at:at + e["size"]] = after
                if known is not None and "after" in e:
                    known.update(range(at, at + e["size"]))
    return arrays, wrong


class Trace(CommandTest):
    def traced(self, *arguments, name="trace.json"):
        self.good("classics", "run", *arguments, "-q", "--trace", self.path(name))
        return json.loads(self.content(name))

    def test_memory_can_be_rebuilt(self):
        for arguments in RUNS:
            trace = self.traced(*arguments)
            arrays, wrong = replayed(trace)
            self.assertEqual(wrong, [], arguments)
            bits = dict(zip(arguments, arguments[1:])).get("--bits")
            if arguments[0].startswith(("radix", "bitonic", "quicksort", "rank")):
                element = 8 if "u64" in arguments else 4
                low, high = map(int, bits.split(":")) if bits else (0, 8 * element)
                held = [a for a, of in zip(arrays, trace["arrays"]) if of["name"] in ("keys", "spare keys")]
                self.assertEqual(len(held), 2)
                digits = [[int.from_bytes(a[i:i + element], "little") >> low & ((1 << (high - low)) - 1)
                           for i in range(0, len(a), element)] for a in held]
                self.assertTrue(any(d == sorted(d) and len(d) == arguments[2] for d in digits), arguments)

    def test_requests_pay_what_the_launch_was_charged(self):
        for arguments in RUNS:
            trace = self.traced(*arguments)
            charged, launch = [{} for _ in trace["launches"]], None
            for e in trace["events"]:
                launch = e["launch"] if e["do"] == "launch" else launch
                if e["do"] == "request":
                    kind = {"atomic": "atomics", "store": "stores", "ordered store": "stores"}.get(e["what"], "loads")
                    of = charged[launch].setdefault(f"{e['space']}_{kind}", dict.fromkeys(["requests", "bytes", "units", "ideal"], 0))
                    of["requests"] += 1
                    of["bytes"] += len(e["lanes"]) * e["size"]
                    of["units"] += e["units"]
                    of["ideal"] += e["ideal"]
                    self.assertEqual(len(e["lanes"]), len(e["at"]))
                    if e["space"] == "global":
                        touched = {s for at in e["at"] for s in range(at // 32, (at + e["size"] - 1) // 32 + 1)}
                        self.assertEqual(e["sectors"], sorted(touched))
                        self.assertEqual(e["units"], len(touched))
                    if e["space"] == "shared":
                        self.assertEqual(e["banks"], [at // 4 % 32 for at in e["at"]])
            for launch, of in zip(trace["launches"], charged):
                for kind, counted in of.items():
                    self.assertEqual(counted, {k: v for k, v in launch["counters"][kind].items() if k != "partial"}, arguments)
                barriers = launch["counters"]["block_barriers"]
                self.assertGreaterEqual(barriers, 0)

    def test_the_same_run_gives_the_same_file(self):
        arguments = ["radix-bits", "-n", 100, "--bits", "0:4", "--seed", 5]
        first = self.traced(*arguments)
        self.assertEqual(first, self.traced(*arguments, name="again.json"))
        self.assertNotEqual(first["events"], self.traced(*arguments[:-1], 6)["events"])

    def test_the_document_names_what_the_file_holds(self):
        with open(os.path.join(ROOT, "docs", "trace-format.md"), encoding="utf-8") as file:
            told = set(re.findall(r"`([^`\n]+)`", file.read()))
        for arguments in RUNS:
            trace = self.traced(*arguments)
            self.assertEqual((trace["format"], trace["version"]), ("sortile-trace", 1))
            named = set(trace) | set(trace["machine"]) | set(trace["about"])
            for one in trace["arrays"] + trace["launches"] + trace["events"]:
                named |= set(one) | ({one["do"]} if "do" in one else set())
                named |= {one[k] for k in ("what", "space", "level") if k in one}
            self.assertLessEqual(named, told, arguments)

    def test_refusals(self):
        def refused(*arguments, says):
            self.refused("classics", "run", *arguments, "--trace", self.path("no.json"), says=says)
            self.nothing_left()

        refused("host-qsort", "-n", 5, says=["host-qsort", "--trace"])
        refused("radix-1bit", "-n", 4000, says=["--trace", "50000 events", "--bits"])
        refused("radix-1bit", "-n", 40, "--engine", "cuda", says=["--trace", "cuda"])
        refused("radix-1bit", "-n", 40, "--schedules", 2, says=["--trace", "--schedules"])
        status, _, err = run("classics", "run", "radix-1bit", "-n", 5, "--trace", self.path("none/no.json"))
        self.assertNotEqual(status, 0)
        self.assertIn(b"no.json", err)


if __name__ == "__main__":
    unittest.main()
