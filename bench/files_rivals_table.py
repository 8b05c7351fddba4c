"""One sort from file to file by Polars or DuckDB, for files_rivals.py: prints the seconds that it took, without the start of Python.

    files_rivals_table.py polars|duckdb ROW IN OUT
    files_rivals_table.py make ROWS OUT      makes the Parquet file that is sorted
    files_rivals_table.py compare FILE...    prints "same" where Parquet files hold the same rows, in whatever order
"""

import sys
import time

THREADS = 2
KEYS = {"parquet": ["key"], "parquet text": ["word", "key"]}  # of Parquet files
NO_SEPARATOR = "\x01"  # none of the lines has it


def with_polars(row, source, target):
    import polars as pl

    def read(**how):
        return pl.read_csv(source, quote_char=None, **how)

    begin = time.perf_counter()
    if row == "numbers":
        read(has_header=False, schema={"x": pl.Int64}).sort("x").write_csv(target, include_header=False)
    elif row == "lines":
        lines = read(has_header=False, separator=NO_SEPARATOR, schema={"x": pl.String})
        lines.sort("x").write_csv(target, include_header=False, separator=NO_SEPARATOR, quote_style="never")
    elif row == "table":
        pl.read_csv(source).sort(["size", "name"], descending=[True, False], maintain_order=True).write_csv(target)
    elif row == "two keys":
        pairs = read(has_header=False, separator=" ", schema={"word": pl.String, "number": pl.Int64})
        pairs.sort(["number", "word"]).write_csv(target, include_header=False, separator=" ")
    elif row == "distinct":
        pages = read(has_header=False, separator=" ", schema={"page": pl.String, "visit": pl.Int64})
        kept = pages.unique(subset="page", keep="first", maintain_order=True)
        kept.sort("page").write_csv(target, include_header=False, separator=" ")
    else:
        pl.scan_parquet(source).sort(KEYS[row]).sink_parquet(target)
    return time.perf_counter() - begin


def with_duckdb(row, source, target):
    import duckdb

    def read(separator, **columns):
        quoting = "delim = '%s', quote = '', escape = '', header = false" % separator
        return "read_csv('%s', %s, auto_detect = false, columns = {%s})" % (source, quoting, ", ".join("'%s': '%s'" % each for each in columns.items()))

    connection = duckdb.connect(config={"threads": THREADS})
    if row in KEYS:
        begin = time.perf_counter()
        connection.execute("COPY (SELECT * FROM '%s' ORDER BY %s) TO '%s' (FORMAT parquet)" % (source, ", ".join(KEYS[row]), target))
        return time.perf_counter() - begin
    query, separator, header = {
        "numbers": ("SELECT * FROM %s ORDER BY x" % read(",", x="BIGINT"), ",", "false"),
        "lines": ("SELECT * FROM %s ORDER BY x" % read(NO_SEPARATOR, x="VARCHAR"), NO_SEPARATOR, "false"),
        "table": ("SELECT * FROM read_csv('%s') ORDER BY size DESC, name" % source, ",", "true"),
        "two keys": ("SELECT * FROM %s ORDER BY number, word" % read(" ", word="VARCHAR", number="BIGINT"), " ", "false"),
        "distinct": ("SELECT page, min(visit) FROM %s GROUP BY page ORDER BY page" % read(" ", page="VARCHAR", visit="BIGINT"), " ", "false")}[row]
    begin = time.perf_counter()
    connection.execute("COPY (%s) TO '%s' (FORMAT csv, DELIMITER '%s', QUOTE '', ESCAPE '', HEADER %s)" % (query, target, separator, header))
    return time.perf_counter() - begin


def make(rows, target):
    import duckdb

    columns = "(hash(i)::HUGEINT - 9223372036854775808)::BIGINT AS key, hash(i + 1) / 18446744073709551616.0 AS price, substr(md5((hash(i + 2) % 200000)::VARCHAR), 1, 3 + (i % 8)::INT) AS word"
    duckdb.execute("COPY (SELECT %s FROM range(%s) t(i)) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 1048576)" % (columns, rows, target))
    return rows


def compare(*files):
    import duckdb

    sums = {duckdb.execute("SELECT count(*), sum(hash(key, price, word)) FROM '%s'" % each).fetchall()[0] for each in files}
    return "same" if len(sums) == 1 else sums


if __name__ == "__main__":
    library, *rest = sys.argv[1:]
    print({"polars": with_polars, "duckdb": with_duckdb, "make": make, "compare": compare}[library](*rest))
