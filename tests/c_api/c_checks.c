/* The C ABI used from C11: every function in its right use and in misuse. */
#include "tests/c_api/c_checks.h"

#include <sortile/sortile.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(x) #x
#define AT_LINE(line) " (line " TEXT_OF(line) ")"
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return #condition AT_LINE(__LINE__);                                                                             \
  } while (0)

#define COUNT 5000

static uint32_t pseudo_random(uint32_t i) {
  i = (i ^ 61u) ^ (i >> 16);
  i *= 9u;
  i ^= i >> 4;
  i *= 0x27d4eb2du;
  return i ^ (i >> 15);
}

static int in_order(const uint32_t* keys, size_t n) {
  for (size_t i = 1; i < n; ++i)
    if (keys[i] < keys[i - 1])
      return 0;
  return 1;
}

static void fill(uint32_t* keys, uint32_t* values, uint32_t distinct) {
  for (uint32_t i = 0; i < COUNT; ++i) {
    keys[i] = pseudo_random(i) % distinct;
    values[i] = i;
  }
}

static const char* sorts_keys(void) {
  static uint32_t keys[COUNT], out[COUNT], values[COUNT];
  fill(keys, values, 1u << 30);
  CHECK(sortile_sort(SORTILE_U32, keys, out, COUNT, NULL) == SORTILE_OK);
  CHECK(in_order(out, COUNT));
  CHECK(!in_order(keys, COUNT));
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, NULL) == SORTILE_OK);
  CHECK(memcmp(keys, out, sizeof keys) == 0);

  sortile_options options = SORTILE_OPTIONS_INIT;
  options.order = SORTILE_DESCENDING;
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_OK);
  CHECK(keys[0] == out[COUNT - 1] && keys[COUNT - 1] == out[0]);
  CHECK(sortile_sort(SORTILE_F64, NULL, NULL, 0, NULL) == SORTILE_OK);
  return NULL;
}

static const char* orders_floats(void) {
  double keys[] = {NAN, 1.0, -INFINITY, 0.0, -0.0, INFINITY};
  CHECK(sortile_sort(SORTILE_F64, keys, keys, 6, NULL) == SORTILE_OK);
  CHECK(keys[0] == -INFINITY && isnan(keys[5]) && keys[4] == INFINITY && keys[3] == 1.0);
  CHECK(!signbit(keys[1]) && signbit(keys[2]));
  return NULL;
}

static const char* sorts_pairs_stably(void) {
  static uint32_t keys[COUNT], values[COUNT], keys_out[COUNT], values_out[COUNT];
  fill(keys, values, 50);
  CHECK(sortile_sort_by_key(SORTILE_U32, keys, keys_out, 4, values, values_out, COUNT, NULL) == SORTILE_OK);
  for (size_t i = 0; i < COUNT; ++i) {
    CHECK(keys_out[i] == keys[values_out[i]]);
    CHECK(i == 0 || keys_out[i - 1] < keys_out[i] ||
          (keys_out[i - 1] == keys_out[i] && values_out[i - 1] < values_out[i]));
  }
  CHECK(sortile_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, COUNT, NULL) == SORTILE_OK);
  CHECK(memcmp(values, values_out, sizeof values) == 0);
  return NULL;
}

static const char* gives_positions(void) {
  static uint32_t keys[COUNT], values[COUNT], narrow[COUNT];
  static uint64_t wide[COUNT];
  fill(keys, values, 100);
  CHECK(sortile_argsort(SORTILE_U32, keys, COUNT, 4, narrow, NULL) == SORTILE_OK);
  CHECK(sortile_argsort(SORTILE_U32, keys, COUNT, 8, wide, NULL) == SORTILE_OK);
  for (size_t i = 0; i < COUNT; ++i) {
    CHECK(narrow[i] == wide[i]);
    CHECK(i == 0 || keys[wide[i - 1]] <= keys[wide[i]]);
  }
  CHECK(sortile_permute(COUNT, wide, 8, keys, 4, NULL) == SORTILE_OK);
  CHECK(in_order(keys, COUNT));
  return NULL;
}

static const char* sorts_within_two_buffers(void) {
  static uint32_t a[COUNT], b[COUNT], va[COUNT], vb[COUNT], original[COUNT];
  int in_first = -1;
  fill(a, va, 300);
  memcpy(original, a, sizeof a);
  CHECK(sortile_sort_double_buffer(SORTILE_U32, a, b, 4, va, vb, COUNT, &in_first, NULL) == SORTILE_OK);
  CHECK(in_first == 0 || in_first == 1);
  const uint32_t* keys = in_first ? a : b;
  const uint32_t* values = in_first ? va : vb;
  CHECK(in_order(keys, COUNT));
  for (size_t i = 0; i < COUNT; ++i)
    CHECK(original[values[i]] == keys[i]);
  CHECK(sortile_sort_double_buffer(SORTILE_U32, a, b, 0, NULL, NULL, COUNT, &in_first, NULL) == SORTILE_OK);
  in_first = 77;
  CHECK(sortile_sort_double_buffer(SORTILE_U32, a, a, 0, NULL, NULL, COUNT, &in_first, NULL) ==
        SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "keys_first and keys_second are the same array") != NULL && in_first == 77);
  CHECK(sortile_sort_double_buffer(SORTILE_U32, NULL, NULL, 0, NULL, NULL, 0, &in_first, NULL) == SORTILE_OK);
  return NULL;
}

