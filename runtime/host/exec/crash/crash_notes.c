/* crash_notes.c -- implementation of crash_notes.h.
 *
 * A line has seven fields, separated by tabs: label, call, input, first, last, records, fate. Texts
 * with a tab or a line end are not written. */
#include "crash_notes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_marks.h"
#include "host/exec/instance/instance.h"
#include "host/memory/arena.h"
#include "host/store/snapshot.h"

enum { LINE_BYTES = 2048, FILE_BYTES = LINE_BYTES * CRASH_NOTES, FIELDS = 7 };
/* Ends without progress after which no further run begins. Somebody may kill a sound run, too. */
enum { MOST_CRASHES = 3, MOST_KILLS = 5 };
static const char notes_name[] = "crashes", hung_fate[] = "did not return",
                  killed_fate[] = "was killed (SIGKILL)", search_call[] = "search";

/* The main thread writes them, and the thread of signals reads them, too. */
static _Atomic int notes_dir = -1;
static _Atomic uint64_t notes_records = CRASH_NOTES_NO_RECORDS;

/* ---- places of records ---- */

struct crash_place {
    const char *input;
    uint64_t first, last;
};

/* Returns the place of the rows from `from` to `to` in the input of the first one. The thread of
 * signals calls it while the stage has the batch, so it changes nothing. */
static struct crash_place crash_place(const struct hbatch *h, uint32_t from, uint32_t to)
{
    struct batch_cursor c = {0};
    struct batch_origin a = batch_origin_from(h, from, &c), b = batch_origin_from(h, to, &c);
    struct crash_place p = {instance_origin(h->source, &a), a.offset, UINT64_MAX};
    if (!strcmp(p.input, instance_origin(h->source, &b)) && b.offset >= a.offset) p.last = b.offset;
    return p;
}

static struct crash_place crash_place_of(const struct hbatch *h)
{
    uint32_t n = h ? h->b.n : 0;
    return n ? crash_place(h, 0, n - 1) : (struct crash_place){"", 0, 0};
}

/* ---- writing, perhaps in the handler of a signal ---- */

static void crash_notes_write(int dir, const char *stage, const char *call, struct crash_place at,
                              uint64_t records, const char *fate)
{
    char line[LINE_BYTES];
    if (dir < 0 || strpbrk(stage, "\t\n") || strpbrk(at.input, "\t\n")) return;
    int n = snprintf(line, sizeof line, "%s\t%s\t%s\t%llu\t%llu\t%llu\t%s\n", stage, call, at.input,
                     (unsigned long long)at.first, (unsigned long long)at.last,
                     (unsigned long long)records, fate);
    int fd = openat(dir, notes_name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                    SNAPSHOT_MODE);
    if (fd < 0) return;
    if (n > 0 && n < LINE_BYTES && write(fd, line, (size_t)n) == n) (void)fsync(fd);
    close(fd);
}

static bool crash_notes_has_records(const char *call)
{
    return !strcmp(call, "process") || !strcmp(call, "expand");
}

static void crash_notes_tell(const char *stage, const char *call, const char *fate,
                             const void *works_on)
{
    crash_marks_over();
    if (!stage) return;
    const struct hbatch *h = crash_notes_has_records(call) ? works_on : NULL;
    crash_notes_write(notes_dir, stage, call, crash_place_of(h), notes_records, fate);
}

void crash_notes_keep(int dir)
{
    notes_dir = dir;
    notes_records = CRASH_NOTES_NO_RECORDS;
    call_trap_tells(crash_notes_tell);
}

void crash_notes_begin(uint64_t records) { notes_records = records; }

void crash_notes_hung(const struct instance *in)
{
    const char *call = atomic_load(&in->call);
    const struct hbatch *h = atomic_load(&in->works_on);
    if (call && crash_notes_has_records(call) && h && h->b.n)
        crash_notes_write(notes_dir, in->node->label, call, crash_place_of(h), notes_records,
                          hung_fate);
}

void crash_notes_killed(int dir, const char *stage, const char *call, uint64_t first, uint64_t n,
                        uint64_t records)
{
    struct crash_place at = {"", first, first + n - 1};
    crash_notes_write(dir, stage, call, at, records, killed_fate);
}

void crash_notes_found(const struct instance *in, struct hbatch *h, uint32_t from, uint32_t to,
                       const char *fate)
{
    crash_notes_write(notes_dir, in->node->label, search_call, crash_place(h, from, to),
                      notes_records, fate);
}

void crash_notes_remove(int dir)
{
    if (dir >= 0) (void)unlinkat(dir, notes_name, 0);
}

/* ---- reading ---- */

