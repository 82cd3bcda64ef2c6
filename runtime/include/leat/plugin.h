/* plugin.h -- THE header a plugin includes: what a plugin is, what a stage is, what the host
 * offers.
 *
 * A plugin is a shared object that exports one symbol, `leat_plugin`: data that lists its stages.
 * It links nothing of the host: the host passes its services in struct leat_host. Build one with
 *
 *     cc -std=c11 -shared -fPIC -fvisibility=hidden $(pkg-config --cflags leat) -o mine.so mine.c
 *
 * and run it with `leat run --plugin-path DIR script.lua`, or LEAT_PLUGIN_PATH.
 *
 * A stage's life (the host takes each step for all stages before the next one):
 *
 *   validate, negotiate, plan   pure: no I/O, no threads, no state. Any number of times.
 *   open                        acquire files and memory; no threads.
 *   start                       first call on the stage's own thread.
 *   produce | process | expand, tick, query, show
 *   stop                        last call on that thread: flush. Called once after each start.
 *   close                       free what open took. Called once after each open that succeeded.
 *
 * Threads: one thread at a time calls an instance, from `start` to `stop` always the same one. Only
 * `wake` and `progress` may come from any thread. Different instances (other stages, other lanes of
 * this one) run at the same time: no writable globals.
 *
 * Errors: a bad record is marked (host->reject) and the call returns LEAT_OK. A negative return
 * ends the run; say why first with `return host->fail(ctx, LEAT_EIO, "…")`.
 *
 * A plugin leaves alone what belongs to the whole process: signal handlers, locale, umask, working
 * directory, standard input.
 */
#ifndef LEAT_PLUGIN_H
#define LEAT_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/param.h>
#include <leat/query.h>
#include <leat/schema.h>
#include <leat/state.h>
#include <leat/status.h>

#define LEAT_MAGIC     0x7461656cu /* "leat" */
#define LEAT_ABI_MAJOR 1 /* the host refuses any other                                    */
#define LEAT_ABI_MINOR 6 /* grows when fields are appended; old and new fit each other     */

enum leat_log_level { LEAT_ERROR = 0, LEAT_WARN = 1, LEAT_INFO = 2, LEAT_DEBUG = 3 };

#define LEAT_NEW_INPUT UINT32_MAX

/* How far a source is behind one of its inputs. */
struct leat_lag {
    const char *input; /* for people: "orders/3" */
    int64_t records;   /* that it has not delivered yet; below 0: not known */
};
enum { LEAT_LAGS = 64 }; /* the most that the host keeps */

struct leat_ctx;

