// Exclusive prefix sums (scans), by one thread or one block: the operation from which radix sorts take their
// destinations. Scans of whole arrays: scan_whole_array.cu.
//
//   $ sortile classics show --example scan-tree   # lines 1 to 1
//   input: 3 1 7 0 4 1 6 3
//   $ sortile classics show --example scan-tree   # lines 14 to 14
//   result: 0 3 4 11 11 15 16 22
//
//   out[i] = in[0] + … + in[i − 1], modulo 2^32
//
// Blelloch's work-efficient form is a binary tree laid over the array. The up-sweep leaves in each node's right end the
// sum of its leaves; then the root is set to 0, and the down-sweep hands each node's "sum before" to its left child,
// and that plus the left child's sum to the right one:
//
//   $ sortile classics show --example scan-tree
//   input: 3 1 7 0 4 1 6 3
//   up, stride 1, 2-way
//     words  3 [4] 7 [7] 4 [5] 6 [9]
//   up, stride 2, 2-way
//     words  3 4 7 [11] 4 5 6 [14]
//   up, stride 4, 1-way
//     words  3 4 7 11 4 5 6 [25]
//   down, stride 4, 1-way
//     words  3 4 7 [0] 4 5 6 [11]
//   down, stride 2, 2-way
//     words  3 [0] 7 [4] 4 [11] 6 [16]
//   down, stride 1, 2-way
//     words  [0] [3] [4] [11] [11] [15] [16] [22]
//   result: 0 3 4 11 11 15 16 22
//
// Brackets are what a level wrote; k-way means that so many lanes meet in one bank, here of 4. With an unused word
// after every 4 they do not:
//
//   $ sortile classics show --example scan-tree-padded
//   input: 3 1 7 0 4 1 6 3
//   up, stride 1, 1-way
//     words  3 [4] 7 [7] . | 4 [5] 6 [9]
//   up, stride 2, 1-way
//     words  3 4 7 [11] . | 4 5 6 [14]
//   up, stride 4, 1-way
//     words  3 4 7 11 . | 4 5 6 [25]
//   down, stride 4, 1-way
//     words  3 4 7 [0] . | 4 5 6 [11]
//   down, stride 2, 1-way
//     words  3 [0] 7 [4] . | 4 [11] 6 [16]
//   down, stride 1, 1-way
//     words  [0] [3] [4] [11] . | [11] [15] [16] [22]
//   result: 0 3 4 11 11 15 16 22
//
// Forms:
//   scan-recursive          on the host: sums of pairs, their scan by recursion, then both halves of each pair
//   scan-loop               on the host, in place: the same tree as two loops over strides
//   scan-blelloch           the loops as a kernel of one block, two elements per thread, one barrier per level
//   scan-blelloch-padded-16, -32
//                           the same, one unused word after every 16 or 32: at stride 2^k the lanes of a warp touch
//                           every 2^(k+1)-th word, which all lie in few of the 32 banks; an unused word after every 32
//                           moves each row of banks by one, so that the lanes spread again. 16 was right for 16 banks.
//                           On 2048 numbers --counters gives 2205 conflicts without padding, 625 with 16, 35 with 32
//   scan-kogge-stone        one block, one element per thread: step d adds the element 2^d before. Log n steps and no
//                           down-sweep, but n log n additions; two buffers, so that no thread reads what is being
//                           written
//
// Source: Kogge & Stone 1973; Hillis & Steele 1986; Blelloch, "Prefix Sums and Their Applications", 1990; Harris,
// Sengupta & Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007.
//
// Cost: Blelloch 2 (n − 1) additions in 2 log n steps; Kogge-Stone n log n − n + 1 in log n. Shared memory: n words and
// what is unused, or two buffers of n. What it teaches: work against depth, and bank conflicts (--counters). Limits:
// the forms of a block end at one block's elements, 2048 or 1024.
#include "classics/scan_classics.hpp"

#include <algorithm>
#include <bit>

