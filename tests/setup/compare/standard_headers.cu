// What the standard library's headers under compare.cuh cost, on this machine at this moment.
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
