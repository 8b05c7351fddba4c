// loads_engine LIBRARY: an engine that is not there is refused; when its library is loaded it sorts.
#include <sortile/sortile.hpp>

#include <dlfcn.h>

#include <iostream>
#include <vector>

int main(int, char** argv) {
  std::vector<unsigned char> keys{3, 1, 2};
  try {
    sortile::sort(keys, {.engine = "loaded"});
    std::cout << "an engine that was not loaded has sorted\n";
    return 1;
  } catch (const sortile::unknown_engine&) {
  }
  if (dlopen(argv[1], RTLD_NOW) == nullptr) {
    std::cout << dlerror() << '\n';
    return 1;
  }
  sortile::sort(keys, {.engine = "loaded"});
  return keys == std::vector<unsigned char>{1, 2, 3} ? 0 : 1;
}