static const char* orders_rows(void) {
  const int32_t size[] = {5, 7, 5, 7, 5};
  const float price[] = {2, 1, 1, 1, 2};
  const sortile_column columns[] = {{SORTILE_I32, size, SORTILE_DESCENDING}, {SORTILE_F32, price, SORTILE_ASCENDING}};
  uint32_t rows[5];
  CHECK(sortile_argsort_rows(columns, 2, 5, 4, rows, NULL) == SORTILE_OK);
  CHECK(rows[0] == 1 && rows[1] == 3 && rows[2] == 2 && rows[3] == 0 && rows[4] == 4);
  CHECK(sortile_argsort_rows(columns, 0, 5, 4, rows, NULL) == SORTILE_INVALID_ARGUMENT);

  int32_t sizes[] = {5, 7, 5, 7, 5};
  float prices[] = {2, 1, 1, 1, 2};
  char names[] = {'a', 'b', 'c', 'd', 'e'};
  const sortile_column own[] = {{SORTILE_I32, sizes, SORTILE_DESCENDING}, {SORTILE_F32, prices, SORTILE_ASCENDING}};
  const sortile_row_array arrays[] = {{sizes, 4}, {prices, 4}, {names, 1}}, one_twice[] = {{sizes, 4}, {sizes, 4}};
  CHECK(sortile_sort_rows(own, 2, one_twice, 2, 5, NULL) == SORTILE_INVALID_ARGUMENT && sizes[0] == 5);
  CHECK(sortile_sort_rows(own, 2, NULL, 1, 5, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_sort_rows(NULL, 2, arrays, 3, 5, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_sort_rows(own, 2, arrays, 3, 5, NULL) == SORTILE_OK);
  CHECK(memcmp(names, "bdcae", 5) == 0 && sizes[0] == 7 && sizes[2] == 5 && prices[2] == 1 && prices[4] == 2);
  return NULL;
}

static const char* merges_and_checks(void) {
  const int64_t a[] = {-5, 0, 9}, b[] = {0, 10};
  const char values_a[] = {'a', 'b', 'c'}, values_b[] = {'d', 'e'};
  const sortile_run runs[] = {{a, values_a, 3}, {b, values_b, 2}, {NULL, NULL, 0}};
  int64_t out[5];
  char values[5];
  size_t position = 99;
  CHECK(sortile_merge(SORTILE_I64, runs, 3, out, 1, values, NULL) == SORTILE_OK);
  CHECK(out[0] == -5 && out[1] == 0 && out[2] == 0 && out[3] == 9 && out[4] == 10);
  CHECK(memcmp(values, "abdce", 5) == 0);
  size_t bytes = 99;
  CHECK(sortile_merge_workspace_bytes(SORTILE_I64, runs, 3, NULL, 1, NULL, &bytes, NULL) == SORTILE_OK && bytes == 0);
  CHECK(sortile_merge_workspace_bytes(SORTILE_I64, runs, 3, out, 1, values, NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_merge_workspace_bytes(SORTILE_I64, runs, 3, out, 1, NULL, &bytes, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_first_disorder(SORTILE_I64, out, 5, &position, NULL) == SORTILE_OK && position == 5);
  out[3] = -7;
  CHECK(sortile_first_disorder(SORTILE_I64, out, 5, &position, NULL) == SORTILE_OK && position == 3);
  return NULL;
}

static const char* takes_a_workspace(void) {
  static uint32_t keys[COUNT], values[COUNT], positions[COUNT];
  sortile_options options = SORTILE_OPTIONS_INIT;
  size_t bytes = 0, argsort_bytes = 0;
  fill(keys, values, 1u << 30);
  CHECK(sortile_workspace_bytes(SORTILE_U32, COUNT, 4, 1, &bytes, NULL) == SORTILE_OK);
  CHECK(sortile_argsort_workspace_bytes(SORTILE_U32, COUNT, 4, &argsort_bytes, NULL) == SORTILE_OK);
  const size_t wanted = bytes > argsort_bytes ? bytes : argsort_bytes;
  void* workspace = aligned_alloc(128, (wanted + 128) / 128 * 128);
  CHECK(workspace != NULL);
  options.workspace = workspace;
  options.workspace_bytes = bytes;
  const sortile_status sorted = sortile_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, COUNT, &options);
  options.workspace_bytes = argsort_bytes;
  const sortile_status ordered = sortile_argsort(SORTILE_U32, keys, COUNT, 4, positions, &options);
  sortile_status refused = SORTILE_WORKSPACE_TOO_SMALL;
  if (bytes > 1) {
    options.workspace_bytes = bytes - 1;
    refused = sortile_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, COUNT, &options);
  }
  free(workspace);
  CHECK(sorted == SORTILE_OK && in_order(keys, COUNT));
  CHECK(ordered == SORTILE_OK && positions[0] == 0 && positions[COUNT - 1] == COUNT - 1);
  CHECK(refused == SORTILE_WORKSPACE_TOO_SMALL);
  return NULL;
}

static int count_then_cancel(double fraction, void* user) {
  int* calls = user;
  ++*calls;
  return fraction >= 2;
}

static const char* tells_progress_and_cancels(void) {
  static uint32_t keys[COUNT], values[COUNT];
  sortile_options options = SORTILE_OPTIONS_INIT;
  int calls = 0;
  fill(keys, values, 1000);
  options.progress = count_then_cancel;
  options.progress_user = &calls;
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_CANCELLED);
  CHECK(calls == 1);
  return NULL;
}

static const char* names_errors(void) {
  uint32_t keys[4] = {1, 2, 3, 4};
  sortile_options options = SORTILE_OPTIONS_INIT;
  CHECK(sortile_sort(SORTILE_U32, NULL, keys, 4, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "null") != NULL);
  CHECK(sortile_sort(SORTILE_U32, keys, keys + 1, 3, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "overlap") != NULL);
  CHECK(sortile_argsort(SORTILE_U32, keys, 4, 5, keys, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_sort((sortile_key_type)99, keys, keys, 4, NULL) == SORTILE_INVALID_ARGUMENT);
  options.bits_begin = 9;
  options.bits_end = 8;
  CHECK(sortile_sort(SORTILE_U32, keys, keys, 4, &options) == SORTILE_INVALID_ARGUMENT);
  options = (sortile_options)SORTILE_OPTIONS_INIT;
  options.engine = "quantum";
  CHECK(sortile_sort(SORTILE_U32, keys, keys, 4, &options) == SORTILE_UNKNOWN_ENGINE);
  CHECK(strstr(sortile_error_message(), "quantum") != NULL && strstr(sortile_error_message(), "cpu") != NULL);
  CHECK(strcmp(sortile_status_name(SORTILE_UNKNOWN_ENGINE), "unknown engine") == 0);
  CHECK(strcmp(sortile_status_name(SORTILE_OK), "ok") == 0);
  return NULL;
}

/* All zeros sort as NULL does, and each member set by itself does what it says. */
static const char* zeros_are_the_defaults(void) {
  static uint32_t keys[COUNT], expected[COUNT], values[COUNT];
  sortile_options options = {0}, initialised = SORTILE_OPTIONS_INIT;
  CHECK(memcmp(&options.order, &initialised.order, sizeof options.order) == 0 && initialised.bits_begin == 0 &&
        initialised.bits_end == 0 && initialised.engine == NULL && initialised.threads == 0 &&
        initialised.progress == NULL && initialised.progress_user == NULL && initialised.workspace == NULL &&
        initialised.workspace_bytes == 0 && initialised.memory == 0 && initialised.stream == NULL &&
        initialised.checked == 0 && initialised.workspace_limit == 0 && initialised.reserved[0] == 0 &&
        initialised.explain == NULL && initialised.explain_user == NULL && initialised.reserved[4] == 0);
  fill(keys, values, 1u << 30);
  memcpy(expected, keys, sizeof keys);
  CHECK(sortile_sort(SORTILE_U32, expected, expected, COUNT, NULL) == SORTILE_OK && in_order(expected, COUNT));
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_OK);
  CHECK(memcmp(keys, expected, sizeof keys) == 0);

  options.order = SORTILE_DESCENDING;
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_OK && keys[0] == expected[COUNT - 1]);
  options = (sortile_options){0};
  options.bits_begin = 24; /* to the top: the lower bits keep the order that they had, the descending one */
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_OK);
  for (size_t i = 1; i < COUNT; ++i)
    CHECK(keys[i - 1] >> 24 < keys[i] >> 24 || (keys[i - 1] >> 24 == keys[i] >> 24 && keys[i - 1] >= keys[i]));
  options = (sortile_options){0};
  options.threads = UINT32_MAX; /* more than can help: no more are taken */
  size_t bytes = 0;
  CHECK(sortile_workspace_bytes(SORTILE_U32, (size_t)1 << 28, 0, 1, &bytes, &options) == SORTILE_OK);
  CHECK(bytes < (size_t)1 << 33);
  options = (sortile_options){0};
  options.checked = 1; /* of work in device memory: here there is none to wait for */
  options.workspace_bytes = 5;
  options.progress_user = keys;
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_OK &&
        memcmp(keys, expected, sizeof keys) == 0);
  options = (sortile_options){0};
  options.stream = keys;
  CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "stream") != NULL);
  for (size_t i = 0; i < 5; ++i) {
    options = (sortile_options){0};
    options.reserved[i] = 1;
    CHECK(sortile_sort(SORTILE_U32, keys, keys, COUNT, &options) == SORTILE_INVALID_ARGUMENT);
    CHECK(strstr(sortile_error_message(), "reserved") != NULL);
  }
  return NULL;
}

