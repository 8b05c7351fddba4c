"""What to write in place of names that other packages have and this one has not."""

from __future__ import annotations

HINTS = {
    "argpartition": "top_k(x, k, largest=False) finds the k smallest and where they are, and argsort(x) all positions",
    "bincount": "unique_counts(x) counts the elements that occur, and digit_histogram(x) all bytes",
    "cumsum": "inclusive_scan(x) and exclusive_scan(x) are sums of integers",
    "cumulative_sum": "inclusive_scan(x) and exclusive_scan(x) are sums of integers",
    "factorize": "unique_inverse(x) gives values in order and where each element's is",
    "msort": "sort(x, axis=0) sorts along the first axis",
    "nanmedian": "median(x) is NaN beside a NaN; take median(x[~np.isnan(x)])",
    "nanquantile": "quantile(x, q) is NaN beside a NaN; take quantile(x[~np.isnan(x)], q)",
    "nlargest": "top_k(x, k).values are the k largest",
    "nsmallest": "top_k(x, k, largest=False).values are the k smallest",
    "nth_element": "partition(x, kth) puts one element in its place",
    "partial_sort": "top_k(x, k, largest=False).values are the k smallest, in order",
    "percentile": "quantile(x, p / 100) takes shares from 0 to 1",
    "searchsorted": "np.searchsorted(sortile.sort(x), v) finds places in a sorted array",
    "sort_complex": "sort(x) takes complex numbers",
    "sort_values": "sort_table(t, by) sorts the rows of a table",
    "topk": "top_k(x, k) finds the k largest and where they are",
}


def absent(name: str) -> AttributeError:
    hint = HINTS.get(name)
    return AttributeError(
        f"module 'sortile' has no attribute {name!r}" + ("" if hint is None else f": {hint}"), name=name
    )
