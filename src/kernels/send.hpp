// From a step's checked request to its kernels. Plain C++.
//
//   step.hpp   what is asked: a request; the call                 template <class Word> void step(queue, request<Word>)
//   step.cpp   checks the request and sends it                    SORTILE_EACH_WORD(SORTILE_CALL, step, request)
//   step.cu    launches; compiled for each backend                SORTILE_EACH_WORD(SORTILE_LAUNCHES, request, launch)
//
// A request's type says whose launches are meant. Where one request serves several calls, a second argument tells
// which.
#pragma once

#include "simt/queue.hpp"

#include <sortile/types.hpp>

#include <cstdint>

namespace sortile::kernels {

namespace detail {
/// Defined for each backend in the step's .cu file.
template <class Backend, class Request, class... Which>
SORTILE_LAUNCH void launch_request(const simt::queue& q, const Request& request, Which... which);
} // namespace detail

/// Launches in the queue's backend what the request asks for.
template <class Request, class... Which>
void send(const simt::queue& q, const Request& request, Which... which) {
  simt::visit(q, [&](auto backend) { detail::launch_request<decltype(backend)>(q, request, which...); });
}

} // namespace sortile::kernels

/// MACRO(WORD, …) for the unsigned type of each key width.
#define SORTILE_EACH_WORD(MACRO, ...)                                                                                  \
  MACRO(std::uint8_t __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  MACRO(std::uint16_t __VA_OPT__(, ) __VA_ARGS__)                                                                      \
  MACRO(std::uint32_t __VA_OPT__(, ) __VA_ARGS__)                                                                      \
  MACRO(std::uint64_t __VA_OPT__(, ) __VA_ARGS__)                                                                      \
  MACRO(sortile::uint128 __VA_OPT__(, ) __VA_ARGS__)

/// In namespace sortile::kernels of a .cpp file: CALL(queue, REQUEST) for keys of a width.
#define SORTILE_CALL(WORD, CALL, REQUEST) template void CALL(const simt::queue&, const REQUEST<WORD>&);

/// At the end of a .cu file, in no namespace: REQUEST of a width is launched by FUNCTION(queue, request).
#define SORTILE_LAUNCHES(WORD, REQUEST, FUNCTION) SORTILE_LAUNCHES_OF(REQUEST<WORD>, FUNCTION)
/// The same of a request without a width.
#define SORTILE_LAUNCHES_OF(REQUEST, FUNCTION)                                                                         \
  namespace sortile::kernels {                                                                                         \
  template <>                                                                                                          \
  void detail::launch_request<simt::this_backend>(const simt::queue& q, const REQUEST& r) {                            \
    FUNCTION(q, r);                                                                                                    \
  }                                                                                                                    \
  }