static void keep_plan(const char* plan, void* user) {
  strncpy(user, plan, 999);
}

/* The same call, with and without explain: a plan, and arrays as they were; then what it does. */
static const char* explains_each_call(void) {
  enum { MANY = 20000 };
  static uint32_t keys[MANY], out[MANY], values[MANY], before[MANY];
  static uint64_t digits[4 * 256];
  static char plan[1000];
  const uint32_t begins[3] = {0, 9000, MANY};
  const size_t ranks[1] = {7};
  const double half = 0.5;
  double middle = -1, middles[2] = {-1, -1};
  size_t groups = 5;
  sortile_options options = {0};
  options.explain = keep_plan;
  options.explain_user = plan;
  for (size_t i = 0; i < MANY; ++i)
    keys[i] = pseudo_random((uint32_t)i);
  memcpy(before, keys, sizeof keys);
  const sortile_segments where = {.count = 2, .begins = begins, .offset_bytes = 4};
  const sortile_run runs[1] = {{keys, NULL, 9}};
  const sortile_column column = {SORTILE_U32, keys, SORTILE_ASCENDING};
  const sortile_top_k_request top = {.type = SORTILE_U32, .n = MANY, .k = 5, .keys_in = keys, .keys_out = out};
  const sortile_groups_request groups_wanted = {.type = SORTILE_U32, .n = MANY, .keys = keys, .keys_out = out};
  const sortile_route_request routing_wanted = {
      .type = SORTILE_U32, .n = MANY, .experts = keys, .expert_count = 8, .index_bytes = 4, .counts = out};
#define CHECK_EXPLAINS(call, step)                                                                                     \
  do {                                                                                                                 \
    plan[0] = '\0';                                                                                                    \
    CHECK((call) == SORTILE_OK);                                                                                       \
    CHECK(strstr(plan, "engine") != NULL && strstr(plan, step) != NULL);                                               \
    CHECK(memcmp(keys, before, sizeof keys) == 0 && out[0] == 0 && values[0] == 0);                                    \
  } while (0)
  CHECK_EXPLAINS(sortile_sort(SORTILE_U32, keys, keys, MANY, &options), "local");
  CHECK_EXPLAINS(sortile_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, MANY, &options), "local");
  CHECK_EXPLAINS(sortile_argsort(SORTILE_U32, keys, MANY, 4, values, &options), "workspace");
  int in_first = 5;
  CHECK_EXPLAINS(sortile_sort_double_buffer(SORTILE_U32, keys, out, 0, NULL, NULL, MANY, &in_first, &options),
                 "workspace");
  CHECK(in_first == 0 || in_first == 1);
  CHECK_EXPLAINS(sortile_merge(SORTILE_U32, runs, 1, out, 0, NULL, &options), "merge");
  CHECK_EXPLAINS(sortile_top_k(&top, &options), "workspace");
  CHECK_EXPLAINS(sortile_partial_sort(SORTILE_U32, keys, MANY, 5, 0, NULL, &options), "workspace");
  CHECK_EXPLAINS(sortile_nth_element(SORTILE_U32, keys, MANY, 5, &options), "workspace");
  CHECK_EXPLAINS(sortile_keys_at_ranks(SORTILE_U32, keys, MANY, ranks, 1, out, &options), "workspace");
  CHECK_EXPLAINS(sortile_quantiles(SORTILE_U32, keys, MANY, &half, 1, SORTILE_LINEAR, &middle, &options), "workspace");
  CHECK(middle == -1);
  CHECK_EXPLAINS(sortile_groups(&groups_wanted, &groups, &options), "groups");
  CHECK(groups == 0);
  CHECK_EXPLAINS(sortile_route(&routing_wanted, &options), "move");
  CHECK_EXPLAINS(sortile_inclusive_scan(SORTILE_U32, keys, out, MANY, SORTILE_SUM, &options), "scan");
  CHECK_EXPLAINS(sortile_exclusive_scan(SORTILE_U32, keys, keys, MANY, SORTILE_MAXIMUM, &options), "scan");
  CHECK_EXPLAINS(sortile_digit_histogram(SORTILE_U32, keys, MANY, digits, &options), "4 digits");
  CHECK_EXPLAINS(sortile_segment_sort(SORTILE_U32, keys, keys, MANY, &where, &options), "segments");
  CHECK_EXPLAINS(sortile_segment_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, MANY, &where, &options),
                 "segments");
  CHECK_EXPLAINS(sortile_segment_argsort(SORTILE_U32, keys, MANY, 4, values, &where, &options), "segments");
  CHECK_EXPLAINS(sortile_segment_top_k(&top, &where, &options), "workspace");
  CHECK_EXPLAINS(sortile_segment_partial_sort(SORTILE_U32, keys, MANY, 5, 4, values, &where, &options), "each segment");
  CHECK_EXPLAINS(sortile_segment_nth_element(SORTILE_U32, keys, MANY, 5, &where, &options), "each segment");
  CHECK_EXPLAINS(sortile_segment_keys_at_ranks(SORTILE_U32, keys, MANY, ranks, 1, out, &where, &options),
                 "each segment");
  CHECK_EXPLAINS(
      sortile_segment_quantiles(SORTILE_U32, keys, MANY, &half, 1, SORTILE_LINEAR, middles, &where, &options),
      "each segment");
  CHECK(middles[0] == -1 && middles[1] == -1);
