/* sortile for C: the requests of request.hpp as plain structs and functions.
 *
 * Every function returns a status; where it is not SORTILE_OK, sortile_error_message() says what went wrong in this
 * thread's last failed call. Sorts are stable; −0 equals +0, every NaN is largest; bits are never altered. Options that
 * are null, or all zeros, are the defaults. An enumeration takes any int, and a number that is not in its list is
 * refused by name.
 */
#ifndef SORTILE_SORTILE_H
#define SORTILE_SORTILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* A C program may pass any int; in C++ only an enum with a fixed type may hold one that is not in its list. */
#ifdef __cplusplus
#define SORTILE_ENUM_BASE : int
#else
#define SORTILE_ENUM_BASE
#endif

/* Enumerations are passed as int: -fshort-enums would make them another size than the library's. */
typedef enum sortile_status SORTILE_ENUM_BASE {
  SORTILE_OK = 0,
  SORTILE_INVALID_ARGUMENT = 1,
  SORTILE_WORKSPACE_TOO_SMALL = 2,
  SORTILE_UNKNOWN_ENGINE = 3,
  SORTILE_ENGINE_UNUSABLE = 4,
  SORTILE_OUT_OF_MEMORY = 5,
  SORTILE_CANCELLED = 6,
  SORTILE_DEVICE_FAILURE = 7,
  SORTILE_IO_FAILURE = 8,
  SORTILE_INTERNAL_ERROR = 9
} sortile_status;

typedef enum sortile_key_type SORTILE_ENUM_BASE {
  SORTILE_U8 = 0,
  SORTILE_U16 = 1,
  SORTILE_U32 = 2,
  SORTILE_U64 = 3,
  SORTILE_U128 = 4,
  SORTILE_I8 = 5,
  SORTILE_I16 = 6,
  SORTILE_I32 = 7,
  SORTILE_I64 = 8,
  SORTILE_I128 = 9,
  SORTILE_F16 = 10,
  SORTILE_BF16 = 11,
  SORTILE_F32 = 12,
  SORTILE_F64 = 13
} sortile_key_type;

typedef enum sortile_order SORTILE_ENUM_BASE { SORTILE_ASCENDING = 0, SORTILE_DESCENDING = 1 } sortile_order;

/* `bits_end` of this value means the width of the key. */
#define SORTILE_WHOLE_KEY 0

/* Arrays in host memory, or in memory that the current CUDA device reaches: then a sort only queues its work on
 * `stream`, and progress must be NULL. */
typedef enum sortile_memory SORTILE_ENUM_BASE { SORTILE_HOST = 0, SORTILE_DEVICE = 1 } sortile_memory;

typedef char sortile_enumerations_have_the_size_of_int[sizeof(sortile_order) == sizeof(int) ? 1 : -1];

/* Bits are those of the unsigned number that sorts as the key does: of unsigned keys the key itself, of others the key
 * with its sign bit flipped, and of negative floats all bits flipped.
 *
 * With `explain` a call checks its arguments as ever and tells how it would be carried out; it reads and writes no array,
 * and results become 0. Calls on rows, permutations and sortile_first_disorder have no plan, and refuse it; calls that
 * ask for workspace leave it aside.
 *
 * Zero is the default of every member: `sortile_options options = {0};`, in C++ `{}`, then change what differs. Members
 * that later versions add are taken from `reserved`; a library that does not know them yet refuses them by name. */
typedef struct sortile_options {
  sortile_order order;
  uint32_t bits_begin, bits_end;                /* only bits [begin, end) decide; end 0: to the top */
  const char* engine;                           /* NULL or "": SORTILE_ENGINE, else the planner's choice */
  uint32_t threads;                             /* at most; 0: as many as the machine offers */
  int (*progress)(double fraction, void* user); /* NULL, or called from the calling thread; return 0 to cancel */
  void* progress_user;
  void* workspace; /* NULL: allocated by the call; else sortile_workspace_bytes() at least, aligned to 128 bytes */
  size_t workspace_bytes;
  sortile_memory memory; /* where the arrays and the workspace lie */
  void* stream;          /* SORTILE_DEVICE: the cudaStream_t in whose order the call works; NULL: the default stream */
  int checked;           /* SORTILE_DEVICE: not 0: wait for the work, and report what went wrong in it */
  size_t workspace_limit; /* bytes; where a sort of host arrays needs more, it sorts within them, slower; 0: no limit */
  void (*explain)(const char* plan, void* user); /* not NULL: the call only gives its plan to it, in lines of text */
  void* explain_user;
  uint64_t reserved[5];   /* zeros */
} sortile_options;

