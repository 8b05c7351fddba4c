// The sort of parts, for the instructions that eight_bytes(), common_bytes() and for_each_run() of the namespace use.
namespace sortile::cpu::SORTILE_CPU_ISA {

class parts_sorter {
 public:
  parts_sorter(const cached_strings& all, word_sorter& sorter, call_vector<string_part>& parts)
      : all_(all), sorter_(sorter), parts_(parts) {}

  void run() {
    for (std::size_t i = 0; i < all_.n; ++i)
      all_.words[i] = i;
    parts_.push_back({0, all_.n, all_.depth, 0});
    while (!parts_.empty()) {
      const string_part p = parts_.back();
      parts_.pop_back();
      if (p.n == 2)
        sort_two(p);
      else
        sort_part(p);
    }
  }

 private:
  static constexpr std::size_t few = 64;               // strings whose words are made twice rather than by a sample
  static constexpr std::size_t most_skipped_alone = 1; // bytes in common for which few words are not made anew
  static constexpr std::size_t sampled = 16;           // strings that say what those of a part have in common
  static constexpr unsigned often = 3; // so many parts that were most of the one before, and a pivot is taken

  static constexpr std::size_t none = SIZE_MAX;

  std::string_view text(std::uint64_t word) const { return all_.texts[numbered_words::number(word)]; }

  /// All strings of a part but the first are equal to the one before.
  void mark_repeats(std::size_t begin, std::size_t n) const {
    if (all_.repeats != nullptr)
      std::memset(all_.repeats + begin + 1, 1, n - 1);
  }

  void sort_two(const string_part& p) {
    std::uint64_t* const words = all_.words + p.begin;
    const std::string_view a = rest_of(text(words[0]), p.depth), b = rest_of(text(words[1]), p.depth);
    const std::size_t shared = common_bytes(a, b, a.size(), all_.far);
    if (shared == a.size() && shared == b.size())
      return mark_repeats(p.begin, 2);
    const bool is_larger = shared < a.size() && (shared == b.size() || static_cast<unsigned char>(a[shared]) >
                                                                           static_cast<unsigned char>(b[shared]));
    if (is_larger == (all_.complement == 0))
      std::swap(words[0], words[1]);
  }

  void sort_part(const string_part& p) {
    std::uint64_t* const words = all_.words + p.begin;
    text_digit by{p.depth};
    if (p.times_most >= often || (p.n > few && !make(words, p.n, by)))
      by = make_beside_pivot(p, words);
    else if (p.n <= few)
      make_few(words, p.n, by);
    if (by.depth == none)
      return mark_repeats(p.begin, p.n);
    sorter_.sort(words, p.n);
    for_each_run(words, p.n, [&](std::size_t begin, std::size_t n) {
      const std::uint64_t word = words[begin] ^ all_.complement;
      if (numbered_words::is_last(word))
        return mark_repeats(p.begin + begin, n);
      const std::size_t depth = numbered_words::depth_behind(word, by);
      parts_.push_back({p.begin + begin, n, depth, n > p.n / 2 ? p.times_most + 1 : 0});
    });
  }

  /// What making words has seen of strings.
  struct made {
    std::uint64_t differ;        // bits in which eight bytes differ from the first one's
    std::size_t least, greatest; // size of a string
  };

  /// Makes words of what follows what all strings have in common, from by.depth on, which becomes where that is; `none`
  /// where they are equal.
  void make_few(std::uint64_t* words, std::size_t n, text_digit& by) const {
    for (;;) {
      const made all = make_at(words, n, by.depth);
      std::size_t common = std::min(static_cast<std::size_t>(std::countl_zero(all.differ)) / 8, all.least - by.depth);
      if (common <= most_skipped_alone && all.differ != 0)
        return;
      if (all.differ == 0 && all.least >= by.depth + 8)
        common = head_of(words, n, n, by.depth);
      if (by.depth + common == all.greatest)
        by.depth = none;
      if (common == 0 || by.depth == none)
        return;
      by.depth += common;
    }
  }

