/* event_clock.c -- implementation of event_clock.h. */
#include "event_clock.h"

#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"

enum { FIRST_CAP = 4, KEEPS_CLOSED = 1024 };

/* ---- the tree of minima ---- */

/* Returns the time by which an input holds the clock back; INT64_MAX if it does not. */
static int64_t clock_holds(const struct event_input *in)
{
    return !in->open ? INT64_MAX : in->sure ? in->time : INT64_MIN;
}

static void clock_update(struct event_clock *c, uint32_t i)
{
    uint32_t at = c->cap + i;
    int64_t least = clock_holds(&c->input[i]);
    while (c->tree[at] != least) {
        c->tree[at] = least;
        if (at == 1) break;
        int64_t other = c->tree[at ^ 1];
        if (other < least) least = other;
        at /= 2;
    }
}

static void clock_advance(struct event_clock *c)
{
    int64_t least = c->tree[1] == INT64_MAX ? c->latest : c->tree[1];
    if (!c->waits && least > c->now) c->now = least;
}

/* ---- sources ---- */

static void clock_count_waits(struct event_clock *c)
{
    c->waits = 0;
    for (uint32_t s = 0; s < c->n_sources; s++)
        if (c->source[s].open > c->source[s].known)
            c->waits += c->source[s].open - c->source[s].known;
}

static void clock_set_open(struct event_clock *c, struct event_input *in, bool open)
{
    if (in->open == open) return;
    in->open = open;
    struct event_source *s = &c->source[in->source];
    s->known = open ? s->known + 1 : s->known - 1;
    clock_update(c, (uint32_t)(in - c->input));
}

/* True if the input is still open, and closes with the last batch. */
static bool clock_is_closing(const struct event_clock *c, const struct event_input *in)
{
    bool found = c->marks.ended;
    for (uint32_t k = c->closed; k < c->marks.n_closing; k++)
        found |= c->marks.closing[k] == in->number;
    return in->source == c->of && found;
}

/* Returns how many inputs of the last batch's source are open after the batch. */
static uint32_t clock_open_after(const struct event_clock *c)
{
    uint32_t open = c->source[c->of].open, closing = c->marks.n_closing - c->closed;
    return c->marks.ended || closing > open ? 0 : open - closing;
}

/* Closes the marked inputs up to a row of the last batch. Returns true if there are any. */
static bool clock_close_to(struct event_clock *c, uint32_t row)
{
    const struct event_marks *m = &c->marks;
    uint32_t before = c->closed;
    for (; c->closed < m->n_closing && m->row[c->closed] <= row; c->closed++) {
        struct event_input *in = event_clock_find(c, c->of, m->closing[c->closed]);
        if (in) clock_set_open(c, in, false);
        c->source[c->of].open -= c->source[c->of].open > 0;
    }
    return c->closed > before;
}

static void clock_close_marked(struct event_clock *c)
{
    clock_close_to(c, UINT32_MAX);
    if (!c->marks.ended) return;
    c->source[c->of].open = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->input[i].source == c->of) clock_set_open(c, &c->input[i], false);
}

/* Closes inputs of a snapshot that have not come back, although all open inputs have come. */
static void clock_close_unbound(struct event_clock *c, uint32_t source)
{
    uint32_t unbound = 0;
    for (uint32_t i = 0; i < c->n; i++)
        unbound +=
            c->input[i].source == source && c->input[i].number == EVENT_UNBOUND && c->input[i].open;
    if (!unbound || c->source[source].known - unbound < c->source[source].open) return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->input[i].source == source && c->input[i].number == EVENT_UNBOUND)
            clock_set_open(c, &c->input[i], false);
}

void event_clock_mark(struct event_clock *c, uint32_t source, uint64_t seq,
                      const struct event_marks *m)
{
    struct event_source *s = &c->source[source];
    if (c->seq == seq + 1 && c->of == source) {
        memcpy(c->marks.row, m->row, sizeof m->row);
        return;
    }
    clock_close_marked(c);
    c->of = source;
    c->seq = seq + 1;
    c->marks = *m;
    c->closed = 0;
    if (m->open) s->open = m->open == EVENT_UNMARKED ? !m->n_closing : m->open;
    if (m->open && c->unbound) clock_close_unbound(c, source);
    clock_count_waits(c);
    clock_advance(c);
}

void event_clock_reach(struct event_clock *c, uint32_t row)
{
    if (!clock_close_to(c, row)) return;
    clock_count_waits(c);
    clock_advance(c);
}

/* ---- inputs ---- */

