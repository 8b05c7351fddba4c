// Inputs and outputs: mapping, pipes, replacing a target, leaving it alone.
#include "files/input.hpp"
#include "files/output.hpp"
#include "scratch_folder.hpp"

#include <thread>

#include <sys/stat.h>

namespace sortile::files {
namespace {

TEST(Input, FilesPipesAndNothing) {
  const scratch_folder folder;
  EXPECT_EQ(input(folder.write("a", "text")).bytes(), "text");
  EXPECT_EQ(input(folder.write("b", "")).bytes(), "");
  expect_error<io_failure>([&] { input(folder.path("c")); }, "c: cannot open for reading: No such file");
  expect_error<io_failure>([&] { input(folder.path("")); }, "is a directory");

  const std::string big(5'000'000, 'x');
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(folder.path("pipe")) << big; });
  EXPECT_EQ(input(folder.path("pipe")).bytes(), big);
  writer.join();
}

TEST(Input, MovesKeepTheBytes) {
  const scratch_folder folder;
  input a(folder.write("a", "mapped"));
  const std::string_view before = a.bytes();
  input b = std::move(a);
  EXPECT_EQ(b.bytes().data(), before.data());
  b = input::of_text("t", "x");
  EXPECT_EQ(b.bytes(), "x");
  EXPECT_EQ(b.name(), "t");
}

TEST(Input, Concatenation) {
  const scratch_folder folder;
  const std::vector<std::string> paths{folder.write("a", "1\n2"), folder.write("b", ""), folder.write("c", "3\n")};
  EXPECT_EQ(concatenate(paths, '\n').bytes(), "1\n2\n3\n");
}

TEST(Output, ReplacesOnCommitOnly) {
  const scratch_folder folder;
  folder.write("target", "old");
  {
    output to(folder.path("target"));
    to.write("new");
    EXPECT_EQ(folder.files(), 2u);
    EXPECT_EQ(folder.read("target"), "old");
  }
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_EQ(folder.read("target"), "old");
  output to(folder.path("target"));
  to.write("new");
  to.commit();
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_EQ(folder.read("target"), "new");
}

TEST(Output, PiecesAndPlacesKeepTheirOrder) {
  const scratch_folder folder;
  std::string expected;
  output to(folder.path("o"));
  for (std::size_t size = 1; size < 2'000'000; size = size * 3 + 1) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    to.write(piece);
    const std::uint64_t at = to.reserve(5);
    to.write("after");
    to.write_at(at, "12345");
    expected += piece + "12345after";
  }
  to.commit();
  EXPECT_EQ(folder.read("o"), expected);
}

TEST(Output, NamesWhatIsWrong) {
  const scratch_folder folder;
  expect_error<io_failure>([&] { output(folder.path("")); }, "is a directory");
  expect_error<io_failure>([&] { output(folder.path("no/file")); },
                           "cannot create a temporary file beside it: No such file");
  expect_error<io_failure>(
      [&] {
        output to("/dev/full");
        to.write("x");
        to.commit();
      },
      "/dev/full: cannot write: No space left");
}

TEST(Output, SignalsRemoveTemporaries) {
  const scratch_folder folder;
  output to(folder.path("o"));
  EXPECT_EQ(folder.files(), 1u);
  remove_temporary_files();
  EXPECT_EQ(folder.files(), 0u);
}

} // namespace
} // namespace sortile::files
