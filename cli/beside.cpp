// See beside.hpp.
#include "beside.hpp"

#include "files/failure.hpp"

#include <cerrno>
#include <filesystem>

#include <unistd.h>

namespace sortile::cli {

namespace fs = std::filesystem;

namespace {

fs::path own_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

} // namespace

std::string path_beside(const std::string& name) {
  const std::string path = own_folder() / name;
  return ::access(path.c_str(), X_OK) == 0 ? path : "";
}

int run_beside(const std::string& name, const command_line& line) {
  std::string path = path_beside(name);
  if (path.empty())
    files::refuse("this is done by the program {}, which is not in {} (in sortile's source folder, make tools builds "
                  "all programs into one)",
                  name, own_folder().string());
  std::vector<std::string> words = line.arguments;
  words.front() = path;
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  files::fail_system(path, "run", errno);
}

} // namespace sortile::cli
