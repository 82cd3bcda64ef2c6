/* container.c -- parse.container: messages of container logs, with their parts joined.
 *
 *     P 'one, '   P 'two, '   F 'three'        ->   F 'one, two, three'
 *     stdout      stdout      stdout                time and place of the first part
 *
 * A message whose last part has not come is open. Its parts are those of one container and stream:
 * of equal names of the input, without what rotation adds to them, and of equal keys, attributes
 * and streams. The texts of open messages are in blocks (part_texts.h): name of the input, key,
 * time, stream, then the parts. A message that gets no last part is given as it is, with the part
 * P. That happens when the budget is used up, at max_message, and at the end. */
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "container_line.h"
#include "container_open.h"
#include "core/text/utf8.h"
#include "json/docs.h"
#include "kernels/base/feature_id.h"
#include "kernels/text/part_texts.h"
#include "kernels/text/time_text.h"

enum {
    STATE_VERSION = 1,
    RECORD_BYTES = 1 << 20, /* longest record if the source sets no limit */
    OPEN_NUMBERS = 10       /* of an open message in a snapshot           */
};
enum { TIME, STREAM, PART, MESSAGE, N_COLUMNS };
static const char *const container_columns[N_COLUMNS] = {"time", "stream", "part", "message"};

struct container_cfg {
    int64_t max_message, budget;
};

struct container {
    struct container_reader *reader;
    struct part_texts texts;
    struct container_opens open;
    void *block;
    struct time_reader clock;
    uint32_t cap; /* most open messages, and blocks of texts */
    uint32_t at;  /* next record of the incoming batch */
    uint64_t max_message, joined, cut, peak;
    uint64_t crowded; /* messages of this run that were cut because the budget was used up */
    bool warned;      /* of a message that is not UTF-8 */
};

static const struct leat_param container_params[] = {
    LEAT_PARAM(struct container_cfg, max_message, LEAT_SIZE, .def = "1MiB", .min = 4096,
               .max = 64 << 20, .unit = "bytes",
               .doc = "most bytes of a message that is joined, with its stream and place; a longer "
                      "one comes in pieces"),
    LEAT_PARAM(struct container_cfg, budget, LEAT_SIZE, .def = "16MiB", .min = 65536, .max = 1e12,
               .unit = "bytes",
               .doc = "memory for messages whose last part has not come; when it is used up, the "
                      "oldest is given as it is"),
};

/* ---- before the run ---- */

static int container_framing(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    f->flags = LEAT_PIECES;
    return LEAT_OK;
}

static uint32_t container_max_bytes(const struct leat_schema *in)
{
    return in->max_record_bytes ? in->max_record_bytes : RECORD_BYTES;
}

static int container_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct container_cfg *cfg = config;
    int status = LEAT_OK;
    if (n->out->max_record_bytes < (uint64_t)cfg->max_message)
        n->out->max_record_bytes = (uint32_t)cfg->max_message;
    /* The line, its decoded message, and the letter of its part. */
    n->add_bounds(n, &(struct leat_bounds){.copies_text = 1, .added_bytes_per_record = 1});
    for (int i = 0; i < N_COLUMNS && status == LEAT_OK; i++)
        status =
            n->add_column(n, container_columns[i], strlen(container_columns[i]), LEAT_TEXT, NULL);
    return status;
}

/* Returns how many blocks, and as many open messages, the budget has. */
static uint32_t container_blocks(const struct container_cfg *cfg)
{
    uint64_t n = (uint64_t)cfg->budget / (part_texts_bytes(1) + container_opens_bytes(1));
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
}

static int container_plan(const void *config, const struct leat_schema *in,
                          const struct leat_schema *out, struct leat_plan *p)
{
    const struct container_cfg *cfg = config;
    p->state_bytes = (uint64_t)cfg->budget;
    p->work_bytes = container_reader_bytes(container_max_bytes(in));
    snprintf(p->note, sizeof p->note, "%u messages may wait for their last part",
             container_blocks(cfg));
    return LEAT_OK;
}