/* The host's services. All are safe on the stage's own thread, from open to close. */
struct leat_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;

    /* Memory: zeroed, aligned to 64 bytes, charged to the stage; NULL when none is left. Not for
     * each batch: in the steady state a stage allocates nothing, except a model that grows with its
     * features and says so. free(NULL) is fine. */
    void *(*alloc)(struct leat_ctx *, size_t bytes);
    void (*free)(struct leat_ctx *, void *);

    /* Says why the run must end; returns `status`. The host adds the stage and its line. */
    int (*fail)(struct leat_ctx *, int status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    void (*log)(struct leat_ctx *, int level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /* Rejects record r. The text says what is wrong with it; the host adds where the record came
     * from, counts it and writes it to the dead letters. Only the first rejection of a record
     * counts. */
    void (*reject)(struct leat_ctx *, struct leat_batch *, uint32_t r, int reason,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Where record r came from: name of the input, byte (or message) number, line (0: none). Cheap
     * when records are asked for in their order. */
    void (*where)(struct leat_ctx *, const struct leat_batch *, uint32_t r, const char **input,
                  uint64_t *offset, uint64_t *line);

    /* Source, in open or produce: name input number `input` for people ("a/b.csv.gz"). */
    int (*name_input)(struct leat_ctx *, uint32_t input, const char *name);

    /* A figure for the summary, under a static name; a later value replaces an earlier one. */
    void (*metric)(struct leat_ctx *, const char *name, double value);

    /* 1 once the run is being stopped. `stop_fd` becomes readable at the same time, for poll(). */
    int (*stopping)(struct leat_ctx *);
    int (*stop_fd)(struct leat_ctx *);

    /* Random seed of this stage: the pipeline's seed and the stage's id, up to a brace. */
    uint64_t (*seed)(struct leat_ctx *);

    /* Source: asks for a checkpoint now instead of at the next interval; `durable` reports its
     * end. */
    void (*checkpoint_soon)(struct leat_ctx *);

    /* Sink: with --state, the host syncs the file behind this descriptor to disk before each later
     * snapshot. The descriptor remains the stage's; one an instance. */
    int (*sync_file)(struct leat_ctx *, int fd);

    /* A named point at which a test may end the process (LEAT_FAULT=place). */
    void (*fault)(struct leat_ctx *, const char *place);

    /* Shards. For a source whose plan has `shards` > 0 the host keeps the state of all transforms
     * and learners apart for each of the source's inputs (the partitions of a topic, say). Every
     * batch then comes from one input, under a number that shard_begin gives. Queries are answered
     * from all shards merged. The source calls these on its own thread, in produce and durable:
     *
     * shard_begin  starts an input called `name` (for people). Its stages start from `state`,
     *              which is only read, or from nothing (n 0). *input is LEAT_NEW_INPUT, or the
     *              number of an input of which no batch was sent yet: that input then starts from
     *              this state. LEAT_AGAIN: all shards are taken, some by inputs that have ended but
     *              whose batches are still in the pipeline; ask again in the next produce.
     *              LEAT_EFULL: plan.shards inputs are open. LEAT_EDATA: `state` is no state; the
     *              host has logged why, and the source may continue without it. The host has
     *              reported any other failure, such as the state of another pipeline, to the run.
     * shard_state  gives the input's state at the checkpoint that `durable` reports, lent for that
     *              call. The committing sink may call it, too, in `commit`, for the inputs that a
     *              position names.
     * shard_end    ends an input: nothing more comes of it, and the host frees its state. */
    int (*shard_begin)(struct leat_ctx *, const char *name, const void *state, size_t n,
                       uint32_t *input);
    void (*shard_state)(struct leat_ctx *, uint32_t input, const void **state, size_t *n);
    void (*shard_end)(struct leat_ctx *, uint32_t input);

    /* How long the run may still take, in ns, once a signal stops it: whatever is not finished then
     * is ended with the process. INT64_MAX: there is no such time. */
    int64_t (*time_left)(struct leat_ctx *);

    /* Source, in tick or stop: how far it is behind the inputs that this process reads, in all
     * (below 0: not known), and the n worst of them, the worst first, up to LEAT_LAGS. Lent for the
     * call; a later call replaces an earlier one. */
    void (*lag)(struct leat_ctx *, int64_t total, const struct leat_lag *worst, uint32_t n);

    /* In expand: record r of `out`, added with leat_add_from(…, LEAT_NULL), is one of an earlier
     * batch, and came from there, as `where` has told. `input` lies in out->bytes, and a NUL after
     * it. */
    void (*came_from)(struct leat_ctx *, struct leat_batch *out, uint32_t r, struct leat_str input,
                      uint64_t offset, uint64_t line);
};

/* What each call of an instance gets. */
struct leat_ctx {
    uint32_t size;
    uint32_t lane; /* 0 .. lanes - 1 */
    const struct leat_host *host;
    const char *id;                     /* of the stage, unique in the pipeline                */
    const void *cfg;                    /* the stage's configuration struct, filled            */
    const struct leat_schema *in, *out; /* as negotiated                                       */
    struct leat_framing framing;        /* sources: how to cut                                 */
    const char *pipeline;               /* its name                                            */
    int64_t checkpoint_ns;              /* time between two checkpoints; 0: not by time        */
    uint32_t transactional; /* 1: a sink commits each checkpoint with the sources' positions   */
    uint32_t continued;     /* 1: with --state, a later run continues where this one ends      */
};

/* How far a source was at a checkpoint, in bytes that the committing sink understands. */
struct leat_position {
    const char *source; /* id of the stage */
    const void *bytes;
    size_t n;
};

/* A rejected record on its way to the dead letters. All of it is lent for the call. */
struct leat_dead_letter {
    uint32_t size; /* sizeof(struct leat_dead_letter) of the host */
    uint32_t cut;  /* 1: too long for its source, which gave only its beginning */
    const char *pipeline, *stage, *reason; /* stage: id of the one that rejected it */
    const char *input;                     /* where it came from, as of leat_host.where */
    uint64_t offset, line;                 /* line 0: none */
    const char *message, *record, *key;    /* key NULL: none */
    uint32_t n_message, n_record, n_key;
    uint32_t reserved;
    int64_t timestamp;   /* ns since 1970; below 0: none */
    const char *headers; /* of its message: leat_next_header */
    uint32_t n_headers;  /* bytes */
    uint32_t reserved_2;
};

/* Where validate and negotiate report what is wrong. The host prints file, line, stage and `param`
 * (NULL: none) before the text; so the text says what is wrong with which value, and what to do. An
 * error makes the check fail; the stage continues and reports all it finds. */
struct leat_diag {
    uint32_t size;
    uint32_t reserved;
    void (*error)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    void (*warn)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
};

/* The most memory that an instance may take, for `leat check`. What grows is counted where it stops
 * growing: its largest size is state, what it takes besides while it moves there is work. */
struct leat_plan {
    uint32_t size;
    uint32_t reserved;
    uint64_t state_bytes; /* the model or other state                              */
    uint64_t names_bytes; /* feature names                                         */
    uint64_t work_bytes;  /* buffers and scratch                                   */
    char note[256];       /* for people: shape, error bound; of a failure, why; "" for none */
    uint32_t shards; /* source: the most inputs with a state of their own; 0: one state for all */
    uint32_t reserved_2;
};

enum leat_stage_kind { LEAT_SOURCE = 1, LEAT_TRANSFORM = 2, LEAT_LEARNER = 3, LEAT_SINK = 4 };

enum leat_caps {
    LEAT_PARALLEL = 1,    /* a transform that treats each record alone: may run in lanes          */
    LEAT_REWRITES = 2,    /* changes columns, labels or examples that earlier stages made         */
    LEAT_PARSER = 4,      /* turns raw bytes into columns or examples; may have `framing`         */
    LEAT_STATEFUL = 8,    /* depends on earlier records: --state needs its snapshot function      */
    LEAT_ANY_ORDER = 16,  /* a learner of counts: the order of the examples changes nothing      */
    LEAT_UNPACKS = 32,    /* gives records other bytes (raw), added to the batch; they are still
                            reported where they arrived                                         */
    LEAT_NAMED_LATER = 64 /* a parser that, where nothing else names its columns, makes those that
                            later stages look up (leat_negotiation.asked)                       */
};

struct leat_stage {
    const char *name;    /* "learn.awm"                              */
    const char *summary; /* one line                                 */
    const char *doc;     /* a paragraph or more; formulas, sources   */
    const char *example; /* Lua, as a user would write it            */
    uint32_t kind;       /* enum leat_stage_kind                     */
    uint32_t caps;       /* enum leat_caps, or-ed                    */
    uint32_t needs;      /* enum leat_has: what must arrive          */
    uint32_t makes;      /* enum leat_has: what it adds              */
    const struct leat_param *params;
    uint32_t n_params, param_size; /* param_size = sizeof(struct leat_param) */
    size_t cfg_size;               /* of the configuration struct, zeroed and filled by the host */
    size_t instance_size;          /* of `self`, zeroed and aligned to 64 bytes by the host      */

    /* Pure; each may be NULL. `cfg` is filled and within its declared ranges. */
    int (*validate)(const void *cfg, struct leat_diag *);
    int (*negotiate)(const void *cfg, struct leat_negotiation *);
    int (*plan)(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *);
    int (*framing)(const void *cfg, struct leat_framing *); /* LEAT_PARSER      */
    /* LEAT_SINK, or a transform with `expand`: its question. */
    int (*ask)(const void *cfg, struct leat_ask *);

    int (*open)(struct leat_ctx *, void *self);
    void (*close)(struct leat_ctx *, void *self);
    int (*start)(struct leat_ctx *, void *self);
    int (*stop)(struct leat_ctx *, void *self);

    /* Source: adds records to the empty batch b until it is full (b->cap records or b->fill_bytes
     * bytes). Returns LEAT_OK; LEAT_AGAIN; LEAT_EOS, after which it is not called again; or a
     * failure, which ends the run once the records delivered before are processed. When the run is
     * being stopped (host->stopping) it is called once more, for what it holds and has not
     * delivered: a line without an end, say. */
    int (*produce)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* Source, after open, when framing.header: the header record, lent until the next call. len 0:
     * the input has no record at all. */
    int (*header)(struct leat_ctx *, void *self, const char **text, uint32_t *len);
    /* Source: how far it has read, in bytes; total 0: unknown. From any thread. After a produce the
     * answer must not depend on time or chance: a merge orders its inputs by it. */
    void (*progress)(void *self, uint64_t *done, uint64_t *total);
    /* Source: makes a blocking produce return soon. From any thread. */
    void (*wake)(void *self);

    /* Transform, learner, sink. A learner predicts before it updates: it writes score[e] for each
     * selected example and then learns from it. */
    int (*process)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* At most once a second, between batches; now in ns, monotonic. */
    int (*tick)(struct leat_ctx *, void *self, int64_t now);
    /* Learner: answers a question. Allocates nothing that outlives the call. */
    int (*query)(struct leat_ctx *, void *self, const struct leat_query *, struct leat_result *);
    /* Sink: receives an answer to its `ask`. A transform with `expand` receives it before that is
     * called with the batch that the answer came with, and the last one before the last batch. */
    int (*show)(struct leat_ctx *, void *self, const struct leat_table *);
    /* A checkpoint ends here, between two batches. When a sink returns, everything it got before is
     * delivered. What a source has produced until now belongs to the checkpoint. */
    int (*barrier)(struct leat_ctx *, void *self, uint64_t checkpoint);

    /* State (state.h): on the stage's own thread between two batches, or before start. `version` is
     * the state_version of the stage that wrote the snapshot. merge adds the state of another
     * instance, which learned from other data, as if it had occurred `weight` times: commutative,
     * associative up to rounding, with a fresh state as identity. States of other shapes, seeds or
     * parameters are refused, naming the field; a refused restore or merge changes nothing. A
     * source that must read its way back returns LEAT_EOS from restore when the run is stopped
     * meanwhile. */
    uint32_t state_version;
    uint32_t reserved;
    int (*snapshot)(struct leat_ctx *, void *self, struct leat_writer *);
    int (*restore)(struct leat_ctx *, void *self, struct leat_reader *, uint32_t version);
    int (*merge)(struct leat_ctx *, void *self, struct leat_reader *, double weight);

    /* Source: every stage has processed all records of this checkpoint and of those before, and
     * with
     * --state they are in a snapshot on disk: the time to commit offsets. On its own thread between
     * two produces; for the last checkpoint, after stop. A source with this function gets
     * checkpoints (barrier) without --state, too. */
    int (*durable)(struct leat_ctx *, void *self, uint64_t checkpoint);

    /* Exactly once. A sink whose `transaction` returns a name (from cfg; pure; NULL: none) commits
     * checkpoints: what it received since the last one, the number of the checkpoint and the
     * sources' positions become visible together, or not at all. A pipeline has at most one such
     * sink, and needs --state or a source with shards, whose states are then part of its position.
     *
     * fence   after open, before start: makes sure that no earlier run under this name can commit
     *         any more, and returns the number of the last committed checkpoint; 0: none is known.
     *         LEAT_EOS: stopped.
     * commit  the snapshot of this checkpoint is on disk, or the shards' states are ready. Called
     *         between two batches, right after its barrier; for checkpoints after its last batch,
     *         after stop, possibly on another thread. LEAT_EROLLBACK: the checkpoint was undone;
     *         the run returns to the last committed one. LEAT_EFENCED: another run owns the name
     *         now. The sink's other calls may return both, too. */
    const char *(*transaction)(const void *cfg);
    int (*fence)(struct leat_ctx *, void *self, uint64_t *checkpoint);
    int (*commit)(struct leat_ctx *, void *self, uint64_t checkpoint, const struct leat_position *,
                  uint32_t n);
    /* Source, with ctx->transactional, right after its barrier: how far it has delivered, lent
     * until the next call. Such a source commits nothing itself. */
    int (*position)(struct leat_ctx *, void *self, struct leat_position *);

    /* Sink: takes every rejected record of the pipeline, whichever stage rejected it. When flush
     * returns, all dead letters before it are delivered; the host calls it before a checkpoint is
     * complete, and once all stages have stopped. From any thread, one call at a time. */
    int (*dead_letter)(struct leat_ctx *, void *self, const struct leat_dead_letter *);
    int (*flush)(struct leat_ctx *, void *self);

    /* Transform: says (host->log) what is striking in the whole run. After stop of all stages, if
     * nothing has failed. self: the instances of all lanes; ctx: of the first. */
    void (*finish)(struct leat_ctx *, void *const *self, uint32_t lanes);

    /* Learner: names of the columns of its answers to LEAT_QUERY_TOP, n of them, so that a question
     * for others is refused before the run. From cfg; pure. NULL: they are not known before. */
    const char *const *(*columns)(const void *cfg, uint32_t *n);

    /* Transform that makes other records of those that come, none or many of each; instead of
     * `process`. Its schema `out` starts without columns, with key and timestamp if `in` has them:
     * a stage that does not pass them on (leat_add_from does) takes them out. The host calls it for
     * each batch `in`, also for those without records, and for the last (kind LEAT_BATCH_END), after
     * which it gives what it has kept, with an empty `out`. It fills `out`; when that is full it
     * returns LEAT_AGAIN and is called again with the same `in` and another empty `out`, until it
     * returns LEAT_OK. It may reject records of `in`. With --state, a run that is stopped has no
     * last batch, as it continues. */
    int (*expand)(struct leat_ctx *, void *self, struct leat_batch *in, struct leat_batch *out);

    /* Asks the servers that the stage is going to use whether what it needs is there and may be
     * used: `leat check --online`. Without open, from cfg; changes nothing there, and takes
     * `seconds` at most. Problems go to the diag, as in validate; a failure of the configuration
     * that shows only now is reported to the host. */
    int (*online)(struct leat_ctx *, int seconds, struct leat_diag *);
};

struct leat_plugin {
    uint32_t magic; /* LEAT_MAGIC */
    uint16_t abi_major, abi_minor;
    uint32_t size;           /* sizeof(struct leat_plugin)                       */
    uint32_t min_host_minor; /* the oldest host it works with; 0: any            */
    const char *name, *version, *license, *summary;
    uint32_t n_stages;
    uint32_t stage_size;                    /* sizeof(struct leat_stage)         */
    const struct leat_stage *const *stages; /* n_stages pointers                 */
};

/* What C and C++ (from C++11 on) spell differently. */
#ifdef __cplusplus
#define LEAT_ASSERT(...) static_assert(__VA_ARGS__)
#define LEAT_SYMBOL      extern "C" __attribute__((visibility("default")))
#else
#define LEAT_ASSERT(...) _Static_assert(__VA_ARGS__)
#define LEAT_SYMBOL      extern __attribute__((visibility("default")))
#endif

/* Defines the exported symbol: LEAT_PLUGIN("mine", "1.0", "Apache-2.0", "what it is", &a, &b); with
 * the addresses of its stages. */
#define LEAT_PLUGIN(NAME, VERSION, LICENSE, SUMMARY, ...)                                          \
    static const struct leat_stage *const leat_stages[] = {__VA_ARGS__};                           \
    LEAT_SYMBOL const struct leat_plugin leat_plugin;                                              \
    const struct leat_plugin leat_plugin = {LEAT_MAGIC,                                            \
                                            LEAT_ABI_MAJOR,                                        \
                                            LEAT_ABI_MINOR,                                        \
                                            sizeof(struct leat_plugin),                            \
                                            0,                                                     \
                                            NAME,                                                  \
                                            VERSION,                                               \
                                            LICENSE,                                               \
                                            SUMMARY,                                               \
                                            sizeof leat_stages / sizeof *leat_stages,              \
                                            sizeof(struct leat_stage),                             \
                                            leat_stages}

/* In a stage: its table of parameters, and the configuration struct that they fill. */
#define LEAT_PARAMS(P, CFG)                                                                        \
    .params = (P), .n_params = sizeof(P) / sizeof((P)[0]),                                         \
    .param_size = sizeof(struct leat_param), .cfg_size = sizeof(CFG)
/* What batches must have, and what the stage adds to them. */
#define LEAT_FLOW(NEEDS, MAKES) .needs = (NEEDS), .makes = (MAKES)
/* The struct that each instance has, and the calls at its two ends; CLOSE may be NULL. */
#define LEAT_INSTANCE(STRUCT, OPEN, CLOSE)                                                         \
    .instance_size = sizeof(STRUCT), .open = (OPEN), .close = (CLOSE)
#define LEAT_STATE(VERSION, SNAPSHOT, RESTORE)                                                     \
    .state_version = (VERSION), .snapshot = (SNAPSHOT), .restore = (RESTORE)

LEAT_ASSERT(sizeof(struct leat_str) == 8, "slices are 8 bytes");
LEAT_ASSERT(sizeof(struct leat_extent) == 32, "extents are 32 bytes");
LEAT_ASSERT(offsetof(struct leat_plugin, size) == 8, "checked before anything else is read");

#endif
