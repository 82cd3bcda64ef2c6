/* host.h -- services that the host offers to a stage, and the context of each instance. */
#ifndef LEAT_HOST_H
#define LEAT_HOST_H

#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/schema.h>

enum leat_log_level { LEAT_ERROR = 0, LEAT_WARN = 1, LEAT_INFO = 2, LEAT_DEBUG = 3 };

#define LEAT_NEW_INPUT UINT32_MAX

/* Lag of a source behind one of its inputs. */
struct leat_lag {
    const char *input; /* for people: "orders/3" */
    int64_t records;   /* records not delivered yet; below 0: unknown */
};
enum { LEAT_LAGS = 64 }; /* the host keeps at most this many */

struct leat_ctx;

/* The host's services. The contract of each service states who may call it; docs/plugins.md has the
 * contracts as a table:
 *
 *     [thread | may block | may allocate | returns | in which calls]
 *
 *   call    the thread of the stage's call that got the ctx, until that call returns
 *   any     also the plugin's own threads, from open to close
 *   all     each call that gets a ctx
 */
struct leat_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;

    /* Allocates memory: zeroed, aligned to 64 bytes, charged to the stage. Returns NULL when none
     * is available. After close, or after a failed open, the host frees whatever the stage has not.
     * The limit is the stage's plan plus an eighth plus 64 KB: beyond it the host returns NULL, and
     * the run ends. Only query, restore and merge may exceed it, and must free the excess. In the
     * steady state a stage allocates nothing, so never allocate for each batch. The exception is a
     * model that grows with its features and declares that growth.
     * [call | no | yes | memory or NULL | all] */
    void *(*alloc)(struct leat_ctx *, size_t bytes);
    /* Frees memory of alloc; NULL is allowed.
     * [call | no | no | nothing | all] */
    void (*free)(struct leat_ctx *, void *);

    /* Reports why the run must end; returns `status`. The host adds the stage and its line.
     * [any | no | no | status | all] */
    int (*fail)(struct leat_ctx *, int status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Writes a line of an enum leat_log_level to standard error.
     * [any | as standard error does | no | nothing | all] */
    void (*log)(struct leat_ctx *, int level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /* Rejects record r with a reason of status.h or with the stage's own LEAT_R_OWN(i). The text
     * states the record's fault; the host adds its origin, counts it and writes it to the dead
     * letters. Only the first rejection of a record counts. An unknown reason ends the run with an
     * error that gives its number.
     * [call | no | no | nothing | produce, process, expand] */
    void (*reject)(struct leat_ctx *, struct leat_batch *, uint32_t r, int reason,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Returns the origin of record r: name of the input, byte (or message) number, line (0: none).
     * Cheap if records are queried in their order.
     * [call | no | no | nothing | produce, process, expand] */
    void (*where)(struct leat_ctx *, const struct leat_batch *, uint32_t r, const char **input,
                  uint64_t *offset, uint64_t *line);

    /* For sources: names input number `input` for people ("a/b.csv.gz").
     * [call | no | yes | LEAT_OK, LEAT_ENOMEM | open, produce, restore] */
    int (*name_input)(struct leat_ctx *, uint32_t input, const char *name);

    /* Sets the value of one of the stage's figures (leat_stage.figures) by its name; it replaces
     * the previous value. NaN: none. An undeclared name ends the run.
     * [call | no | no | nothing | all] */
    void (*metric)(struct leat_ctx *, const char *name, double value);

    /* Returns 1 once the run is being stopped.
     * [any | no | no | 0 or 1 | all] */
    int (*stopping)(struct leat_ctx *);
    /* Returns a descriptor for poll() that becomes readable when the run is being stopped; -1 if
     * the system gave none.
     * [any | no | no | a descriptor or -1 | all] */
    int (*stop_fd)(struct leat_ctx *);

    /* Returns the stage's random seed, derived from the pipeline's seed and the stage's id before
     * any brace.
     * [any | no | no | a seed | all] */
    uint64_t (*seed)(struct leat_ctx *);

    /* For sources: requests a checkpoint now instead of at the next interval; `durable` reports its
     * end.
     * [any | no | no | nothing | all] */
    void (*checkpoint_soon)(struct leat_ctx *);

    /* For sinks: with --state, the host syncs the file behind this descriptor to disk before each
     * later snapshot. The stage keeps the descriptor. One descriptor an instance.
     * [call | no | no | LEAT_OK, LEAT_EIO | all] */
    int (*sync_file)(struct leat_ctx *, int fd);

    /* Marks a named point where a test may end the process (LEAT_FAULT=place).
     * [any | no | no | nothing | all] */
    void (*fault)(struct leat_ctx *, const char *place);

    /* Shards. If a source's plan has `shards` > 0, each of its inputs has a separate state of all
     * transforms and learners. (An input is a partition of a topic, say.) Every batch then comes
     * from one input, whose number shard_begin returns. A query gets the merged answer of all
     * shards. When the source ends by itself, transforms with `expand` emit the records that they
     * still hold of each open input. The host then saves the states once more. A source without
     * `durable` only displays states: with it, transforms emit nothing at the end.
     *
     * shard_begin starts an input with this `name` (for people). Its stages start from `state`,
     * which is only read, or from nothing (n 0). *input is LEAT_NEW_INPUT, or the number of an
     * input that has sent no batch yet: that input then starts from this state. The call opens and
     * restores the stages.
     *
     *   LEAT_AGAIN  all shards are taken, some by ended inputs whose batches are still in the
     *               pipeline: ask again in the next produce
     *   LEAT_EFULL  plan.shards inputs are open
     *   LEAT_EDATA  `state` is not a valid state: the host has logged why, and the source may
     *               continue without it
     *
     * The host has already reported any other failure, such as a state of another pipeline, to the
     * run.
     * [call | as open and restore do | yes | LEAT_OK, LEAT_AGAIN, a failure | produce, durable] */
    int (*shard_begin)(struct leat_ctx *, const char *name, const void *state, size_t n,
                       uint32_t *input);
    /* Returns the input's state at the checkpoint that `durable` reports, lent for that call. The
     * input may have ended after that checkpoint's barrier. The committing sink, too, may call it
     * for the inputs that a position names.
     * [call | no | no | nothing | durable, commit] */
    void (*shard_state)(struct leat_ctx *, uint32_t input, const void **state, size_t *n);
    /* Ends an input: no records of it follow the batch that is being filled. The host frees its
     * state after the checkpoint in progress. Must not follow LEAT_EOS, since transforms then emit
     * the rest of all open inputs.
     * [call | no | no | nothing | produce, durable] */
    void (*shard_end)(struct leat_ctx *, uint32_t input);

    /* Returns the time in ns that the run may still take once a signal stops it; after that the
     * process ends, finished or not. INT64_MAX: unlimited.
     * [any | no | no | ns | all] */
    int64_t (*time_left)(struct leat_ctx *);

    /* For sources: sets the total lag behind all inputs that this process reads (below 0: unknown),
     * and the n worst inputs, worst first, up to LEAT_LAGS. They are lent for the call; a later
     * call replaces an earlier one.
     * [call | no | yes | nothing | tick, stop] */
    void (*lag)(struct leat_ctx *, int64_t total, const struct leat_lag *worst, uint32_t n);

    /* Sets the origin of record r of `out`, which leat_add_from(…, LEAT_NULL) added: a record of an
     * earlier batch, whose origin `where` returned. `input` lies in out->bytes, followed by a NUL.
     * [call | no | no | nothing | expand] */
    void (*came_from)(struct leat_ctx *, struct leat_batch *out, uint32_t r, struct leat_str input,
                      uint64_t offset, uint64_t line);

    /* Cutting bytes into records. A source that only receives bytes passes them to these services.
     * They cut the bytes according to ctx->framing and add the records to the batch, with their
     * origins. They skip a byte order mark and headers, understand line ends and quotes, and reject
     * records longer than out->max_record_bytes. They keep an incomplete record in the stage's
     * memory: LEAT_CUT_BYTES(max_record) for each input that has begun and not ended.
     *
     * All but cut_place may fail. The host has then reported the failure: return the status.
     *
     * cut takes the next n bytes of an input; `end`: these are its last. *taken is the number of
     * bytes taken. LEAT_OK: all. LEAT_EFULL: the batch is full; pass the remaining bytes, and
     * `end`, again in the next produce.
     * [call | no | for an input that begins | LEAT_OK, LEAT_EFULL, a failure | produce] */
    int (*cut)(struct leat_ctx *, struct leat_batch *, uint32_t input, const char *bytes, size_t n,
               int end, size_t *taken);
    /* Takes the bytes before the first record; same arguments as cut. LEAT_AGAIN: it needs more
     * bytes. LEAT_OK: *text and *len are the header, and the bytes after *taken go to cut; len 0:
     * the input has no header.
     * [call | no | yes | LEAT_OK, LEAT_AGAIN, a failure | header] */
    int (*cut_header)(struct leat_ctx *, uint32_t input, const char *bytes, size_t n, int end,
                      size_t *taken, const char **text, uint32_t *len);
    /* Returns the offset and line of the first byte of an input that is not delivered yet. Works
     * for inputs that have not ended, and for the one that ended last.
     * [call | no | no | nothing | snapshot] */
    void (*cut_place)(struct leat_ctx *, uint32_t input, uint64_t *offset, uint64_t *line);
    /* Sets the place from which the input's next bytes come.
     * [call | no | yes | LEAT_OK, a failure | restore] */
    int (*cut_continue)(struct leat_ctx *, uint32_t input, uint64_t offset, uint64_t line);

    /* Finds the index that leat_negotiation.column returned for this column and these types.
     * Returns LEAT_EARG, after reporting it, if negotiate did not ask for that.
     * [call | no | no | LEAT_OK, LEAT_EARG | open] */
    int (*column)(struct leat_ctx *, const char *name, uint32_t types, uint32_t *index);

    /* Returns the id of the feature field = value, or of a bare name (field NULL). The ids equal
     * those of feature.columns and feature.tokens.
     * [any | no | no | an id | all] */
    uint64_t (*feature_id)(const char *field, size_t n_field, const char *value, size_t n_value);

    /* For stages with LEAT_NAMED_LATER whose columns later stages name. Returns the k-th (from 0)
     * column of a later stage that may hide a value of the same name in the records; NULL if there
     * are no more. *by names that later stage for people. Columns of stages with LEAT_REPLACES are
     * left out. Lent for the run.
     * [call | no | no | a name or NULL | negotiate, open] */
    const char *(*made_later)(struct leat_ctx *, uint32_t k, const char **by);
};

/* Bytes that cutting one input takes, including its header; for plan. */
#define LEAT_CUT_BYTES(MAX_RECORD) (2 * (uint64_t)(MAX_RECORD) + 1024)

/* Context of an instance, passed to each call. */
struct leat_ctx {
    uint32_t size;
    uint32_t lane; /* 0 .. lanes - 1 */
    const struct leat_host *host;
    const char *id;                     /* of the stage, unique in the pipeline                 */
    const void *cfg;                    /* the stage's configuration struct, filled             */
    const struct leat_schema *in, *out; /* negotiated schemas; leat_column.type                 */
    struct leat_framing framing;        /* for sources: how to cut                              */
    const char *pipeline;               /* name of the pipeline                                 */
    int64_t checkpoint_ns;              /* time between checkpoints; 0: not by time             */
    uint32_t transactional;             /* 1: a sink commits each checkpoint                    */
    uint32_t continued;                 /* 1: with --state, a later run continues from this one */
    uint32_t position_committed; /* source: 1: the committing sink also commits its `position`  */
    uint32_t reserved;
};

/* True if this host has the service. For plugins that also support older hosts (LEAT_PLUGIN_SINCE):
 * if (LEAT_HOST_HAS(ctx->host, lag)) ctx->host->lag(…); */
#define LEAT_HOST_HAS(HOST, SERVICE)                                                               \
    ((HOST)->size >= offsetof(struct leat_host, SERVICE) + sizeof((HOST)->SERVICE))

#endif