static void container_close(struct leat_ctx *ctx, void *self)
{
    struct container *st = self;
    container_reader_free(ctx, st->reader);
    ctx->host->free(ctx, st->block);
}

/* Makes both tables empty, in the block of the stage. */
static void container_empty(struct container *st)
{
    container_opens_init(&st->open, st->block, st->cap);
    part_texts_init(&st->texts, (char *)st->block + container_opens_bytes(st->cap), st->cap);
}

static int container_begin_stage(struct leat_ctx *ctx, void *self)
{
    const struct container_cfg *cfg = ctx->cfg;
    struct container *st = self;
    char why[TIME_WHY];
    st->cap = container_blocks(cfg);
    st->max_message = (uint64_t)cfg->max_message;
    time_format_read(&st->clock.format, "iso8601", why);
    time_zone_fixed(&st->clock.zone, 0);
    st->block = ctx->host->alloc(ctx, container_opens_bytes(st->cap) + part_texts_bytes(st->cap));
    st->reader = container_reader_new(ctx, container_max_bytes(ctx->in));
    if (!st->block || !st->reader) {
        container_close(ctx, st);
        return LEAT_ENOMEM;
    }
    container_empty(st);
    return LEAT_OK;
}

/* ---- what belongs together ---- */

/* A line of the incoming batch. */
struct container_row {
    struct leat_ctx *ctx;
    struct container *st;
    struct leat_batch *in, *out;
    uint32_t r;
    struct container_line line;
    const char *text, *name; /* of the line, of the input */
    uint64_t offset, place;  /* place: line in the input  */
};

/* Returns the length of the name of a file without what rotation adds: a number or a date after
 * ".log", and the ending of a compressed file. */
static size_t container_stem(const char *name)
{
    size_t n = strlen(name);
    for (const char *at = name; (at = strstr(at, ".log")); at += 4)
        if (at[4] == '.' || at[4] == '-' || !at[4]) n = (size_t)(at - name) + 4;
    return n;
}

static uint64_t container_mix(uint64_t id, const char *bytes, struct leat_str s)
{
    return feature_id_value(id, bytes + s.off, s.len == LEAT_NULL ? 0 : s.len);
}

static uint64_t container_id(const struct container_row *row)
{
    uint64_t id = feature_id_name(row->name, container_stem(row->name));
    if (row->in->key) id = container_mix(id, row->in->bytes, row->in->key[row->r]);
    id = container_mix(id, row->text, row->line.attrs);
    return container_mix(id, row->text, row->line.stream);
}

static int64_t container_time(const struct container_row *row)
{
    struct leat_str s = row->line.time;
    int64_t ns;
    if (s.len == LEAT_NULL) return TIME_NONE;
    return time_read(&row->st->clock, row->text + s.off, s.len, TIME_NONE, &ns) ? TIME_NONE : ns;
}

/* True if the line may continue the message. In another file of the same log it must not be
 * earlier, as it is if files are read in the wrong order. */
static bool container_continues(const struct container_row *row, const struct container_open *m)
{
    if (m->text.n + row->line.n + 1 > row->st->max_message) return false;
    if (m->input == feature_id_name(row->name, strlen(row->name))) return true;
    int64_t time = container_time(row);
    return time != TIME_NONE && m->time != TIME_NONE && time >= m->time;
}

/* ---- output; functions return false if the batch is full ---- */

static void container_set(struct leat_batch *out, uint32_t r, int column, struct leat_str s)
{
    out->column[column].text[r] = s;
}

static struct leat_str container_moved(struct leat_str s, uint32_t by)
{
    return s.len == LEAT_NULL ? s : (struct leat_str){s.off + by, s.len};
}

static char *container_put(char *to, const char *from, size_t n)
{
    if (n) memcpy(to, from, n);
    return to + n;
}

/* Warns once of a whole message that is not UTF-8. A message whose earlier part was given alone may
 * begin with the rest of a character. */
