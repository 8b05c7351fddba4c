// Names of the failures, and the one that the headers raise.
#include <sortile/error.hpp>
#include <sortile/sortile.hpp>

namespace sortile {

std::string_view name(status code) {
  switch (code) {
  case status::ok:
    return "ok";
  case status::invalid_argument:
    return "invalid argument";
  case status::workspace_too_small:
    return "workspace too small";
  case status::unknown_engine:
    return "unknown engine";
  case status::engine_unusable:
    return "engine unusable";
  case status::out_of_memory:
    return "out of memory";
  case status::cancelled:
    return "cancelled";
  case status::device_failure:
    return "device failure";
  case status::io_failure:
    return "input or output failure";
  case status::internal_error:
    return "internal error";
  }
  return "no status";
}

void detail::lengths_differ(const char* function, const char* first, std::size_t n, const char* second, std::size_t m) {
  throw invalid_argument(std::string(function) + ": " + first + " has " + std::to_string(n) + " elements, but " +
                         second + " has " + std::to_string(m) + "; they must have as many");
}

} // namespace sortile
