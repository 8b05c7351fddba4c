// Fibers: the one place that knows Boost.Context and AddressSanitizer's view of stacks.
#pragma once

#include "simt/executor/runtime.hpp"

namespace sortile::executor {

/// Makes `t` ready to start at fiber_main(t), on a stack that it keeps for its next thread.
void prepare_fiber(thread_state& t, std::size_t stack_bytes);
/// `next`, which has not started, goes on with the fiber of `self`, which has ended and is left with the other's stack.
void adopt_fiber(thread_state& self, thread_state& next);
/// Gives the stack back.
void release_fiber(thread_state& t, std::size_t stack_bytes);
/// Goes on with `next`; returns when somebody switches back to `self` (never, once it is finished).
void switch_fiber(thread_state& self, thread_state& next);
/// Whether the thread has kept to its stack.
bool stack_intact(const thread_state& t);

/// What a fiber runs; it must end by a switch.
void fiber_main(thread_state& self);

} // namespace sortile::executor
