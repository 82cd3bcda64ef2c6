/* count_malloc.c -- preloaded into the program under test: counts allocations and writes their
 * number to the file named by COUNT_MALLOC when the process ends. FAIL_MALLOC=k refuses allocation
 * k of the process, counted from 1; with FAIL_MALLOC_ON, all from k on. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic unsigned long count;

#define EXPORT __attribute__((visibility("default")))

static int is_refused(void)
{
    const char *k = getenv("FAIL_MALLOC");
    unsigned long i = atomic_fetch_add(&count, 1) + 1, from = k ? strtoul(k, NULL, 10) : 0;
    if (!from || (getenv("FAIL_MALLOC_ON") ? i < from : i != from)) return 0;
    errno = ENOMEM;
    return 1;
}

EXPORT void *malloc(size_t n) { return is_refused() ? NULL : __libc_malloc(n); }

EXPORT void *calloc(size_t n, size_t size) { return is_refused() ? NULL : __libc_calloc(n, size); }

EXPORT void *realloc(void *p, size_t n) { return is_refused() ? NULL : __libc_realloc(p, n); }

EXPORT void *aligned_alloc(size_t align, size_t n)
{
    return is_refused() ? NULL : __libc_memalign(align, n);
}

__attribute__((destructor)) static void report(void)
{
    char text[32];
    const char *path = getenv("COUNT_MALLOC");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (fd < 0) return;
    int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&count));
    if (write(fd, text, (size_t)n) != n) _exit(1);
    close(fd);
}
