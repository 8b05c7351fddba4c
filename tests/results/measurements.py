"""The committed results (bench/results, format "sortile-results 1"), and the words in which figures.py asks for them."""

import json
import os
import re

RESULTS = "bench/results"


class Wrong(Exception):
    """A request that the results do not answer."""


class Measurements:
    """Rows of the files named, found by their members: rows("quicksort", category="sorted")."""

    def __init__(self, root, files):
        self.root, self.rows, self.environments = root, [], {}
        for name in files:
            with open(os.path.join(root, RESULTS, name), encoding="utf-8") as file:
                content = json.load(file)
            if content.get("format") != "sortile-results 1":
                raise Wrong("%s is no file of the format \"sortile-results 1\"" % name)
            self.environments[name] = content["environment"]
            self.rows += [dict(row, file=name) for row in content["rows"]]

    def find(self, **wanted):
        found = [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]
        if not found:
            raise Wrong("no row has %s" % wanted)
        return found

    def row(self, **wanted):
        found = self.find(**wanted)
        if len(found) > 1:
            raise Wrong("%d rows have %s" % (len(found), wanted))
        return found[0]

    def words(self, page=""):
        """What the expressions of a claim may use, of a page with this text. Times are seconds."""

        def named(experiment, contender, at, facet):
            wanted = {"experiment": experiment, "contender": contender}
            if facet is not None:
                wanted["facet"] = facet
            if isinstance(at, str):
                wanted["category"] = at
            elif at is not None:
                wanted["n"] = at
            return wanted

        def time(experiment, contender, at=None, facet=None):
            return self.row(**named(experiment, contender, at, facet))["median"]

        def figure(name, experiment, contender, at=None, facet=None):
            return self.row(**named(experiment, contender, at, facet))["figures"][name]

        def noted(text, experiment, contender, at=None, facet=None):
            """The number before a text in what a classic said of its run, or behind it where the text ends with a colon."""
            note = self.row(**named(experiment, contender, at, facet))["note"]
            words = (note.split(text)[1] if text.endswith(":") else note.split(text)[0]).replace(";", " ").split()
            return int(words[0] if text.endswith(":") else words[-1])

        def times(experiment, facet=None, where=lambda row: True):
            wanted = {"experiment": experiment}
            if facet is not None:
                wanted["facet"] = facet
            return [row["median"] for row in self.find(**wanted) if "median" in row and where(row)]

        def sort(type_, workload, n, contender="sortile", cache="warm"):
            return self.row(type=type_, workload=workload, n=n, contender=contender, cache=cache)["median"]

        def cell(mark, row, column, which=0):
            """A number in one of the page's generated tables, which a test makes again from the results: `which` of the rows of this name."""
            table = re.search(r"<!-- %s begins -->\n(.*?)<!-- %s ends -->" % (re.escape(mark), re.escape(mark)), page, re.S)
            if table is None:
                raise Wrong("the page has no table %s" % mark)
            lines = [[each.strip() for each in line.strip("|\n").split("|")] for line in table.group(1).splitlines() if line.startswith("|")]
            text = [line for line in lines if line[0] == row][which][lines[0].index(column)]
            number = re.match(r"[\d.,]+", text).group().replace(",", "")
            return float(number) * (0.01 if text.endswith("%") else 1)

        def ratio(type_, workload, n, cache="warm"):
            """CUB's time over sortile's, cut off after two digits as in the tables."""
            return int(100 * sort(type_, workload, n, "cub", cache) / sort(type_, workload, n, "sortile", cache)) / 100

        def noise_of(type_, workload, n, cache):
            """Of the ratio of sortile's time and CUB's."""
            return sum(self.row(type=type_, workload=workload, n=n, contender=c, cache=cache)["noise"] for c in ("sortile", "cub"))

        def environment(name, file=None):
            return self.environments[file or next(iter(self.environments))][name]

        def copy_rate(file=None):
            return environment("copy_bytes_per_second", file)

        def key(type_, workload, n, contender="sortile cpu", file=None, of="median"):
            """Seconds a key: a row's time over its keys."""
            wanted = {"type": type_, "workload": workload, "n": n, "contender": contender, **({"file": file} if file else {})}
            row = self.row(**wanted)
            return row[of] / n / row["figures"].get("arrays", 1)

        def over(slower, faster, of="median", **wanted):
            """How many times as long as a contender another takes, in every row of both."""
            rows, found = self.find(contender=slower, **wanted), []
            for row in rows:
                same = {name: row[name] for name in ("file", "type", "workload", "n", "category") if name in row}
                found += [row[of] / other[of] for other in self.rows if other.get("contender") == faster and all(other.get(name) == same[name] for name in same)]
            if not found:
                raise Wrong("no row of %s and %s has %s" % (slower, faster, wanted))
            return found

        def to_uniform(file, contender="sortile cpu"):
            """How many times as long as uniform keys of the type the others of a file take, by the fastest runs."""
            return [row["min"] / self.row(file=file, type=row["type"], workload="uniform", n=row["n"], contender=contender)["min"]
                    for row in self.find(file=file, contender=contender)]

        def smooth_pairs(file, sizes):
            """How many times as long as uniform pairs of the type smooth distributions take."""
            return [row["median"] / self.row(file=file, type=row["type"], workload="uniform", n=row["n"], contender="sortile")["median"] for row in self.find(file=file, contender="sortile")
                    if "+" in row["type"] and row["workload"] in ("normal", "exponential", "lognormal") and sizes(row["n"])]

        def quoted(path, text):
            """The last number in brackets in a piece of another page or of a text of results, which stands there once, without the brackets."""
            number = list(re.finditer(r"\[([\d.,]+)\]", text))[-1]
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                there = " ".join(file.read().split()).count(text[:number.start()] + number.group(1) + text[number.end():])
            if there != 1:
                raise Wrong("%r stands %d times in %s" % (text, there, path))
            return float(number.group(1).replace(",", ""))

        spans = ("256", "65536", "16777216", "full")

        def lab(contender, span, facet="without transfers"):
            return time("lab-report", contender, span, facet)

        def all_faster(contender, facet="without transfers"):
            """How many times as fast as qsort, by span."""
            return [lab("C qsort", span, "host") / lab(contender, span, facet) for span in spans]

        def noise(experiment, contender, at=None, facet=None):
            return self.row(**named(experiment, contender, at, facet))["noise"]

        # The quicksorts' drivers are facets, their pivots contenders.
        all_pivots = ("first", "random", "median of three", "histogram")

        def pivots(driver, category="uniform"):
            return [time("quicksort", pivot, category, driver) for pivot in all_pivots]

        def divisions(pivot):
            note = self.row(experiment="quicksort", facet="quicksort-streams", contender=pivot, category="uniform")["note"]
            return sum(int(word) for word in note.split("queue: ")[1].split(";")[0].split())

        def to_cub(contender, n):
            return time("against-cub", contender, n) / time("against-cub", "CUB", n)

        def above_copy_rate(contender):
            """A classic's time over that of a copy that moves as many bytes of sectors."""
            row = self.row(experiment="counters", contender=contender)
            return row["median"] * copy_rate() / (row["figures"]["sector bytes"] * row["n"])

        return dict(smooth_pairs=smooth_pairs, to_uniform=to_uniform, key=key, over=over, quoted=quoted, cell=cell, noise_of=noise_of, ratio=ratio, all_pivots=all_pivots, hosts=("quicksort-atomic", "quicksort-packing", "quicksort-streams"), pivots=pivots,
                    divisions=divisions, to_cub=to_cub, above_copy_rate=above_copy_rate, time=time, figure=figure, noted=noted, times=times, sort=sort, copy_rate=copy_rate, noise=noise, row=self.row,
                    rows=self.find, min=min, max=max, abs=abs, len=len, sum=sum, environment=environment, spans=spans, lab=lab,
                    all_faster=all_faster)
