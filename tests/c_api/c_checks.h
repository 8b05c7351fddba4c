/* Checks of the C ABI, written in C. Each returns NULL where all is well, else what is not. */
#ifndef SORTILE_TESTS_C_CHECKS_H
#define SORTILE_TESTS_C_CHECKS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef const char* (*c_check)(void);
typedef struct named_c_check {
  const char* name;
  c_check run;
} named_c_check;

/* All checks; the last has a NULL name. */
extern const named_c_check c_checks[];

#ifdef __cplusplus
}
#endif

#endif
