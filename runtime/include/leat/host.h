/* host.h -- functions of the host that a stage may call, and the context of each instance. */
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
    const char *input; /* for people: "orders/3"                                          */
    int64_t records;   /* records that the source has not delivered yet; below 0: unknown */
};
enum { LEAT_LAGS = 64 }; /* most inputs whose lag the host keeps */

/* Member of a group of processes that share the inputs of a source (leat_host.group). */
struct leat_member {
    const char *name, *host; /* for people; host: NULL if it is unknown                        */
    uint32_t inputs;         /* number of inputs that it has                                   */
    uint32_t own;            /* 1: this process                                                */
    int64_t records;         /* its lag over all its inputs; below 0: unknown                  */
    int64_t grown;           /* change of its lag over the last answers; INT64_MIN: unknown    */
    int64_t still_ns;        /* time in which no input that is behind has moved; 0: one has    */
};
/* Input of a group, and who has it. */
struct leat_share {
    const char *input; /* for people: "orders/3"                 */
    int64_t records;   /* lag; below 0: unknown                  */
    uint32_t member;   /* index of its member; UINT32_MAX: none  */
    uint32_t reserved;
};
/* Report about a group (leat_host.group). */
struct leat_group {
    uint32_t size;
    uint32_t n_members, n_shares;
    uint32_t inputs;          /* of the group's streams                                    */
    const char *name, *state; /* state: "stable", "rebalancing", "empty" …                 */
    const char *why;          /* why there is no newer answer; NULL: there is one          */
    int64_t answered;         /* time of the answer, ns since 1970; 0: there is none yet   */
    int64_t records;          /* lag over all inputs; below 0: unknown                     */
    const struct leat_member *member;
    const struct leat_share *share; /* the inputs with the largest lag, largest first       */
};
enum { LEAT_MEMBERS = 64 }; /* most members that the host keeps */

/* Event times of a stream with several inputs (leat_host.event_time), ns since 1970; below 0:
 * none. */
struct leat_clock {
    uint32_t size;
    uint32_t ahead; /* 1: the record is further ahead of its input than max_ahead, and has not moved
                      * the clock */
    int64_t now;    /* time that all inputs have reached from which records may come */
    int64_t latest; /* latest time of all inputs */
    int64_t input;  /* latest time of the record's input */
    /* Number of records ahead of their inputs that later records of these inputs contradicted, and
     * the event time of one of them. */
    uint64_t ahead_records;
    int64_t ahead_sample;
};
enum { LEAT_CLOSING = 32 }; /* most inputs that a source closes in one batch */

struct leat_ctx;

/* The host's services. The comment of each service ends with its contract, in brackets.
 * docs/plugins.md has the same contracts as a table:
 *
 *     [thread | may block | may allocate | returns | in which calls]
 *
 *   call    only on the thread on which the host called the stage, during that call
 *   any     any thread, also a thread that the plugin has started, from open to close
 *   all     in every call of the stage that has a ctx
 */
