/* inspect.c -- see inspect.h. */
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
#include "host/graph/stage_columns.h"

static void found(struct instance *i, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void found(struct instance *i, const char *call, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    instance_fail(i, LEAT_EDATA, "%s %s (found by --debug-plugins)", call, text);
    control_halt(&i->run->control);
}

/* Whatever it holds, nobody reads it any more. */
static void empty(struct hbatch *h)
{
    h->b.n = h->b.n_sel = h->b.n_examples = h->b.n_ex_sel = h->n_rejections = 0;
}

/* ---- standard output ---- */

static struct {
    pthread_mutex_t mu;
    int real, taken; /* descriptors: standard output; what takes up what is written there */
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

/* Once a stage. */
static void look_at_output(struct instance *i, const char *call)
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

/* ---- around calls ---- */

static void look_at_whole(struct instance *i, struct hbatch *h, uint32_t columns, const char *call)
{
    const struct leat_batch *b = &h->b;
    char text[400];
    uint32_t record;
    if (batch_is_wrong(b, &i->node->schema_out, text, sizeof text)) {
        found(i, call, "%s", text);
        empty(h);
        return;
    }
    const char *name = batch_unfilled(&i->node->schema_out, b, columns, &record);
    if (name)
        found(i, call, "did not fill its column '%s' for record %u of the batch", name, record);
}

static void look_at_changes(const struct inspection *seen, struct instance *i, struct hbatch *h,
                            const char *call)
{
    const char *owes;
    const char *what =
        batch_changed(&seen->seen, &h->b, &i->node->schema_in, i->node->stage->caps, &owes);
    if (!what) return;
    found(i, call, "changed %s%s", what, owes);
    empty(h);
}

/* A stage that reads a column that it has not asked for crashes, and is named. */
static void hide_columns(struct inspection *seen, const struct instance *i, struct leat_batch *b)
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

static void show_columns(struct inspection *seen, struct leat_batch *b)
{
    b->column = seen->column;
    free(seen->shown);
}

void inspect_before(struct inspection *seen, const struct instance *i, struct hbatch *h)
{
    batch_see(&seen->seen, &h->b, &i->node->schema_in);
    batch_poison(&i->node->schema_out, &h->b, i->ctx.in->n_columns, h->b.n);
    hide_columns(seen, i, &h->b);
}

void inspect_after(struct inspection *seen, struct instance *i, struct hbatch *h, int status)
{
    show_columns(seen, &h->b);
    if (status < 0) return;
    look_at_output(i, "process");
    look_at_changes(seen, i, h, "process");
    if (!control_halted(&i->run->control)) look_at_whole(i, h, i->ctx.in->n_columns, "process");
}

void inspect_produced(struct instance *i, struct hbatch *h)
{
    look_at_output(i, "produce");
    look_at_whole(i, h, i->ctx.out->n_columns, "produce");
}

void inspect_before_expand(struct inspection *seen, const struct instance *i, struct hbatch *in,
                           struct hbatch *out)
{
    batch_see(&seen->seen, &in->b, &i->node->schema_in);
    batch_poison(&i->node->schema_out, &out->b, 0, out->b.cap);
    hide_columns(seen, i, &in->b);
}

void inspect_after_expand(struct inspection *seen, struct instance *i, struct hbatch *in,
                          struct hbatch *out, int status)
{
    show_columns(seen, &in->b);
    if (status < 0) return;
    look_at_output(i, "expand");
    look_at_changes(seen, i, in, "expand");
    if (!control_halted(&i->run->control)) look_at_whole(i, out, 0, "expand");
}