static uint32_t clock_home(const struct event_clock *c, uint32_t source, uint32_t number)
{
    return (uint32_t)mix64((uint64_t)source << 32 | number) & (2 * c->cap - 1);
}

/* Returns the slot of the index with the input, or the empty slot where it belongs. */
static uint32_t clock_slot(const struct event_clock *c, uint32_t source, uint32_t number)
{
    uint32_t k = clock_home(c, source, number);
    for (; c->index[k]; k = (k + 1) & (2 * c->cap - 1)) {
        const struct event_input *in = &c->input[c->index[k] - 1];
        if (in->source == source && in->number == number) break;
    }
    return k;
}

static void clock_bind(struct event_clock *c, uint32_t i, uint32_t number)
{
    c->input[i].number = number;
    c->index[clock_slot(c, c->input[i].source, number)] = i + 1;
}

/* Makes the arrays for `cap` inputs. Returns false if there is no memory. */
static bool clock_resize(struct event_clock *c, uint32_t cap)
{
    struct event_input *input = realloc(c->input, cap * sizeof *input);
    if (input) c->input = input;
    int64_t *tree = realloc(c->tree, 2 * (size_t)cap * sizeof *tree);
    if (tree) c->tree = tree;
    uint32_t *index = realloc(c->index, 2 * (size_t)cap * sizeof *index);
    if (index) c->index = index;
    if (!input || !tree || !index) return false;
    c->cap = cap;
    memset(index, 0, 2 * (size_t)cap * sizeof *index);
    for (uint32_t i = 0; i < 2 * cap; i++)
        tree[i] = INT64_MAX;
    for (uint32_t i = 0; i < c->n; i++) {
        if (input[i].number != EVENT_UNBOUND) clock_bind(c, i, input[i].number);
        clock_update(c, i);
    }
    return true;
}

static void clock_drop_closed(struct event_clock *c)
{
    uint32_t n = 0;
    c->unbound = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!c->input[i].open) continue;
        c->unbound += c->input[i].number == EVENT_UNBOUND;
        c->input[n++] = c->input[i];
    }
    c->n = n;
    c->last = 0;
}

/* Makes room for one more input. Returns false if there is no memory, or all inputs are open. */
static bool clock_make_room(struct event_clock *c)
{
    if (c->n < c->cap) return true;
    if (c->n >= KEEPS_CLOSED) clock_drop_closed(c);
    uint32_t cap = c->n > c->cap / 2 ? 2 * c->cap : c->cap;
    return cap <= EVENT_INPUTS && clock_resize(c, cap ? cap : FIRST_CAP);
}

bool event_clock_init(struct event_clock *c, uint32_t n)
{
    *c = (struct event_clock){.n_sources = n, .now = -1, .latest = -1, .waits = n};
    c->source = calloc(n, sizeof *c->source);
    for (uint32_t s = 0; c->source && s < n; s++)
        c->source[s].open = 1;
    return c->source && clock_resize(c, FIRST_CAP);
}

void event_clock_fini(struct event_clock *c)
{
    free(c->source);
    free(c->input);
    free(c->tree);
    free(c->index);
    *c = (struct event_clock){.n = 0};
}

void event_clock_restart(struct event_clock *c)
{
    c->n = c->unbound = c->last = 0;
    c->now = c->latest = -1;
    c->marks.n_closing = c->closed = 0;
    for (uint32_t s = 0; s < c->n_sources; s++)
        c->source[s].known = 0;
    for (uint32_t i = 0; i < 2 * c->cap; i++)
        c->tree[i] = INT64_MAX;
    memset(c->index, 0, 2 * (size_t)c->cap * sizeof *c->index);
    clock_count_waits(c);
}

struct event_input *event_clock_find(struct event_clock *c, uint32_t source, uint32_t number)
{
    struct event_input *in = &c->input[c->last];
    if (c->n && in->source == source && in->number == number) return in;
    uint32_t k = c->index[clock_slot(c, source, number)];
    if (!k) return NULL;
    c->last = k - 1;
    return &c->input[k - 1];
}

struct event_input *event_clock_continue(struct event_clock *c, uint32_t source, uint32_t number,
                                         uint64_t key)
{
    for (uint32_t i = 0; c->unbound && i < c->n; i++) {
        struct event_input *in = &c->input[i];
        if (in->number != EVENT_UNBOUND || in->source != source || in->key != key) continue;
        c->unbound--;
        clock_bind(c, i, number);
        clock_close_unbound(c, source);
        return in;
    }
    return NULL;
}

