/* Loaded into the command by test_durability.py (LD_PRELOAD): writes down the calls that make an output last, in their
 * order, and lets some of them fail.
 *
 *   CALLS_LOG=FILE              a line a call: "fsync file", "fsync folder", "rename", "exchange", "unlink"
 *   CALLS_FAIL=NAME:K:ERRNO,…   the K-th call of that name (0: every one) fails with this error. "malloc", of a
 * kibibyte and more, takes part where it stands first, and is not written down
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether this call is one that is to fail; errno is set then. */
static int noted(const char* name) {
  static char names[64][16];
  static int calls = 0;
  const char* log = getenv("CALLS_LOG");
  const char* wanted = getenv("CALLS_FAIL");
  int same = 1;
  if (log != NULL) {
    FILE* file = fopen(log, "a");
    fprintf(file, "%s\n", name);
    fclose(file);
  }
  for (int i = 0; i < calls; ++i)
    same += strcmp(names[i], name) == 0;
  if (calls < 64)
    snprintf(names[calls++], sizeof names[0], "%s", name);
  while (wanted != NULL && *wanted != '\0') {
    char failing[32] = "";
    int which = 0;
    int code = 0;
    if (sscanf(wanted, "%31[^:]:%d:%d", failing, &which, &code) == 3 && strcmp(failing, name) == 0 &&
        (which == 0 || which == same)) {
      errno = code;
      return 1;
    }
    wanted = strchr(wanted, ',');
    if (wanted != NULL)
      ++wanted;
  }
  return 0;
}

int fsync(int fd) {
  struct stat status;
  const char* name = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) ? "fsync folder" : "fsync file";
  return noted(name) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int rename(const char* from, const char* to) {
  return noted("rename") ? -1 : ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (noted("exchange"))
    return -1;
  return ((int (*)(int, const char*, int, const char*, unsigned))dlsym(RTLD_NEXT, "renameat2"))(from_folder, from,
                                                                                                to_folder, to, flags);
}

int unlink(const char* path) {
  return noted("unlink") ? -1 : ((int (*)(const char*))dlsym(RTLD_NEXT, "unlink"))(path);
}

void* malloc(size_t size) {
  static void* (*real)(size_t) = NULL;
  const char* wanted = getenv("CALLS_FAIL");
  if (real == NULL)
    real = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  const int takes_part = size >= 1024 && wanted != NULL && strncmp(wanted, "malloc:", 7) == 0;
  return takes_part && noted("malloc") ? NULL : real(size);
}