#define SORTILE_OPTIONS_INIT                                                                                           \
  { SORTILE_ASCENDING, 0, SORTILE_WHOLE_KEY, NULL, 0, NULL, NULL, NULL, 0, SORTILE_HOST, NULL, 0, 0, NULL, NULL, { 0 } }

/* Sorts n keys from `in` to `out`: the same array (in place), or apart. */
sortile_status sortile_sort(sortile_key_type type, const void* in, void* out, size_t n, const sortile_options* options);

/* Sorts n keys, value i of value_bytes bytes moving with key i. Both in place or both apart. */
sortile_status sortile_sort_by_key(sortile_key_type type, const void* keys_in, void* keys_out, size_t value_bytes,
                                   const void* values_in, void* values_out, size_t n, const sortile_options* options);

/* Writes the order of n keys as indices of index_bytes (4 or 8). The keys are only read. */
sortile_status sortile_argsort(sortile_key_type type, const void* keys, size_t n, size_t index_bytes, void* indices,
                               const sortile_options* options);

/* Sorts within two buffers, which lie apart, and both of which are overwritten; keys_first and keys_second that are the
 * same array are refused. *result_in_first says where the result lies: 1 in the first, 0 in the second. values_first and
 * values_second are NULL with value_bytes 0. */
sortile_status sortile_sort_double_buffer(sortile_key_type type, void* keys_first, void* keys_second,
                                          size_t value_bytes, void* values_first, void* values_second, size_t n,
                                          int* result_in_first, const sortile_options* options);

typedef struct sortile_column {
  sortile_key_type type;
  const void* data;
  sortile_order order;
} sortile_column;

/* The order of n rows by columns[0], ties by columns[1], … as indices of index_bytes (4 or 8). options: order and bits
 * stay default. */
sortile_status sortile_argsort_rows(const sortile_column* columns, size_t column_count, size_t n, size_t index_bytes,
                                    void* indices, const sortile_options* options);

typedef struct sortile_row_array {
  void* values; /* n values of value_bytes each */
  size_t value_bytes;
} sortile_row_array;

/* Sorts n rows by columns[0], ties by columns[1], …, and rearranges all arrays in that order, in place; the columns may
 * be among them. All arrays are rearranged, or after an error none. options: order and bits stay default. */
sortile_status sortile_sort_rows(const sortile_column* columns, size_t column_count, const sortile_row_array* arrays,
                                 size_t array_count, size_t n, const sortile_options* options);

/* Rearranges n values in place: values[i] becomes what values[indices[i]] was. */
sortile_status sortile_permute(size_t n, const void* indices, size_t index_bytes, void* values, size_t value_bytes,
                               const sortile_options* options);

typedef struct sortile_run {
  const void* keys;
  const void* values; /* NULL with value_bytes 0 */
  size_t n;
} sortile_run;

/* Merges sorted runs, which are not checked, into keys_out (and values_out). Device memory: the list of runs, which is
 * in host memory, is read before the call returns, the rest is asynchronous; the workspace of the options has as many
 * bytes as the second call says, for which keys_out may be NULL: then no array need be there yet. */
sortile_status sortile_merge(sortile_key_type type, const sortile_run* runs, size_t run_count, void* keys_out,
                             size_t value_bytes, void* values_out, const sortile_options* options);
sortile_status sortile_merge_workspace_bytes(sortile_key_type type, const sortile_run* runs, size_t run_count,
                                             void* keys_out, size_t value_bytes, void* values_out, size_t* bytes,
                                             const sortile_options* options);

/* The first k of n keys in the order of the options: in order, of equal keys the ones with the lowest positions. Of
 * several rows at once: row r begins `stride` elements after row r - 1, and has its results at r * k. With row_k row r
 * has its first row_k[r], and no more than k; the places behind them stay as they are. These numbers lie where the
 * options say; in device memory they are read there when the work is done. */