#undef CHECK_EXPLAINS
  CHECK(digits[0] == 0);
  CHECK(sortile_sort(SORTILE_U32, NULL, keys, MANY, &options) == SORTILE_INVALID_ARGUMENT); /* checked as ever */
  CHECK(sortile_argsort_rows(&column, 1, MANY, 4, values, &options) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "options.explain") != NULL);
  size_t position = 0;
  CHECK(sortile_first_disorder(SORTILE_U32, keys, MANY, &position, &options) == SORTILE_INVALID_ARGUMENT);
  CHECK(values[0] == 0 && position == 0);
  options.explain = NULL;
  CHECK(sortile_groups(&groups_wanted, &groups, &options) == SORTILE_OK && groups > 1);
  return NULL;
}

/* A limit holds for what a call takes, and is refused with the least that can be kept. */
static const char* sorts_within_a_limit(void) {
  enum { MANY = 400000 };
  static uint32_t keys[MANY], values[MANY];
  sortile_options options = {0};
  size_t usual = 0, limited = 0;
  options.threads = 1;
  CHECK(sortile_workspace_bytes(SORTILE_U32, MANY, 4, 1, &usual, &options) == SORTILE_OK);
  options.workspace_limit = 2u << 20;
  CHECK(sortile_workspace_bytes(SORTILE_U32, MANY, 4, 1, &limited, &options) == SORTILE_OK);
  CHECK(usual > options.workspace_limit && limited <= options.workspace_limit);
  for (uint32_t i = 0; i < MANY; ++i) {
    keys[i] = i * 2654435761u >> 12;
    values[i] = i;
  }
  CHECK(sortile_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, MANY, &options) == SORTILE_OK);
  for (size_t i = 0; i < MANY; ++i)
    CHECK(keys[i] == values[i] * 2654435761u >> 12 &&
          (i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i])));
  options.workspace_limit = 1;
  CHECK(sortile_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, MANY, &options) == SORTILE_WORKSPACE_TOO_SMALL);
  CHECK(strstr(sortile_error_message(), "workspace_limit") != NULL);
  return NULL;
}

