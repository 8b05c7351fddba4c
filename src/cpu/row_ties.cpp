// Where words are equal: counted piece by piece, then written down.
#include "cpu/row_ties.hpp"

#include "cpu/memory_slots.hpp"

namespace sortile::cpu {

row_ties::row_ties(std::size_t n) : row_ties(1, n) {
  begins()[0] = 0;
  ends()[0] = n;
}

/// Runs of two and more that begin at places [begin, end), wherever they end.
template <class F>
void row_ties::for_each_run(const std::uint64_t* words, std::size_t begin, std::size_t end, F&& f) const {
  for (std::size_t g = first_that_ends_after(begin); g < count_ && begins()[g] < end; ++g) {
    const std::size_t group_end = ends()[g], last = std::min(end, group_end);
    std::size_t at = std::max<std::size_t>(begin, begins()[g]);
    if (at > begins()[g])
      while (at < last && words[at] == words[at - 1])
        ++at; // of a run that began in the piece before
    while (at < last) {
      const std::size_t run = at++;
      while (at < group_end && words[at] == words[run])
        ++at;
      if (at - run > 1)
        f(run, at);
    }
  }
}

row_ties row_ties::within(const std::uint64_t* words, unsigned threads) const {
  const std::size_t pieces = n_ < alone_below ? 1 : std::size_t{4} * threads;
  call_vector<std::size_t> before(pieces + 1);
  const auto each_run = [&](std::size_t piece, auto&& f) {
    for_each_run(words, part_begin(n_, pieces, piece), part_begin(n_, pieces, piece + 1), f);
  };
  for_each_task(threads, pieces, nullptr, [&](unsigned, std::size_t i) {
    std::size_t runs = 0;
    each_run(i, [&](std::size_t, std::size_t) { ++runs; });
    before[i + 1] = runs;
  });
  for (std::size_t i = 0; i < pieces; ++i)
    before[i + 1] += before[i];
  row_ties found(before[pieces], n_);
  for_each_task(threads, pieces, nullptr, [&](unsigned, std::size_t i) {
    std::size_t at = before[i];
    each_run(i, [&](std::size_t begin, std::size_t end) {
      found.begins()[at] = begin;
      found.ends()[at++] = end;
    });
  });
  return found;
}

segments row_ties::where() const {
  return {.form = segment_form::ranges,
          .count = count_,
          .begins = begins(),
          .ends = ends(),
          .offset_bytes = sizeof(std::uint64_t)};
}

segment_survey row_ties::survey(unsigned threads) const {
  constexpr std::size_t least_chunk = 256, most_chunks = 4096;
  segment_survey all{.chunk_segments = std::max(least_chunk, (count_ + most_chunks - 1) / most_chunks)};
  all.chunks.resize((count_ + all.chunk_segments - 1) / all.chunk_segments);
  call_vector<std::size_t> longest(all.chunks.size());
  for_each_task(count_ < alone_below ? 1 : threads, all.chunks.size(), nullptr, [&](unsigned, std::size_t c) {
    for (std::size_t g = c * all.chunk_segments; g < std::min(count_, (c + 1) * all.chunk_segments); ++g) {
      all.chunks[c] += ends()[g] - begins()[g];
      longest[c] = std::max<std::size_t>(longest[c], ends()[g] - begins()[g]);
    }
  });
  for (std::size_t c = 0; c < all.chunks.size(); ++c) {
    all.elements += all.chunks[c];
    all.longest = std::max(all.longest, longest[c]);
  }
  return all;
}

} // namespace sortile::cpu
