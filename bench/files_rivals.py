"""Measures sorts from file to file beside GNU sort, Polars and DuckDB, in turns, two threads each.

    files_rivals.py --sortile build/default/cli/sortile [--rounds 5] [--row ROW]... [--share 1] [--quiet FOLDER] [--folder DIR] [--json FILE]
    files_rivals.py --from FILE          prints the table of what --json kept

Polars and DuckDB are installed from PyPI into build/files-rivals, once, with the PyArrow that sortile reads Parquet by. Their time is that of reading,
sorting and writing alone; that of the commands is the whole process's. Every output is compared with sortile's. The table names the fastest of the runs,
and the largest memory of a process. GNU sort takes no part where the files are Parquet.
"""

import argparse
import collections
import contextlib
import filecmp
import json
import os
import pathlib
import random
import shutil
import string
import subprocess
import sys
import tempfile
import time

import file_race

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = HERE.parent / "build" / "files-rivals"
REQUIREMENTS = HERE / "files_rivals.txt"
RIVALS = ("GNU sort", "Polars", "DuckDB")


def words(count, draw):
    return ["".join(draw.choices(string.ascii_lowercase, k=draw.randint(3, 10))) for _ in range(count)]


def table_rows(n, draw):
    cities, names = words(1000, draw), words(200_000, draw)
    return (f"{i},{draw.choice(cities)},{draw.randrange(5000)},{draw.randrange(10**6) / 100},{draw.choice(names)}\n" for i in range(n))


def lines(n, draw):
    characters, rest = string.ascii_letters + string.digits, "and what else there is to say of it, "
    return (f"{''.join(draw.choices(characters, k=10))} {i:013d} {rest}{rest}\n" for i in range(n))


def pairs(n, draw):
    names = words(200_000, draw)
    return (f"{draw.choice(names)} {draw.randrange(100_000)}\n" for _ in range(n))


def pages(n, draw):
    start = "https://www.example.org/archive/of/everything/that/was/written/section-"
    return (f"{start}{draw.randrange(40)}/page-{draw.randrange(10**6):07d}.html {i}\n" for i in range(n))


# What is sorted: how many records, how they are made (arguments of `sortile gen`, a function, or "parquet"), the options of sortile and of GNU sort.
Row = collections.namedtuple("Row", "records what made sortile gnu header")
PARQUET = "Parquet rows: a 64-bit number, a double, a word"
ROWS = {"numbers": Row(10_000_000, "numbers of 32 bits", ["uniform", "--type", "i32"], ["-n"], ["-n"], ""),
        "lines": Row(5_000_000, "lines of 100 bytes, the first 10 random", lines, [], [], ""),
        "table": Row(3_000_000, "CSV of 5 columns, by two", table_rows, ["--by", "size:desc,name"], ["-s", "-t,", "-k3,3nr", "-k5,5"],
                     "id,city,size,price,name\n"),
        "two keys": Row(3_000_000, "word and number", pairs, ["-k2,2n", "-k1,1"], ["-k2,2n", "-k1,1"], ""),
        "distinct": Row(2_000_000, "URLs that begin alike, most of them twice or more", pages, ["-u", "-k1,1"], ["-u", "-k1,1"], ""),
        "parquet": Row(10_000_000, PARQUET, "parquet", ["--by", "key"], None, ""),
        "parquet text": Row(10_000_000, PARQUET, "parquet", ["--by", "word,key"], None, "")}


def make_input(row, n, folder, sortile, script):
    """(the input, the same without its header, which GNU sort does not know)"""
    if row.made == "parquet":
        source = os.path.join(folder, "in.parquet")
        subprocess.run([*script, "make", str(n), source], check=True, stdout=subprocess.DEVNULL)
        return source, None
    source = os.path.join(folder, "in.csv" if row.header else "in.txt")
    if not callable(row.made):
        subprocess.run([sortile, "gen", *row.made, "-n", str(n), "--format", "lines", "-o", source, "--no-sync"], check=True)
        return source, source
    bare = os.path.join(folder, "bare.txt") if row.header else source
    with open(bare, "w", encoding="ascii") as file:
        file.writelines(row.made(n, random.Random(1)))
    if row.header:
        with open(bare, "rb") as rows, open(source, "wb") as file:
            file.write(row.header.encode())
            shutil.copyfileobj(rows, file)
    return source, bare


def rivals():
    """The Python of the environment that has them."""
    python, made_for = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "made-for"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if not (made_for.exists() and made_for.read_text(encoding="utf-8") == wanted):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "-r", str(REQUIREMENTS)], check=True)
        made_for.write_text(wanted, encoding="utf-8")
    return str(python)


def versions(python):
    text = subprocess.run([python, "-c", "import duckdb, polars; print(duckdb.__version__, polars.__version__)"], stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(("duckdb", "polars"), text.stdout.split()))


def need_same_lines(path, other):
    """Equal but for the order of equal keys, which DuckDB leaves open."""
    sums = []
    for each in (path, other):
        with open(each, "rb") as file:
            sums.append(sum(hash(line) for line in file))
    if sums[0] != sums[1]:
        sys.exit("%s and %s hold different lines" % (path, other))


def need_same_rows(script, paths):
    told = subprocess.run([*script, "compare", *paths], check=True, stdout=subprocess.PIPE, text=True).stdout
    if told.strip() != "same":
        sys.exit("the rows of the outputs differ: " + told)


