// What one sort by a comparison costs to compile, all of its kernels: values, and an order that takes some arithmetic.
#include <sortile/compare.cuh>

#include <span>

struct box {
  float width, height, depth;
};

struct smaller_volume {
  SORTILE_HOST_DEVICE bool operator()(const box& a, const box& b) const {
    return a.width * a.height * a.depth < b.width * b.height * b.depth;
  }
};

void sort_boxes(std::span<box> boxes, std::span<float> weights, void* stream) {
  sortile::sort_by_key(boxes, weights, sortile::on_device(smaller_volume{}), {.stream = stream});
}