static void container_check_text(struct leat_ctx *ctx, struct container *st,
                                 const struct leat_batch *out, struct leat_str message,
                                 const char *name, uint64_t line)
{
    const unsigned char *text = (const unsigned char *)out->bytes + message.off;
    size_t n = message.len, rest = 0;
    if (st->warned) return;
    while (rest < n && rest < 3 && (text[rest] & 0xc0) == 0x80)
        rest++;
    size_t at = rest + utf8_prefix(text + rest, n - rest);
    if (at == n) return;
    st->warned = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "%s:%llu: the message that begins here is not UTF-8 (byte 0x%02x): the program "
                   "writes bytes, or text of another encoding, which you can set as `encoding` of "
                   "the source",
                   name, (unsigned long long)line, text[at]);
}

/* Gives a line as a record of its own. */
static bool container_give_line(const struct container_row *row)
{
    const struct container_line *line = &row->line;
    struct leat_batch *out = row->out;
    const uint32_t key = row->in->key ? row->in->key[row->r].len : LEAT_NULL;
    uint64_t n = (uint64_t)row->in->raw[row->r].len + (key == LEAT_NULL ? 0 : key) + line->n + 1;
    if (n > out->cap_bytes - out->n_bytes) return false;
    int r = leat_add_from(out, row->in, row->r);
    if (r < 0) return false;
    uint32_t raw = out->raw[r].off, at = out->n_bytes;
    *container_put(out->bytes + at, line->message, line->n) = line->whole ? 'F' : 'P';
    out->n_bytes += line->n + 1;
    out->raw[r] = (struct leat_str){at, line->n};
    container_set(out, (uint32_t)r, TIME, container_moved(line->time, raw));
    container_set(out, (uint32_t)r, STREAM, container_moved(line->stream, raw));
    container_set(out, (uint32_t)r, PART, (struct leat_str){at + line->n, 1});
    container_set(out, (uint32_t)r, MESSAGE, out->raw[r]);
    if (line->whole)
        container_check_text(row->ctx, row->st, out, out->raw[r], row->name, row->place);
    return true;
}

/* Returns the slice of `len` bytes at *at, and moves *at behind it. */
static struct leat_str container_slice(uint32_t *at, uint64_t len)
{
    struct leat_str s = {*at, (uint32_t)len};
    if (s.len == LEAT_NULL) return (struct leat_str){0, LEAT_NULL};
    *at += s.len;
    return s;
}

/* Gives an open message with the last n bytes of its text, and closes it. */
static bool container_give_open(struct leat_ctx *ctx, struct container *st, struct leat_batch *out,
                                struct container_open *m, const char *last, uint32_t n, char part)
{
    if (m->text.n + n + 1 > out->cap_bytes - out->n_bytes) return false;
    int r = leat_add_from(out, NULL, LEAT_NULL);
    if (r < 0) return false;
    uint32_t at = out->n_bytes, end = at + (uint32_t)m->text.n + n;
    part_texts_copy(&st->texts, &m->text, out->bytes + at);
    *container_put(out->bytes + at + m->text.n, last, n) = part;
    out->n_bytes = end + 1;
    struct leat_str name = container_slice(&at, m->name), key = container_slice(&at, m->key);
    name.len--;
    ctx->host->came_from(ctx, out, (uint32_t)r, name, m->offset, m->line);
    if (out->key) out->key[r] = key;
    if (out->timestamp) out->timestamp[r] = m->timestamp;
    container_set(out, (uint32_t)r, TIME, container_slice(&at, m->at_time));
    container_set(out, (uint32_t)r, STREAM, container_slice(&at, m->at_text));
    container_set(out, (uint32_t)r, PART, (struct leat_str){end, 1});
    out->raw[r] = (struct leat_str){at, end - at};
    container_set(out, (uint32_t)r, MESSAGE, out->raw[r]);
    if (part == 'F') {
        container_check_text(ctx, st, out, out->raw[r], out->bytes + name.off, m->line);
        st->joined++;
    } else {
        st->cut++;
    }
    part_texts_drop(&st->texts, &m->text);
    container_opens_remove(&st->open, m);
    return true;
}

static bool container_give_cut(const struct container_row *row, struct container_open *m)
{
    return container_give_open(row->ctx, row->st, row->out, m, NULL, 0, 'P');
}

