/* pcap.c -- source.pcap: packets of capture files as records.
 *
 * This file has the parameters, batches and state, and chooses the next file.
 * common/inputs/inputs.h and common/inputs/stream.h have the files, capture.h the packets.
 *
 * A packet that does not fit into the batch is held for the next batch. It stays in libpcap's
 * buffer until the next packet is read. If a file ends early, the source delivers the packets
 * before the end, then fails. */
#include <stdatomic.h>
#include <string.h>

#include "capture.h"
#include "sources/pcap/docs.h"
#include "common/state/state_fields.h"

enum { LINK_BYTES = 4 };

struct pcap_cfg {
    struct leat_strings path;
    const char *filter;
    int64_t snaplen, window;
};

struct pcap_source {
    struct inputs inputs;
    struct capture capture; /* capture file of input `input`, if `reading` */
    uint32_t input;
    bool reading;
    bool failed;                    /* report capture.why after the packets before the failure */
    const struct pcap_pkthdr *head; /* packet that is read and not yet delivered, or NULL */
    const u_char *bytes;
    uint64_t number; /* number of packet `head` in its file, from 0, including unmatched packets */
    uint64_t taken;  /* number of the packet after the last delivered one */
    uint64_t passed; /* unmatched packets of earlier files */
    uint64_t passed_before; /* `passed` when the last file began */
    int64_t first; /* time of the file's first matched packet with a time, ns; -1 if none */
    char *raw;
    _Atomic uint64_t done; /* bytes read; written by the stage's thread, read by any thread */
};

static const struct leat_param pcap_source_params[] = {
    INPUTS_PATH(offsetof(struct pcap_cfg, path)),
    LEAT_PARAM(struct pcap_cfg, filter, LEAT_STRING,
               .doc = "packets to read, in the syntax of tcpdump: \"tcp and not port 22\""),
    LEAT_PARAM(struct pcap_cfg, snaplen, LEAT_SIZE, .def = "64KiB", .min = 64, .max = 256 << 10,
               .unit = "bytes", .doc = "bytes to keep of a packet; 256 are enough for its headers"),
    INPUTS_WINDOW(offsetof(struct pcap_cfg, window)),
};

static int pcap_source_validate(const void *config, struct leat_diag *d)
{
    const struct pcap_cfg *cfg = config;
    inputs_validate(&cfg->path, d);
    return LEAT_OK;
}

static int pcap_source_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct pcap_cfg *cfg = config;
    n->out->max_record_bytes = (uint32_t)cfg->snaplen + LINK_BYTES;
    return LEAT_OK;
}

static int pcap_source_plan(const void *config, const struct leat_schema *in,
                            const struct leat_schema *out, struct leat_plan *p)
{
    const struct pcap_cfg *cfg = config;
    p->work_bytes = STREAM_RAW_BYTES + (256 << 10) + /* libpcap's longest packet */
                    inputs_decoder_bytes(&cfg->path, NULL, cfg->window);
    return LEAT_OK;
}

static void pcap_source_close(struct leat_ctx *ctx, void *self)
{
    struct pcap_source *st = self;
    if (st->reading) capture_close(&st->capture);
    st->reading = false;
    ctx->host->free(ctx, st->raw);
    st->raw = NULL;
    inputs_fini(ctx, &st->inputs);
}

/* ---- files ---- */

static enum capture_status begin_input(struct leat_ctx *ctx, struct pcap_source *st)
{
    const struct pcap_cfg *cfg = ctx->cfg;
    if (st->input == st->inputs.n) return CAPTURE_END;
    enum capture_status s =
        capture_open(ctx, &st->capture, &st->inputs.v[st->input], cfg->filter, st->raw);
    st->reading = s == CAPTURE_PACKET;
    st->number = st->taken = 0;
    st->first = -1;
    return s;
}

static void end_input(struct pcap_source *st)
{
    st->passed_before = st->passed;
    st->passed += st->capture.passed;
    capture_close(&st->capture);
    st->reading = false;
    st->input++;
}

/* Opens the first input at once if it is a regular file, to find a wrong filter or file before the
 * run starts. A pipe is opened when its turn comes. */
static int pcap_source_open(struct leat_ctx *ctx, void *self)
{
    const struct pcap_cfg *cfg = ctx->cfg;
    struct pcap_source *st = self;
    int status = inputs_init(ctx, &st->inputs, &cfg->path, cfg->window);
    if (status == LEAT_OK && !(st->raw = ctx->host->alloc(ctx, STREAM_RAW_BYTES)))
        status = LEAT_ENOMEM;
    if (status == LEAT_OK && st->inputs.bytes && begin_input(ctx, st) == CAPTURE_FAILED)
        status = ctx->host->fail(ctx, LEAT_EIO, "%s", st->capture.why);
    if (status != LEAT_OK) pcap_source_close(ctx, self);
    return status;
}

