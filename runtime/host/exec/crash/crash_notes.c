/* crash_notes.c -- implementation of crash_notes.h.
 *
 * A line has five fields, separated by tabs: label, input, first offset, last offset, fate. Texts
 * with a tab or a line end are not written. */
#include "crash_notes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/exec/instance/instance.h"
#include "host/memory/arena.h"
#include "host/store/snapshot.h"

enum { LINE_BYTES = 2048, FILE_BYTES = LINE_BYTES * CRASH_NOTES };
static const char notes_name[] = "crashes", hung_fate[] = "did not return";

static int notes_dir = -1;

/* ---- writing, perhaps in the handler of a signal ---- */

/* Sets the range of the batch's records in the input of the first one. Returns its name. */
static const char *crash_notes_range(struct hbatch *h, uint64_t *first, uint64_t *last)
{
    struct batch_origin from = batch_origin(h, 0), to = batch_origin(h, h->b.n - 1);
    const char *input = instance_origin(h->source, &from), *end = instance_origin(h->source, &to);
    *first = from.offset;
    *last = strcmp(input, end) || to.offset < from.offset ? UINT64_MAX : to.offset;
    return input;
}

static void crash_notes_write(const char *stage, struct hbatch *h, const char *fate)
{
    char line[LINE_BYTES];
    uint64_t first, last;
    if (notes_dir < 0 || !h->b.n) return;
    const char *input = crash_notes_range(h, &first, &last);
    if (strpbrk(stage, "\t\n") || strpbrk(input, "\t\n")) return;
    int n = snprintf(line, sizeof line, "%s\t%s\t%llu\t%llu\t%s\n", stage, input,
                     (unsigned long long)first, (unsigned long long)last, fate);
    int fd = openat(notes_dir, notes_name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                    SNAPSHOT_MODE);
    if (fd < 0) return;
    if (n > 0 && n < LINE_BYTES && write(fd, line, (size_t)n) == n) (void)fsync(fd);
    close(fd);
}

static void crash_notes_tell(const char *stage, const char *call, const char *fate,
                             const void *works_on)
{
    if (!strcmp(call, "process")) crash_notes_write(stage, (struct hbatch *)works_on, fate);
}

void crash_notes_keep(int dir)
{
    notes_dir = dir;
    call_trap_tells(crash_notes_tell);
}

void crash_notes_hung(const struct instance *in)
{
    const char *call = atomic_load(&in->call);
    struct hbatch *h = atomic_load(&in->works_on);
    if (call && !strcmp(call, "process") && h) crash_notes_write(in->node->label, h, hung_fate);
}

void crash_notes_remove(int dir)
{
    if (dir >= 0) (void)unlinkat(dir, notes_name, 0);
}

/* ---- reading ---- */

/* Splits a line into its fields. Returns false if it is not one of ours. */
static bool crash_notes_parse(char *line, struct crash_note *note)
{
    char *field[5], *end[2];
    for (int i = 0; i < 5; i++)
        if (!(field[i] = strsep(&line, "\t"))) return false;
    *note = (struct crash_note){.stage = field[0],
                                .input = field[1],
                                .fate = field[4],
                                .first = strtoull(field[2], &end[0], 10),
                                .last = strtoull(field[3], &end[1], 10),
                                .hung = !strcmp(field[4], hung_fate)};
    return !line && !*end[0] && !*end[1];
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
    while ((line = strsep(&text, "\n")))
        if (crash_notes_parse(line, &notes->v[notes->n % CRASH_NOTES])) notes->n++;
    if (notes->n > CRASH_NOTES) notes->n = CRASH_NOTES;
}

const struct crash_note *crash_notes_find(const struct crash_notes *notes,
                                          const struct instance *in, struct hbatch *h)
{
    uint64_t first, last;
    const struct crash_note *found = NULL;
    if (!notes->n || !h->b.n) return NULL;
    const char *input = crash_notes_range(h, &first, &last);
    for (uint32_t i = 0; i < notes->n; i++) {
        const struct crash_note *note = &notes->v[i];
        if (!strcmp(note->stage, in->node->label) && !strcmp(note->input, input) &&
            first <= note->last && note->first <= last && (!found || note->hung))
            found = note;
    }
    return found;
}
