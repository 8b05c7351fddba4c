// Work is counted in elements, with a few more for each segment, so that millions of empty segments count too. The
// survey has counted the elements of stretches of segments. Only a stretch that is more than a task, or may hold a
// segment for all threads, is read again segment by segment. So cutting reads few offsets, and allocates a task for
// each 1/32 of a thread's share, not for each segment.
#include "cpu/segment_tasks.hpp"

#include "cpu/parallel.hpp"
#include "plan/segment_places.hpp"

#include <algorithm>

namespace sortile::cpu {

namespace {

constexpr std::size_t per_segment = 8; // elements that take as long as a segment's own cost
constexpr std::size_t least_work = std::size_t{1} << 14, most_work = std::size_t{1} << 20;
constexpr std::size_t tasks_a_worker = 32;

class cutter {
 public:
  cutter(std::size_t target, std::size_t alone_limit) : target_(target), alone_limit_(alone_limit) {}

  void add_stretch(const segments& where, std::size_t first, std::size_t last, std::size_t elements) {
    const std::size_t work = elements + per_segment * (last - first);
    if (work <= target_ && elements <= alone_limit_) {
      if (work_ + work > target_)
        close(first);
      work_ += work;
      return;
    }
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t n = place_of(where, i).n;
      if (n > alone_limit_)
        tasks_.together.push_back(i);
      else
        work_ += n + per_segment;
      if (work_ >= target_)
        close(i + 1);
    }
  }

  segment_tasks finish(std::size_t count) {
    close(count);
    return std::move(tasks_);
  }

 private:
  void close(std::size_t end) {
    if (end > begin_)
      tasks_.alone.push_back({begin_, end});
    begin_ = end;
    work_ = 0;
  }

  const std::size_t target_, alone_limit_;
  segment_tasks tasks_;
  std::size_t begin_ = 0, work_ = 0;
};

segment_tasks equal_tasks(const segments& where, std::size_t alone_limit, std::size_t target) {
  segment_tasks tasks;
  if (where.length > alone_limit) {
    for (std::size_t i = 0; i < where.count; ++i)
      tasks.together.push_back(i);
    return tasks;
  }
  const std::size_t pieces = std::min(where.count, where.count * (where.length + per_segment) / target + 1);
  for (std::size_t p = 0; p < pieces; ++p)
    tasks.alone.push_back({part_begin(where.count, pieces, p), part_begin(where.count, pieces, p + 1)});
  return tasks;
}

} // namespace

segment_tasks cut_tasks(const segments& where, const segment_survey& found, std::size_t alone_limit, unsigned workers) {
  const std::size_t work = found.elements + per_segment * where.count;
  const std::size_t target = std::clamp(work / (tasks_a_worker * workers), least_work, most_work);
  if (where.form == segment_form::strided)
    return equal_tasks(where, alone_limit, target);
  cutter cut(target, alone_limit);
  for (std::size_t c = 0; c < found.chunks.size(); ++c) {
    const std::size_t first = c * found.chunk_segments;
    cut.add_stretch(where, first, std::min(where.count, first + found.chunk_segments), found.chunks[c]);
  }
  return cut.finish(where.count);
}

} // namespace sortile::cpu
