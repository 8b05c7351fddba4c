// Blocks of several threads come out in their order, and the first failure ends the writing.
#include "files/block_writer.hpp"
#include "scratch_folder.hpp"

#include <thread>

#include <sys/stat.h>

namespace sortile::files {
namespace {

std::string_view numbered(std::size_t block, block_buffer& buffer) {
  const std::string text = std::to_string(block) + std::string(block % 7, '.') + "\n";
  return {std::copy(text.begin(), text.end(), buffer.room(text.size())) - text.size(), text.size()};
}

std::string all_blocks(std::size_t blocks) {
  block_buffer buffer;
  std::string text = "head\n";
  for (std::size_t i = 0; i < blocks; ++i)
    text += numbered(i, buffer);
  return text + "tail\n";
}

void write_all(const std::string& path, unsigned threads, std::size_t blocks) {
  output to(path);
  to.write("head\n");
  double last = 0;
  write_blocks(to, threads, blocks, numbered, [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  });
  to.write("tail\n");
  to.commit();
  EXPECT_EQ(last, blocks == 0 ? 0.0 : 1.0);
}

TEST(BlockWriter, OrderIsKept) {
  const scratch_folder folder;
  for (const unsigned threads : {1u, 2u, 5u})
    for (const std::size_t blocks : {std::size_t{0}, std::size_t{1}, std::size_t{3000}}) {
      write_all(folder.path("o"), threads, blocks);
      EXPECT_EQ(folder.read("o"), all_blocks(blocks));
    }
}

TEST(BlockWriter, IntoAPipe) {
  const scratch_folder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = folder.read("pipe"); });
  write_all(folder.path("pipe"), 3, 2000);
  reader.join();
  EXPECT_EQ(received, all_blocks(2000));
}

TEST(BlockWriter, FailuresEndIt) {
  const scratch_folder folder;
  for (const std::size_t failing : {std::size_t{0}, std::size_t{17}, std::size_t{999}}) {
    output to(folder.path("o"));
    expect_error<io_failure>(
        [&] {
          write_blocks(to, 4, 1000, [&](std::size_t block, block_buffer& buffer) {
            if (block == failing)
              throw io_failure("planted");
            return numbered(block, buffer);
          });
        },
        "planted");
  }
  output full("/dev/full");
  expect_error<io_failure>(
      [&] {
        write_blocks(full, 4, 1000,
                     [](std::size_t, block_buffer& buffer) { return std::string_view(buffer.room(100000), 100000); });
      },
      "No space left");
}

} // namespace
} // namespace sortile::files
