// See columnar_table.hpp; pyarrow_program/ is the other half; its conversation.py has what both say to
// each other.
#include "files/columnar/columnar_table.hpp"

#include "files/columnar/pyarrow_program.hpp"
#include "files/failure.hpp"

#include <array>
#include <cstdlib>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sortile::files {

namespace {

using json = nlohmann::json;

constexpr std::size_t part_bytes = std::size_t{1} << 20;
constexpr const char* advice = "pip install pyarrow gives it, in a virtual environment where the system's Python takes "
                               "no packages; SORTILE_PYTHON "
                               "names the interpreter that has it";

constexpr const char* word_of(columnar_format format) {
  constexpr std::array words{"parquet", "arrow", "arrows", "feather"};
  return words[static_cast<std::size_t>(format)];
}

// A file without a name, which programs inherit.
file_descriptor file_in_memory(const char* what) {
  file_descriptor file(::memfd_create(what, 0));
  if (!file)
    fail_system(what, "make a file in memory");
  return file;
}

struct pipe_of_program {
  file_descriptor from, to;

  pipe_of_program() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      fail_system("pipe", "make a pipe");
    from = file_descriptor(ends[0]);
    to = file_descriptor(ends[1]);
  }
};

std::string interpreter_of_environment() {
  const char* named = std::getenv("SORTILE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

bool is_regular(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::size_t bytes_of(const file_descriptor& file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    fail_system(name, "look at");
  return static_cast<std::size_t>(status.st_size);
}

std::string way_to(const file_descriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

// Where an array begins that the other half has put at `at`.
template <class T>
const T* array_at(const void* mapped, std::int64_t at) {
  return at < 0 ? nullptr : reinterpret_cast<const T*>(static_cast<const char*>(mapped) + at);
}

} // namespace

std::optional<columnar_format> columnar_format_of(std::string_view begin) {
  constexpr std::string_view file_begins{"ARROW1\0", 7};
  constexpr std::string_view stream_begins{"\xff\xff\xff\xff",
                                           4}; // then the length of a schema's message, and where it starts
  if (begin.starts_with("PAR1\x15"))
    return columnar_format::parquet;
  if (begin.starts_with(file_begins))
    return columnar_format::arrow;
  if (begin.starts_with(stream_begins) && begin.size() >= 12 && begin[7] == '\0' &&
      begin.substr(9, 3) == std::string_view("\0\0\0", 3))
    return columnar_format::arrows;
  return std::nullopt;
}

columnar_input::columnar_input(const std::string& path, input_stream&& stream, columnar_format format_of_it)
    : name(display_name(path)), format(format_of_it) {
  stream.peek(1); // tells whether it is packed
  if (is_regular(path) && stream.packed() == packing::none) {
    file = file_descriptor(::dup(open_input(path).get()));
    if (!file)
      fail_system(name, "open");
    return;
  }
  file = file_in_memory("sortile-input");
  std::string part(part_bytes, '\0');
  while (const std::size_t came = stream.read(part.data(), part.size()))
    write_fully(file.get(), {part.data(), came}, name);
}

std::uint64_t columnar_input::bytes() const {
  return bytes_of(file, name);
}

columnar_table::columnar_table(std::vector<columnar_input> inputs, const std::optional<std::vector<std::string>>& keys,
                               const columnar_limits& limits, bool written)
    : inputs_(std::move(inputs)), shared_(file_in_memory("sortile-columns")),
      interpreter_(interpreter_of_environment()) {
  start(keys, limits, written);
  take(answer());
  need_memory(limits);
}

columnar_table::~columnar_table() {
  let_go();
}

void columnar_table::let_go() {
  if (mapped_ != nullptr)
    ::munmap(mapped_, mapped_bytes_);
  mapped_ = nullptr;
  keys_.clear();
}

// The cells of the columns that decide, and the rows' numbers, stay in memory.
void columnar_table::need_memory(const columnar_limits& limits) const {
  constexpr std::size_t number_and_word = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  const std::size_t least = mapped_bytes_ + rows_ * number_and_word;
  if (limits.memory_is_named && least > limits.memory)
    fail(name(), "the columns of --by take {} bytes of memory in {} rows, and -S allows {}", least, rows_,
         limits.memory);
}

void columnar_table::start(const std::optional<std::vector<std::string>>& keys, const columnar_limits& limits,
                           bool written) {
  pipe_of_program in;
  pipe_of_program out;
  try {
    program_.emplace(interpreter_,
                     std::vector<std::string>{"-c", std::string(pyarrow_program()), std::to_string(shared_.get())},
                     in.from.get(), out.to.get());
  } catch (const io_failure& error) {
    fail(name(), "is read by PyArrow, for which there is no interpreter: {} ({})", error.what(), advice);
  }
  to_program_ = std::move(in.to);
  from_program_ = std::move(out.from);
  ::fcntl(from_program_.get(), F_SETPIPE_SZ, static_cast<int>(part_bytes)); // as it is where it may not be larger
  json files = json::array();
  for (const columnar_input& input : inputs_)
    files.push_back({{"path", way_to(input.file)}, {"format", word_of(input.format)}});
  tell(json{{"inputs", files},
            {"keys", keys ? json(*keys) : json()},
            {"threads", limits.threads},
            {"rows", written},
            {"memory", limits.memory},
            {"folders", limits.folders}}
           .dump(-1, ' ', false, json::error_handler_t::replace));
}

void columnar_table::tell(const std::string& message) {
  const no_broken_pipe_signal here;
  try {
    write_fully(to_program_.get(), message + "\n", interpreter_);
  } catch (const io_failure&) {
    fail_as_told(program_->wait()); // it has ended, and says why
  }
}

std::string columnar_table::answer() {
  std::string told;
  std::string part(part_bytes, '\0');
  while (!told.ends_with('\n')) {
    const ssize_t came = ::read(from_program_.get(), part.data(), part.size());
    if (came < 0 && errno == EINTR)
      continue;
    if (came <= 0)
      fail_as_told(program_->wait());
    told.append(part, 0, static_cast<std::size_t>(came));
  }
  return told;
}

void columnar_table::take(const std::string& told) {
  const json answer = json::parse(told, nullptr, false);
  if (!answer.is_object())
    fail(name(), "is read by PyArrow, and {} says what it was not asked: {}", interpreter_,
         told.substr(0, told.find('\n')));
  rows_ = answer["rows"];
  parts_ = answer["parts"].get<std::vector<std::size_t>>();
  for (const json& column : answer["columns"])
    columns_.push_back({column["name"], column["type"], column["nulls"]});
  for (const json& fact : answer["facts"])
    facts_.emplace_back(fact[0], fact[1]);
  mapped_bytes_ = bytes_of(shared_, name());
  if (mapped_bytes_ != 0) {
    void* const at = ::mmap(nullptr, mapped_bytes_, PROT_READ, MAP_SHARED, shared_.get(), 0);
    if (at == MAP_FAILED)
      fail_system(name(), "map its columns");
    mapped_ = at;
  }
  for (const json& key : answer["keys"]) {
    column_cells cells{.column = key["column"], .nulls = key["nulls"]};
    if (const std::string type = key["type"]; type != "text")
      cells.type = key_type_named(type);
    for (const json& piece : key["pieces"])
      cells.pieces.push_back({piece[0], array_at<char>(mapped_, piece[1]), array_at<char>(mapped_, piece[2]),
                              array_at<std::int64_t>(mapped_, piece[3])});
    keys_.push_back(std::move(cells));
  }
}

void columnar_table::write(std::span<const std::uint32_t> ids,
                           const std::optional<std::span<const std::uint64_t>>& counts, columnar_format format,
                           std::span<const written_order> order, output& to) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  let_go();
  const std::span<const std::uint64_t> counted = counts.value_or(std::span<const std::uint64_t>());
  const std::uint64_t counts_at = (ids.size_bytes() + word - 1) / word * word;
  if (::ftruncate(shared_.get(), 0) != 0 ||
      ::ftruncate(shared_.get(), static_cast<off_t>(counts_at + counted.size_bytes())) != 0)
    fail_system(name(), "make room for its order");
  write_fully_at(shared_.get(), {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()}, 0, name());
  write_fully_at(shared_.get(), {reinterpret_cast<const char*>(counted.data()), counted.size_bytes()}, counts_at,
                 name());
  json columns = json::array();
  for (const written_order& each : order)
    columns.push_back({each.column, each.descending, each.nulls_first});
  tell(json{{"rows", ids.size()}, {"counted", counts.has_value()}, {"format", word_of(format)}, {"order", columns}}
           .dump());
  std::string part(part_bytes, '\0');
  while (const std::size_t came = read_fully(from_program_.get(), part.data(), part.size(), name()))
    to.write({part.data(), came});
  if (const int status = program_->wait(); status != 0)
    fail_as_told(status);
}

// What the other half has left in the file in memory, if it came to that.
void columnar_table::fail_as_told(int status) {
  constexpr int told_why = 3;
  if (WIFSIGNALED(status))
    fail(name(),
         "the interpreter that read or wrote it with PyArrow was ended by a signal ({}): a damaged file, or a lack of "
         "memory",
         ::strsignal(WTERMSIG(status)));
  std::string text(part_bytes, '\0');
  text.resize(read_fully_at(shared_.get(), text.data(), text.size(), 0, name()));
  const json told = json::parse(text, nullptr, false);
  if (WEXITSTATUS(status) != told_why || !told.is_object())
    fail(name(), "is read by PyArrow, and {} ended with status {} ({})", interpreter_, WEXITSTATUS(status), advice);
  const std::string kind = told["kind"];
  const std::string what = told["what"];
  if (kind == "missing")
    fail(name(), "is read by PyArrow, which {} does not have: {} ({})", interpreter_, what, advice);
  if (kind == "memory")
    throw out_of_memory(fmt::format("{}: no memory for its rows: {}", name(), what));
  if (kind == "output")
    fail(name(), "its rows cannot be written so: {}", what);
  if (kind == "file")
    fail(inputs_.at(told["input"]).name, "cannot be read: {}", what);
  fail(inputs_.at(told["input"]).name, "{}", what);
}

} // namespace sortile::files