  made make_at(std::uint64_t* words, std::size_t n, std::size_t depth) const {
    const std::uint64_t complement = all_.complement, first = eight_bytes(text(words[0]), depth);
    made all{0, SIZE_MAX, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t at = numbered_words::number(words[i]);
      const std::string_view one = all_.texts[at];
      const std::uint64_t eight = eight_bytes(one, depth);
      all.differ |= eight ^ first;
      all.least = std::min(all.least, one.size());
      all.greatest = std::max(all.greatest, one.size());
      words[i] = (numbered_words::make(eight, one.size() - depth) ^ complement) | at;
    }
    return all;
  }

  /// The same by what a sample of the strings has in common. False where not all begin so: words then hold nothing but
  /// numbers.
  bool make(std::uint64_t* words, std::size_t n, text_digit& by) const {
    const std::size_t head = head_of(words, n, sampled, by.depth);
    made all{};
    if (head == 0) {
      make_at(words, n, by.depth);
    } else if (make_behind(words, n, by.depth, head, all)) {
      by.depth = all.greatest == by.depth + head ? none : by.depth + head;
    } else {
      return false;
    }
    return true;
  }

  /// False where not all go on with the first one's `head` bytes.
  bool make_behind(std::uint64_t* words, std::size_t n, std::size_t depth, std::size_t head, made& all) const {
    const std::string_view first = text(words[0]);
    if (head > 8)
      return make_behind(
          words, n, depth, head, all, [&](std::string_view one) __attribute__((always_inline)) {
            return differ_in(one, first, depth, head, all_.far);
          });
    const std::uint64_t known = eight_bytes(first, depth), counted = ~std::uint64_t{0} << (64 - 8 * head);
    return make_behind(
        words, n, depth, head, all, [&](std::string_view one) __attribute__((always_inline)) {
          return (eight_bytes(one, depth) ^ known) & counted;
        });
  }

  template <class DifferIn>
  SORTILE_INLINE bool make_behind(std::uint64_t* words, std::size_t n, std::size_t depth, std::size_t head, made& all,
                                  const DifferIn& differ_in) const {
    const std::uint64_t complement = all_.complement;
    const std::string_view* const texts = all_.texts;
    const std::size_t behind = depth + head;
    std::uint64_t differ = 0;
    std::size_t greatest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t at = numbered_words::number(words[i]);
      const std::string_view one = texts[at];
      if (one.size() < behind)
        return false;
      differ |= differ_in(one);
      greatest = std::max(greatest, one.size());
      words[i] = (numbered_words::make(eight_bytes(one, behind), one.size() - behind) ^ complement) | at;
    }
    all.greatest = greatest;
    return differ == 0;
  }

  /// How many bytes behind `depth` a sample of strings has in common.
  std::size_t head_of(const std::uint64_t* words, std::size_t n, std::size_t sample, std::size_t depth) const {
    const std::string_view first = rest_of(text(words[0]), depth);
    std::size_t head = first.size();
    for (std::size_t i = 1; i < sample && head > 0; ++i)
      head = common_bytes(first, rest_of(text(words[n * i / sample]), depth), head, all_.far);
    return head;
  }

  text_digit make_beside_pivot(const string_part& p, std::uint64_t* words) const {
    const text_digit by{p.depth, choose_pivot(p.n, [&](std::size_t i) { return rest_of(text(words[i]), p.depth); })};
    for (std::size_t i = 0; i < p.n; ++i) {
      const std::uint64_t at = numbered_words::number(words[i]);
      const std::string_view one = rest_of(all_.texts[at], p.depth);
      const std::size_t shared = common_bytes(by.pivot, one, most_common, all_.far);
      words[i] = (numbered_words::make_beside(by.pivot, one, shared) ^ all_.complement) | at;
    }
    return by;
  }

  const cached_strings& all_;
  word_sorter& sorter_;
  call_vector<string_part>& parts_; // still to be sorted
};

void sort_parts(const cached_strings& all, word_sorter& sorter, call_vector<string_part>& parts) {
  parts_sorter(all, sorter, parts).run();
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
