"""The half of columnar_table.cpp that knows the files: reads Parquet and Arrow files with PyArrow, and writes them.

The command holds the text of the files here, one behind the other, and gives it to an interpreter, `python3 -c TEXT SHARED`. So their names are
those of one module, and `pa` is PyArrow in all of them. SHARED is the number of an open file in memory, in which both programs put what is large.
This file has what they say to each other, one line of JSON each time:

  command → here  {"inputs": [{"path", "format"}], "keys": [name, …] or null for all that have an order, "threads", "rows": are any wanted,
                   "memory": bytes for the rows, 0 for any, "folders": for temporary files}
  here → command  {"rows", "parts": [rows of each input], "columns": [{"name", "type", "nulls"}], "facts": [[word, value], …],
                   "keys": [{"column", "nulls", "type", "pieces": [[rows, valid, values, offsets], …]}]}
  command → here  {"rows", "counted", "format", "order": [[column, descending, nulls first], …]}
  here → command  the file's bytes

The pieces of a key's column follow each other, and say where their arrays begin in SHARED, or -1 where there is none: a byte a row, 1 where
the row is not null; values of the key type `type`, or bytes; and where `type` is "text" n + 1 offsets of 64 bits, of which the first is that
of the first byte of the piece. Of rows wanted, SHARED holds the numbers, as u32, and behind them, where they are `counted`, the counts as u64.
What fails is said in SHARED, {"kind", "input", "what"}, and the exit status is then 3. Nothing is written to standard error.
"""

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # no modules of the folder in which the command happens to run

import json
import os

SHARED = int(sys.argv[1])


class Refused(Exception):
    def __init__(self, kind, what, position=0):
        self.kind, self.what, self.position = kind, what, position


def hear():
    line = sys.stdin.readline()
    if not line:
        os._exit(0)  # nothing is wanted any more
    return json.loads(line)


def say(message):
    print(json.dumps(message), flush=True)


def told(error):
    """One line of what PyArrow says."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + "…"


def leave(kind, what, position=0):
    os.ftruncate(SHARED, 0)
    os.pwrite(SHARED, json.dumps({"kind": kind, "input": position, "what": what}).encode(), 0)
    os._exit(3)
