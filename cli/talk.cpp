// See talk.hpp.
#include "talk.hpp"

#include "files/message_text.hpp"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace sortile::cli {

namespace {

constexpr int bar_width = 30;

// Whether anybody could hear it: with standard error closed or on a full disk the exit status still tells.
bool write_to_stderr(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno != EINTR)
      return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
  return true;
}

} // namespace

void talk::error(std::string_view message) const {
  constexpr std::string_view library = "sortile: "; // the library's messages name it; here the command stands in front
  if (message.starts_with(library))
    message.remove_prefix(library.size());
  line(std::string(message));
}

void talk::line(const std::string& text) const {
  verbatim(files::escaped(text) + '\n');
}

void talk::verbatim(std::string_view text) const {
  if (!write_to_stderr(fmt::format("{}: {}", command, text)))
    unheard_ = true;
}

progress_bar::progress_bar(const talk& voice)
    : voice_(voice), terminal_(voice.level > 0 && ::isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar() {
  end_phase();
}

void progress_bar::phase(std::string name) {
  end_phase();
  phase_ = std::move(name);
  phase_start_ = clock::now();
}

void progress_bar::end_phase() {
  erase();
  if (!phase_.empty())
    voice_.say(3, "{} {:.3f} s", phase_, std::chrono::duration<double>(clock::now() - phase_start_).count());
  phase_.clear();
}

void progress_bar::erase() {
  if (drawn_)
    write_to_stderr("\r\x1b[K");
  drawn_ = false;
}

void progress_bar::show(double fraction) {
  if (!terminal_)
    return;
  const clock::time_point now = clock::now();
  using namespace std::chrono_literals;
  if (now - start_ < 1s || now - last_drawn_ < 100ms)
    return;
  last_drawn_ = now;
  const double gone = std::chrono::duration<double>(now - phase_start_).count();
  const std::string left = fraction > 0 ? fmt::format(", {:.0f} s left", gone / fraction - gone) : std::string();
  const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * bar_width);
  write_to_stderr(fmt::format("\r\x1b[K{}: {:<6} [{}{}] {:3.0f} %{}", voice_.command, phase_,
                              std::string(static_cast<std::size_t>(filled), '='),
                              std::string(static_cast<std::size_t>(bar_width - filled), ' '), 100 * fraction, left));
  drawn_ = true;
}

std::function<bool(double)> progress_bar::callback() {
  return [this](double fraction) {
    show(fraction);
    return true;
  };
}

std::function<void(double)> progress_bar::sink() {
  return [this](double fraction) { show(fraction); };
}

double progress_bar::seconds() const {
  return std::chrono::duration<double>(clock::now() - start_).count();
}

std::string with_unit(double number) {
  for (const char* unit : {"", " k", " M", " G"}) {
    if (number < 999.5)
      return fmt::format("{:.3g}{}", number, unit);
    number /= 1000;
  }
  return fmt::format("{:.3g} T", number);
}

} // namespace sortile::cli
