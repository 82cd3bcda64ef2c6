/* crash_marks.c -- implementation of crash_marks.h. */
#include "crash_marks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crash_notes.h"
#include "host/exec/run.h"
#include "host/store/snapshot.h"

static const char marks_name[] = "running", marks_magic[8] = "leatrun1";
static const char *const call_names[] = {[CRASH_PROCESS] = "process", [CRASH_EXPAND] = "expand"};

struct crash_marks {
    char magic[8];
    uint64_t records; /* records of the sources before the run */
    _Atomic uint32_t over;
    uint32_t n;
    struct crash_mark v[];
};

/* The thread of signals and handlers of signals use these, too. */
static _Atomic(struct crash_marks *) marks; /* NULL: none */
static _Atomic bool marks_over;             /* holds for marks made later, too */
static size_t marks_bytes;

/* ---- after a run that was killed ---- */

static void crash_marks_note(int dir, const struct crash_marks *m, uint32_t most)
{
    if (memcmp(m->magic, marks_magic, sizeof m->magic) != 0 || m->over) return;
    for (uint32_t i = 0; i < m->n && i < most; i++) {
        const struct crash_mark *k = &m->v[i];
        if (k->n && k->call <= CRASH_EXPAND && !k->stage[CRASH_LABEL - 1])
            crash_notes_killed(dir, k->stage, call_names[k->call], k->first, k->n, m->records);
    }
}

void crash_marks_read(int dir)
{
    struct stat st;
    int fd = openat(dir, marks_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    size_t n = fstat(fd, &st) || st.st_size < 0 ? 0 : (size_t)st.st_size;
    struct crash_marks *m = n >= sizeof *m ? malloc(n) : NULL;
    if (m && pread(fd, m, n, 0) == (ssize_t)n)
        crash_marks_note(dir, m, (uint32_t)((n - sizeof *m) / sizeof *m->v));
    free(m);
    close(fd);
    (void)unlinkat(dir, marks_name, 0);
}

/* ---- the marks of this run ---- */

/* Writes the file as a whole, so that its blocks exist: a store into a hole of a full disk would
 * end the process. Returns NULL if there is no room. */
static struct crash_marks *crash_marks_map(int dir, size_t bytes)
{
    void *zero = calloc(bytes, 1), *at = MAP_FAILED;
    int fd =
        openat(dir, marks_name, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, SNAPSHOT_MODE);
    if (zero && fd >= 0 && write(fd, zero, bytes) == (ssize_t)bytes)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    free(zero);
    return at == MAP_FAILED ? NULL : at;
}

static void crash_marks_give(struct crash_marks *m, struct instance *i)
{
    if (strlen(i->node->label) >= CRASH_LABEL) return;
    i->mark = &m->v[m->n++];
    memcpy(i->mark->stage, i->node->label, strlen(i->node->label));
}

void crash_marks_begin(int dir, struct run *r, uint64_t records)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        n += r->graph->node[i].stage ? (uint32_t)r->graph->node[i].lanes : 0;
    marks_bytes = sizeof(struct crash_marks) + n * sizeof(struct crash_mark);
    struct crash_marks *m = crash_marks_map(dir, marks_bytes);
    if (!m) return;
    m->records = records;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        for (int lane = 0; lane < r->graph->node[i].lanes && r->graph->node[i].stage; lane++)
            crash_marks_give(m, &r->instance[i][lane]);
    memcpy(m->magic, marks_magic, sizeof m->magic);
    atomic_store(&marks, m);
    if (atomic_load(&marks_over)) m->over = 1;
}

void crash_marks_over(void)
{
    atomic_store(&marks_over, true);
    struct crash_marks *m = atomic_load(&marks);
    if (m) m->over = 1;
}

void crash_marks_end(int dir, struct run *r)
{
    struct crash_marks *m = atomic_exchange(&marks, NULL);
    if (!m) return;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        for (int lane = 0; lane < r->graph->node[i].lanes && r->graph->node[i].stage; lane++)
            r->instance[i][lane].mark = NULL;
    munmap(m, marks_bytes);
    (void)unlinkat(dir, marks_name, 0);
}

void crash_mark_enter(const struct instance *i, enum crash_call call, uint32_t n)
{
    struct crash_mark *m = i->own->mark;
    if (!m) return;
    m->first = atomic_load_explicit(&i->own->count.in, memory_order_relaxed);
    m->call = call;
    atomic_store_explicit(&m->n, n, memory_order_release);
}

void crash_mark_leave(const struct instance *i)
{
    if (i->own->mark) atomic_store_explicit(&i->own->mark->n, 0, memory_order_release);
}
