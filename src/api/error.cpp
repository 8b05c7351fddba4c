// Names of the failures, and the one that the headers raise.
#include <sortile/error.hpp>
#include <sortile/sortile.hpp>

extern "C" const char SORTILE_SAME_STANDARD_LIBRARY = 0; // language.hpp

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

void detail::positions_too_narrow(const char* function, std::size_t n) {
  throw invalid_argument(std::string(function) + ": positions of a signed 32-bit type cannot number n = " +
                         std::to_string(n) + " elements; they go to 2^31 - 1: use an unsigned or a 64-bit type");
}

void detail::no_memory(std::size_t n, std::size_t element_bytes, const char* purpose) {
  throw out_of_memory("sortile: out of memory: " + std::to_string(n) + " times " + std::to_string(element_bytes) +
                      " bytes wanted for " + purpose);
}

} // namespace sortile
