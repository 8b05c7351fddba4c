"""Reads files whole, Parquet ones row group by row group on all threads."""

import os


def read_groups(path, held, threads):
    """The row groups on all threads, which PyArrow by itself shares out column by column."""
    import pyarrow.parquet as pq

    def group(i):
        return pq.ParquetFile(pa.OSFile(path), metadata=held, page_checksum_verification=True).read_row_group(i, use_threads=False)

    return pa.concat_tables(list(ahead(threads, ((group, i) for i in range(held.num_row_groups)))))


def open_parquet(path):
    """The file, what is known of it, and how it is laid out."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.OSFile(path), page_checksum_verification=True)
    held = file.metadata
    groups = [held.row_group(i) for i in range(held.num_row_groups)]
    codecs = sorted({g.column(i).compression.lower() for g in groups for i in range(g.num_columns)})
    facts = {"row groups": str(len(groups)), "packed by": ", ".join(codecs) or "nothing", "made by": held.created_by or "?"}
    if groups and groups[0].sorting_columns and all(g.sorting_columns == groups[0].sorting_columns for g in groups):
        names = [held.schema.column(s.column_index).path + (":desc" if s.descending else "") for s in groups[0].sorting_columns]
        facts["each group"] = "says that it is in order by " + ", ".join(names)
    layout = {"group": max([g.num_rows for g in groups], default=0), "codec": codecs[0] if len(codecs) == 1 else None}
    return file, facts, layout


def read_parquet(path, threads):
    file, facts, layout = open_parquet(path)
    held = file.metadata
    return read_groups(path, held, threads) if held.num_row_groups > 1 else file.read(), facts, layout


def read_arrow(path, is_stream):
    source = pa.OSFile(path)
    table = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(source).read_all()
    table.validate(full=True)  # such a file can say anything of where its arrays end
    return table, {}, {}


def different(first, other):
    if first.names != other.names:
        return "its columns are " + ", ".join(other.names) + "; those of the first input " + ", ".join(first.names)
    for a, b in zip(first, other):
        if a != b:
            return f"its column '{b.name}' is of type {b.type}, that of the first input of type {a.type}"
    return "it has other columns than the first input"


def read_all(inputs, threads):
    tables, facts, layout = [], {}, {}
    for i, one in enumerate(inputs):
        try:
            if one["format"] == "parquet":
                table, of_file, how = read_parquet(one["path"], threads)
            else:
                table, of_file, how = read_arrow(one["path"], one["format"] == "arrows")
        except MemoryError:
            raise
        except Exception as e:
            raise Refused("file", told(e), i)
        if i == 0:
            facts, layout = of_file, how
        elif table.schema != tables[0].schema:
            raise Refused("schema", different(tables[0].schema, table.schema), i)
        tables.append(table)
    return pa.concat_tables(tables), [table.num_rows for table in tables], facts, layout
