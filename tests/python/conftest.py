"""How many random cases a test draws: SORTILE_EXAMPLES, 100 where it is not set."""

import os

from hypothesis import settings

settings.register_profile("sortile", deadline=None, max_examples=int(os.environ.get("SORTILE_EXAMPLES", "100")))
settings.load_profile("sortile")
