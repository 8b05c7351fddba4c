from typing import Any, Callable

from numpy.typing import NDArray

_Array = NDArray[Any]

# Calls give back NotImplemented for arrays that they leave to Python.
def sort(x: Any, axis: Any, descending: Any, out: Any, nan: Any, threads: Any, progress: Any, /) -> Any: ...
def argsort(
    x: Any, axis: Any, descending: Any, dtype: Any, out: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def is_sorted(x: Any, axis: Any, descending: Any, nan: Any, threads: Any, progress: Any, /) -> Any: ...
def sort_by_key(
    keys: Any, values: Any, axis: Any, descending: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def take(array: Any, positions: Any, threads: Any, /) -> _Array: ...
def read_arrow(stream: Any, /) -> Any: ...
def take_arrow(given: Any, rows: Any, threads: Any, /) -> Any: ...
def argsort_rows(
    columns: Any, descending: Any, dtype: Any, nulls_first: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def merge(runs: Any, descending: Any, out: Any, nan: Any, threads: Any, progress: Any, /) -> Any: ...
def segment_sort(
    x: Any, offsets: Any, descending: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def segment_argsort(
    x: Any, offsets: Any, descending: Any, dtype: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def segment_sort_by_key(
    keys: Any, values: Any, offsets: Any, descending: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def segment_sort_with_order(
    x: Any, offsets: Any, descending: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def check_segments(offsets: Any, n: int, /) -> None: ...
def unique(
    x: Any, index: Any, inverse: Any, counts: Any, equal_nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def order_of_columns(
    columns: Any, last_decides: Any, axis: Any, descending: Any, dtype: Any, nan: Any, threads: Any, /
) -> Any: ...
def top_k(
    x: Any, k: Any, counts: Any, fill: Any, axis: Any, largest: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def segment_top_k(
    x: Any, k: Any, counts: Any, fill: Any, offsets: Any, largest: Any, nan: Any, threads: Any, progress: Any, /
) -> Any: ...
def quantiles(
    x: Any, probabilities: Any, axis: Any, method: int, threads: Any, progress: Any, /
) -> Any: ...
def partition(x: Any, kth: Any, axis: Any, threads: Any, /) -> Any: ...
def segment_quantiles(
    x: Any, probabilities: Any, offsets: Any, method: int, threads: Any, progress: Any, /
) -> Any: ...
def segment_partition(x: Any, kth: Any, offsets: Any, threads: Any, /) -> Any: ...
def group_by(keys: Any, threads: Any, progress: Any, /) -> Any: ...
def route(experts: Any, expert_count: Any, block: Any, dtype: Any, threads: Any, /) -> Any: ...
def scan(
    x: Any, axis: Any, inclusive: bool, maximum: bool, initial: int | None, threads: Any, /
) -> Any: ...
def digit_histogram(x: Any, descending: bool, threads: Any, /) -> Any: ...
def explain(like: Any, n: Any, positions: Any, descending: Any, threads: Any, /) -> Any: ...
def info() -> dict[str, Any]: ...
def release_scratch() -> None: ...

# Sorts by addresses, on the GPU that `ordinal` numbers; `wanted` as in _gpu.py.
has_gpu_engine: bool

def device_sort(
    wanted: int,
    type: int,
    rows: int,
    n: int,
    keys_in: int,
    keys_out: int,
    value_bytes: int,
    values_in: int,
    values_out: int,
    descending: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_segments(
    wanted: int,
    type: int,
    n: int,
    keys_in: int,
    keys_out: int,
    value_bytes: int,
    values_in: int,
    values_out: int,
    begins: int,
    ends: int,
    offset_bytes: int,
    count: int,
    copies: bool,
    descending: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_quantiles(
    type: int,
    rows: int,
    n: int,
    probabilities: list[float],
    method: int,
    keys: int,
    results: int,
    told: int,
    told_bytes: int,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_segment_quantiles(
    type: int,
    n: int,
    probabilities: list[float],
    method: int,
    keys: int,
    results: int,
    begins: int,
    ends: int,
    offset_bytes: int,
    count: int,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_ranks(
    type: int,
    rows: int,
    n: int,
    ranks: list[int],
    keys: int,
    keys_out: int,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_top_k(
    type: int,
    rows: int,
    n: int,
    k: int,
    keys: int,
    keys_out: int,
    position_bytes: int,
    positions: int,
    counts: int,
    count_bytes: int,
    descending: bool,
    flips: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> bool: ...
def device_takes_nan_last(type: int, rows: int, n: int, k: int, /) -> bool: ...
def device_segment_top_k(
    type: int,
    n: int,
    k: int,
    keys: int,
    keys_out: int,
    position_bytes: int,
    positions: int,
    begins: int,
    ends: int,
    offset_bytes: int,
    count: int,
    counts: int,
    count_bytes: int,
    descending: bool,
    flips: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> bool: ...
def device_segments_take_nan_last(type: int, n: int, k: int, count: int, /) -> bool: ...
def device_is_sorted(
    type: int,
    rows: int,
    n: int,
    keys: int,
    descending: bool,
    flips: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> bool: ...
def device_lexsort(
    columns: list[tuple[int, int, bool]],
    n: int,
    positions: int,
    position_bytes: int,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_groups(
    type: int,
    n: int,
    keys: int,
    keys_out: int,
    results: list[int],
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> int: ...
def device_nth_element(
    type: int, n: int, nth: int, keys: int, ordinal: int, stream: int, allocate: Callable[[int], tuple[int, Any]], /
) -> None: ...
def device_route(
    type: int,
    n: int,
    experts: int,
    expert_count: int,
    block: int,
    index_bytes: int,
    results: list[int],
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_scan(
    type: int,
    rows: int,
    n: int,
    source: int,
    out: int,
    inclusive: bool,
    maximum: bool,
    initial: int | None,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_digit_histogram(
    type: int,
    n: int,
    keys: int,
    counts: int,
    descending: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> None: ...
def device_merge(
    type: int,
    runs: list[tuple[int, int]],
    keys_out: int,
    descending: bool,
    flips: bool,
    ordinal: int,
    stream: int,
    allocate: Callable[[int], tuple[int, Any]],
    /,
) -> bool: ...
def device_done(ordinal: int, stream: int, call: Callable[..., Any], /, *arguments: Any) -> Any: ...
def device_explain(wanted: int, type: int, rows: int, n: int, descending: bool, /) -> str: ...
def xla_handlers() -> dict[str, dict[str, Any]]: ...
