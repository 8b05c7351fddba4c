// The end of what is compiled for one instruction set (target_avx512.ipp, target_avx2.ipp). Included many times.
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
