/* touched.h -- measures the resident memory of a block. */
#ifndef LEAT_TESTS_SUPPORT_TOUCHED_H
#define LEAT_TESTS_SUPPORT_TOUCHED_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Returns a zeroed block that nothing has touched. */
static inline void *touched_none(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(p != MAP_FAILED);
    madvise(p, bytes, MADV_NOHUGEPAGE); /* a page of 2 MB would hide touched bytes */
    return p;
}

static inline void touched_free(void *p, size_t bytes) { munmap(p, bytes); }

/* Returns the touched bytes. Pages that were only read do not count: they cost nothing. */
static inline size_t touched_bytes(const void *p)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512], begins[32];
    size_t kilobytes = 0;
    bool ours = false;
    snprintf(begins, sizeof begins, "%zx-", (size_t)p);
    ck_assert(f);
    while (fgets(line, sizeof line, f)) {
        if (strchr(line, '-') && strtoull(line, NULL, 16))
            ours = !strncmp(line, begins, strlen(begins));
        if (ours && sscanf(line, "Rss: %zu", &kilobytes) == 1) break;
    }
    fclose(f);
    ck_assert(ours);
    return kilobytes * 1024;
}

#endif