namespace sortile::classics {
namespace {

void recursive(job& j, std::vector<number>& a) {
  if (a.size() <= 1) {
    a.assign(a.size(), 0);
    return;
  }
  std::vector<number> pairs(a.size() / 2 + a.size() % 2);
  for (std::size_t i = 0; i < a.size(); ++i)
    pairs[i / 2] += a[i];
  j.show("sums of pairs", pairs);
  recursive(j, pairs);
  for (std::size_t i = a.size(); i-- > 0;)
    a[i] = pairs[i / 2] + (i % 2 == 1 ? a[i - 1] : 0);
  j.show("scan of " + std::to_string(a.size()), a);
}

void recursive_on_host(job& j) {
  auto* data = static_cast<number*>(j.data.keys);
  std::vector<number> a(data, data + j.asked.n);
  recursive(j, a);
  std::copy(a.begin(), a.end(), data);
}

void loops_on_host(job& j) {
  auto* data = static_cast<number*>(j.data.keys);
  std::vector<number> tree(data, data + j.asked.n);
  const std::size_t n = std::bit_ceil(tree.size());
  tree.resize(n);
  for (std::size_t stride = 1; stride < n; stride *= 2) {
    for (std::size_t right = 2 * stride - 1; right < n; right += 2 * stride)
      tree[right] += tree[right - stride];
    j.show("up, stride " + std::to_string(stride), tree);
  }
  tree[n - 1] = 0;
  for (std::size_t stride = n / 2; stride > 0; stride /= 2) {
    for (std::size_t right = 2 * stride - 1; right < n; right += 2 * stride) {
      const number sum_left = tree[right - stride];
      tree[right - stride] = tree[right];
      tree[right] += sum_left;
    }
    j.show("down, stride " + std::to_string(stride), tree);
  }
  std::copy_n(tree.begin(), j.asked.n, data);
}

/// The tree of one block after each level, for those who want to look: rows of a matrix in memory.
template <unsigned Every>
struct level_trace {
  simt::global<number> rows;
  unsigned elements; // 0: nobody looks
  unsigned* row;
  template <class Tree>
  SORTILE_DEVICE void operator()(Tree& tree) const {
    if (elements == 0)
      return;
    simt::block_barrier();
    for (unsigned i = simt::thread_index(); i < elements; i += simt::block_size())
      rows[*row * elements + i] = tree.load(padded<Every>(i));
    ++*row;
  }
};

template <unsigned Every>
struct scan_one_block {
  static constexpr unsigned most = 2048, block_threads = most / 2;
  struct shared {
    simt::shared_array<number, padded<Every>(most)> tree;
  };
  simt::global<number> data;
  unsigned n, elements;       // elements: a power of two, at least n and 2
  simt::global<number> trace; // [2 log elements][elements], or empty
  bool traced;