struct event_input *event_clock_add(struct event_clock *c, uint32_t source, uint32_t number,
                                    uint64_t key)
{
    if (!clock_make_room(c)) return NULL;
    struct event_input *in = &c->input[c->n++];
    *in = (struct event_input){.key = key, .time = -1, .source = source};
    clock_bind(c, c->n - 1, number);
    return in;
}

/* ---- records ---- */

static void clock_count_ahead(struct event_clock *c, struct event_input *in)
{
    if (!in->run) return;
    c->ahead += in->run;
    c->ahead_sample = in->least;
    in->run = 0;
}

/* Takes a record far ahead of its input. Returns true if it moves the input. */
static bool input_runs_ahead(struct event_input *in, int64_t ns)
{
    if (!in->run++ || ns < in->least) in->least = ns;
    if (in->run < EVENT_CONFIRMED) return false;
    in->time = in->least;
    in->run = 0;
    return in->sure = true;
}

/* Takes a record of an input whose time is not confirmed. Returns true if it is far ahead. */
static bool clock_begin_input(struct event_clock *c, struct event_input *in, int64_t ns,
                              int64_t max_ahead)
{
    if (in->seen < EVENT_CONFIRMED) in->seen++;
    if (in->time < 0) {
        in->time = ns;
    } else if (ns < in->time && in->time - ns > max_ahead) {
        if (!in->run++ || in->time < in->least) in->least = in->time;
        in->time = ns;
    } else if (ns - in->time > max_ahead) {
        return !input_runs_ahead(in, ns);
    } else {
        in->sure = true;
    }
    if (in->seen >= EVENT_CONFIRMED) in->sure = true;
    if (!in->sure) return false;
    clock_count_ahead(c, in);
    if (ns > in->time) in->time = ns;
    return false;
}

static bool clock_move_input(struct event_clock *c, struct event_input *in, int64_t ns,
                             int64_t max_ahead)
{
    if (!in->sure) return clock_begin_input(c, in, ns, max_ahead);
    if (ns - in->time > max_ahead) return !input_runs_ahead(in, ns);
    clock_count_ahead(c, in);
    if (ns > in->time) in->time = ns;
    return false;
}

void event_clock_look(const struct event_clock *c, struct leat_clock *out)
{
    *out = (struct leat_clock){.size = sizeof *out,
                               .now = c->now,
                               .latest = c->latest,
                               .input = -1,
                               .ahead_records = c->ahead,
                               .ahead_sample = c->ahead_sample};
}

void event_clock_take(struct event_clock *c, struct event_input *in, int64_t ns, int64_t max_ahead,
                      struct leat_clock *out)
{
    bool was_open = in->open;
    bool ahead = clock_move_input(c, in, ns, max_ahead);
    if (!was_open) {
        clock_set_open(c, in, true);
        if (c->unbound) clock_close_unbound(c, in->source);
        clock_count_waits(c);
    }
    clock_update(c, (uint32_t)(in - c->input));
    if (in->sure && in->time > c->latest) c->latest = in->time;
    clock_advance(c);
    event_clock_look(c, out);
    out->ahead = ahead;
    out->input = in->sure ? in->time : -1;
}

uint32_t event_clock_take_run(struct event_clock *c, struct event_input *in, const int64_t *time,
                              const uint32_t *row, uint32_t n, int64_t max_ahead, int64_t until,
                              struct leat_clock *out)
{
    const uint32_t closes = c->closed < c->marks.n_closing ? c->marks.row[c->closed] : UINT32_MAX;
    int64_t latest = in->time, least = latest;
    uint32_t k = 0;
    if (!in->sure || !in->open || in->run || c->now >= until) return 0;
    for (; k < n && row[k] < closes; k++) {
        const int64_t ns = time[row[k]];
        if (ns < 0 || (ns > latest && (ns >= until || ns - least > max_ahead))) break;
        if (ns > latest) latest = ns;
    }
    if (k) event_clock_take(c, in, latest, max_ahead, out);
    return k;
}

/* ---- state ---- */

enum { COLUMNS = 7, KEY = 0, TIME, LEAST, SOURCE, RUN, SEEN, FLAGS };
static const char *const column_names[COLUMNS] = {"clock_key",    "clock_time", "clock_least",
                                                  "clock_source", "clock_run",  "clock_seen",
                                                  "clock_flags"};

static int64_t clock_cell(const struct event_clock *c, const struct event_input *in, int column)
{
    bool open = in->open && !clock_is_closing(c, in);
    const int64_t of[COLUMNS] = {(int64_t)in->key, in->time, in->least,          in->source,
                                 in->run,          in->seen, in->sure + 2 * open};
    return of[column];
}