typedef struct sortile_top_k_request {
  sortile_key_type type;
  size_t n, k;
  const void* keys_in;
  void* keys_out;         /* k keys a row; NULL where indices alone are wanted */
  size_t value_bytes;     /* 0: no values */
  const void* values_in;  /* with value_bytes */
  void* values_out;       /* k values a row */
  size_t index_bytes;     /* 0: no indices; 4 or 8: positions within the row. Not together with values */
  void* indices_out;      /* k indices a row */
  size_t rows;            /* 0 is taken as 1 */
  size_t stride;          /* elements, of keys and values; 0: n */
  const void* row_k;      /* NULL: k for all rows; else an unsigned number for each */
  size_t row_k_bytes;     /* 4 or 8, with row_k */
} sortile_top_k_request;
sortile_status sortile_top_k(const sortile_top_k_request* request, const sortile_options* options);
sortile_status sortile_top_k_workspace_bytes(const sortile_top_k_request* request, size_t* bytes,
                                             const sortile_options* options);

/* Puts the first k of n keys into places 0 to k - 1, in order, their values with them (value_bytes 0: none). The others
 * stay where they are, but for those that lay before k: these fill the places that the first k left. Device memory:
 * asynchronous; the workspace of the options has as many bytes as the second call says. */
sortile_status sortile_partial_sort(sortile_key_type type, void* keys, size_t n, size_t k, size_t value_bytes,
                                    void* values, const sortile_options* options);
sortile_status sortile_partial_sort_workspace_bytes(sortile_key_type type, size_t n, size_t k, size_t value_bytes,
                                                    size_t* bytes, const sortile_options* options);

/* Puts the key that a sort would have at place `nth` there; none before it comes after it, none behind it before it. The
 * rest as for a partial sort. */
sortile_status sortile_nth_element(sortile_key_type type, void* keys, size_t n, size_t nth,
                                   const sortile_options* options);
sortile_status sortile_nth_element_workspace_bytes(sortile_key_type type, size_t n, size_t nth, size_t* bytes,
                                                   const sortile_options* options);

/* keys_out[i] becomes the key that a sort would have at place ranks[i]. Keys and keys_out lie where options say, ranks
 * in host memory. Device memory: asynchronous; the workspace of the options has as many bytes as the second call says. */
sortile_status sortile_keys_at_ranks(sortile_key_type type, const void* keys, size_t n, const size_t* ranks,
                                     size_t rank_count, void* keys_out, const sortile_options* options);
sortile_status sortile_keys_at_ranks_workspace_bytes(sortile_key_type type, size_t n, const size_t* ranks,
                                                     size_t rank_count, size_t* bytes, const sortile_options* options);

typedef enum sortile_quantile_method SORTILE_ENUM_BASE {
  SORTILE_LINEAR = 0,
  SORTILE_LOWER = 1,
  SORTILE_HIGHER = 2,
  SORTILE_NEAREST = 3,
  SORTILE_MIDPOINT = 4
} sortile_quantile_method;

/* results[i] becomes the quantile of n >= 1 keys at probabilities[i] in [0, 1]: place probability * (n - 1) of the
 * sorted keys, and between two keys what the method says. options: order and bits stay default. Keys and results lie
 * where options say, probabilities in host memory; the rest as for keys at ranks. */
sortile_status sortile_quantiles(sortile_key_type type, const void* keys, size_t n, const double* probabilities,
                                 size_t count, sortile_quantile_method method, double* results,
                                 const sortile_options* options);
sortile_status sortile_quantiles_workspace_bytes(sortile_key_type type, size_t n, const double* probabilities,
                                                 size_t count, size_t* bytes, const sortile_options* options);

/* The groups of n equal keys in host memory: *groups becomes their number. Outputs that are NULL are not wanted; all but
 * keys_out hold numbers of index_bytes (4 or 8; where none is wanted 0 too). */
typedef struct sortile_groups_request {
  sortile_key_type type;
  size_t n;
  const void* keys;
  void* keys_out;     /* room for n keys: of each group the one with the lowest position */
  size_t index_bytes;
  void* first;        /* room for n: of each group the lowest position */
  void* counts;       /* room for n: keys of each group */
  void* offsets;      /* room for n + 1: where each group begins in `order`, and n */
  void* order;        /* n: positions, group by group */
  void* inverse;      /* n: the group of each key */
} sortile_groups_request;
sortile_status sortile_groups(const sortile_groups_request* request, size_t* groups, const sortile_options* options);

/* The stable partition of n pairs by their expert's number. Outputs that are NULL are not wanted; all hold numbers of
 * index_bytes (4 or 8). Rows: (n + min(n, expert_count) * (block - 1)) / block * block. A pair whose number is negative
 * or not below expert_count is dropped: it has no row, and all bits of its `inverse` are set. */
