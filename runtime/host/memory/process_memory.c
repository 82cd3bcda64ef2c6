/* process_memory.c -- implementation of process_memory.h: reads /proc and the process's limits. */
#include "process_memory.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/report/byte_size.h"

/* Reads the first two fields of /proc/self/statm: mapped and resident pages. */
static void read_pages(long *mapped, long *resident)
{
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f || fscanf(f, "%ld %ld", mapped, resident) != 2) *mapped = *resident = 0;
    if (f) fclose(f);
}

static uint64_t process_memory_bytes_of(long pages)
{
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t process_memory_resident(void)
{
    long mapped, resident;
    read_pages(&mapped, &resident);
    return process_memory_bytes_of(resident);
}

uint64_t process_memory_mapped(void)
{
    long mapped, resident;
    read_pages(&mapped, &resident);
    return process_memory_bytes_of(mapped);
}

uint64_t process_memory_peak(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_maxrss << 10;
}

uint64_t process_memory_limit(void)
{
    struct rlimit l;
    return getrlimit(RLIMIT_AS, &l) || l.rlim_cur == RLIM_INFINITY ? UINT64_MAX : l.rlim_cur;
}

const char *memory_cure(char out[MEMORY_CURE_TEXT])
{
    char limit[BYTE_SIZE_TEXT], used[BYTE_SIZE_TEXT];
    uint64_t most = process_memory_limit();
    if (most == UINT64_MAX)
        snprintf(out, MEMORY_CURE_TEXT, "free memory");
    else
        snprintf(out, MEMORY_CURE_TEXT, "raise the limit of %s (ulimit -v), of which %s are in use",
                 byte_size(most, limit), byte_size(process_memory_mapped(), used));
    return out;
}
