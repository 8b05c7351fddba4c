// Errors and memory of the device layer. What needs no GPU runs everywhere; the rest where a GPU is.
#include "device/memory_resource.hpp"
#include "device/stream.hpp"

#include <sortile/device.hpp>
#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace sortile::device;

std::string message_of(cudaError_t code) {
  try {
    check(code, "cudaSomething(x)", "some_file.cpp", 42);
  } catch (const sortile::device_failure& e) {
    return e.what();
  }
  return "";
}

TEST(cuda_error, success_throws_nothing) {
  EXPECT_EQ(message_of(cudaSuccess), "");
}

TEST(cuda_error, names_call_file_line_and_code) {
  const std::string message = message_of(cudaErrorInvalidValue);
  for (const char* part : {"some_file.cpp:42", "cudaSomething(x)", "cudaErrorInvalidValue", "invalid argument"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(cuda_error, running_out_of_memory_names_the_bytes) {
  try {
    check_allocation(cudaErrorMemoryAllocation, 12345678, "cudaMallocAsync(...)", "f.cpp", 7);
    FAIL() << "nothing was thrown";
  } catch (const sortile::out_of_memory& e) {
    EXPECT_NE(std::string(e.what()).find("12345678 bytes wanted"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("free"), std::string::npos) << e.what();
  }
}

/// A caller's allocator: takes notes, hands out addresses of its own.
class noting_resource final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, void*) override {
    given.push_back(bytes);
    return &anchor[given.size()];
  }
  void deallocate(void* memory, std::size_t bytes, void*) noexcept override {
    returned.push_back(bytes);
    last = memory;
  }

  std::vector<std::size_t> given, returned;
  void* last = nullptr;

 private:
  char anchor[16] = {};
};

TEST(device_buffer, uses_the_callers_resource_and_gives_back_once) {
  noting_resource notes;
  {
    device_buffer first(100, nullptr, notes);
    device_buffer second = std::move(first);
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(second.bytes(), 100u);
    device_buffer third(7, nullptr, notes);
    third = std::move(second);
    EXPECT_EQ(notes.returned, (std::vector<std::size_t>{7}));
  }
  EXPECT_EQ(notes.given, (std::vector<std::size_t>{100, 7}));
  EXPECT_EQ(notes.returned, (std::vector<std::size_t>{7, 100}));
}

TEST(device_buffer, of_no_bytes_asks_for_nothing) {
  noting_resource notes;
  { device_buffer none(0, nullptr, notes); }
  EXPECT_TRUE(notes.given.empty());
  EXPECT_TRUE(notes.returned.empty());
}

TEST(default_memory_resource, without_a_device_fails_by_name_and_with_one_allocates) {
  if (sortile::first_usable_device() == nullptr) {
    EXPECT_THROW(default_memory_resource().allocate(256, nullptr), sortile::device_failure);
    EXPECT_THROW(stream(), sortile::device_failure);
    return;
  }
  const stream queue;
  const event start(event::timing::on), end(event::timing::on);
  device_buffer buffer(1 << 20, queue.get());
  start.record(queue.get());
  SORTILE_CUDA_CHECK(cudaMemsetAsync(buffer.data(), 0xa5, buffer.bytes(), queue.get()));
  end.record(queue.get());
  std::vector<unsigned char> host(buffer.bytes());
  SORTILE_CUDA_CHECK(cudaMemcpyAsync(host.data(), buffer.data(), host.size(), cudaMemcpyDeviceToHost, queue.get()));
  queue.synchronize();
  EXPECT_EQ(host, std::vector<unsigned char>(host.size(), 0xa5));
  EXPECT_GE(end.milliseconds_since(start), 0.0f);
  EXPECT_THROW(device_buffer(std::size_t{1} << 50, queue.get()), sortile::out_of_memory);
}

} // namespace
