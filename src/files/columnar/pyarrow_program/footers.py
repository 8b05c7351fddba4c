"""Footers of Parquet files: structs of Thrift's compact protocol, read, and written with the places of columns moved."""

FOOTER_ROWS, FOOTER_GROUPS = 3, 4  # fields of FileMetaData
GROUP_COLUMNS, GROUP_BYTES, GROUP_ROWS, GROUP_SORTING, GROUP_PLACE, GROUP_PACKED, GROUP_ORDINAL = range(1, 8)
CHUNK_PLACE, CHUNK_FACTS = 2, 3  # of ColumnChunk; behind them the places of indexes, which stay behind
FACTS_PLACES = (9, 10, 11)  # of ColumnMetaData: its data pages, an index page, its dictionary
FACTS_BLOOM = (14, 15)
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)  # types


class Thrift:
    """Reads structs: {field: (type, value)}, lists as (type of the elements, values)."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            part = self.byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value

    def value(self, kind):
        if kind in (I16, I32, I64):
            folded = self.number()
            return folded >> 1 ^ -(folded & 1)
        if kind in (TRUE, FALSE, BYTE):  # of a list; of a struct, a truth value's type says it
            return self.byte()
        if kind in (DOUBLE, BINARY):
            size = 8 if kind == DOUBLE else self.number()
            self.at += size
            return bytes(self.data[self.at - size : self.at])
        if kind in (LIST, SET):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.number()
            return (head & 15, [self.value(head & 15) for _ in range(count)])
        if kind == STRUCT:
            return self.struct()
        raise ValueError(f"a footer has a value of type {kind}")

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            step, kind = head >> 4, head & 15
            last = last + step if step else self.value(I16)
            fields[last] = (kind, None if kind in (TRUE, FALSE) else self.value(kind))
        return fields


def thrift_number(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def thrift(kind, value):
    if kind in (I16, I32, I64):
        return thrift_number(value << 1 ^ value >> 63)
    if kind in (TRUE, FALSE, BYTE):
        return bytes([value])
    if kind == DOUBLE:
        return value
    if kind == BINARY:
        return thrift_number(len(value)) + value
    if kind in (LIST, SET):
        of, values = value
        head = bytes([len(values) << 4 | of]) if len(values) < 15 else bytes([0xF0 | of]) + thrift_number(len(values))
        return head + b"".join(thrift(of, each) for each in values)
    out, last = bytearray(), 0
    for field, (of, held) in sorted(value.items()):
        out += bytes([field - last << 4 | of]) if field - last < 16 else bytes([of]) + thrift(I16, field)
        out += b"" if of in (TRUE, FALSE) else thrift(of, held)
        last = field
    return bytes(out) + b"\0"


def footer_of(file):
    """The footer of a file in memory, and where it begins."""
    begin = len(file) - 8 - int.from_bytes(file[-8:-4], "little")
    return Thrift(file[begin:]).struct(), begin


def moved(chunk, by):
    """A column chunk that lies elsewhere."""
    kind, facts = chunk[CHUNK_FACTS]
    facts = {field: (of, value + by if field in FACTS_PLACES else value) for field, (of, value) in facts.items() if field not in FACTS_BLOOM}
    return {CHUNK_PLACE: (I64, 0), CHUNK_FACTS: (kind, facts)}