static const char* sorts_within_segments(void) {
  uint32_t keys[6] = {3, 1, 2, 9, 8, 7}, sorted[6] = {0}, indices[6], values[6] = {0, 1, 2, 3, 4, 5};
  const uint32_t offsets[3] = {0, 2, 6}, begins[2] = {3, 0}, ends[2] = {6, 2};
  const sortile_segments neighbours = {2, offsets, NULL, 4, 0, 0, 0}, ranges = {2, begins, ends, 4, 0, 0, 0},
                         rows = {2, NULL, NULL, 0, 3, 3, 1}, columns = {3, NULL, NULL, 0, 2, 1, 3};
  CHECK(sortile_segment_sort(SORTILE_U32, keys, sorted, 6, &neighbours, NULL) == SORTILE_OK);
  CHECK(sorted[0] == 1 && sorted[1] == 3 && sorted[2] == 2 && sorted[5] == 9);
  CHECK(sortile_segment_sort(SORTILE_U32, keys, sorted, 6, &ranges, NULL) == SORTILE_OK);
  CHECK(sorted[0] == 1 && sorted[1] == 3 && sorted[2] == 2 && sorted[3] == 7 && sorted[5] == 9);
  CHECK(sortile_segment_argsort(SORTILE_U32, keys, 6, 4, indices, &rows, NULL) == SORTILE_OK);
  CHECK(indices[0] == 1 && indices[1] == 2 && indices[2] == 0 && indices[3] == 2 && indices[5] == 0);
  CHECK(sortile_segment_sort_by_key(SORTILE_U32, keys, keys, 4, values, values, 6, &columns, NULL) == SORTILE_OK);
  CHECK(keys[0] == 3 && keys[3] == 9 && keys[2] == 2 && values[0] == 0 && values[5] == 5);
  size_t bytes = 0;
  CHECK(sortile_segment_workspace_bytes(SORTILE_U64, 1000000, 8, 0, &columns, &bytes, NULL) == SORTILE_OK);
  CHECK(sortile_segment_workspace_bytes(SORTILE_U64, 1000000, 8, 0, &neighbours, &bytes, NULL) == SORTILE_OK &&
        bytes > 0);
  CHECK(sortile_segment_workspace_bytes(SORTILE_U64, 6, 4, 1, &rows, &bytes, NULL) == SORTILE_OK);
  const uint32_t falling[3] = {0, 4, 2};
  const sortile_segments wrong = {2, falling, NULL, 4, 0, 0, 0}, without = {2, NULL, ends, 4, 0, 0, 0};
  CHECK(sortile_segment_sort(SORTILE_U32, keys, keys, 6, &wrong, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "must not decrease") != NULL);
  CHECK(sortile_segment_sort(SORTILE_U32, keys, keys, 6, &without, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_segment_sort(SORTILE_U32, keys, keys, 6, NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "segments is null") != NULL);
  return NULL;
}

static const char* selects_within_segments(void) {
  uint32_t keys[6] = {3, 1, 2, 9, 8, 7}, values[6] = {0, 1, 2, 3, 4, 5}, found[4] = {11, 11, 11, 11};
  const uint32_t offsets[3] = {0, 1, 6};
  const sortile_segments parts = {2, offsets, NULL, 4, 0, 0, 0}, rows = {2, NULL, NULL, 0, 3, 3, 1},
                         columns = {3, NULL, NULL, 0, 2, 1, 3};
  const size_t ranks[2] = {2, 0};
  const double half = 0.5;
  double middle[3];
  CHECK(sortile_segment_quantiles(SORTILE_U32, keys, 6, &half, 1, SORTILE_LINEAR, middle, &rows, NULL) == SORTILE_OK);
  CHECK(middle[0] == 2 && middle[1] == 8);
  CHECK(sortile_segment_quantiles(SORTILE_U32, keys, 6, &half, 1, SORTILE_LOWER, middle, &columns, NULL) == SORTILE_OK);
  CHECK(middle[0] == 3 && middle[1] == 1 && middle[2] == 2);
  CHECK(sortile_segment_keys_at_ranks(SORTILE_U32, keys, 6, ranks, 2, found, &parts, NULL) == SORTILE_OK);
  CHECK(found[0] == 11 && found[1] == 3 && found[2] == 7 && found[3] == 1);
  CHECK(sortile_segment_keys_at_ranks(SORTILE_U32, keys, 6, ranks, 2, found, &columns, NULL) ==
        SORTILE_INVALID_ARGUMENT); /* of two keys each */
  CHECK(sortile_segment_partial_sort(SORTILE_U32, keys, 6, 2, 4, values, &parts, NULL) == SORTILE_OK);
  CHECK(keys[0] == 3 && keys[1] == 1 && keys[2] == 2 && values[0] == 0 && values[1] == 1 && values[2] == 2);
  CHECK(sortile_segment_nth_element(SORTILE_U32, keys, 6, 4, &parts, NULL) == SORTILE_OK && keys[5] == 9);
  size_t bytes = 1;
  sortile_options on_device = SORTILE_OPTIONS_INIT;
  on_device.memory = SORTILE_DEVICE;
  CHECK(sortile_segment_partial_sort_workspace_bytes(SORTILE_U32, 6, 2, 4, &parts, &bytes, NULL) == SORTILE_OK &&
        bytes == 0);
  CHECK(sortile_segment_nth_element_workspace_bytes(SORTILE_U32, 6, 2, NULL, &bytes, NULL) == SORTILE_INVALID_ARGUMENT);
  sortile_status planned =
      sortile_segment_nth_element_workspace_bytes(SORTILE_U32, 6000, 2, &parts, &bytes, &on_device);
  CHECK(planned == SORTILE_ENGINE_UNUSABLE || (planned == SORTILE_OK && bytes > 0));
  planned = sortile_segment_keys_at_ranks_workspace_bytes(SORTILE_U32, 6, ranks, 2, &rows, &bytes, &on_device);
  CHECK(planned == SORTILE_ENGINE_UNUSABLE || (planned == SORTILE_OK && bytes > 0));
  CHECK(sortile_segment_quantiles_workspace_bytes(SORTILE_U32, 6, &half, 1, &parts, &bytes, &on_device) ==
        SORTILE_ENGINE_UNUSABLE); /* no rows */
  CHECK(strstr(sortile_error_message(), "engine 'cpu' does") != NULL || planned == SORTILE_ENGINE_UNUSABLE);
  return NULL;
}

/* Numbers whose lower byte, or lower half, would name something. */
static const int no_such_number[] = {256, 65536, 0x1000000, 2147483647, -1, -256, 14, 2 + 256};

static const char* refuses_numbers_that_name_nothing(void) {
  uint32_t keys[4] = {4, 3, 2, 1}, out[4] = {9, 9, 9, 9}, values[4] = {0};
  uint32_t rows[4];
  size_t place = 77;
  int in_first = 77;
  for (size_t i = 0; i < sizeof no_such_number / sizeof no_such_number[0]; ++i) {
    const sortile_key_type type = (sortile_key_type)no_such_number[i];
    const sortile_column odd_type = {type, keys, SORTILE_ASCENDING},
                         odd_order = {SORTILE_U32, keys, (sortile_order)no_such_number[i]};
    const sortile_run run = {keys, NULL, 4};
    const sortile_status by_type[] = {sortile_sort(type, keys, out, 4, NULL),
                                      sortile_sort_by_key(type, keys, out, 4, values, rows, 4, NULL),
                                      sortile_argsort(type, keys, 4, 4, out, NULL),
                                      sortile_sort_double_buffer(type, keys, out, 0, NULL, NULL, 4, &in_first, NULL),
                                      sortile_argsort_rows(&odd_type, 1, 4, 4, out, NULL),
                                      sortile_argsort_rows(&odd_order, 1, 4, 4, out, NULL),
                                      sortile_sort_rows(&odd_type, 1, NULL, 0, 4, NULL),
                                      sortile_sort_rows(&odd_order, 1, NULL, 0, 4, NULL),
                                      sortile_merge(type, &run, 1, out, 0, NULL, NULL),
                                      sortile_first_disorder(type, keys, 4, &place, NULL),
                                      sortile_workspace_bytes(type, 4, 0, 0, &place, NULL),
                                      sortile_argsort_workspace_bytes(type, 4, 4, &place, NULL)};
    for (size_t call = 0; call < sizeof by_type / sizeof by_type[0]; ++call)
      CHECK(by_type[call] == SORTILE_INVALID_ARGUMENT);
    for (int member = 0; member < 2; ++member) {
      sortile_options options = {0};
      if (member == 0)
        options.order = (sortile_order)no_such_number[i];
      else
        options.memory = (sortile_memory)no_such_number[i];
      CHECK(sortile_sort(SORTILE_U32, keys, out, 4, &options) == SORTILE_INVALID_ARGUMENT);
      CHECK(strstr(sortile_error_message(), member == 0 ? "order number" : "memory number") != NULL);
      CHECK(sortile_permute(4, values, 4, out, 4, &options) == SORTILE_INVALID_ARGUMENT);
      CHECK(sortile_merge(SORTILE_U32, &run, 1, out, 0, NULL, &options) == SORTILE_INVALID_ARGUMENT);
      CHECK(sortile_first_disorder(SORTILE_U32, keys, 4, &place, &options) == SORTILE_INVALID_ARGUMENT);
    }
    CHECK(strcmp(sortile_status_name((sortile_status)no_such_number[i]), "no status") == 0);
  }
  CHECK(keys[0] == 4 && out[0] == 9 && out[3] == 9 && place == 77 && in_first == 77);
  CHECK(sortile_sort((sortile_key_type)256, keys, keys, 4, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(strstr(sortile_error_message(), "key type number 256 does not exist") != NULL);
  return NULL;
}

static const char* routing(void) {
  const int32_t experts[] = {1, 0, 1, -1, 0};
  uint32_t offsets[3], order[8], inverse[5], dropped = 77;
  sortile_route_request r = {0};
  r.type = SORTILE_I32;
  r.n = 5;
  r.experts = experts;
  r.expert_count = 2;
  r.index_bytes = 4;
  r.offsets = offsets;
  r.order = order;
  r.inverse = inverse;
  r.dropped = &dropped;
  CHECK(sortile_route(&r, NULL) == SORTILE_OK);
  CHECK(offsets[0] == 0 && offsets[1] == 2 && offsets[2] == 4 && dropped == 1);
  CHECK(order[0] == 1 && order[1] == 4 && order[2] == 0 && order[3] == 2);
  CHECK(inverse[0] == 2 && inverse[3] == UINT32_MAX && inverse[4] == 1);
  r.block = 4;
  CHECK(sortile_route(&r, NULL) == SORTILE_OK);
  CHECK(offsets[1] == 4 && offsets[2] == 8 && order[2] == 5 && order[4] == 0);
  size_t bytes = 77;
  CHECK(sortile_route_workspace_bytes(&r, &bytes, NULL) == SORTILE_OK && bytes == 0);
  CHECK(sortile_route_workspace_bytes(&r, NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  r.expert_count = 0;
  CHECK(sortile_route(&r, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_route(NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  return NULL;
}

static const char* scans(void) {
  const int32_t steps[] = {3, -5, 4};
  int32_t sums[3];
  CHECK(sortile_inclusive_scan(SORTILE_I32, steps, sums, 3, SORTILE_SUM, NULL) == SORTILE_OK);
  CHECK(sums[0] == 3 && sums[1] == -2 && sums[2] == 2);
  CHECK(sortile_exclusive_scan(SORTILE_I32, steps, sums, 3, SORTILE_MAXIMUM, NULL) == SORTILE_OK);
  CHECK(sums[0] == INT32_MIN && sums[1] == 3 && sums[2] == 3);
  CHECK(sortile_inclusive_scan(SORTILE_F32, steps, sums, 3, SORTILE_SUM, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_exclusive_scan(SORTILE_I32, steps, sums, 3, (sortile_scan_operator)2, NULL) ==
        SORTILE_INVALID_ARGUMENT);
  size_t bytes = 77;
  CHECK(sortile_scan_workspace_bytes(SORTILE_U64, 1000, &bytes, NULL) == SORTILE_OK && bytes == 0);
  CHECK(sortile_scan_workspace_bytes(SORTILE_U64, 1000, NULL, NULL) == SORTILE_INVALID_ARGUMENT);

  const uint16_t keys[] = {0x0102, 0x0103, 0x0202};
  uint64_t counts[512];
  CHECK(sortile_digit_histogram(SORTILE_U16, keys, 3, counts, NULL) == SORTILE_OK);
  CHECK(counts[2] == 2 && counts[3] == 1 && counts[256 + 1] == 2 && counts[256 + 2] == 1);
  CHECK(sortile_digit_histogram(SORTILE_U16, keys, 3, NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  return NULL;
}

static const char* selects(void) {
  static uint32_t keys[COUNT], values[COUNT], sorted[COUNT], order[COUNT], first[100], first_values[100];
  static uint64_t places[100];
  fill(keys, values, 500);
  CHECK(sortile_sort(SORTILE_U32, keys, sorted, COUNT, NULL) == SORTILE_OK);
  CHECK(sortile_argsort(SORTILE_U32, keys, COUNT, 4, order, NULL) == SORTILE_OK);
  sortile_top_k_request request = {0};
  request.type = SORTILE_U32;
  request.n = COUNT;
  request.k = 100;
  request.keys_in = keys;
  request.keys_out = first;
  request.value_bytes = 4;
  request.values_in = values;
  request.values_out = first_values;
  CHECK(sortile_top_k(&request, NULL) == SORTILE_OK);
  for (size_t i = 0; i < 100; ++i)
    CHECK(first[i] == sorted[i] && first_values[i] == values[order[i]]);
  request.index_bytes = 8;
  request.indices_out = places;
  CHECK(sortile_top_k(&request, NULL) == SORTILE_INVALID_ARGUMENT); /* values and indices */
  request.value_bytes = 0;
  request.keys_out = NULL;
  CHECK(sortile_top_k(&request, NULL) == SORTILE_OK);
  for (size_t i = 0; i < 100; ++i)
    CHECK(places[i] == order[i]);
  size_t bytes = 0;
  CHECK(sortile_top_k_workspace_bytes(&request, &bytes, NULL) == SORTILE_OK && bytes > 0);
  const uint64_t three = 3;
  places[3] = 12345;
  request.row_k = &three;
  CHECK(sortile_top_k(&request, NULL) == SORTILE_INVALID_ARGUMENT); /* numbers of 0 bytes */
  request.row_k_bytes = 8;
  CHECK(sortile_top_k(&request, NULL) == SORTILE_OK);
  CHECK(places[0] == order[0] && places[2] == order[2] && places[3] == 12345);
  request.row_k = NULL;

  const uint32_t offsets[] = {0, 2, 2, COUNT};
  sortile_segments parts = {0};
  parts.count = 3;
  parts.begins = offsets;
  parts.offset_bytes = 4;
  request.k = 3;
  for (size_t i = 0; i < 9; ++i)
    places[i] = 12345;
  CHECK(sortile_segment_top_k(&request, &parts, NULL) == SORTILE_OK);
  CHECK(places[0] == (keys[1] < keys[0]) && places[1] == 1 - places[0]);
  CHECK(places[2] == 12345 && places[3] == 12345 && places[5] == 12345); /* shorter than k, and empty */
  CHECK(places[6] < COUNT - 2 && keys[2 + places[6]] <= keys[2 + places[7]]);
  CHECK(sortile_segment_top_k_workspace_bytes(&request, &parts, &bytes, NULL) == SORTILE_OK && bytes == 0);
  sortile_top_k_request no_keys = {0};
  no_keys.type = request.type;
  no_keys.k = 3; /* of no keys */
  CHECK(sortile_segment_top_k_workspace_bytes(&no_keys, &parts, &bytes, NULL) == SORTILE_OK && bytes == 0);
  parts.begins = NULL;
  CHECK(sortile_segment_top_k_workspace_bytes(&no_keys, &parts, &bytes, NULL) == SORTILE_INVALID_ARGUMENT); /* rows */
  CHECK(sortile_segment_top_k(&request, &parts, NULL) == SORTILE_INVALID_ARGUMENT);                         /* rows */
  CHECK(sortile_segment_top_k(&request, NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  request.k = COUNT + 1;
  CHECK(sortile_top_k(&request, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_top_k(NULL, NULL) == SORTILE_INVALID_ARGUMENT);

  const size_t ranks[] = {COUNT - 1, 0, 7};
  uint32_t at_ranks[3];
  CHECK(sortile_keys_at_ranks(SORTILE_U32, keys, COUNT, ranks, 3, at_ranks, NULL) == SORTILE_OK);
  CHECK(at_ranks[0] == sorted[COUNT - 1] && at_ranks[1] == sorted[0] && at_ranks[2] == sorted[7]);
  const double probabilities[] = {0.0, 1.0};
  double ends[2];
  CHECK(sortile_quantiles(SORTILE_U32, keys, COUNT, probabilities, 2, SORTILE_LINEAR, ends, NULL) == SORTILE_OK);
  CHECK(ends[0] == sorted[0] && ends[1] == sorted[COUNT - 1]);
  CHECK(sortile_keys_at_ranks_workspace_bytes(SORTILE_U32, COUNT, ranks, 3, &bytes, NULL) == SORTILE_OK && bytes == 0);
  CHECK(sortile_quantiles_workspace_bytes(SORTILE_U32, COUNT, probabilities, 2, NULL, NULL) ==
        SORTILE_INVALID_ARGUMENT);
  sortile_options on_device = SORTILE_OPTIONS_INIT;
  on_device.memory = SORTILE_DEVICE;
  bytes = 1;
  const sortile_status planned =
      sortile_quantiles_workspace_bytes(SORTILE_U32, 1u << 24, probabilities, 2, &bytes, &on_device);
  CHECK(planned == SORTILE_ENGINE_UNUSABLE || (planned == SORTILE_OK && bytes > 1));
  CHECK(sortile_quantiles(SORTILE_U32, keys, COUNT, probabilities, 2, (sortile_quantile_method)5, ends, NULL) ==
        SORTILE_INVALID_ARGUMENT);
  static uint32_t distinct[COUNT], counts[COUNT], group_of[COUNT];
  sortile_groups_request grouped = {0};
  size_t groups = 0;
  grouped.type = SORTILE_U32;
  grouped.n = COUNT;
  grouped.keys = keys;
  grouped.keys_out = distinct;
  grouped.index_bytes = 4;
  grouped.counts = counts;
  grouped.inverse = group_of;
  CHECK(sortile_groups(&grouped, &groups, NULL) == SORTILE_OK && groups > 1 && groups <= 500);
  size_t all = 0;
  for (size_t g = 0; g < groups; ++g)
    all += counts[g];
  CHECK(all == COUNT);
  for (size_t i = 0; i < COUNT; ++i)
    CHECK(distinct[group_of[i]] == keys[i]);
  CHECK(sortile_groups(NULL, &groups, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_nth_element(SORTILE_U32, keys, COUNT, 50, NULL) == SORTILE_OK && keys[50] == sorted[50]);
  CHECK(sortile_partial_sort(SORTILE_U32, keys, COUNT, 60, 0, NULL, NULL) == SORTILE_OK);
  CHECK(memcmp(keys, sorted, 60 * sizeof keys[0]) == 0);
  bytes = 1;
  CHECK(sortile_partial_sort_workspace_bytes(SORTILE_U32, COUNT, 60, 4, &bytes, NULL) == SORTILE_OK && bytes == 0);
  CHECK(sortile_nth_element_workspace_bytes(SORTILE_U32, COUNT, 50, NULL, NULL) == SORTILE_INVALID_ARGUMENT);
  CHECK(sortile_nth_element_workspace_bytes(SORTILE_U32, COUNT, COUNT + 1, &bytes, &on_device) ==
        SORTILE_INVALID_ARGUMENT);
  const sortile_status moved = sortile_nth_element_workspace_bytes(SORTILE_U32, 1u << 24, 50, &bytes, &on_device);
  CHECK(moved == SORTILE_ENGINE_UNUSABLE || (moved == SORTILE_OK && bytes > 0));
  return NULL;
}

static const char* lists_engines(void) {
  int found = 0;
  for (size_t i = 0; sortile_engine_name(i) != NULL; ++i)
    if (strcmp(sortile_engine_name(i), "cpu") == 0)
      found = sortile_engine_usable(i);
  CHECK(found);
  CHECK(sortile_engine_name(1000) == NULL);
  CHECK(strlen(sortile_version()) >= 5);
  return NULL;
}

const named_c_check c_checks[] = {{"sorts_keys", sorts_keys},
                                  {"orders_floats", orders_floats},
                                  {"sorts_pairs_stably", sorts_pairs_stably},
                                  {"gives_positions", gives_positions},
                                  {"sorts_within_two_buffers", sorts_within_two_buffers},
                                  {"orders_rows", orders_rows},
                                  {"merges_and_checks", merges_and_checks},
                                  {"takes_a_workspace", takes_a_workspace},
                                  {"tells_progress_and_cancels", tells_progress_and_cancels},
                                  {"names_errors", names_errors},
                                  {"zeros_are_the_defaults", zeros_are_the_defaults},
                                  {"explains_each_call", explains_each_call},
                                  {"sorts_within_a_limit", sorts_within_a_limit},
                                  {"sorts_within_segments", sorts_within_segments},
                                  {"selects_within_segments", selects_within_segments},
                                  {"refuses_numbers_that_name_nothing", refuses_numbers_that_name_nothing},
                                  {"routing", routing},
                                  {"scans", scans},
                                  {"selects", selects},
                                  {"lists_engines", lists_engines},
                                  {NULL, NULL}};
