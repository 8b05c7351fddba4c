/* The same library from C: every call returns a status, and the message says what was wrong. */
#include <sortile/sortile.h>

#include <inttypes.h>
#include <stdio.h>

static int report(const char* what) {
  fprintf(stderr, "%s: %s\n", what, sortile_error_message());
  return 1;
}

int main(void) {
  uint32_t prices[] = {1999, 450, 1250, 450};
  uint64_t articles[] = {71, 72, 73, 74};
  const size_t n = sizeof prices / sizeof prices[0];

  sortile_options options = SORTILE_OPTIONS_INIT;
  options.order = SORTILE_DESCENDING;
  if (sortile_sort_by_key(SORTILE_U32, prices, prices, sizeof articles[0], articles, articles, n, &options) !=
      SORTILE_OK)
    return report("sort_by_key");
  for (size_t i = 0; i < n; ++i)
    printf("%" PRIu32 " cents: article %" PRIu64 "\n", prices[i], articles[i]);

  /* A null array of three keys is refused, and says so. */
  if (sortile_sort(SORTILE_F32, NULL, NULL, 3, NULL) == SORTILE_OK)
    return 1;
  printf("as expected: %s\n", sortile_error_message());
  return 0;
}
