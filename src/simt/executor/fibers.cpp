// Fibers on Boost.Context, annotated for AddressSanitizer (Debian's library is built without).
#include "simt/executor/fibers.hpp"
#include "simt/executor/stacks.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define SORTILE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SORTILE_ASAN 1
#endif
#endif
#if defined(SORTILE_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace sortile::executor {
namespace {

using boost::context::detail::transfer_t;

constexpr std::size_t guard_bytes = 4096; // below every stack

#if defined(SORTILE_ASAN)
constexpr std::size_t stack_factor = 4;
// A fiber ends by a switch, not by returns: its frames would stay poisoned for the next one.
void forget_frames(const thread_state& t) {
  ASAN_UNPOISON_MEMORY_REGION(t.stack_low, t.stack_bytes);
}
void leave(thread_state& self, const thread_state& next) {
  __sanitizer_start_switch_fiber(self.finished ? nullptr : &self.fake_stack, next.stack_low, next.stack_bytes);
}
void enter(thread_state& self, thread_state& from) {
  const void* low = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(self.fake_stack, &low, &bytes);
  if (from.stack_low == nullptr) { // an OS thread's own stack, met for the first time
    from.stack_low = static_cast<char*>(const_cast<void*>(low));
    from.stack_bytes = bytes;
  }
}
#else
constexpr std::size_t stack_factor = 1;
void forget_frames(const thread_state&) {}
void leave(thread_state&, const thread_state&) {}
void enter(thread_state&, thread_state&) {}
#endif

// Each side of a switch learns from the other where that one goes on.
void arrive(thread_state& self, transfer_t t) {
  thread_state& from = *static_cast<thread_state*>(t.data);
  from.context = t.fctx;
  enter(self, from);
}

void fiber_start(transfer_t t) {
  arrive(*current, t);
  fiber_main(*current);
}

} // namespace

void prepare_fiber(thread_state& t, std::size_t stack_bytes) {
  const std::size_t bytes = stack_bytes * stack_factor;
  if (!t.stack_low) {
    t.stack_low = stack_pool::instance().take(bytes);
    t.stack_bytes = bytes - guard_bytes;
  }
  forget_frames(t);
  const std::size_t usable = t.stack_bytes - stack_pool::stagger(t.stack_low, bytes);
  t.context = boost::context::detail::make_fcontext(t.stack_low + usable, usable, fiber_start);
}

void adopt_fiber(thread_state& self, thread_state& next) {
  std::swap(self.stack_low, next.stack_low);
  std::swap(self.stack_bytes, next.stack_bytes);
  current = &next;
}

void release_fiber(thread_state& t, std::size_t stack_bytes) {
  if (t.stack_low)
    stack_pool::instance().give(t.stack_low, stack_bytes * stack_factor);
  t.stack_low = nullptr;
}

void switch_fiber(thread_state& self, thread_state& next) {
  current = &next;
  leave(self, next);
  arrive(self, boost::context::detail::jump_fcontext(next.context, &self));
}

bool stack_intact(const thread_state& t) {
  return stack_pool::canary_alive(t.stack_low);
}

} // namespace sortile::executor
