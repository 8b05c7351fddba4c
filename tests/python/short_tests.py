"""Smaller inputs for the tests that take long: what a plain ctest runs. `make test-python` and `make test-all` run the whole."""

import os


def unless_short(usual, shorter):
    return shorter if os.environ.get("SORTILE_TESTS_SHORT", "0") not in ("", "0") else usual
