"""The columns by which rows are sorted: which have an order, and their cells in SHARED."""

import os


def plain(column):
    """A column as values of its own: no dictionary, no extension of another type."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column


def key_type_of(t):
    """The type of the keys that the values of a column are, "text" of those that are ordered by their bytes; nothing of those without order."""
    is_ = pa.types
    if is_.is_boolean(t) or is_.is_null(t):
        return "u8"
    if is_.is_integer(t):
        return ("i" if is_.is_signed_integer(t) else "u") + str(t.bit_width)
    if is_.is_floating(t):
        return "f" + str(t.bit_width)
    if is_.is_temporal(t) and t.id != pa.lib.Type_INTERVAL_MONTH_DAY_NANO:
        return "i" + str(t.bit_width)
    if is_.is_decimal(t) and t.bit_width <= 128:
        return "i" + str(t.bit_width)
    if str(t) in ("string_view", "binary_view") or is_.is_string(t) or is_.is_large_string(t) or is_.is_binary(t) or is_.is_large_binary(t) or is_.is_fixed_size_binary(t):
        return "text"
    return None


def value_type(t):
    t = t.storage_type if isinstance(t, pa.BaseExtensionType) else t
    return t.value_type if pa.types.is_dictionary(t) else t


def as_column_key(name):
    """As it stands in --by: in quotes where it needs them."""
    return name if name and not set(name) & set(',:"') else '"' + name.replace('"', '""') + '"'


def wanted_columns(schema, names):
    if names is None:
        return [i for i, field in enumerate(schema) if key_type_of(value_type(field.type))]
    found = []
    for name in names:
        places = [i for i, held in enumerate(schema.names) if held == name]
        if len(places) != 1:
            how_many = "is no column" if not places else f"are {len(places)} columns"
            raise Refused("column", f"there {how_many} '{name}' (columns: {', '.join(map(as_column_key, schema.names))})")
        held = schema.field(places[0]).type
        if key_type_of(value_type(held)) is None:
            raise Refused("column", f"its column '{name}' is of type {held}, which has no order here (numbers, decimals of up to 128 bits, "
                          "booleans, dates, times, text, binary, and dictionaries of these have one)")
        found.append(places[0])
    return found


class Shelf:
    """SHARED, filled from its beginning on."""

    def __init__(self):
        self.end = 0

    def put(self, part):
        part = memoryview(part).cast("B")
        at = self.end
        self.end += -(-len(part) // 8) * 8
        done = 0
        while done < len(part):
            done += os.pwrite(SHARED, part[done : done + (1 << 30)], at + done)
        os.ftruncate(SHARED, self.end)
        return at


def put_key(shelf, table, i):
    column = plain(table.column(i))
    key_type = key_type_of(column.type)
    if key_type == "text":
        column = column.cast(pa.large_binary())
    elif pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.uint8())
    pieces = []
    for chunk in column.chunks:
        if len(chunk) == 0:
            continue
        n, valid, offsets = len(chunk), -1, -1
        if chunk.null_count:
            valid = shelf.put(chunk.is_valid().cast(pa.uint8()).buffers()[1])
        if key_type == "text":
            _, bounds, held = chunk.buffers()
            bounds = memoryview(bounds).cast("q")[chunk.offset :][: n + 1]
            offsets = shelf.put(bounds)
            values = shelf.put(memoryview(held)[bounds[0] : bounds[n]] if held else b"")
        else:
            width = column.type.bit_width // 8
            values = shelf.put(memoryview(chunk.buffers()[1])[width * chunk.offset :][: width * n])
        pieces.append([n, valid, values, offsets])
    return {"column": i, "nulls": column.null_count, "type": key_type, "pieces": pieces}


def tell(shelf, cells, places, schema, nulls, parts, facts):
    """The cells of the columns at `places`, and what else the command has to know."""
    rows = sum(parts)
    if rows >= 1 << 32:
        raise Refused("file", f"{rows} rows; fewer than 2^32 are sorted")
    keys = [{**put_key(shelf, cells, i), "column": place} for i, place in enumerate(places)]
    columns = [{"name": f.name, "type": str(f.type), "nulls": nulls[i]} for i, f in enumerate(schema)]
    say({"rows": rows, "parts": parts, "columns": columns, "facts": list(facts.items()), "keys": keys})
