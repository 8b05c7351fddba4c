// Discovery: there is a list of devices or a sentence that says why there is none, never both and never neither.
#include <sortile/device.hpp>

#include <gtest/gtest.h>

namespace {

TEST(discovery, finds_devices_or_says_why_not) {
  const sortile::device_list& list = sortile::devices();
  EXPECT_NE(list.devices.empty(), list.why_none.empty()) << list.why_none;
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
