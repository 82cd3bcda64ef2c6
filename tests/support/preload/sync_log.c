/* sync_log.c -- LD_PRELOAD: writes to standard error which files are synced and renamed, in order.
 *
 * Lines: "sync out.csv", "rename 0…1.snapshot". */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int fdatasync(int fd)
{
    int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
    char link[64], path[PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) < 0) strcpy(path, "?");
    fprintf(stderr, "sync %s\n", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    return next(fd);
}

EXPORTED int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    int (*next)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
    fprintf(stderr, "rename %s\n", to);
    return next(from_dir, from, to_dir, to);
}