  SORTILE_DEVICE void operator()(shared& s) const {
    for (unsigned i = simt::thread_index(); i < elements; i += simt::block_size())
      s.tree[padded<Every>(i)] = i < n ? data.load(i) : 0u;
    unsigned row = 0;
    scan_block<Every>(s.tree, elements, level_trace<Every>{trace, traced ? elements : 0, &row});
    for (unsigned i = simt::thread_index(); i < n; i += simt::block_size())
      data[i] = s.tree.load(padded<Every>(i));
  }
};

/// How many turns the `nodes` lanes of a level take at most, if memory has `banks` banks: as many as the busiest bank
/// has words.
template <unsigned Every>
unsigned turns(unsigned stride, unsigned nodes, unsigned banks) {
  unsigned most = 0;
  for (const unsigned of_pair : {1u, 2u}) {
    std::vector<unsigned> words(banks);
    for (unsigned t = 0; t < std::min(nodes, banks); ++t)
      most = std::max(most, ++words[padded<Every>(stride * (2 * t + of_pair) - 1) % banks]);
  }
  return most;
}

/// A level of the tree as it lies in memory: a '.' is a word that is not used, brackets are what the level wrote.
template <unsigned Every>
void show_level(job& j, const std::string& title, const number* tree, unsigned elements, unsigned stride, bool down,
                unsigned banks, unsigned barrier) {
  std::vector<std::string> words(padded<Every>(elements - 1) + 1, ".");
  for (unsigned i = 0; i < elements; ++i) {
    const bool is_right = (i + 1) % (2 * stride) == 0, is_left = down && (i + 1) % (2 * stride) == stride;
    const std::string text = std::to_string(tree[i]);
    words[padded<Every>(i)] = is_right || is_left ? "[" + text + "]" : text;
  }
  j.tell(title + ", " + std::to_string(turns<Every>(stride, elements / (2 * stride), banks)) + "-way")
      .words("words", std::move(words), Every == 0 ? 0 : Every + 1)
      .done_at_barrier(barrier);
}

/// The trace, level by level.
template <unsigned Every>
void show_levels(job& j, const device_array<number>& trace, unsigned elements, unsigned up, unsigned banks) {
  const std::vector<number> rows = trace.to_host();
  for (unsigned r = 0; r * elements < rows.size(); ++r) {
    const bool down = r >= up;
    const unsigned stride = down ? elements >> (r - up + 1) : 1u << r;
    show_level<Every>(j, (down ? "down, stride " : "up, stride ") + std::to_string(stride),
                      rows.data() + std::size_t{r} * elements, elements, stride, down, banks,
                      r + 2 + (down ? 2 : 0)); // a barrier before each level, two more at the root
  }
}

template <unsigned Every>
void one_block(job& j, unsigned banks) {
  const auto n = static_cast<unsigned>(j.asked.n);
  if (n == 0)
    return;
  const unsigned elements = std::max(2u, std::bit_ceil(n)),
                 levels = static_cast<unsigned>(std::bit_width(elements)) - 1;
  const device_array<number> trace(j.on, j.shows_steps() ? 2 * levels * elements : 0);
  simt::launch(j.on.queue(), {.block = std::max(simt::warp_size, elements / 2)},
               scan_one_block<Every>{numbers(j, j.data), n, elements, view(trace), j.shows_steps()});
  if (j.shows_steps())
    show_levels<Every>(j, trace, elements, levels, banks);
}

/// For few numbers: an unused word after as many words as the memory that is told of has banks.
void one_block_padded(job& j) {
  switch (const unsigned banks = j.parameter("banks"); banks) {
  case 4:
    return one_block<4>(j, banks);
  case 8:
    return one_block<8>(j, banks);
  case 16:
    return one_block<16>(j, banks);
  default:
    return one_block<32>(j, banks);
  }
}

struct kogge_stone {
  static constexpr unsigned block_threads = 1024;
  struct shared {
    simt::shared_array<number, 2 * block_threads> sums; // two buffers
  };
  simt::global<number> data;
  unsigned n;
  simt::global<number> trace; // [steps][n], or empty
  bool traced;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    unsigned from = 0, to = block_threads;
    s.sums[from + t] = t < n && t > 0 ? data.load(t - 1) : 0u; // moved by one: an inclusive scan of it is exclusive
    unsigned row = 0;
    for (unsigned stride = 1; stride < n; stride *= 2, ++row) {
      simt::block_barrier();
      s.sums[to + t] = s.sums.load(from + t) + (t >= stride ? s.sums.load(from + t - stride) : 0u);
      if (traced && t < n)
        trace[row * n + t] = s.sums.load(to + t);
      const unsigned other = from;
      from = to;
      to = other;
    }
    if (t < n)
      data[t] = s.sums.load(from + t);
  }
};

void run_kogge_stone(job& j) {
  const auto n = static_cast<unsigned>(j.asked.n);
  if (n == 0)
    return;
  const unsigned steps = static_cast<unsigned>(std::bit_width(n - 1));
  const device_array<number> trace(j.on, j.shows_steps() ? std::size_t{steps} * n : 0);
  simt::launch(j.on.queue(), {}, kogge_stone{numbers(j, j.data), n, view(trace), j.shows_steps()});
  if (!j.shows_steps())
    return;
  const std::vector<number> rows = trace.to_host();
  for (unsigned r = 0; r < steps; ++r)
    j.tell("stride " + std::to_string(1u << r))
        .numbers("", std::vector<number>(rows.begin() + r * n, rows.begin() + (r + 1) * n))
        .done_at_barrier(r + 1 < steps ? r + 2 : 0);
}

classic one_block_scan(std::string_view name, std::string_view summary, run_function run) {
  classic c = scan(name, summary, "2 n", "2 log n", "Blelloch 1990; Harris, Sengupta & Owens 2007", run);
  c.largest_n = scan_one_block<0>::most;
  return c;
}

} // namespace

SORTILE_CLASSICS_OF(scan_one_block) {
  std::vector<classic> all = {
      scan("scan-recursive", "sums of pairs, their scan by recursion, both halves of each pair", "2 n", "2 n",
           "Blelloch 1990", recursive_on_host),
      scan("scan-loop", "the same tree as two loops, in place", "2 n", "2 n", "Blelloch 1990", loops_on_host),
      one_block_scan("scan-blelloch", "work-efficient up- and down-sweep in one block",
                     [](job& j) { one_block<0>(j, j.parameter("banks")); }),
      one_block_scan("scan-blelloch-padded-16", "the same with an unused word after every 16",
                     [](job& j) { one_block<16>(j, simt::warp_size); }),
      one_block_scan("scan-blelloch-padded-32", "the same with an unused word after every 32", one_block_padded),
      scan("scan-kogge-stone", "one block, a step for each power of two", "n log n", "log n",
           "Kogge & Stone 1973; Hillis & Steele 1986", run_kogge_stone)};
  all[0].place = all[1].place = place::host;
  all[2].parameters = {{"banks", 4, 32, 32, "banks of the memory that steps tell of", true}};
  all[4].parameters = {{"banks", 4, 32, 32, "words before each unused one; steps tell of as many banks", true}};
  all.back().largest_n = kogge_stone::block_threads;
  return all;
}

} // namespace sortile::classics
