/* host.h -- what the host offers to a stage, and what it tells each instance of it. */
#ifndef LEAT_HOST_H
#define LEAT_HOST_H

#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/schema.h>

enum leat_log_level { LEAT_ERROR = 0, LEAT_WARN = 1, LEAT_INFO = 2, LEAT_DEBUG = 3 };

#define LEAT_NEW_INPUT UINT32_MAX

/* How far a source is behind one of its inputs. */
struct leat_lag {
    const char *input; /* for people: "orders/3" */
    int64_t records;   /* that it has not delivered yet; below 0: not known */
};
enum { LEAT_LAGS = 64 }; /* the most that the host keeps */

struct leat_ctx;

/* The host's services. Beside each stands who may call it, which docs/plugins.md has as a table:
 *
 *     [thread | may block | may allocate | returns | in which calls]
 *
 *   call    the thread of the stage's call that got the ctx, until that returns
 *   any     also threads of the plugin's own, from open to close
 *   all     each call that gets a ctx
 */
struct leat_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;

    /* Memory: zeroed, aligned to 64 bytes, charged to the stage; NULL when none is left. After
     * close, or an open that failed, the host frees what the stage has not. It gives no more than
     * the plan, an eighth of it and 64 KB: for more it returns NULL, and the run ends. Only query,
     * restore and merge may take more, which they give back. Not for each batch: in the steady
     * state a stage allocates nothing, except a model that grows with its features and says so.
     * [call | no | yes | memory or NULL | all] */
    void *(*alloc)(struct leat_ctx *, size_t bytes);
    /* Gives it back; NULL is fine.
     * [call | no | no | nothing | all] */
    void (*free)(struct leat_ctx *, void *);

    /* Says why the run must end; returns `status`. The host adds the stage and its line.
     * [any | no | no | status | all] */
    int (*fail)(struct leat_ctx *, int status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* A line on standard error, of an enum leat_log_level.
     * [any | as standard error does | no | nothing | all] */
    void (*log)(struct leat_ctx *, int level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /* Rejects record r for a reason of status.h, or LEAT_R_OWN(i) for one of the stage's own. The
     * text says what is wrong with the record; the host adds where it came from, counts it and
     * writes it to the dead letters. Only the first rejection of a record counts. A reason that is
     * none of these ends the run, by name.
     * [call | no | no | nothing | produce, process, expand] */
    void (*reject)(struct leat_ctx *, struct leat_batch *, uint32_t r, int reason,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Where record r came from: name of the input, byte (or message) number, line (0: none). Cheap
     * when records are asked for in their order.
     * [call | no | no | nothing | produce, process, expand] */
    void (*where)(struct leat_ctx *, const struct leat_batch *, uint32_t r, const char **input,
                  uint64_t *offset, uint64_t *line);

    /* Source: name input number `input` for people ("a/b.csv.gz").
     * [call | no | yes | LEAT_OK, LEAT_ENOMEM | open, produce, restore] */
    int (*name_input)(struct leat_ctx *, uint32_t input, const char *name);

    /* A value of one of the stage's figures (leat_stage.figures), by its name; a later one replaces
     * an earlier one. NaN: none. A name that the stage does not declare ends the run.
     * [call | no | no | nothing | all] */
    void (*metric)(struct leat_ctx *, const char *name, double value);

    /* 1 once the run is being stopped.
     * [any | no | no | 0 or 1 | all] */
    int (*stopping)(struct leat_ctx *);
    /* A descriptor that becomes readable then, for poll(); -1: the system gave none.
     * [any | no | no | a descriptor or -1 | all] */
    int (*stop_fd)(struct leat_ctx *);

    /* Random seed of this stage: the pipeline's seed and the stage's id, up to a brace.
     * [any | no | no | a seed | all] */
    uint64_t (*seed)(struct leat_ctx *);

    /* Source: asks for a checkpoint now instead of at the next interval; `durable` reports its end.
     * [any | no | no | nothing | all] */
    void (*checkpoint_soon)(struct leat_ctx *);

    /* Sink: with --state, the host syncs the file behind this descriptor to disk before each later
     * snapshot. The descriptor remains the stage's; one an instance.
     * [call | no | no | LEAT_OK, LEAT_EIO | all] */
    int (*sync_file)(struct leat_ctx *, int fd);

    /* A named point at which a test may end the process (LEAT_FAULT=place).
     * [any | no | no | nothing | all] */
    void (*fault)(struct leat_ctx *, const char *place);

    /* Shards. For a source whose plan has `shards` > 0 the host keeps the state of all transforms
     * and learners apart for each of the source's inputs (the partitions of a topic, say). Every
     * batch then comes from one input, under a number that shard_begin gives. Queries are answered
     * from all shards merged. What transforms with `expand` have kept of an input is given when the
     * source ends by itself, for each input that is open then, and the states are saved once more
     * after it. With a source that has no `durable`, and so only shows states, nothing is given.
     *
     * shard_begin starts an input called `name` (for people). Its stages start from `state`, which
     * is only read, or from nothing (n 0). *input is LEAT_NEW_INPUT, or the number of an input of
     * which no batch was sent yet: that input then starts from this state. LEAT_AGAIN: all shards
     * are taken, some by inputs that have ended but whose batches are still in the pipeline; ask
     * again in the next produce. LEAT_EFULL: plan.shards inputs are open. LEAT_EDATA: `state` is no
     * state; the host has logged why, and the source may continue without it. The host has reported
     * any other failure, such as the state of another pipeline, to the run. It opens and restores
     * the stages. [call | as open and restore do | yes | LEAT_OK, LEAT_AGAIN, a failure | produce,
     * durable] */
    int (*shard_begin)(struct leat_ctx *, const char *name, const void *state, size_t n,
                       uint32_t *input);
    /* The input's state at the checkpoint that `durable` reports, lent for that call; also of an
     * input that has ended after that checkpoint's barrier. The committing sink may call it, too,
     * for the inputs that a position names.
     * [call | no | no | nothing | durable, commit] */
    void (*shard_state)(struct leat_ctx *, uint32_t input, const void **state, size_t *n);
    /* Ends an input: after the batch that is being filled nothing more comes of it. The host frees
     * its state after the checkpoint that is under way. Not after LEAT_EOS: what is kept of all
     * open inputs is given then.
     * [call | no | no | nothing | produce, durable] */
    void (*shard_end)(struct leat_ctx *, uint32_t input);

    /* How long the run may still take, in ns, once a signal stops it: whatever is not finished then
     * is ended with the process. INT64_MAX: there is no such time.
     * [any | no | no | ns | all] */
    int64_t (*time_left)(struct leat_ctx *);

    /* Source: how far it is behind the inputs that this process reads, in all (below 0: not known),
     * and the n worst of them, the worst first, up to LEAT_LAGS. Lent for the call; a later call
     * replaces an earlier one.
     * [call | no | yes | nothing | tick, stop] */
    void (*lag)(struct leat_ctx *, int64_t total, const struct leat_lag *worst, uint32_t n);

    /* Record r of `out`, added with leat_add_from(…, LEAT_NULL), is one of an earlier batch, and
     * came from there, as `where` has told. `input` lies in out->bytes, and a NUL after it.
     * [call | no | no | nothing | expand] */
    void (*came_from)(struct leat_ctx *, struct leat_batch *out, uint32_t r, struct leat_str input,
                      uint64_t offset, uint64_t line);

    /* Records of bytes. A source that only receives bytes gives them to these, which cut them as
     * ctx->framing says and add the records to the batch, with their places: a byte order mark and
     * headers are skipped, line ends and quotes are understood, what is longer than
     * out->max_record_bytes is rejected. A record that is not whole yet is kept, in memory of the
     * stage: LEAT_CUT_BYTES(max_record) for each input that has begun and not ended.
     *
     * All but cut_place may fail, which the host has reported: return what they returned.
     *
     * cut takes the next n bytes of an input; `end`: and nothing more comes of it. *taken says how
     * many are taken. LEAT_OK: all. LEAT_EFULL: the batch is full; give the others, and `end`,
     * again in the next produce.
     * [call | no | for an input that begins | LEAT_OK, LEAT_EFULL, a failure | produce] */
    int (*cut)(struct leat_ctx *, struct leat_batch *, uint32_t input, const char *bytes, size_t n,
               int end, size_t *taken);
    /* With the same arguments: takes what comes before the first record. LEAT_AGAIN: it needs more
     * bytes. LEAT_OK: *text and *len are the header, and the bytes after *taken go to cut; len 0:
     * the input has none.
     * [call | no | yes | LEAT_OK, LEAT_AGAIN, a failure | header] */
    int (*cut_header)(struct leat_ctx *, uint32_t input, const char *bytes, size_t n, int end,
                      size_t *taken, const char **text, uint32_t *len);
    /* The first byte of an input that is not delivered, and its line. It knows the inputs that have
     * not ended, and the one that ended last.
     * [call | no | no | nothing | snapshot] */
    void (*cut_place)(struct leat_ctx *, uint32_t input, uint64_t *offset, uint64_t *line);
    /* The next bytes of this input are those from that place on.
     * [call | no | yes | LEAT_OK, a failure | restore] */
    int (*cut_continue)(struct leat_ctx *, uint32_t input, uint64_t offset, uint64_t line);

    /* The index that leat_negotiation.column gave for this column and these types. LEAT_EARG, after
     * reporting it: negotiate has not asked for it.
     * [call | no | no | LEAT_OK, LEAT_EARG | open] */
    int (*column)(struct leat_ctx *, const char *name, uint32_t types, uint32_t *index);

    /* The id of the feature field = value, or of a bare name (field NULL), as feature.columns and
     * feature.tokens make them.
     * [any | no | no | an id | all] */
    uint64_t (*feature_id)(const char *field, size_t n_field, const char *value, size_t n_value);

    /* Stage with LEAT_NAMED_LATER, whose columns later stages name: the k-th column, from 0, that a
     * stage after it makes, though records may have a value of that name. *by names that stage, for
     * people; LEAT_REPLACES leaves it out. NULL: there are no more. Lent for the run.
     * [call | no | no | a name or NULL | negotiate, open] */
    const char *(*made_later)(struct leat_ctx *, uint32_t k, const char **by);
};

/* What cutting an input takes, with its header: for plan. */
#define LEAT_CUT_BYTES(MAX_RECORD) (2 * (uint64_t)(MAX_RECORD) + 1024)

/* What each call of an instance gets. */
struct leat_ctx {
    uint32_t size;
    uint32_t lane; /* 0 .. lanes - 1 */
    const struct leat_host *host;
    const char *id;                     /* of the stage, unique in the pipeline                */
    const void *cfg;                    /* the stage's configuration struct, filled            */
    const struct leat_schema *in, *out; /* as negotiated; leat_column.type                     */
    struct leat_framing framing;        /* sources: how to cut                                 */
    const char *pipeline;               /* its name                                            */
    int64_t checkpoint_ns;              /* time between two checkpoints; 0: not by time        */
    uint32_t transactional; /* 1: a sink commits each checkpoint                               */
    uint32_t continued;     /* 1: with --state, a later run continues where this one ends      */
    uint32_t position_committed; /* source: 1: that sink commits its `position`, too            */
    uint32_t reserved;
};

/* Does this host have the service? For plugins that work with older hosts (LEAT_PLUGIN_SINCE):
 * if (LEAT_HOST_HAS(ctx->host, lag)) ctx->host->lag(…); */
#define LEAT_HOST_HAS(HOST, SERVICE)                                                               \
    ((HOST)->size >= offsetof(struct leat_host, SERVICE) + sizeof((HOST)->SERVICE))

#endif
