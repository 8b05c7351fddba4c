// Discovery: there is a list of devices or a sentence that says why there is none, never both and never neither.
#include "device/why_not.hpp"

#include <sortile/device.hpp>

#include <gtest/gtest.h>

namespace {

TEST(discovery, finds_devices_or_says_why_not) {
  const sortile::device_list& list = sortile::devices();
  EXPECT_NE(list.devices.empty(), list.why_none.empty()) << list.why_none;
}

using sortile::device::why_no_device;
using sortile::device::why_unusable;
using outcome = sortile::device::runtime_answer::outcome;

TEST(discovery, each_way_of_having_no_device_has_its_sentence) {
  for (const outcome what : {outcome::counted, outcome::no_device, outcome::driver_insufficient})
    EXPECT_EQ(why_no_device({what, 0, 13000}), "no NVIDIA driver is installed");
  EXPECT_EQ(why_no_device({outcome::driver_insufficient, 11080, 13000}),
            "the NVIDIA driver is too old: it knows CUDA 11.8, sortile was built with 13.0");
  EXPECT_EQ(why_no_device({outcome::counted, 13010, 13000}), "the NVIDIA driver sees no GPU");
  EXPECT_EQ(why_no_device({outcome::no_device, 13010, 13000}), "the NVIDIA driver sees no GPU");
  EXPECT_EQ(why_no_device({outcome::failed, 13010, 13000, "cudaErrorSystemNotReady (system not yet initialized)"}),
            "CUDA reports cudaErrorSystemNotReady (system not yet initialized)");
}

TEST(discovery, each_way_of_being_unusable_has_its_sentence) {
  EXPECT_EQ(why_unusable(7, 5, false, false),
            "compute capability 7.5 is too old: 8.0 is the oldest that sortile's kernels are built for");
  EXPECT_EQ(why_unusable(7, 5, true, false), why_unusable(7, 5, false, false));
  EXPECT_EQ(why_unusable(9, 0, true, false), "its compute mode forbids computing");
  EXPECT_EQ(why_unusable(8, 0, false, false), "");
  EXPECT_EQ(why_unusable(12, 1, false, false), "");
  EXPECT_EQ(why_unusable(9, 0, false, true),
            "this build's kernels are not optimised and not for running: it was configured on a machine without a GPU. "
            "Configure it again here, or with -DSORTILE_QUICK_KERNELS=OFF");
}

TEST(discovery, the_answer_is_kept) {
  EXPECT_EQ(&sortile::devices(), &sortile::devices());
}

TEST(discovery, the_first_usable_device_is_on_the_list_and_usable) {
  const sortile::device_info* first = sortile::first_usable_device();
  bool any = false;
  for (const sortile::device_info& info : sortile::devices().devices)
    any = any || info.why_unusable.empty();
  ASSERT_EQ(first != nullptr, any);
  if (first != nullptr) {
    EXPECT_TRUE(first->why_unusable.empty());
    EXPECT_GE(first->compute_major, 8);
    EXPECT_GT(first->multiprocessors, 0);
    EXPECT_GT(first->memory_bytes, 0u);
  }
}

} // namespace
