// What one sort of structs costs to compile: values, and an image of two words.
#include <sortile/compare.cuh>

#include <span>

struct event {
  double time;
  std::uint32_t detector;
  std::int16_t channel;
};

struct by_detector {
  SORTILE_HOST_DEVICE auto operator()(const event& e) const {
    return sortile::members(e.detector, sortile::descending(e.channel), e.time);
  }
};

void sort_events(std::span<event> events, std::span<float> weights, void* stream) {
  sortile::sort_by_key(events, weights, by_detector{}, {.stream = stream});
}
