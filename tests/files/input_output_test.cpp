// Inputs and outputs: mapping, pipes, replacing a target, leaving it alone.
#include "files/input.hpp"
#include "files/output.hpp"
#include "scratch_folder.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
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
  EXPECT_EQ(append(input(paths[0]), std::span(paths).subspan(1), '\n').bytes(), "1\n2\n3\n");
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

TEST(Input, WhatWasReadStays) {
  const scratch_folder folder;
  const std::string text(9'000'001, 'x'); // several slices
  const std::string path = folder.write("a", text);
  for (const unsigned threads : {1u, 3u}) {
    const input read(path, threads);
    folder.write("a", "other");
    EXPECT_EQ(read.bytes(), text);
    folder.write("a", text);
  }
}

TEST(Input, GrowthKeepsTheBytes) {
  byte_buffer buffer;
  std::string expected;
  for (std::size_t size = 1; size < 20'000'000; size = size * 3 + 1) {
    buffer.reserve(buffer.size() + size, "test");
    ASSERT_GE(buffer.room(), size);
    std::fill_n(buffer.end(), size, static_cast<char>('a' + size % 26));
    expected.append(size, static_cast<char>('a' + size % 26));
    buffer.grow(size);
    ASSERT_EQ(buffer.bytes(), expected);
  }
  expect_error<out_of_memory>([&] { buffer.reserve(SIZE_MAX, "test"); }, "test: ");
  EXPECT_EQ(buffer.bytes(), expected);
}

TEST(Output, SamePlaceWhateverTheName) {
  const scratch_folder folder;
  folder.write("a", "old");
  const std::string parent = std::filesystem::path(folder.path("a")).parent_path().filename().string();
  const output a(folder.path("a"));
  EXPECT_TRUE(same_place(a, output(folder.path("./a"))));
  EXPECT_TRUE(same_place(a, output(folder.path("../" + parent + "/a"))));
  EXPECT_FALSE(same_place(a, output(folder.path("b"))));
  EXPECT_TRUE(same_place(output(folder.path("b")), output(folder.path("b"))));
  EXPECT_FALSE(same_place(output("/dev/null"), output("/dev/null")));
}

TEST(Output, BothOrNone) {
  const scratch_folder folder;
  folder.write("a", "old a");
  {
    output a(folder.path("a"));
    output b(folder.path("b"));
    a.write("new a");
    b.write("new b");
    std::filesystem::create_directory(folder.path("b")); // so that the second cannot take its place
    expect_error<io_failure>([&] { commit_both(a, b); }, "b: cannot rename");
    EXPECT_EQ(folder.read("a"), "old a");
  }
  std::filesystem::remove(folder.path("b"));
  EXPECT_EQ(folder.files(), 1u);
  output a(folder.path("a"));
  output b(folder.path("b"));
  a.write("new a");
  b.write("new b");
  commit_both(a, b);
  EXPECT_EQ(folder.read("a"), "new a");
  EXPECT_EQ(folder.read("b"), "new b");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(Output, SignalsWaitWhileTheyAreHeld) {
  EXPECT_EXIT(
      {
        remove_temporary_files_on_signals();
        {
          const signal_hold outer;
          {
            const signal_hold inner;
            std::raise(SIGTERM);
          }
          std::fputs("still here", stderr);
        }
        std::_Exit(0);
      },
      testing::KilledBySignal(SIGTERM), "still here");
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