struct leat_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;

    /* Allocates memory: zeroed, aligned to 64 bytes, counted for the stage. Returns NULL if no
     * memory is available. After close, or after a failed open, the host frees all memory that the
     * stage has not freed. The limit is the stage's plan plus an eighth plus 64 KB. Beyond the
     * limit the host returns NULL and ends the run. Only query, restore and merge may exceed the
     * limit. They must free the excess, except what a merged model needs. Do not allocate for each
     * batch. Only a model that grows with its features, and whose plan includes the growth, may
     * allocate in process.
     * [call | no | yes | memory or NULL | all] */
    void *(*alloc)(struct leat_ctx *, size_t bytes);
    /* Frees memory that alloc returned. Does nothing if the pointer is NULL.
     * [call | no | no | nothing | all] */
    void (*free)(struct leat_ctx *, void *);

    /* Reports why the run must end, and returns `status`. The host puts the stage and its line in
     * the script before the text.
     * [any | no | no | status | all] */
    int (*fail)(struct leat_ctx *, int status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Writes a line to standard error. `level` is an enum leat_log_level.
     * [any | as standard error does | no | nothing | all] */
    void (*log)(struct leat_ctx *, int level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /* Rejects record r with a reason of status.h or with the stage's own LEAT_R_OWN(i). The text
     * states what is wrong with the record. The host adds the record's origin, counts the record,
     * and writes it to the dead letters. Further rejections of the same record have no effect. A
     * reason that neither the host nor the stage declares ends the run.
     * [call | no | no | nothing | produce, process, expand] */
    void (*reject)(struct leat_ctx *, struct leat_batch *, uint32_t r, int reason,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Returns the origin of record r: name of the input, number of the byte or message in the
     * input, and line (0: the input has no lines). Cheap if called for records in ascending order.
     * [call | no | no | nothing | produce, process, expand] */
    void (*where)(struct leat_ctx *, const struct leat_batch *, uint32_t r, const char **input,
                  uint64_t *offset, uint64_t *line);

    /* For sources: sets the name of input number `input` for messages ("a/b.csv.gz").
     * [call | no | yes | LEAT_OK, LEAT_ENOMEM | open, produce, restore] */
    int (*name_input)(struct leat_ctx *, uint32_t input, const char *name);

    /* Sets the value of the figure `name` (leat_stage.figures); NaN: no value. A name that the
     * stage does not declare ends the run.
     * [call | no | no | nothing | all] */
    void (*metric)(struct leat_ctx *, const char *name, double value);

    /* Returns 1 if the run is being stopped, else 0.
     * [any | no | no | 0 or 1 | all] */
    int (*stopping)(struct leat_ctx *);
    /* Returns a descriptor for poll() that becomes readable when the run is being stopped; -1 if
     * the system could not create one.
     * [any | no | no | a descriptor or -1 | all] */
    int (*stop_fd)(struct leat_ctx *);

    /* Returns the stage's random seed. The host derives it from the pipeline's seed and from the
     * part of the stage's id before the first "{".
     * [any | no | no | a seed | all] */
    uint64_t (*seed)(struct leat_ctx *);

    /* For sources and sinks: requests a checkpoint now, without waiting for the interval.
     * `durable` reports when it is complete.
     * [any | no | no | nothing | all] */
    void (*checkpoint_soon)(struct leat_ctx *);

    /* For sinks: tells the host which file holds the sink's output. With --state, the host syncs
     * the file to disk before each snapshot. The stage still owns the descriptor. Each instance can
     * name one file.
     * [call | no | no | LEAT_OK, LEAT_EIO | all] */
    int (*sync_file)(struct leat_ctx *, int fd);

    /* Ends the process here if a test has set LEAT_FAULT=place.
     * [any | no | no | nothing | all] */
    void (*fault)(struct leat_ctx *, const char *place);

    /* Shards. If a source's plan has `shards` > 0, transforms and learners have a separate state
     * for each input of the source, for instance for each partition of a topic. These states are
     * the input's shard. Every batch then holds records of one input, whose number shard_begin
     * returns. A query gets the merged answer of all shards. When the source returns LEAT_EOS,
     * transforms with `expand` emit the records that they still hold for each open input. The host
     * then saves the states once more. If the source has no `durable`, it only displays states, so
     * transforms emit nothing at the end.
     *
     * shard_begin opens a shard for an input; `name` is for messages. The shard's stages start from
     * `state`; n = 0: with empty states. *input is LEAT_NEW_INPUT on call, and the number of the
     * input on return. If *input is the number of an input that has sent no batch yet, that input
     * restarts from `state`. The call opens and restores the stages.
     *
     *   LEAT_AGAIN  all shards are in use, some by ended inputs whose batches are still in the
     *               pipeline: call again in the next produce
     *   LEAT_EFULL  plan.shards inputs are open; 4096, if that is UINT32_MAX
     *   LEAT_EDATA  `state` is damaged: the host has logged how, and the source may
     *               continue without it
     *
     * For any other failure, such as a state of another pipeline, the host has already reported the
     * reason: return the status.
     * [call | as open and restore do | yes | LEAT_OK, LEAT_AGAIN, a failure | produce, durable] */
    int (*shard_begin)(struct leat_ctx *, const char *name, const void *state, size_t n,
                       uint32_t *input);
    /* Returns the state of the input's shard at the checkpoint that `durable` reports, valid during
     * the call of `durable`. The input may have ended since that checkpoint. A sink that commits
     * may call this in `commit`, for the inputs that a position names.
     * [call | no | no | nothing | durable, commit] */
    void (*shard_state)(struct leat_ctx *, uint32_t input, const void **state, size_t *n);
    /* Ends an input: the batch that is being filled is the last one with its records. The host
     * frees the shard after the checkpoint in progress. Do not call this after produce has returned
     * LEAT_EOS: the host then ends all open inputs itself.
     * [call | no | no | nothing | produce, durable] */
    void (*shard_end)(struct leat_ctx *, uint32_t input);

    /* Returns the time in ns until the process ends, finished or not, because a signal has asked it
     * to stop. INT64_MAX: no limit.
     * [any | no | no | ns | all] */
    int64_t (*time_left)(struct leat_ctx *);

    /* For sources: reports the lag: the total number of records behind, over all inputs that this
     * process reads (below 0: unknown), and the n inputs with the largest lag, largest first, at
     * most LEAT_LAGS. The host copies them. Each report replaces the one before.
     * [call | no | yes | nothing | tick, stop] */
    void (*lag)(struct leat_ctx *, int64_t total, const struct leat_lag *worst, uint32_t n);

    /* Sets the origin of record r of `out`, if r was made from a record of an earlier batch. The
     * stage got that record's origin from `where`, and added r with leat_add_from(…, LEAT_NULL).
     * `input`, the name of the input, is a slice of out->bytes and is followed by a NUL.
     * [call | no | no | nothing | expand] */
    void (*came_from)(struct leat_ctx *, struct leat_batch *out, uint32_t r, struct leat_str input,
                      uint64_t offset, uint64_t line);

    /* Cutting bytes into records. A source that only receives bytes passes them to these services.
     * They cut the bytes into records according to ctx->framing, and add the records with their
     * origins to the batch. They skip a byte order mark and headers, understand line ends and
     * quotes, and reject records longer than out->max_record_bytes. They keep an incomplete record
     * in the stage's memory: LEAT_CUT_BYTES(max_record) for each input that has begun and not
     * ended.
     *
     * If one of them fails, the host has reported the failure: return the status.
     *
     * cut takes the next n bytes of an input; `end` is 1 if they are the last. *taken is the number
     * of bytes that it took. Returns LEAT_OK if it took all. Returns LEAT_EFULL if the batch is
     * full: pass the remaining bytes, and `end`, in the next produce.
     * [call | no | for an input that begins | LEAT_OK, LEAT_EFULL, a failure | produce] */
    int (*cut)(struct leat_ctx *, struct leat_batch *, uint32_t input, const char *bytes, size_t n,
               int end, size_t *taken);
    /* Reads the header of an input; arguments like cut. Returns LEAT_AGAIN if it needs more bytes.
     * If it returns LEAT_OK, *text and *len are the header (*len 0: the input has none), and the
     * bytes after *taken belong to cut.
     * [call | no | yes | LEAT_OK, LEAT_AGAIN, a failure | header] */
    int (*cut_header)(struct leat_ctx *, uint32_t input, const char *bytes, size_t n, int end,
                      size_t *taken, const char **text, uint32_t *len);
    /* Returns the offset and line of the first byte of the input that cut has not delivered in a
     * record. Works for open inputs, and for the input that ended last.
     * [call | no | no | nothing | snapshot] */
    void (*cut_place)(struct leat_ctx *, uint32_t input, uint64_t *offset, uint64_t *line);
    /* Sets the offset and line of the next byte that the source will pass to cut.
     * [call | no | yes | LEAT_OK, a failure | restore] */
    int (*cut_continue)(struct leat_ctx *, uint32_t input, uint64_t offset, uint64_t line);

    /* Sets *index to the index that leat_negotiation.column returned for this column and these
     * types. If negotiate has not asked for them, reports that and returns LEAT_EARG.
     * [call | no | no | LEAT_OK, LEAT_EARG | open] */
    int (*column)(struct leat_ctx *, const char *name, uint32_t types, uint32_t *index);

    /* Returns the id of the feature field = value, or of a bare name (field NULL). The ids equal
     * those of feature.columns and feature.tokens.
     * [any | no | no | an id | all] */
    uint64_t (*feature_id)(const char *field, size_t n_field, const char *value, size_t n_value);

    /* For stages with LEAT_NAMED_LATER whose columns later stages name. Returns the k-th (from 0)
     * column of a later stage that may hide a value of the same name in the records; NULL if there
     * are no more. *by is the name of that later stage, for messages. Leaves out the columns of
     * stages with LEAT_REPLACES. The names are valid during the run.
     * [call | no | no | a name or NULL | negotiate, open] */
    const char *(*made_later)(struct leat_ctx *, uint32_t k, const char **by);

    /* Event time. Stages that wait for late records must not take those of a slow input for late
     * because another input was read faster. So a source with several inputs says how many are
     * open: records of them may come. Others do not hold the time back. A source that never calls
     * these services is one input, which is open while its batches have records.
     *
     * open_inputs adds n inputs to the open ones. Call it before the first record of such an input,
     * for all inputs that exist at the start before the first record of any. Call it with n = 0 in
     * `open` if these are not known yet.
     *
     * Inputs with shards have a time each. If plan.shards is UINT32_MAX, open_inputs adds n inputs
     * to those that may have a shard, for the bound of memory. A run that may then take more than
     * the pipeline's option `memory` fails.
     * [call | no | no | nothing | open, produce, restore, online] */
    void (*open_inputs)(struct leat_ctx *, uint32_t n);
    /* Closes an open input after the records that the batch has so far. Returns LEAT_EFULL if
     * LEAT_CLOSING inputs close in this batch: add no more records, and close the input in the next
     * produce.
     * [call | no | no | LEAT_OK, LEAT_EFULL | produce] */
    int (*close_input)(struct leat_ctx *, uint32_t input);
    /* For stages with LEAT_CLOCK: takes the event time of record r of `in`, and fills *clock. Call
     * it once for each selected record with an event time, in order. With r = LEAT_NULL fills
     * *clock only; do so at the beginning of each batch. The host saves the clock in the stage's
     * state, and it begins anew after the last batch. A record that is later than its input by more
     * than max_ahead ns moves the clock only if nine more such records of the input follow. [call |
     * no | for an input that begins | LEAT_OK, a failure | expand] */
    int (*event_time)(struct leat_ctx *, const struct leat_batch *in, uint32_t r, int64_t max_ahead,
                      struct leat_clock *clock);
    /* Takes the event times of records in->sel[k], in->sel[k + 1], … together, as event_time does,
     * and fills *clock as after the last of them. Stops before the first record that must be taken
     * by itself, at the latest after n records. Such records are those without a time, those that
     * are ahead of their input, and those that may move clock->now to `until` or later. Returns the
     * number of records that it has taken. With 0, *clock does not change: call event_time.
     * [call | no | no | a number of records | expand] */
    uint32_t (*event_times)(struct leat_ctx *, const struct leat_batch *in, uint32_t k, uint32_t n,
                            int64_t max_ahead, int64_t until, struct leat_clock *clock);
    /* Returns 1 if a later stage may read column `column` of the stage's output, else 0: the cells
     * may then hold anything. A record is rejected all the same if one of its values is wrong.
     * [call | no | no | 0 or 1 | open, process, expand] */
    int (*is_read)(struct leat_ctx *, uint32_t column);
    /* Returns a function of the library that the pipeline's option `linalg` names, such as
     * "cblas_dgemm"; NULL if the stage computes products of matrices itself. The function is valid
     * until the process ends.
     * [call | no | no | a function or NULL | open] */
    void *(*linalg)(struct leat_ctx *, const char *name);
    /* Reports that the stage waits for something outside, such as a server that cannot be reached,
     * with the reason; or, with NULL, that it no longer waits. Meanwhile the run is not ready
     * (--http), and messages about slow stages give the reason. Each report replaces the one
     * before. A source that has no records to read does not report that.
     * [call | no | no | nothing | all] */
    void (*waits)(struct leat_ctx *, const char *reason);

    /* For sinks whose server answers later: copies record r with its origin to `to`, for
     * reject_kept. `to` is memory of the stage, aligned to 8 bytes. Returns the bytes of the copy.
     * If they are more than `room`, copies nothing. The copy needs no other memory. It is valid
     * until the instance closes.
     * [call | no | no | bytes | process] */
    size_t (*keep)(struct leat_ctx *, const struct leat_batch *, uint32_t r, void *to, size_t room);
    /* Rejects a kept record like `reject`. A record that process has accepted then counts as
     * rejected. Call it at the latest in the barrier of the checkpoint that the record belongs to.
     * [call | no | yes | nothing | process, barrier, stop] */
    void (*reject_kept)(struct leat_ctx *, const void *kept, int reason, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

    /* For sources whose inputs a group of processes shares: reports what the group does, for those
     * who watch the run. Returns 1 if somebody may watch it (--http), else 0: then the source need
     * not find out. With NULL only returns this. The host copies at most LEAT_MEMBERS members, and
     * LEAT_LAGS inputs. Each report replaces the one before.
     * [call | no | yes | 0 or 1 | tick, stop] */
    int (*group)(struct leat_ctx *, const struct leat_group *);
};

/* Bytes of memory that leat_host.cut needs for one input, including its header; for `plan`. */
#define LEAT_CUT_BYTES(MAX_RECORD) (2 * (uint64_t)(MAX_RECORD) + 1024)

/* Context of an instance, which the host passes to each call. */
struct leat_ctx {
    uint32_t size;
    uint32_t lane; /* index of the instance's lane: 0 .. lanes - 1 */
    const struct leat_host *host;
    const char *id;                     /* id of the stage, unique in the pipeline              */
    const void *cfg;                    /* the stage's configuration struct, filled by the host */
    const struct leat_schema *in, *out; /* negotiated schemas of the stage's input and output   */
    struct leat_framing framing;        /* for sources: how to cut records                      */
    const char *pipeline;               /* name of the pipeline                                 */
    int64_t checkpoint_ns;              /* time between checkpoints; 0: no interval             */
    uint32_t transactional;             /* 1: a sink commits each checkpoint                    */
    uint32_t continued;                 /* 1: a later run will continue from this one (--state) */
    uint32_t position_committed; /* for sources: 1: a sink commits this source's `position` */
    uint32_t split;              /* 1: the run's state will be merged with others (--split) */
};

/* True if this host has the service. For plugins that also support older hosts (LEAT_PLUGIN_SINCE):
 * if (LEAT_HOST_HAS(ctx->host, lag)) ctx->host->lag(…); */
#define LEAT_HOST_HAS(HOST, SERVICE)                                                               \
    ((HOST)->size >= offsetof(struct leat_host, SERVICE) + sizeof((HOST)->SERVICE))

#endif