/* ---- parts ---- */

static uint64_t container_length(uint64_t len) { return len == LEAT_NULL ? 0 : len; }

/* Returns an open message without text for the first part at `row`. */
static struct container_open container_begin(const struct container_row *row, uint64_t id)
{
    const struct leat_batch *in = row->in;
    return (struct container_open){.id = id,
                                   .input = feature_id_name(row->name, strlen(row->name)),
                                   .timestamp = in->timestamp ? in->timestamp[row->r] : -1,
                                   .offset = row->offset,
                                   .line = row->place,
                                   .name = strlen(row->name) + 1,
                                   .key = in->key ? in->key[row->r].len : LEAT_NULL,
                                   .at_time = row->line.time.len,
                                   .at_text = row->line.stream.len};
}

/* Returns the bytes before the parts of a message. */
static uint64_t container_head(const struct container_open *m)
{
    return m->name + container_length(m->key) + container_length(m->at_time) +
           container_length(m->at_text);
}

static void container_add(struct container *st, struct container_open *m, const char *bytes,
                          uint64_t n)
{
    part_texts_add(&st->texts, &m->text, bytes, n);
}

/* Opens the message of a first part, for which there is room. */
static struct container_open *container_start(const struct container_row *row,
                                              struct container_open m)
{
    struct container *st = row->st;
    const struct leat_batch *in = row->in;
    struct container_open *to = container_opens_add(&st->open, &m);
    if (st->open.n > st->peak) st->peak = st->open.n;
    container_add(st, to, row->name, m.name);
    if (m.key != LEAT_NULL) container_add(st, to, in->bytes + in->key[row->r].off, m.key);
    if (m.at_time != LEAT_NULL) container_add(st, to, row->text + row->line.time.off, m.at_time);
    if (m.at_text != LEAT_NULL) container_add(st, to, row->text + row->line.stream.off, m.at_text);
    return to;
}

/* Makes room for n more bytes of a message, which is not given for that unless it is the oldest.
 * Returns false if the batch is full. */
static bool container_make_room(const struct container_row *row, const struct part_text *text,
                                uint64_t n)
{
    struct container *st = row->st;
    const struct part_text t = *text;
    while (st->open.n && part_texts_more(&t, n) > st->texts.n_free) {
        if (!container_give_cut(row, container_opens_oldest(&st->open))) return false;
        st->crowded++;
    }
    return true;
}

/* Takes a part that is not the last one. m: its message; NULL: it begins one. */
static bool container_take_part(const struct container_row *row, struct container_open *m,
                                uint64_t id)
{
    struct container *st = row->st;
    struct container_open fresh = container_begin(row, id);
    const uint64_t n = row->line.n;
    if (!container_make_room(row, m ? &m->text : &fresh.text, m ? n : container_head(&fresh) + n))
        return false;
    m = container_opens_find(&st->open, id); /* it may have been the oldest */
    const uint64_t all = container_head(&fresh) + n;
    bool fits =
        m || (all + 1 <= st->max_message && part_texts_more(&fresh.text, all) <= st->texts.n_free);
    if (!fits) return container_give_line(row);
    if (!m) m = container_start(row, fresh);
    container_add(st, m, row->line.message, n);
    m->input = fresh.input;
    m->time = container_time(row);
    return true;
}

/* Handles a line that was read. Returns false if the batch is full; a call with an empty batch then
 * goes on. */
static bool container_take(const struct container_row *row)
{
    struct container *st = row->st;
    uint64_t id = container_id(row);
    struct container_open *m = container_opens_find(&st->open, id);
    if (m && !container_continues(row, m)) {
        if (!container_give_cut(row, m)) return false;
        m = NULL;
    }
    if (!row->line.whole) return container_take_part(row, m, id);
    if (!m) return container_give_line(row);
    return container_give_open(row->ctx, st, row->out, m, row->line.message, row->line.n, 'F');
}