/* ---- packets ---- */

/* Reads the next packet into st->head, from the next file if one has ended. */
static enum capture_status next_packet(struct leat_ctx *ctx, struct pcap_source *st)
{
    enum capture_status s = CAPTURE_PACKET;
    while (!st->head && s == CAPTURE_PACKET) {
        if (!st->reading) {
            s = begin_input(ctx, st);
            continue;
        }
        uint64_t passed = st->capture.passed;
        s = capture_next(ctx, &st->capture, &st->head, &st->bytes);
        st->number += st->capture.passed - passed;
        if (s == CAPTURE_END) {
            end_input(st);
            s = CAPTURE_PACKET;
        }
        if (s != CAPTURE_PACKET) st->head = NULL;
        if (st->head && st->first < 0) st->first = st->capture.time;
    }
    return s;
}

/* Adds the present packet to the batch. Returns false if the packet does not fit. */
static bool add_packet(const struct pcap_cfg *cfg, struct pcap_source *st, struct leat_batch *b)
{
    uint32_t len =
        st->head->caplen < (uint64_t)cfg->snaplen ? st->head->caplen : (uint32_t)cfg->snaplen;
    if (b->n && b->n_bytes + LINK_BYTES + len > b->fill_bytes) return false;
    if (!leat_has_space(b, LINK_BYTES + len)) return false;
    uint32_t off = b->n_bytes;
    int r = leat_add_record_at(b, off, LINK_BYTES + len, st->input, st->number, 0);
    if (r < 0) return false;
    b->n_bytes += LINK_BYTES + len;
    for (int i = 0; i < LINK_BYTES; i++)
        b->bytes[off + (uint32_t)i] = (char)(st->capture.link >> (24 - 8 * i));
    memcpy(b->bytes + off + LINK_BYTES, st->bytes, len);
    b->timestamp[r] = st->capture.time;
    st->taken = ++st->number;
    st->head = NULL;
    return true;
}

static void note_done(struct pcap_source *st)
{
    const struct stream *s = &st->capture.stream;
    uint64_t done = st->inputs.bytes;
    if (st->input < st->inputs.n)
        done = st->inputs.v[st->input].before + (st->reading ? stream_at(s, s->text) : 0);
    atomic_store_explicit(&st->done, done, memory_order_relaxed);
}

static int pcap_source_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct pcap_cfg *cfg = ctx->cfg;
    struct pcap_source *st = self;
    enum capture_status s = CAPTURE_PACKET;
    if (ctx->host->stopping(ctx)) return LEAT_EOS;
    if (st->failed) return ctx->host->fail(ctx, LEAT_EIO, "%s", st->capture.why);
    while (b->n < b->cap && (s = next_packet(ctx, st)) == CAPTURE_PACKET)
        if (!add_packet(cfg, st, b)) break;
    note_done(st);
    st->failed = s == CAPTURE_FAILED;
    if (st->failed && !b->n) return ctx->host->fail(ctx, LEAT_EIO, "%s", st->capture.why);
    if (st->failed) return LEAT_OK; /* the packets before the failure come first */
    if (s == CAPTURE_PACKET) return LEAT_OK;
    if (cfg->filter) ctx->host->metric(ctx, "not_matched", (double)st->passed);
    return LEAT_EOS;
}

static void pcap_source_progress(void *self, uint64_t *done, uint64_t *total)
{
    struct pcap_source *st = self;
    *done = atomic_load_explicit(&st->done, memory_order_relaxed);
    *total = st->inputs.bytes;
}

/* ---- state: the next packet ---- */

enum { STATE_VERSION = 4 };

struct location {
    uint64_t inputs, input, number; /* number: number of the next packet in its file, from 0 */
    uint64_t passed;                /* unmatched packets in earlier files */
    int64_t first;                  /* time of the file's first matched packet, ns; -1 if none */
    bool held;                      /* the next packet was read already, and counts as progress */
};