typedef struct sortile_route_request {
  sortile_key_type type; /* of the experts' numbers: any integer of up to 64 bits */
  size_t n;
  const void* experts;
  size_t expert_count;   /* 1 to 4096 */
  size_t block;          /* rows of each expert are padded to a multiple of it; 0 is taken as 1 */
  size_t index_bytes;
  void* offsets;         /* expert_count + 1: where each expert's rows begin; behind the last: all rows in use */
  void* counts;          /* expert_count: pairs of each expert */
  void* order;           /* rows: the pair of each; n in rows of padding and behind the last row */
  void* inverse;         /* n: the row of each pair */
  void* block_experts;   /* rows / block: the expert of each block; all bits set behind the last */
  void* dropped;         /* 1: pairs that are dropped */
} sortile_route_request;
sortile_status sortile_route(const sortile_route_request* request, const sortile_options* options);
sortile_status sortile_route_workspace_bytes(const sortile_route_request* request, size_t* bytes,
                                             const sortile_options* options);

typedef enum sortile_scan_operator SORTILE_ENUM_BASE {
  SORTILE_SUM = 0,
  SORTILE_MAXIMUM = 1
} sortile_scan_operator;

/* out[i] becomes in[0] o ... o in[i] (inclusive), or in[0] o ... o in[i - 1] (exclusive; out[0] is 0, or the lowest value
 * of a maximum). type: u32, i32, u64 or i64; sums wrap around. out is in, or apart from it. */
sortile_status sortile_inclusive_scan(sortile_key_type type, const void* in, void* out, size_t n,
                                      sortile_scan_operator op, const sortile_options* options);
sortile_status sortile_exclusive_scan(sortile_key_type type, const void* in, void* out, size_t n,
                                      sortile_scan_operator op, const sortile_options* options);
/* Bytes of workspace that are enough for either in device memory; 0 in host memory. */
sortile_status sortile_scan_workspace_bytes(sortile_key_type type, size_t n, size_t* bytes,
                                            const sortile_options* options);

/* counts[256 * d + v] becomes the number of keys of which digit d, of 8 bits, is v: 256 counts for each byte of a key.
 * Digits are those of the key as options.order and the bit window make it. No workspace. */
sortile_status sortile_digit_histogram(sortile_key_type type, const void* keys, size_t n, uint64_t* counts,
                                       const sortile_options* options);

/* *position becomes the index of the first key out of order, n where all are in order. */
sortile_status sortile_first_disorder(sortile_key_type type, const void* keys, size_t n, size_t* position,
                                      const sortile_options* options);

/* Bytes of workspace that the sort with the same arguments needs. value_bytes 0: keys alone. in_place: whether input
 * and output are the same arrays. sortile_argsort_workspace_bytes is its like for sortile_argsort. */
sortile_status sortile_workspace_bytes(sortile_key_type type, size_t n, size_t value_bytes, int in_place, size_t* bytes,
                                       const sortile_options* options);
sortile_status sortile_argsort_workspace_bytes(sortile_key_type type, size_t n, size_t index_bytes, size_t* bytes,
                                               const sortile_options* options);

/* Where the segments of an array lie, in elements.
 *   begins not NULL, ends NULL      segment i is [begins[i], begins[i + 1]); begins has count + 1 elements
 *   both not NULL                   segment i is [begins[i], ends[i]); both have count elements, in any order
 *   both NULL                       segment i has the elements i * stride + k * step for k < length: rows of a 2-D array
 *                                   have step 1 and stride = columns, its columns stride 1 and step = columns
 * Offsets lie where options.memory says. In host memory those that decrease, reach beyond the arrays or overlap are
 * refused; in device memory they are read there when the work is done, and such segments are taken as empty or cut off
 * (with options.checked that is reported). */
typedef struct sortile_segments {
  size_t count;
  const void* begins;
  const void* ends;
  size_t offset_bytes; /* 4 or 8: the width of begins and ends */
  size_t length, stride, step;
} sortile_segments;

/* Sorts within segments of arrays of n elements: each as sortile_sort, sortile_sort_by_key and sortile_argsort would.
 * Indices count from the beginning of their segment. What lies in no segment is neither read nor written. */
sortile_status sortile_segment_sort(sortile_key_type type, const void* in, void* out, size_t n,
                                    const sortile_segments* segments, const sortile_options* options);