/* Reads record r. Returns false if the batch is full. */
static bool container_record(struct leat_ctx *ctx, struct container *st, struct leat_batch *in,
                             struct leat_batch *out, uint32_t r)
{
    struct container_row row = {.ctx = ctx, .st = st, .in = in, .out = out, .r = r};
    char why[CONTAINER_WHY];
    if (!in->raw[r].len) {
        leat_filter(in, r);
        return true;
    }
    row.text = leat_text(in, in->raw[r]);
    ctx->host->where(ctx, in, r, &row.name, &row.offset, &row.place);
    if (!container_read(st->reader, row.text, in->raw[r].len, &row.line, why))
        ctx->host->reject(ctx, in, r, LEAT_R_SYNTAX, "%s", why);
    else if (!container_take(&row)) {
        if (out->n) return false;
        ctx->host->reject(ctx, in, r, LEAT_R_TOO_LARGE, "the batch has no room for the message");
    }
    return true;
}

static int container_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                            struct leat_batch *out)
{
    struct container *st = self;
    for (; st->at < in->n_sel; st->at++)
        if (!container_record(ctx, st, in, out, in->sel[st->at])) return LEAT_AGAIN;
    while (in->kind == LEAT_BATCH_END && st->open.n) {
        struct container_open *oldest = container_opens_oldest(&st->open);
        if (!container_give_open(ctx, st, out, oldest, NULL, 0, 'P')) return LEAT_AGAIN;
    }
    st->at = 0;
    return LEAT_OK;
}

static int container_stop(struct leat_ctx *ctx, void *self)
{
    const struct container *st = self;
    ctx->host->metric(ctx, "joined_messages", (double)st->joined);
    ctx->host->metric(ctx, "cut_messages", (double)st->cut);
    ctx->host->metric(ctx, "open_peak", (double)st->peak);
    return LEAT_OK;
}

static void container_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct container *st = self[0];
    if (st->crowded)
        ctx->host->log(ctx, LEAT_WARN,
                       "budget: %llu messages were given before their last part came, because "
                       "the budget was used up: raise it",
                       (unsigned long long)st->crowded);
}

/* ---- state ---- */

static void container_numbers(const struct container_open *m, uint64_t number[OPEN_NUMBERS + 1])
{
    const uint64_t all[OPEN_NUMBERS + 1] = {
        m->id,      m->input,   (uint64_t)m->time, (uint64_t)m->timestamp,
        m->offset,  m->line,    m->name,           m->key,
        m->at_time, m->at_text, m->text.n};
    memcpy(number, all, sizeof all);
}

static struct container_open container_of_numbers(const uint64_t *a)
{
    return (struct container_open){.id = a[0],
                                   .input = a[1],
                                   .time = (int64_t)a[2],
                                   .timestamp = (int64_t)a[3],
                                   .offset = a[4],
                                   .line = a[5],
                                   .name = a[6],
                                   .key = a[7],
                                   .at_time = a[8],
                                   .at_text = a[9],
                                   .text.n = a[10]};
}

static int container_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct container *st = self;
    const struct container_open *m = container_opens_oldest(&st->open);
    uint64_t bytes = 0, n = st->open.n * (uint64_t)(OPEN_NUMBERS + 1);
    int status = w->u64(w, "joined", st->joined);
    if (status == LEAT_OK) status = w->u64(w, "cut", st->cut);
    if (status == LEAT_OK) status = w->u64(w, "peak", st->peak);
    if (status != LEAT_OK) return status;
    for (; m; m = container_opens_next(&st->open, m))
        bytes += m->text.n;
    if (!st->open.n) {
        status = w->array(w, "open", LEAT_U64, "", 0);
        return status == LEAT_OK ? w->array(w, "texts", LEAT_U8, "", 0) : status;
    }
    uint64_t *number = w->reserve(w, "open", LEAT_U64, n);
    m = number ? container_opens_oldest(&st->open) : NULL;
    for (; m; m = container_opens_next(&st->open, m), number += OPEN_NUMBERS + 1)
        container_numbers(m, number);
    char *to = number ? w->reserve(w, "texts", LEAT_U8, bytes) : NULL;
    m = to ? container_opens_oldest(&st->open) : NULL;
    for (char *at = to; m; at += m->text.n, m = container_opens_next(&st->open, m))
        part_texts_copy(&st->texts, &m->text, at);
    return to ? LEAT_OK : LEAT_ENOMEM;
}

