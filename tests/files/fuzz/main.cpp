// One program for all readers: libFuzzer, and SORTILE_FUZZ_TARGET says which reader gets the bytes.
#include "targets.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace {

using target = void (*)(std::string_view);

target chosen() {
  using namespace sortile::files::fuzz;
  const std::map<std::string, target> all{{"npy", npy},       {"csv", csv},       {"keys", keys},
                                          {"number", number}, {"record", record}, {"packed", packed}};
  const char* name = std::getenv("SORTILE_FUZZ_TARGET");
  const auto found = name == nullptr ? all.end() : all.find(name);
  if (found == all.end()) {
    fmt::print(stderr, "SORTILE_FUZZ_TARGET names the reader: npy, csv, keys, number, record or packed\n");
    std::exit(2);
  }
  return found->second;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const target reader = chosen();
  reader({reinterpret_cast<const char*>(data), size});
  return 0;
}