/* Writes how many inputs of each source are open. */
static int clock_write_sources(const struct event_clock *c, struct leat_writer *w)
{
    uint32_t *open = w->reserve(w, "clock_open", LEAT_U32, c->n_sources);
    if (!open) return LEAT_ENOMEM;
    for (uint32_t s = 0; s < c->n_sources; s++)
        open[s] = c->source[s].open;
    open[c->of] = clock_open_after(c);
    return LEAT_OK;
}

static int clock_read_sources(struct event_clock *to, struct leat_reader *r)
{
    const void *open;
    int status = r->array(r, "clock_open", LEAT_U32, to->n_sources, &open);
    for (uint32_t s = 0; s < to->n_sources && status == LEAT_OK; s++)
        to->source[s].open = ((const uint32_t *)open)[s];
    return status;
}

int event_clock_write(const struct event_clock *c, struct leat_writer *w)
{
    int status = clock_write_sources(c, w);
    if (status == LEAT_OK) status = w->i64(w, "clock_now", c->now);
    if (status == LEAT_OK) status = w->i64(w, "clock_latest", c->latest);
    if (status == LEAT_OK) status = w->u64(w, "clock_ahead", c->ahead);
    if (status == LEAT_OK) status = w->i64(w, "clock_sample", c->ahead_sample);
    for (int k = 0; k < COLUMNS && status == LEAT_OK; k++) {
        if (!c->n) {
            status = w->array(w, column_names[k], LEAT_I64, "", 0);
            continue;
        }
        int64_t *v = w->reserve(w, column_names[k], LEAT_I64, c->n);
        if (!v) return LEAT_ENOMEM;
        for (uint32_t i = 0; i < c->n; i++)
            v[i] = clock_cell(c, &c->input[i], k);
    }
    return status;
}

/* Reads an input from row i of the columns. Returns false if it is impossible. */
static bool clock_read_input(const struct event_clock *c, const int64_t *const v[COLUMNS],
                             uint64_t i, struct event_input *in)
{
    const int64_t flags = v[FLAGS][i];
    *in = (struct event_input){.key = (uint64_t)v[KEY][i],
                               .time = v[TIME][i],
                               .least = v[LEAST][i],
                               .source = (uint32_t)v[SOURCE][i],
                               .number = EVENT_UNBOUND,
                               .run = (uint32_t)v[RUN][i],
                               .seen = (uint32_t)v[SEEN][i],
                               .sure = flags & 1,
                               .open = flags & 2};
    return in->time >= -1 && in->least >= 0 && v[SOURCE][i] >= 0 && v[SOURCE][i] < c->n_sources &&
           v[RUN][i] >= 0 && v[RUN][i] < EVENT_CONFIRMED && v[SEEN][i] >= 0 &&
           v[SEEN][i] <= EVENT_CONFIRMED && flags >= 0 && flags < 4 && (!in->sure || in->time >= 0);
}

static int clock_read_inputs(struct event_clock *to, struct leat_reader *r)
{
    const void *v[COLUMNS];
    uint64_t n = 0;
    int status = r->array_up_to(r, column_names[0], LEAT_I64, EVENT_INPUTS, &v[0], &n);
    for (int k = 1; k < COLUMNS && status == LEAT_OK; k++)
        status = r->array(r, column_names[k], LEAT_I64, n, &v[k]);
    if (status != LEAT_OK) return status;
    uint32_t cap = to->cap;
    while (cap < n)
        cap *= 2;
    if (!clock_resize(to, cap)) return LEAT_ENOMEM;
    for (uint64_t i = 0; i < n; i++) {
        struct event_input *in = &to->input[to->n];
        if (!clock_read_input(to, (const int64_t *const *)v, i, in))
            return r->refuse(r, "input %llu of the clock is impossible", (unsigned long long)i);
        to->source[in->source].known += in->open;
        clock_update(to, to->n++);
        to->unbound++;
    }
    clock_count_waits(to);
    return LEAT_OK;
}

int event_clock_read(struct event_clock *to, struct leat_reader *r)
{
    int status = clock_read_sources(to, r);
    if (status == LEAT_OK) status = r->i64(r, "clock_now", &to->now);
    if (status == LEAT_OK) status = r->i64(r, "clock_latest", &to->latest);
    if (status == LEAT_OK) status = r->u64(r, "clock_ahead", &to->ahead);
    if (status == LEAT_OK) status = r->i64(r, "clock_sample", &to->ahead_sample);
    if (status != LEAT_OK) return status;
    if (to->now < -1 || to->latest < to->now || to->ahead_sample < 0)
        return r->refuse(r, "the clock shows no possible time");
    return clock_read_inputs(to, r);
}