/* True if a saved message is whole. Its text is the first of n bytes. */
static bool container_is_open(const struct container_open *m, const char *text, uint64_t n)
{
    const uint64_t lengths[] = {m->key, m->at_time, m->at_text};
    if (!m->name || m->name > n || m->text.n > n || text[m->name - 1]) return false;
    if (memchr(text, 0, m->name - 1) || m->timestamp < -1) return false;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (lengths[i] > n && lengths[i] != LEAT_NULL) return false;
    return container_head(m) <= m->text.n;
}

/* Checks the saved messages. Returns LEAT_OK, or refuses them. */
static int container_check(const struct container *st, struct leat_reader *r,
                           const uint64_t *number, uint64_t n, const char *text, uint64_t bytes)
{
    uint64_t blocks = 0;
    if (n % (OPEN_NUMBERS + 1)) return r->refuse(r, "open has a part of a message");
    for (uint64_t i = 0; i < n; i += OPEN_NUMBERS + 1) {
        struct container_open m = container_of_numbers(number + i);
        if (!container_is_open(&m, text, bytes))
            return r->refuse(r, "open message %llu is damaged",
                             (unsigned long long)(i / (OPEN_NUMBERS + 1)));
        blocks += part_texts_more(&(struct part_text){.n = 0}, m.text.n);
        text += m.text.n;
        bytes -= m.text.n;
    }
    if (bytes) return r->refuse(r, "texts has %llu bytes too many", (unsigned long long)bytes);
    return blocks <= st->cap && n / (OPEN_NUMBERS + 1) <= st->cap
               ? LEAT_OK
               : r->refuse(r, "the open messages do not fit: set budget to what it was");
}

static int container_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                             uint32_t version)
{
    struct container *st = self;
    uint64_t joined, cut, peak, n, bytes;
    const void *numbers, *texts;
    if (version != STATE_VERSION) return r->refuse(r, "its version is not %d", STATE_VERSION);
    if (r->u64(r, "joined", &joined) || r->u64(r, "cut", &cut) || r->u64(r, "peak", &peak) ||
        r->array_up_to(r, "open", LEAT_U64, UINT64_MAX, &numbers, &n) ||
        r->array_up_to(r, "texts", LEAT_U8, UINT64_MAX, &texts, &bytes))
        return LEAT_EDATA;
    int status = container_check(st, r, numbers, n, texts, bytes);
    if (status != LEAT_OK) return status;
    container_empty(st);
    const char *text = texts;
    for (uint64_t i = 0; i < n; i += OPEN_NUMBERS + 1) {
        struct container_open m = container_of_numbers((const uint64_t *)numbers + i);
        const uint64_t len = m.text.n;
        m.text.n = 0;
        container_add(st, container_opens_add(&st->open, &m), text, len);
        text += len;
    }
    st->joined = joined;
    st->cut = cut;
    st->peak = peak;
    return LEAT_OK;
}

static const struct leat_figure container_figures[] = {
    {"joined_messages", "messages", "messages that were joined from several parts", LEAT_COUNTER},
    {"cut_messages", "messages", "messages that were given without their last part", LEAT_COUNTER},
    {"open_peak", "messages", "most messages that waited for their last part", LEAT_GAUGE},
};

const struct leat_stage parse_container = {
    .name = "parse.container",
    .summary = "messages of container logs (Docker, CRI), with their parts joined",
    .doc = container_doc,
    .example = "leat.parse.container {}",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARSER | LEAT_STATEFUL,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(container_params, struct container_cfg),
    LEAT_FIGURES(container_figures),
    LEAT_INSTANCE(struct container, container_begin_stage, container_close),
    .negotiate = container_negotiate,
    .framing = container_framing,
    .plan = container_plan,
    .stop = container_stop,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = container_snapshot,
                       .restore = container_restore),
    .expand = container_expand,
    .finish = container_finish,
};
