/* sleeps.c -- see sleeps.h. */
#include "sleeps.h"

#include <dirent.h>
#include <stdio.h>

static const uint64_t LOOK_NS = 100000000, ASLEEP_NS = UINT64_C(5000000000);
/* Who works for less than a 20th of the time sleeps, though it may look around. */
enum { SHARE = 20 };

static uint64_t time_of_task(pid_t pid, const char *task, bool *disk)
{
    unsigned long long worked = 0, queued = 0;
    char path[300], state = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, task);
    FILE *in = fopen(path, "re");
    if (in && fscanf(in, "%llu %llu", &worked, &queued) != 2) worked = queued = 0;
    if (in) fclose(in);
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", pid, task);
    in = fopen(path, "re");
    if (in && fscanf(in, "%*d (%*[^)]) %c", &state) == 1 && state == 'D') *disk = true;
    if (in) fclose(in);
    return worked + queued;
}

/* How long all threads of a process have worked, and have waited for a processor. */
static uint64_t time_of(pid_t pid, bool *disk)
{
    uint64_t sum = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    for (const struct dirent *t; tasks && (t = readdir(tasks));)
        if (t->d_name[0] != '.') sum += time_of_task(pid, t->d_name, disk);
    if (tasks) closedir(tasks);
    return sum;
}

bool sleeps(struct sleeps *s, pid_t first, pid_t second, uint64_t steps, uint64_t now)
{
    if (now - s->looked < LOOK_NS) return false;
    bool disk = false;
    uint64_t busy = time_of(first, &disk);
    if (second && second != first) busy += time_of(second, &disk);
    s->looked = now;
    bool moves = disk || steps != s->steps || busy < s->busy || busy - s->busy > ASLEEP_NS / SHARE;
    if (moves || !s->since) *s = (struct sleeps){steps, busy, now, now};
    return now - s->since > ASLEEP_NS;
}