sortile_status sortile_segment_sort_by_key(sortile_key_type type, const void* keys_in, void* keys_out,
                                           size_t value_bytes, const void* values_in, void* values_out, size_t n,
                                           const sortile_segments* segments, const sortile_options* options);
sortile_status sortile_segment_argsort(sortile_key_type type, const void* keys, size_t n, size_t index_bytes,
                                       void* indices, const sortile_segments* segments,
                                       const sortile_options* options);

/* The first k keys of each segment of an array of request->n keys, or all of a shorter one: segment i is a row of the
 * request, whose rows and stride are 0, and has its results at i * k. Segments at begins, or from begins to ends; places
 * behind a segment's results stay as they are. Host memory: without a workspace of the options. Device memory:
 * options.checked does not report offsets. For the workspace it matters only which of the segments' pointers are NULL;
 * begins is not, there too. */
sortile_status sortile_segment_top_k(const sortile_top_k_request* request, const sortile_segments* segments,
                                     const sortile_options* options);
sortile_status sortile_segment_top_k_workspace_bytes(const sortile_top_k_request* request,
                                                     const sortile_segments* segments, size_t* bytes,
                                                     const sortile_options* options);

/* Selections from each segment; k, nth, ranks and probabilities are those of every segment, and count from its beginning.
 * Rows of a matrix are segments of step 1, columns of stride 1. A segment that is too short is no mistake: all its keys
 * are sorted; it keeps them in any order; the place of a rank that it has not stays as it is (where all have one length
 * it is refused); quantiles of no keys are NaN. Segment i has its ranks at keys_out + i * rank_count, its quantiles at
 * results + i * count. Host memory: without a workspace of the options. Device memory: partial sorts and nth_element are
 * sorts within segments; so are ranks and quantiles, but of long rows, and options.checked does not report their offsets. */
sortile_status sortile_segment_partial_sort(sortile_key_type type, void* keys, size_t n, size_t k, size_t value_bytes,
                                            void* values, const sortile_segments* segments,
                                            const sortile_options* options);
sortile_status sortile_segment_partial_sort_workspace_bytes(sortile_key_type type, size_t n, size_t k,
                                                            size_t value_bytes, const sortile_segments* segments,
                                                            size_t* bytes, const sortile_options* options);
sortile_status sortile_segment_nth_element(sortile_key_type type, void* keys, size_t n, size_t nth,
                                           const sortile_segments* segments, const sortile_options* options);
sortile_status sortile_segment_nth_element_workspace_bytes(sortile_key_type type, size_t n, size_t nth,
                                                           const sortile_segments* segments, size_t* bytes,
                                                           const sortile_options* options);
sortile_status sortile_segment_keys_at_ranks(sortile_key_type type, const void* keys, size_t n, const size_t* ranks,
                                             size_t rank_count, void* keys_out, const sortile_segments* segments,
                                             const sortile_options* options);
sortile_status sortile_segment_keys_at_ranks_workspace_bytes(sortile_key_type type, size_t n, const size_t* ranks,
                                                             size_t rank_count, const sortile_segments* segments,
                                                             size_t* bytes, const sortile_options* options);
sortile_status sortile_segment_quantiles(sortile_key_type type, const void* keys, size_t n, const double* probabilities,
                                         size_t count, sortile_quantile_method method, double* results,
                                         const sortile_segments* segments, const sortile_options* options);
sortile_status sortile_segment_quantiles_workspace_bytes(sortile_key_type type, size_t n, const double* probabilities,
                                                         size_t count, const sortile_segments* segments, size_t* bytes,
                                                         const sortile_options* options);

/* Bytes of workspace that are enough for sorts within segments, whatever the offsets are; of the segments' pointers it matters only
 * which are NULL. indices not 0: for sortile_segment_argsort, value_bytes being that of an index. */
sortile_status sortile_segment_workspace_bytes(sortile_key_type type, size_t n, size_t value_bytes, int indices,
                                               const sortile_segments* segments, size_t* bytes,
                                               const sortile_options* options);

/* Engine number i of this build, and whether it can be used here; NULL beyond the last. The strings live as long as the
 * program. */
const char* sortile_engine_name(size_t i);
int sortile_engine_usable(size_t i);

const char* sortile_status_name(sortile_status status);
const char* sortile_error_message(void); /* of this thread's last failed call; valid until the next failed one */
const char* sortile_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
