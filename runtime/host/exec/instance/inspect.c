/* inspect.c -- implementation of inspect.h: compares a batch before and after a call. */
#include "inspect.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log/log.h"
#include "host/exec/run.h"
#include "host/flow/batch_check.h"
#include "host/graph/stage_columns.h"

static void inspect_found(struct instance *i, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void inspect_found(struct instance *i, const char *call, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    instance_fail(i, LEAT_EDATA, "%s %s (found by --debug-plugins)", call, text);
    control_halt(&i->run->control);
}

/* Empties an inconsistent batch, so that no later stage reads it. */
static void inspect_empty(struct hbatch *h)
{
    h->b.n = h->b.n_sel = h->b.n_examples = h->b.n_ex_sel = h->n_rejections = 0;
}

/* ---- texts that stages write to standard output ---- */

static struct {
    pthread_mutex_t mu;
    int real, taken; /* descriptors: of standard output, and of the file that replaces it */
    off_t seen;
} output = {.mu = PTHREAD_MUTEX_INITIALIZER, .real = -1, .taken = -1};

void inspect_output_begin(struct run *r)
{
    if (!r->inspects || output.real >= 0) return;
    fflush(stdout);
    output.taken = memfd_create("stdout", MFD_CLOEXEC);
    output.real = output.taken < 0 ? -1 : dup(STDOUT_FILENO);
    output.seen = 0;
    if (output.real >= 0) dup2(output.taken, STDOUT_FILENO);
}

void inspect_output_end(struct run *r)
{
    char text[4096];
    if (output.real < 0) return;
    fflush(stdout);
    dup2(output.real, STDOUT_FILENO);
    lseek(output.taken, 0, SEEK_SET);
    for (ssize_t n; (n = read(output.taken, text, sizeof text)) > 0;)
        if (write(STDOUT_FILENO, text, (size_t)n) < 0) break;
    close(output.real);
    close(output.taken);
    output.real = output.taken = -1;
}

/* Warns, once for each stage, if the call has written to standard output. */
static void inspect_output(struct instance *i, const char *call)
{
    char text[48];
    struct stat st;
    if (output.real < 0) return;
    pthread_mutex_lock(&output.mu);
    fflush(stdout);
    bool more = !fstat(output.taken, &st) && st.st_size > output.seen;
    ssize_t n = more ? pread(output.taken, text, sizeof text, output.seen) : 0;
    if (more) output.seen = st.st_size;
    pthread_mutex_unlock(&output.mu);
    if (n <= 0 || i->own->wrote) return;
    i->own->wrote = true;
    log_message(LEAT_WARN,
                "%s: %s wrote to standard output (\"%.*s\"%s), where results of the run go: use "
                "host->log (found by --debug-plugins)",
                i->node->label, call, (int)n, text, n == sizeof text ? "…" : "");
}

/* ---- checks before and after a call ---- */

/* State and columns of a batch before a call. */
struct inspection {
    struct batch_seen seen;
    union leat_cells *column, *shown; /* shown: only columns that the stage may read */
};

static void inspect_whole(struct instance *i, struct hbatch *h, uint32_t columns, const char *call)
{
    const struct leat_batch *b = &h->b;
    char text[400];
    uint32_t record;
    if (batch_is_wrong(b, &i->node->schema_out, text, sizeof text)) {
        inspect_found(i, call, "%s", text);
        inspect_empty(h);
        return;
    }
    const char *name = batch_unfilled(&i->node->schema_out, b, columns, &record);
    if (name)
        inspect_found(i, call, "did not fill its column '%s' for record %u of the batch", name,
                      record);
}

static void inspect_changes(const struct inspection *seen, struct instance *i, struct hbatch *h,
                            const char *call)
{
    const char *owes;
    const char *what =
        batch_changed(&seen->seen, &h->b, &i->node->schema_in, i->node->stage->caps, &owes);
    if (!what) return;
    inspect_found(i, call, "changed %s%s", what, owes);
    inspect_empty(h);
}

/* Hides the columns that the stage has not asked for. Reading one crashes, and the message of the
 * crash names the stage. */
static void inspect_hide_columns(struct inspection *seen, const struct instance *i,
                                 struct leat_batch *b)
{
    const struct node *n = i->node;
    uint32_t columns = stage_columns_room(n).n_columns;
    seen->column = b->column;
    seen->shown = malloc((columns + 1) * sizeof *seen->shown);
    if (!seen->shown) return;
    memcpy(seen->shown, b->column, columns * sizeof *seen->shown);
    for (uint32_t c = 0; c < n->schema_in.n_columns; c++)
        if (!n->shown_in.column[c].type) seen->shown[c].text = NULL;
    b->column = seen->shown;
}

static void inspect_show_columns(struct inspection *seen, struct leat_batch *b)
{
    b->column = seen->column;
    free(seen->shown);
}

static void inspect_before(struct instance *i, struct hbatch *in, struct hbatch *out)
{
    if (!in) return;
    struct inspection *seen = i->own->inspection;
    uint32_t from = in == out ? i->ctx.in->n_columns : 0, n = in == out ? in->b.n : out->b.cap;
    batch_see(&seen->seen, &in->b, &i->node->schema_in);
    batch_poison(&i->node->schema_out, &out->b, from, n);
    inspect_hide_columns(seen, i, &in->b);
}

static void inspect_after(struct instance *i, struct hbatch *in, struct hbatch *out, int status)
{
    struct inspection *seen = i->own->inspection;
    const char *call = atomic_load(&i->own->call);
    uint32_t from = !in ? i->ctx.out->n_columns : in == out ? i->ctx.in->n_columns : 0;
    if (in) inspect_show_columns(seen, &in->b);
    if (status < 0) return;
    inspect_output(i, call);
    if (in) inspect_changes(seen, i, in, call);
    if (!control_halted(&i->run->control)) inspect_whole(i, out, from, call);
}

static bool inspect_attends(struct instance *i)
{
    if (!i->run->inspects) return false;
    i->inspection = arena_alloc(i->run->graph->arena, sizeof *i->inspection);
    return true;
}

const struct observer inspect_observer = {
    .attends = inspect_attends, .before = inspect_before, .after = inspect_after};