#define AT(member) STATE_MEMBER(struct location, member)
static const struct state_field pcap_source_fields[] = {
    {"inputs", STATE_VALUE, .at = AT(inputs)},
    {"input", STATE_VALUE, .at = AT(input), .limit = AT(inputs)},
    {"number", STATE_VALUE, .at = AT(number)},
    {"held", STATE_VALUE, .at = AT(held), .max = 1},
    {"passed", STATE_VALUE, .at = AT(passed)},
    {"first", STATE_VALUE, .at = AT(first), .min = -1, .max = 0x1p63},
};
#undef AT

/* Returns the location of the next packet. After the last file, this is the end of that file, which
 * may grow until the next run. */
static struct location location_of(const struct pcap_source *st)
{
    bool all = st->input == st->inputs.n;
    return (struct location){.inputs = st->inputs.n,
                             .input = all ? st->inputs.n - 1 : st->input,
                             .number = all ? st->taken : st->number,
                             .passed = all ? st->passed_before : st->passed,
                             .first = st->first,
                             .held = st->head != NULL};
}

static int pcap_source_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct pcap_source *st = self;
    if (inputs_seekable(ctx, &st->inputs) != LEAT_OK) return LEAT_EARG;
    struct location at = location_of(st);
    int status = state_write(w, STATE_TABLE(pcap_source_fields), &at);
    return status == LEAT_OK ? inputs_write(&st->inputs, (uint32_t)at.input, w) : status;
}

/* Continues at packet `number` of a file. Reads the packets before that packet, and the packet
 * itself if `held`. */
static int go_to(struct leat_ctx *ctx, struct pcap_source *st, uint32_t input, uint64_t number,
                 bool held)
{
    enum capture_status s = CAPTURE_PACKET;
    if (st->reading) capture_close(&st->capture);
    st->reading = false;
    st->input = input;
    st->number = 0;
    while (s == CAPTURE_PACKET && st->input == input && st->number < number) {
        if (ctx->host->stopping(ctx)) return LEAT_EOS;
        s = next_packet(ctx, st);
        if (s != CAPTURE_PACKET || st->input != input || st->number >= number) continue;
        st->head = NULL;
        st->taken = ++st->number;
    }
    if (held && s == CAPTURE_PACKET && st->input == input) s = next_packet(ctx, st);
    if (s == CAPTURE_FAILED) return ctx->host->fail(ctx, LEAT_EIO, "%s", st->capture.why);
    if (st->input == input && st->number >= number) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EDATA,
                           "%s is shorter than it was when the snapshot was made, at packet %llu",
                           st->inputs.v[input].name, (unsigned long long)number);
}

/* Checks that the file is the same as in the snapshot: its first matched packet has the same
 * time. */
static int check_first(struct leat_ctx *ctx, const struct pcap_source *st, uint64_t input,
                       int64_t first)
{
    if (st->input != input || st->first < 0 || first < 0 || st->first == first) return LEAT_OK;
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s is not the file that the snapshot was made with: it begins differently",
        st->inputs.v[input].name);
}

static int pcap_source_restore(struct leat_ctx *ctx, void *self, struct leat_reader *from,
                               uint32_t version)
{
    struct pcap_source *st = self;
    struct location at = {.inputs = 0};
    int status = state_check_version(from, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(from, STATE_TABLE(pcap_source_fields), &at);
    if (status == LEAT_OK) status = inputs_same(&st->inputs, at.inputs, at.input, from);
    if (status != LEAT_OK) return status;
    st->passed = at.passed;
    status = go_to(ctx, st, (uint32_t)at.input, at.input < st->inputs.n ? at.number : 0, at.held);
    if (status == LEAT_OK) status = check_first(ctx, st, at.input, at.first);
    note_done(st);
    return status;
}

static const struct leat_figure pcap_source_figures[] = {
    {"not_matched", "packets", "packets that the filter left out", LEAT_COUNTER},
};

const struct leat_stage source_pcap = {
    .name = "source.pcap",
    .summary = "packets of capture files (pcap, pcapng), plain or compressed",
    .doc = pcap_doc,
    .example = "leat.source.pcap { path = \"link1/*.pcap.gz\", filter = \"ip\", snaplen = 256 }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS | LEAT_HAS_TIMESTAMP,
    LEAT_PARAMS(pcap_source_params, struct pcap_cfg),
    LEAT_FIGURES(pcap_source_figures),
    LEAT_INSTANCE(struct pcap_source, pcap_source_open, pcap_source_close),
    .validate = pcap_source_validate,
    .negotiate = pcap_source_negotiate,
    .plan = pcap_source_plan,
    .source =
        LEAT_ROLE(leat_source, .produce = pcap_source_produce, .progress = pcap_source_progress),
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = pcap_source_snapshot,
                       .restore = pcap_source_restore),
};
