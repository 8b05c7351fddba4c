// See observer.hpp.
#include "simt/executor/observer.hpp"

namespace sortile::executor {
namespace {

thread_local observer* watcher = nullptr;

} // namespace

observing::observing(observer& o) : before_(watcher) {
  watcher = &o;
}

observing::~observing() {
  watcher = before_;
}

observer* watching() {
  return watcher;
}

} // namespace sortile::executor
