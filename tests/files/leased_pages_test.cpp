// Pages of a file that stay what they were, whatever becomes of the file.
#include "files/byte_buffer.hpp"
#include "files/leased_pages.hpp"
#include "files/parallel.hpp"
#include "files/temporary_files.hpp"
#include "scratch_folder.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sortile::files {
namespace {

class LeasedPages : public ::testing::Test {
 protected:
  LeasedPages() {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < leased_pages::smallest + 12'345; ++i)
      text_ += static_cast<char>(random());
    path_ = folder_.write("file", text_);
    file_ = file_descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  }

  leased_pages pages(std::uint64_t begin = 0) const {
    return leased_pages::of(file_.get(), begin, text_.size(), "file", 2);
  }
  bool has_leases() const { return static_cast<bool>(pages()); }

  scratch_folder folder_;
  std::string text_;
  std::string path_;
  file_descriptor file_;
};

std::string_view bytes_of(const leased_pages& pages) {
  return {pages.data(), pages.size()};
}

#define SKIP_WITHOUT_LEASES()                                                                                          \
  if (!has_leases())                                                                                                   \
  GTEST_SKIP() << "no leases on the file system of " << path_

TEST_F(LeasedPages, AnyBeginAndRoomBehind) {
  SKIP_WITHOUT_LEASES();
  for (const std::uint64_t begin : {0, 1, 4095, 4096, 4097, 12'345}) {
    const leased_pages some = pages(begin);
    ASSERT_TRUE(some) << begin;
    EXPECT_TRUE(bytes_of(some) == std::string_view(text_).substr(begin)) << begin;
    ASSERT_GT(some.capacity(), some.size());
    std::fill(some.data() + some.size(), some.data() + some.capacity(), 'x');
  }
  EXPECT_EQ(folder_.read("file"), text_);
  EXPECT_FALSE(pages(12'346)); // too few to be worth it
}

TEST_F(LeasedPages, StayWhenTheFileIsWrittenOrCut) {
  SKIP_WITHOUT_LEASES();
  const std::vector<std::function<void()>> changes{
      [&] { folder_.write("file", std::string(text_.size(), 'z')); }, // which cuts it first
      [&] { std::filesystem::resize_file(path_, 10); },
      [&] { std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << "changed"; },
      [&] { std::ofstream(path_, std::ios::app | std::ios::binary) << "more"; },
      [&] { std::filesystem::remove(path_); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    path_ = folder_.write("file", text_);
    file_ = file_descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    const leased_pages held = pages(5);
    ASSERT_TRUE(held) << i;
    held.data()[held.size()] = 'x';
    std::thread(changes[i]).join();
    EXPECT_TRUE(bytes_of(held) == std::string_view(text_).substr(5)) << i;
    EXPECT_EQ(held.data()[held.size()], 'x') << i;
  }
}

TEST_F(LeasedPages, NoneWhereSomebodyMayWrite) {
  SKIP_WITHOUT_LEASES();
  const file_descriptor writer(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(pages());
}

TEST_F(LeasedPages, NoneOfAnotherSizeOrKind) {
  EXPECT_FALSE(leased_pages::of(file_.get(), 0, text_.size() + 1, "file", 1));
  EXPECT_FALSE(leased_pages::of(file_.get(), 0, text_.size() - 1, "file", 1));
  EXPECT_FALSE(
      leased_pages::of(file_descriptor(::open("/dev/zero", O_RDONLY | O_CLOEXEC)).get(), 0, text_.size(), "zero", 1));
}

TEST_F(LeasedPages, OneAtATimeAndGivenBack) {
  SKIP_WITHOUT_LEASES();
  leased_pages first = pages();
  EXPECT_FALSE(pages());
  first = {};
  EXPECT_TRUE(pages());
  EXPECT_TRUE(file_descriptor(::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC))); // would not wait
}

// What the system does to a process that has been stopped for too long, without the wait: the lease is gone, and no
// signal came.
void lose_leases() {
  for (int fd = 3; fd < 100; ++fd)
    ::fcntl(fd, F_SETLEASE, F_UNLCK);
}

TEST_F(LeasedPages, AFileThatWasCutAfterTheLeaseHadRunOutEndsTheProcess) {
  SKIP_WITHOUT_LEASES();
  const std::string unfinished = folder_.write("unfinished", "");
  const auto read_what_was_cut = [&](unsigned threads) {
    remove_temporary_files_on_signals();
    const temporary_entry entry(unfinished);
    const leased_pages held = pages();
    lose_leases();
    std::filesystem::resize_file(path_, 10);
    parallel_for(threads, 64, [&](std::size_t) { // each thread meets a page that is not there
      volatile char last = held.data()[leased_pages::smallest - 1];
      static_cast<void>(last);
    });
  };
  constexpr const char* says = "^sortile: file: was cut while it was sorted, or can no longer be read\n$";
  EXPECT_EXIT(read_what_was_cut(1), ::testing::ExitedWithCode(2), says);
  EXPECT_FALSE(std::filesystem::exists(unfinished));
  folder_.write("file", text_);
  EXPECT_EXIT(read_what_was_cut(4), ::testing::ExitedWithCode(2), says);
}

TEST_F(LeasedPages, AnAnswerThatMeetsACutFileEndsTheProcess) {
  SKIP_WITHOUT_LEASES();
  const auto answer_too_late = [&] {
    const leased_pages held = pages();
    lose_leases();
    std::filesystem::resize_file(path_, 10);
    ::raise(SIGURG);
  };
  EXPECT_EXIT(answer_too_late(), ::testing::ExitedWithCode(2),
              "^sortile: file: was cut while it was sorted, or can no longer be read\n$");
}

TEST_F(LeasedPages, NoAnswerInTheMiddleOfAFault) {
  SKIP_WITHOUT_LEASES();
  const leased_pages held = pages();
  struct sigaction faults {};
  ASSERT_EQ(::sigaction(SIGBUS, nullptr, &faults), 0);
  EXPECT_EQ(::sigismember(&faults.sa_mask, SIGURG), 1);
}

TEST_F(LeasedPages, OtherFaultsAreNotTakenForOnesOfTheFile) {
  SKIP_WITHOUT_LEASES();
  const auto read_of_another_file = [&] {
    const leased_pages held = pages();
    const std::string other = folder_.write("other", text_);
    const file_descriptor opened(::open(other.c_str(), O_RDONLY | O_CLOEXEC));
    const auto* const bytes =
        static_cast<const char*>(::mmap(nullptr, text_.size(), PROT_READ, MAP_PRIVATE, opened.get(), 0));
    std::filesystem::resize_file(other, 0);
    volatile char first = *bytes;
    static_cast<void>(first);
  };
  const auto be_sent_the_signal = [&] {
    const leased_pages held = pages();
    ::raise(SIGBUS);
  };
  EXPECT_EXIT(read_of_another_file(), ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(be_sent_the_signal(), ::testing::KilledBySignal(SIGBUS), "");
  const auto signal_later = [&] {
    static_cast<void>(pages());
    struct sigaction now {};
    ::sigaction(SIGBUS, nullptr, &now);
    ::_exit(now.sa_handler == SIG_DFL ? 0 : 1);
  };
  EXPECT_EXIT(signal_later(), ::testing::ExitedWithCode(0), "");
}

TEST_F(LeasedPages, GrowIntoMemoryOfTheBuffersOwn) {
  SKIP_WITHOUT_LEASES();
  byte_buffer buffer(pages());
  EXPECT_TRUE(buffer.holds_pages());
  EXPECT_TRUE(buffer.bytes() == text_);
  buffer.reserve(buffer.size() + 1, "file");
  EXPECT_TRUE(buffer.holds_pages()); // there was room for one
  buffer.reserve(2 * buffer.size(), "file");
  EXPECT_FALSE(buffer.holds_pages());
  EXPECT_TRUE(buffer.bytes() == text_);
  EXPECT_GE(buffer.room(), text_.size());
}

} // namespace
} // namespace sortile::files