Prepared = collections.namedtuple("Prepared", "name n folder source bare script")


def prepare(name, arguments, python, folder):
    """The input of a row, in a folder of its own."""
    n = round(ROWS[name].records * arguments.share)
    script = [python, "-B", str(HERE / "files_rivals_table.py")]
    return Prepared(name, n, folder, *make_input(ROWS[name], n, folder, arguments.sortile, script), script)


def race(prepared, arguments):
    """(results, what the commands wrote)"""
    name, n, folder, source, bare, script = prepared
    row = ROWS[name]
    to = {each: os.path.join(folder, each.split()[0] + (".out" if bare else ".parquet")) for each in ("sortile", *RIVALS)}
    commands = {"sortile": [arguments.sortile, "sort", "--no-sync", "--threads", "2", *row.sortile, source, "-o", to["sortile"]],
                "GNU sort": ["sort", "--parallel=2", *(row.gnu or []), bare, "-o", to["GNU sort"]],
                "Polars": [*script, "polars", name, source, to["Polars"]],
                "DuckDB": [*script, "duckdb", name, source, to["DuckDB"]]}
    if row.gnu is None:
        del commands["GNU sort"]
    runs = file_race.race(commands, arguments.rounds)
    results = [file_race.result(measured, each, type="lines" if bare else "parquet", workload=row.what, n=n, category=" ".join(["sort", *row.sortile]))
               for each, measured in runs.items()]
    return results, {each: to[each] for each in commands}


def compare(prepared, to, sortile):
    """Ends the program where outputs differ."""
    name, script, row = prepared.name, prepared.script, ROWS[prepared.name]
    if row.gnu is None:
        subprocess.run([sortile, "check", "-q", *row.sortile, to["sortile"]], check=True)
        need_same_rows(script, to.values())
        return
    if row.header:
        with open(to["GNU sort"], "rb") as rows, open(to["GNU sort"] + "-with-header", "wb") as file:
            file.write(row.header.encode())
            shutil.copyfileobj(rows, file)
        os.replace(to["GNU sort"] + "-with-header", to["GNU sort"])
    if not filecmp.cmp(to["sortile"], to["GNU sort"], shallow=False):
        sys.exit("%s: the outputs of sortile and GNU sort differ" % name)
    for each in RIVALS[1:]:
        need_same_lines(to["sortile"], to[each])


def wait_for(quiet):
    while quiet:
        try:
            os.mkdir(quiet)
            return time.sleep(20)  # what others have begun may end
        except FileExistsError:
            time.sleep(5)


def table(rows):
    lines = ["| input | command | sortile | GNU sort | Polars | DuckDB | × GNU | memory, MB |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    for ours in (row for row in rows if row["contender"] == "sortile"):
        race_of = {row["contender"]: row for row in rows if (row["workload"], row["category"]) == (ours["workload"], ours["category"])}
        others = [race_of.get(each) for each in RIVALS]
        times = " | ".join("%.2f s" % each["min"] if each else "–" for each in others)
        memory = " / ".join("%.0f" % (each["figures"]["peak_bytes"] / 1e6) if each else "–" for each in (ours, *others))
        gain = "%.1f" % (others[0]["min"] / ours["min"]) if others[0] else "–"
        lines.append("| %.0f million %s | `%s` | **%.2f s** | %s | %s | %s |" %
                     (ours["n"] / 1e6, ours["workload"], ours["category"], ours["min"], times, gain, memory))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sortile")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--row", action="append", choices=ROWS, help="this row alone; may be repeated")
    parser.add_argument("--share", type=float, default=1, help="of the records, for a quick look")
    parser.add_argument("--quiet", metavar="FOLDER", help="made before the first measurement, once it does not exist, and removed behind the last: others that share the machine may heed it")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="for inputs and outputs")
    parser.add_argument("--json", help="results in the format of bench/results/README.md")
    parser.add_argument("--from", dest="kept", help="print the table of these results; measure nothing")
    arguments = parser.parse_args()
    if arguments.kept:
        print(table(json.loads(pathlib.Path(arguments.kept).read_text(encoding="utf-8"))["rows"]), end="")
        return
    if not arguments.sortile:
        parser.error("--sortile PROGRAM is needed, or --from FILE")
    os.environ["POLARS_MAX_THREADS"] = "2"
    python, rows = rivals(), []
    os.environ["SORTILE_PYTHON"] = python
    with contextlib.ExitStack() as folders:
        new_folder = lambda: folders.enter_context(tempfile.TemporaryDirectory(prefix="sortile-files-", dir=arguments.folder))
        prepared = [prepare(name, arguments, python, new_folder()) for name in arguments.row or ROWS]
        wait_for(arguments.quiet)
        load, outputs = os.getloadavg(), []
        try:
            for each in prepared:
                results, written = race(each, arguments)
                rows += results
                outputs.append(written)
        finally:
            if arguments.quiet:
                with contextlib.suppress(FileNotFoundError):
                    os.rmdir(arguments.quiet)
        for each, written in zip(prepared, outputs):
            compare(each, written, arguments.sortile)
    print(table(rows), end="")
    if arguments.json:
        file_race.save(arguments.json, "files", rows, load, **versions(python))


if __name__ == "__main__":
    main()