/* Splits a line into its fields. Returns false if it is not one of ours. */
static bool crash_notes_parse(char *line, struct crash_note *note)
{
    char *field[FIELDS], *end[3];
    for (int i = 0; i < FIELDS; i++)
        if (!(field[i] = strsep(&line, "\t"))) return false;
    *note = (struct crash_note){.stage = field[0],
                                .call = field[1],
                                .input = field[2],
                                .fate = field[6],
                                .first = strtoull(field[3], &end[0], 10),
                                .last = strtoull(field[4], &end[1], 10),
                                .records = strtoull(field[5], &end[2], 10),
                                .hung = !strcmp(field[6], hung_fate),
                                .killed = !strcmp(field[6], killed_fate)};
    return !line && !*end[0] && !*end[1] && !*end[2];
}

static bool crash_notes_is_search(const struct crash_note *note)
{
    return !strcmp(note->call, search_call);
}

void crash_notes_read(struct crash_notes *notes, int dir, struct arena *a)
{
    int fd = openat(dir, notes_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    char *text = arena_alloc(a, FILE_BYTES + 1), *line;
    off_t size = lseek(fd, 0, SEEK_END), from = size > FILE_BYTES ? size - FILE_BYTES : 0;
    ssize_t n = pread(fd, text, FILE_BYTES, from);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    while ((line = strsep(&text, "\n"))) {
        struct crash_note *note = &notes->v[notes->n % CRASH_NOTES];
        if (!crash_notes_parse(line, note)) continue;
        notes->n++;
        if (!crash_notes_is_search(note)) notes->newest = note;
    }
    if (notes->n > CRASH_NOTES) notes->n = CRASH_NOTES;
}

/* True if both notes are of one call about records that may be the same. */
static bool crash_notes_same(const struct crash_note *a, const struct crash_note *b)
{
    return !strcmp(a->stage, b->stage) && !strcmp(a->call, b->call) &&
           !strcmp(a->input, b->input) && a->killed == b->killed && a->first <= b->last &&
           b->first <= a->last;
}

static uint32_t crash_notes_times(const struct crash_notes *notes, const struct crash_note *of)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < notes->n; i++)
        times += crash_notes_same(&notes->v[i], of) && notes->v[i].records == of->records;
    return times;
}

/* True if the note is of records among those at `at`, or with the numbers `counts`. One kill proves
 * nothing. */
static bool crash_notes_means(const struct crash_notes *notes, const struct crash_note *note,
                              struct crash_place at, struct crash_place counts)
{
    if (note->killed && crash_notes_times(notes, note) < 2) return false;
    struct crash_place p = note->killed ? counts : at;
    return !strcmp(note->input, p.input) && p.first <= note->last && note->first <= p.last;
}

const struct crash_note *crash_notes_find(const struct crash_notes *notes,
                                          const struct instance *in, const char *call,
                                          struct hbatch *h)
{
    const struct crash_note *found = NULL;
    if (!notes->n || !h->b.n) return NULL;
    uint64_t n = atomic_load(&in->own->count.in);
    struct crash_place at = crash_place_of(h), counts = {"", n, n + h->b.n - 1};
    for (uint32_t i = 0; i < notes->n; i++) {
        const struct crash_note *note = &notes->v[i];
        if (!strcmp(note->stage, in->node->label) && !strcmp(note->call, call) &&
            (!found || note->hung) && crash_notes_means(notes, note, at, counts))
            found = note;
    }
    return found;
}

bool crash_notes_rows(const struct crash_note *note, const struct instance *in, struct hbatch *h,
                      uint32_t *from, uint32_t *to)
{
    bool found = false;
    if (!crash_notes_is_search(note) || strcmp(note->stage, in->node->label) != 0) return false;
    for (uint32_t r = 0; r < h->b.n; r++) {
        struct batch_origin o = batch_origin(h, r);
        if (o.offset < note->first || o.offset > note->last ||
            strcmp(note->input, instance_origin(h->source, &o)) != 0)
            continue;
        if (!found) *from = r;
        *to = r;
        found = true;
    }
    return found;
}

const char *crash_notes_loop(const struct crash_notes *notes, uint64_t records, const char *dir,
                             struct arena *a)
{
    const struct crash_note *last = notes->newest;
    if (!last || last->hung || last->records != records) return NULL;
    uint32_t times = crash_notes_times(notes, last);
    if (times < (last->killed ? MOST_KILLS : MOST_CRASHES)) return NULL;
    if (last->killed)
        return arena_printf(a,
                            "%s: the last %u runs were killed from outside (SIGKILL, as for lack "
                            "of memory) while it worked on the same records, %llu after the start. "
                            "Give the run more memory, or set a smaller batch_rows. To try again, "
                            "remove %s/%s",
                            last->stage, times, (unsigned long long)last->first, dir, notes_name);
    return arena_printf(a,
                        "%s: it %s in %s in each of the last %u runs, and no snapshot got further "
                        "meanwhile. There is no single record that could be rejected: mend the "
                        "stage, or take out of the input what it stumbles over. To try again, "
                        "remove %s/%s",
                        last->stage, last->fate, last->call, times, dir, notes_name);
}
