// Routing: each thread counts the experts of a piece of the pairs, the counters become the places of the piece's first
// rows, expert by expert and piece by piece, and each thread writes its piece's rows. The pairs are read twice; rows of
// several hundred experts are as many streams of writes.
#include "cpu/route.hpp"

#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace sortile::cpu {
namespace {

constexpr std::size_t route_least_piece = std::size_t{1} << 14; // pairs

template <class Word, class Index>
class routing {
  static constexpr Index none = static_cast<Index>(~Index{0});

 public:
  routing(const route_request& r, std::size_t limit, unsigned threads)
      : r_(r), limit_(limit), threads_(threads),
        pieces_(threads <= 1 || r.n < 2 * route_least_piece ? 1
                                                            : std::min<std::size_t>(threads, r.n / route_least_piece)),
        next_(pieces_ * r.expert_count), begin_(r.expert_count + 1), pairs_(r.expert_count) {}

  void run() {
    each_piece([&](std::uint64_t* next, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i)
        if (const Word expert = expert_of(i); expert < limit_)
          ++next[expert];
    });
    find_begins();
    write_tables();
    const std::uint64_t rows = route_rows(r_.n, r_.expert_count, r_.block);
    each_piece([&](std::uint64_t* next, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const Word expert = expert_of(i);
        const bool goes = expert < limit_;
        const std::uint64_t row = goes ? next[expert]++ : 0;
        if (goes && order() != nullptr && row < rows)
          order()[row] = static_cast<Index>(i);
        if (r_.inverse != nullptr)
          static_cast<Index*>(r_.inverse)[i] = goes ? static_cast<Index>(row) : none;
      }
    });
  }

 private:
  Index* order() const { return static_cast<Index*>(r_.order); }

  /// Loaded once by each pass. Where another thread writes to the experts meanwhile, the passes may read different
  /// ones: such a call's results are unspecified, but it stays within its arrays.
  Word expert_of(std::size_t i) const { return static_cast<const volatile Word*>(r_.experts)[i]; }

  template <class F>
  void each_piece(F&& f) {
    for_each_task(threads_, pieces_, nullptr, [&](unsigned, std::size_t piece) {
      f(next_.data() + piece * r_.expert_count, part_begin(r_.n, pieces_, piece), part_begin(r_.n, pieces_, piece + 1));
    });
  }

  /// Counters become the first rows of each piece.
  void find_begins() {
    for (std::size_t e = 0; e < r_.expert_count; ++e) {
      std::uint64_t row = begin_[e];
      for (std::size_t piece = 0; piece < pieces_; ++piece) {
        std::uint64_t& counter = next_[piece * r_.expert_count + e];
        const std::uint64_t here = counter;
        counter = row;
        row += here;
      }
      pairs_[e] = row - begin_[e];
      begin_[e + 1] = begin_[e] + (pairs_[e] + r_.block - 1) / r_.block * r_.block;
    }
  }

  void write_tables() const {
    std::size_t routed = 0;
    for (std::size_t e = 0; e < r_.expert_count; ++e) {
      routed += pairs_[e];
      if (order() != nullptr)
        std::fill(order() + begin_[e] + pairs_[e], order() + begin_[e + 1], static_cast<Index>(r_.n));
      if (auto* const blocks = static_cast<Index*>(r_.block_experts); blocks != nullptr)
        std::fill(blocks + begin_[e] / r_.block, blocks + begin_[e + 1] / r_.block, static_cast<Index>(e));
    }
    const std::size_t rows = route_rows(r_.n, r_.expert_count, r_.block);
    const std::uint64_t used = begin_.back();
    if (order() != nullptr)
      std::fill(order() + used, order() + rows, static_cast<Index>(r_.n));
    if (auto* const blocks = static_cast<Index*>(r_.block_experts); blocks != nullptr)
      std::fill(blocks + used / r_.block, blocks + rows / r_.block, none);
    const auto write = [](const call_vector<std::uint64_t>& from, void* to) {
      if (to != nullptr)
        std::transform(from.begin(), from.end(), static_cast<Index*>(to),
                       [](std::uint64_t v) { return static_cast<Index>(v); });
    };
    write(begin_, r_.offsets);
    write(pairs_, r_.counts);
    if (r_.dropped != nullptr)
      *static_cast<Index*>(r_.dropped) = static_cast<Index>(r_.n - routed);
  }

  const route_request& r_;
  std::size_t limit_; ///< as unsigned words, experts are below it
  unsigned threads_;
  std::size_t pieces_;
  call_vector<std::uint64_t> next_;          // [piece][expert]
  call_vector<std::uint64_t> begin_, pairs_; // [expert]
};

} // namespace

[[gnu::cold]] void add_route_steps(const route_request& r, std::vector<plan_step>& steps) {
  const std::size_t rows = route_rows(r.n, r.expert_count, r.block), read = r.n * key_bytes(r.type);
  steps.push_back({"count", "pairs of " + std::to_string(r.expert_count) + " experts, a table a thread", read, 0});
  steps.push_back({"move", "in the order of the pairs", read,
                   ((r.order == nullptr ? 0 : rows) + (r.inverse == nullptr ? 0 : r.n)) * r.index_bytes});
}

void route(const route_request& request, unsigned threads) {
  const unsigned bits = static_cast<unsigned>(key_bits(request.type)) - (is_signed_integer(request.type) ? 1 : 0);
  const std::size_t limit = std::min(request.expert_count, std::size_t{1} << std::min(bits, 63u));
  with_word(request.type, [&]<class Word>(Word) {
    if constexpr (sizeof(Word) <= 8) {
      if (request.index_bytes == 4)
        routing<Word, std::uint32_t>(request, limit, threads).run();
      else
        routing<Word, std::uint64_t>(request, limit, threads).run();
    }
  });
}

} // namespace sortile::cpu
