// See bench_lines.hpp.
#include "bench_lines.hpp"
#include "beside.hpp"
#include "key_lines.hpp"

#include "files/failure.hpp"
#include "files/input.hpp"
#include "files/output.hpp"
#include "files/parallel.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sortile::cli {

namespace fs = std::filesystem;
using files::fail;
using files::refuse;

namespace {

class temporary_directory {
 public:
  temporary_directory() {
    std::string pattern = (fs::temp_directory_path() / "sortile-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      files::fail_system(pattern, "create a temporary directory");
    path_ = pattern;
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Runs a program to its end. \throws io_failure where it cannot be started or fails
void run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string locale = "LC_ALL=C";
  std::vector<char*> variables{locale.data()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LC_ALL="))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  pid_t child = 0;
  if (const int code = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), variables.data());
      code != 0)
    files::fail_system(words[0], "run", code);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail(words[0], "failed");
}

void write_keys(const bench_data& data, const std::string& path) {
  constexpr std::uint64_t block = 1 << 16;
  files::output to(path);
  std::vector<char> keys(block * key_bytes(data.shape.type) + 16);
  std::string text;
  for (std::uint64_t begin = 0; begin < data.shape.n; begin += block) {
    const std::uint64_t end = std::min(data.shape.n, begin + block);
    data.workload.fill(data.shape, begin, end, keys.data());
    text.clear();
    append_lines(data.shape.type, keys.data(), end - begin, text);
    to.write(text);
  }
  to.commit();
}

} // namespace

std::vector<testing::timing> race_line_sorts(const bench_data& data, const options& opts,
                                             const testing::race_options& how) {
  if (is_float(data.shape.type))
    refuse("--lines takes integers: sort -n does not read exponents");
  const temporary_directory directory;
  const std::string input = directory.file("keys");
  const std::string ours = directory.file("sortile");
  const std::string theirs = directory.file("sort");
  write_keys(data, input);
  const std::string threads = fmt::format("--parallel={}", files::thread_count(opts.threads));
  const std::string sortile = path_beside("sortile");
  if (sortile.empty())
    refuse("--lines needs the program sortile beside this one");
  std::vector<std::string> command{sortile, "sort", "-n", "--no-sync", threads, input, "-o", ours};
  if (!opts.engine.empty())
    command.push_back("--engine=" + opts.engine);
  const std::vector<testing::contender> contenders{{"sortile sort -n", [] {}, [&] { run_program(command); }},
                                                   {"sort -n (LC_ALL=C)", [] {},
                                                    [&] {
                                                      run_program({"sort", "-n", threads, input, "-o", theirs});
                                                    }}};
  std::vector<testing::timing> timings = testing::race(contenders, how);
  if (files::input(ours).bytes() != files::input(theirs).bytes())
    throw error(status::internal_error, "the outputs of sortile sort and sort differ");
  return timings;
}

} // namespace sortile::cli
