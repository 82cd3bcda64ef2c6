/* stage.h -- a stage: data that describes it, and functions that the host calls.
 *
 * struct leat_stage has the members that every stage may have. The functions that only some stages
 * need are grouped into roles, one struct each: source, learner, asker (queries a learner), letters
 * (takes dead letters), state, transaction. A stage points to the structs of its roles:
 *
 *     const struct leat_stage source_mine = {
 *         .name = "source.mine",
 *         .kind = LEAT_SOURCE,
 *         LEAT_INSTANCE(struct mine, open, close),
 *         .source = LEAT_ROLE(leat_source, .produce = produce, .wake = wake),
 *         .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
 *     };
 *
 * Functions marked "Needed" are mandatory; all others may be NULL. New versions append members at
 * the ends of these structs.
 *
 * The comment of every function ends with its contract, in brackets. docs/plugins.md has the same
 * contracts as a table.
 *
 *     [thread | may block | may allocate | returns | what the host has prepared]
 *
 *     check  any thread, any number of times, in `leat check` and before a run. The call is pure:
 *            no I/O, no threads, no state
 *     run    the main thread of the run, while the stage has no thread: before start, after stop
 *     own    the one thread that calls this instance from start to stop. The call comes between
 *            two batches, unless it has a batch as argument
 *     any    any thread, but never during another call of the same instance
 *     any, at any time   any thread, even during another call of the instance: use only atomics
 *
 *     may block     "no": the function computes and returns, and waits for nothing
 *     may allocate  memory of leat_host.alloc, and any other memory
 *     returns       a function that returns a status may also return a failure (below 0). Any
 *                   status that is not listed ends the run or fails the check, with an error that
 *                   names stage, function and status.
 *                   "(stopped)": allowed only while the run is being stopped
 *
 * So an instance is in one call at a time, except for `progress` and `wake`. The instances of a
 * shard (host.h) are an exception to "run": the source's thread opens and restores them in
 * shard_begin. In shard_begin and shard_end it closes those that were never started.
 *
 * Checkpoints of a pipeline are numbered 1, 2, 3, …; a continued run continues the numbers.
 * `barrier`, `commit` and `durable` get the same number for the same checkpoint, including the last
 * one. At most one checkpoint is in progress, so a source gets durable(n) before barrier(n + 1). If
 * checkpoint n could not be written, there is no durable(n); the next `durable` covers checkpoint n
 * too. After a source's end, the source gets one `durable`, for the last checkpoint of the run.
 */
#ifndef LEAT_STAGE_H
#define LEAT_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/host.h>
#include <leat/param.h>
#include <leat/query.h>
#include <leat/schema.h>
#include <leat/state.h>
#include <leat/status.h>

/* Position of a run, or of one of its sources, at a checkpoint, as bytes that a transactional sink
 * stores. The bytes hold no pointers, so another process can read them. */
struct leat_position {
    const char *source; /* id of the source; "": the position of the whole run              */
    const char *format; /* format and version of the bytes: "leat.run/1", "kafka.offsets/1" */
    const void *bytes;
    size_t n; /* 0: the position has not changed since the last checkpoint */
};

/* A dead letter: a rejected record. All pointers are valid only during the call. */
struct leat_dead_letter {
    uint32_t size; /* sizeof(struct leat_dead_letter) of the host                */
    uint32_t cut;  /* 1: the record was too long; `record` is only its beginning */
    const char *pipeline, *stage, *reason; /* stage: id of the stage that rejected the record    */
    const char *input;                     /* name of the record's input (leat_host.where)       */
    uint64_t offset, line;                 /* place in the input; line 0: the input has no lines */
    const char *message, *record, *key;    /* key: NULL if the record has none                   */
    uint32_t n_message, n_record, n_key;
    uint32_t reserved;
    int64_t timestamp;   /* ns since 1970; below 0: none                            */
    const char *headers; /* headers of the message; read them with leat_next_header */
    uint32_t n_headers;
    uint32_t reserved_2;
};

/* Receiver of the errors and warnings that validate and negotiate find; valid only during the call.
 * The host prints file, line, stage and `param` (unless NULL) before the text. So the text only
 * states which value is wrong, why, and how to fix it. An error fails the check, but the stage
 * continues and reports every error that it finds. */
struct leat_diag {
    uint32_t size;
    uint32_t reserved;
    void (*error)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    void (*warn)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
};

/* Most memory that an instance may take from the host. `leat check` prints the plan, and
 * leat_host.alloc enforces it. If a structure grows, count its largest size in state_bytes. Count
 * the second copy, which exists while the structure is moved, in work_bytes. */
struct leat_plan {
    uint32_t size;
    uint32_t split;       /* set by the host: leat_ctx.split                                  */
    uint64_t state_bytes; /* the model or other state                                        */
    uint64_t names_bytes; /* feature names                                                   */
    uint64_t work_bytes;  /* buffers and scratch                                             */
    char note[256];       /* text for people: shape, error bound; the reason if `plan` fails */
    uint32_t shards;      /* source: most inputs at a time that have separate states (host.h); 0:
                           * one state for all inputs; UINT32_MAX: open_inputs tells how many */
    uint32_t reserved_2;
};

enum leat_stage_kind { LEAT_SOURCE = 1, LEAT_TRANSFORM = 2, LEAT_LEARNER = 3, LEAT_SINK = 4 };

enum leat_caps {
    LEAT_PARALLEL = 1,   /* transform that treats each record independently: may run in lanes */
    LEAT_REWRITES = 2,   /* changes columns, labels or examples that earlier stages made      */
    LEAT_PARSER = 4,     /* turns raw bytes into columns or examples; may have `framing`      */
    LEAT_STATEFUL = 8,   /* result depends on earlier records: --state needs `snapshot`       */
    LEAT_ANY_ORDER = 16, /* learner whose state does not depend on the order of examples      */
    LEAT_UNPACKS = 32,   /* appends new raw bytes for its records to the batch. Messages still give
                          * the place in the input where the record arrived */
    LEAT_NAMED_LATER = 64, /* parser that, if nothing else names its columns, makes the columns that
                            * later stages look up (leat_negotiation.asked) */
    LEAT_LEARNS = 128,     /* transform with a learned state. An older state may change labels,
                            * weights or features, but never the set of records or their columns */
    LEAT_REPLACES = 256,   /* may deliberately make a column with the name of a value in the
                            * records, so the host does not warn (leat_host.made_later) */
    LEAT_CLOCK = 512, /* transform with expand that calls leat_host.event_time. The records that it
                       * makes are in the order of their times, as those of one input */
    LEAT_PAIRS = 1024 /* learner that makes the pairs of an example (leat_schema.joint) */
};

/* A reason for rejecting records that only this stage has, in addition to enum leat_reason. The
 * word differs from the stage's other words and from the host's words. Stages that use the same
 * word are counted together. Summary, dead letters and messages show the word. */
struct leat_own_reason {
    const char *word; /* "stale": lower-case letters, digits and _, at most LEAT_WORD_MAX bytes */
    const char *doc;  /* sentence: "The record is older than `max_age`."                        */
};

/* A figure of a stage: a number that host->metric sets, and that summaries show. */
struct leat_figure {
    const char *name; /* "late_records"; same alphabet and length as leat_own_reason.word */
    /* Counted things in the plural: "records", "features"; or "bytes" or "seconds", never multiples
     * such as KB. "ratio": a share, from 0 to 1. "1": any other number. */
    const char *unit;
    const char *doc; /* one line: "records that came after their window" */
    uint32_t kind;   /* enum leat_figure_kind                            */
};
enum leat_figure_kind {
    LEAT_COUNTER = 1, /* starts at 0 and only grows; a continued run may begin at 0 again */
    LEAT_GAUGE = 2
};
enum { LEAT_WORD_MAX = 47, LEAT_MAX_FIGURES = 64 };

/* Role: source of records. */
struct leat_source {
    uint32_t size; /* sizeof(struct leat_source) */
    /* Framing kinds that the source supports (LEAT_FRAMING), or-ed. `leat check` refuses a parser
     * that needs another kind. */
    uint32_t framings;

    /* Needed. Adds records to the empty batch b until it is full (b->cap records or b->fill_bytes
     * bytes). Must return within 100 ms, because ticks and checkpoints of later stages wait for it.
     * The host warns after a second. A source with shards may take longer while it reads the states
     * of new inputs.
     *
     * Returns LEAT_AGAIN if there is no record now, LEAT_EOS if the input has ended. A failure ends
     * the run after the earlier records are processed. A source may return LEAT_LATER once if
     * ctx->continued is 1. It means that the remaining input, such as a line without a line end,
     * may still grow before a later run reads it. The host then takes the checkpoint from which the
     * later run continues. After that it calls produce again for the remaining input, or leaves it
     * to the later run.
     *
     * When the run is being stopped (host->stopping), the host calls produce once more, for records
     * that the source still holds, such as a line without a line end.
     * [own | 100 ms | no | LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER | an empty batch] */
    int (*produce)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* Returns the header record, valid until the next call. The host calls this after open if
     * framing.header is 1. Set *text to NULL and *len to 0 if the input has no record at all.
     * [run | until there is one | yes | LEAT_OK, LEAT_EOS (stopped) | what open has made] */
    int (*header)(struct leat_ctx *, void *self, const char **text, uint32_t *len);
    /* Returns the source's progress: *done of *total bytes of its input; *total 0: unknown. After a
     * produce, the answer must not depend on time or chance, because a merge orders its inputs by
     * it.
     * [any, at any time | no | no | nothing | what open has made] */
    void (*progress)(void *self, uint64_t *done, uint64_t *total);
    /* Makes a produce that waits return soon.
     * [any, at any time | no | no | nothing | what open has made] */
    void (*wake)(void *self);
    /* Tells the source that every stage has processed all records before this checkpoint, so the
     * source may commit offsets. With --state, the snapshot is also on disk. For the last
     * checkpoint the call comes after stop. A run that continues from a checkpoint first calls
     * durable for that checkpoint. A source with this function gets checkpoints (barrier) even
     * without --state.
     * [own; after stop, run | until it is committed | no | LEAT_OK | a finished checkpoint] */
    int (*durable)(struct leat_ctx *, void *self, uint64_t checkpoint);
    /* Returns the format of the bytes that `position` returns, such as "kafka.offsets/1"; NULL if
     * the source has no positions. A sink that accepts this format commits the offsets in its
     * transaction. position_format and position require each other. A source with a `state` needs
     * neither: the host makes positions from the state.
     * [check | no | no | a format or NULL | cfg] */
    const char *(*position_format)(const void *cfg);
    /* Sets `bytes` and `n` to the position after the records delivered so far; the bytes are valid
     * until the next call. If ctx->position_committed is 1, the host calls this right after the
     * source's barrier, and the source must not commit offsets itself.
     * [own | no | no | LEAT_OK | its barrier] */
    int (*position)(struct leat_ctx *, void *self, struct leat_position *);
};

/* Role: learner that answers queries (query.h). */
struct leat_learner {
    uint32_t size; /* sizeof(struct leat_learner) */
    uint32_t reserved;

    /* Answers a query. May return the status that a function of leat_result returned.
     * [own; after stop, run | no | more than plan, given back | LEAT_OK | where the answer goes] */
    int (*query)(struct leat_ctx *, void *self, const struct leat_query *, struct leat_result *);
    /* Returns the names of the n columns that each answer to LEAT_QUERY_TOP begins with, so that
     * the host can refuse a query for other columns before the run. An answer may have more columns
     * after them. Returns NULL if the columns are not known before the run.
     * [check | no | no | names or NULL | cfg] */
    const char *const *(*columns)(const void *cfg, uint32_t *n);
};

/* Role: sink, or transform with `expand`, that queries a learner (query.h). */
struct leat_asker {
    uint32_t size; /* sizeof(struct leat_asker) */
    uint32_t reserved;

    /* Needed. Fills in the stage's query.
     * [check | no | no | LEAT_OK | cfg] */
    int (*ask)(const void *cfg, struct leat_ask *);
    /* Needed. Receives an answer. A transform with `expand` receives the answer before the batch
     * that it travels with, and the last answer before the last batch.
     * [own | as its output does | no | LEAT_OK | an answer] */
    int (*show)(struct leat_ctx *, void *self, const struct leat_table *);
};

/* Role: sink that takes the dead letters: every rejected record of the pipeline, whichever stage
 * rejected it. The host never makes two calls of the sink at the same time. */
struct leat_letters {
    uint32_t size; /* sizeof(struct leat_letters) */
    uint32_t reserved;

    /* Needed. Takes one dead letter.
     * [any | as its output does | no | LEAT_OK | a dead letter] */
    int (*take)(struct leat_ctx *, void *self, const struct leat_dead_letter *);
    /* Delivers all earlier dead letters before it returns. The host calls it before it completes a
     * checkpoint, and again when all stages have stopped.
     * [any | until all is out | no | LEAT_OK | all dead letters before it] */
    int (*flush)(struct leat_ctx *, void *self);
};

/* Role: stage with a state (state.h). restore and merge refuse a state of another shape, seed or
 * parameter, with a message that names the field. When they refuse, they change nothing. */
struct leat_state {
    uint32_t size; /* sizeof(struct leat_state) */

    /* Version of the state's fields; change it when the fields change. restore and merge get the
     * version with which the state was written. */
    uint32_t version;
    /* Writes the state's fields.
     * [own; before start, run | no | no | LEAT_OK | where they go] */
    int (*snapshot)(struct leat_ctx *, void *self, struct leat_writer *);
    /* Replaces the stage's state by a saved state. A source may have to read its input again up to
     * its position. It returns LEAT_EOS if the run is stopped while it reads.
     * [run | no; a source reads its way back | more than plan, given back |
     * LEAT_OK; a source also LEAT_EOS (stopped) | a state of the same stage] */
    int (*restore)(struct leat_ctx *, void *self, struct leat_reader *, uint32_t version);
    /* Adds the state of another instance, which learned from other data, as if this instance had
     * learned that data `weight` times. Merging is commutative, and associative up to rounding.
     * Merging with a fresh state changes nothing.
     * [run; with shards, own | no | more than plan | LEAT_OK | a state of the same stage] */
    int (*merge)(struct leat_ctx *, void *self, struct leat_reader *, double weight);
};

/* Role: sink that commits each checkpoint exactly once, if `name` returns a name. The records since
 * the last checkpoint, the checkpoint's number and the positions become visible together or not at
 * all. A pipeline has at most one such sink. The sink needs --state, or a source with shards; in
 * that case the states of the shards are part of the source's position.
 *
 * A sink that can store bytes next to its rows, such as a database, has `positions`. `commit` then
 * also gets the position of the whole run. If the snapshots are lost, the next run continues from
 * that position, and no row is lost or doubled. name, fence and commit are needed. */
struct leat_transaction {
    uint32_t size; /* sizeof(struct leat_transaction) */
    uint32_t reserved;

    /* Returns the name under which the sink commits; NULL if it does not commit.
     * [check | no | no | a name or NULL | cfg] */
    const char *(*name)(const void *cfg);
    /* Makes sure that no earlier run can commit under this name any more. Sets *checkpoint to the
     * last committed checkpoint; 0 if unknown.
     * [run | yes | yes | LEAT_OK, LEAT_EOS (stopped) | what open has made] */
    int (*fence)(struct leat_ctx *, void *self, uint64_t *checkpoint);
    /* Commits the checkpoint, whose snapshot is on disk, or whose shard states are ready. The call
     * comes right after the sink's barrier; after stop if the checkpoint comes after the sink's
     * last batch. The n positions are valid during the call. They are the positions of sources in
     * formats that the sink accepts, and the position of the whole run if the sink has `positions`.
     * Returns LEAT_EROLLBACK if the checkpoint was undone: the run then returns to the last
     * committed checkpoint. Returns LEAT_EFENCED if another run owns the name now. All other calls
     * of the sink may return these two statuses as well.
     * [own; after stop, own or run | yes | yes | LEAT_OK | a state on disk] */
    int (*commit)(struct leat_ctx *, void *self, uint64_t checkpoint, const struct leat_position *,
                  uint32_t n);
    /* Returns the positions that commit stored with the last committed checkpoint, valid until the
     * next call; *n is 0 if there are none. The host calls it after fence. The sink may leave out
     * positions in formats that it accepts. If this member is NULL, the sink stores no positions.
     * [run | yes | yes | LEAT_OK, LEAT_EOS (stopped) | its fence] */
    int (*positions)(struct leat_ctx *, void *self, const struct leat_position **list, uint32_t *n);
    /* Formats of sources' positions that the sink's transactions commit in the source's system,
     * ended by NULL. If this member is NULL, the sink ignores the bytes of positions. */
    const char *const *accepts;
};

struct leat_stage {
    const char *name;    /* "learn.awm"                                  */
    const char *summary; /* one line                                     */
    const char *doc;     /* one or more paragraphs; formulas, references */
    const char *example; /* Lua code that uses the stage                 */
    uint32_t kind;       /* enum leat_stage_kind                         */
    uint32_t caps;       /* enum leat_caps, or-ed                        */
    uint32_t needs;      /* enum leat_has: what the input must have      */
    uint32_t makes;      /* enum leat_has: what the stage adds           */
    const struct leat_param *params;
    uint32_t n_params, param_size; /* param_size = sizeof(struct leat_param)                 */
    size_t cfg_size;               /* size of the struct that the host fills with parameters */
    const struct leat_own_reason *reasons;
    uint32_t n_reasons, reason_size; /* reason_size = sizeof(struct leat_own_reason) */
    const struct leat_figure *figures;
    uint32_t n_figures, figure_size; /* figure_size = sizeof(struct leat_figure)     */
    size_t instance_size; /* size of `self`, which the host zeroes and aligns to 64 bytes */

    /* Checks conditions that concern several parameters: "max must be above min".
     * [check | no | no | LEAT_OK | cfg, filled and in its ranges] */
    int (*validate)(const void *cfg, struct leat_diag *);
    /* Names the columns that the stage reads and adds, and declares the bounds of its output
     * (schema.h). The output has the flags in `makes` and the flags that negotiate adds to
     * out->has.
     * [check | no | no | LEAT_OK, LEAT_LATER | cfg; the schema that arrives] */
    int (*negotiate)(const void *cfg, struct leat_negotiation *);
    /* Declares the most memory that the stage will take.
     * [check | no | no | LEAT_OK | cfg; schemas] */
    int (*plan)(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *);
    /* For LEAT_PARSER: declares how the source cuts records.
     * [check | no | no | LEAT_OK | cfg] */
    int (*framing)(const void *cfg, struct leat_framing *);

    /* Asks the stage's servers whether everything that the stage needs exists and may be used
     * (`leat check --online`). Called without open. Changes nothing on the servers, and takes at
     * most `seconds`. Reports problems to the diag, like validate. If the configuration itself
     * turns out to be wrong, calls host->fail.
     * [run | seconds | by itself | LEAT_OK | cfg] */
    int (*online)(struct leat_ctx *, int seconds, struct leat_diag *);

    /* Acquires files and memory. If open fails, the host does not call close.
     * [run | for files and servers | up to plan | LEAT_OK | self, zeroed; schemas; framing] */
    int (*open)(struct leat_ctx *, void *self);
    /* Releases everything except memory of host->alloc.
     * [run | no | no | nothing | what open has made] */
    void (*close)(struct leat_ctx *, void *self);
    /* First call on the instance's thread.
     * [own | no | yes | LEAT_OK | what open or restore has made] */
    int (*start)(struct leat_ctx *, void *self);
    /* Last call on the instance's thread, once after each start: flush the output.
     * [own | until all is out | no | LEAT_OK | all batches] */
    int (*stop)(struct leat_ctx *, void *self);

    /* Processes a batch (transforms, learners and sinks). For each selected example e, a learner
     * first writes its prediction to score[e], then learns from e.
     * [own | as its output does | no | LEAT_OK | a batch with room for what all stages have
     * said] */
    int (*process)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* Makes new records from the records of `in`, any number from each. A transform has this
     * function instead of `process`. The host calls it for each batch, even a batch without
     * records. Fills `out`, which is empty at first, and returns LEAT_OK. If `out` is full, returns
     * LEAT_AGAIN; the host then calls it again with the same `in` and another empty `out`. May
     * reject records of `in`. With the last batch (kind LEAT_BATCH_END) the stage emits the records
     * that it has held back. With --state or shards, a stopped run has no last batch, because a
     * later run continues it.
     *
     * In negotiate, the schema `out` of such a stage has no columns at first, but has key and
     * timestamp if `in` has them. A stage that does not copy them (leat_add_from copies both)
     * removes them from the schema.
     * [own | no | no | LEAT_OK, LEAT_AGAIN | the same, and an empty batch] */
    int (*expand)(struct leat_ctx *, void *self, struct leat_batch *in, struct leat_batch *out);
    /* Called at most once a second, between batches. `now` is monotonic time in ns.
     * [own | no | no | LEAT_OK | the time] */
    int (*tick)(struct leat_ctx *, void *self, int64_t now);
    /* Called at a checkpoint, between two batches or after the last batch. A sink must deliver all
     * records that it has received before it returns. All records that a source has produced so far
     * belong to the checkpoint.
     * [own | until all is out | no | LEAT_OK | all batches of the checkpoint] */
    int (*barrier)(struct leat_ctx *, void *self, uint64_t checkpoint);

    /* Logs conclusions from the whole run with host->log. Called when all stages have stopped, if
     * the run has not failed. `self` has the instances of all lanes; ctx is the context of the
     * first lane.
     * [run | no | no | nothing | all lanes, stopped] */
    void (*finish)(struct leat_ctx *, void *const *self, uint32_t lanes);

    /* Roles of the stage; NULL if the stage does not have the role. */
    const struct leat_source *source;
    const struct leat_learner *learner;
    const struct leat_asker *asker;
    const struct leat_letters *letters;
    const struct leat_state *state;
    const struct leat_transaction *transaction;
};

/* Defines a role: .source = LEAT_ROLE(leat_source, .produce = produce). C++ before C++20 has no
 * designated initialisers: define the struct separately and use its address. */
#ifdef __cplusplus
#define LEAT_ROLE(STRUCT, ...)                                                                     \
    [] {                                                                                           \
        static const struct STRUCT role = {.size = sizeof(struct STRUCT), __VA_ARGS__};            \
        return &role;                                                                              \
    }()
#else
#define LEAT_ROLE(STRUCT, ...)                                                                     \
    &(const struct STRUCT) { .size = sizeof(struct STRUCT), __VA_ARGS__ }
#endif
/* Members of leat_stage: the table of parameters, and the configuration struct that they fill. */
#define LEAT_PARAMS(P, CFG)                                                                        \
    .params = (P), .n_params = sizeof(P) / sizeof((P)[0]),                                         \
    .param_size = sizeof(struct leat_param), .cfg_size = sizeof(CFG)
/* Members of leat_stage: the tables of reasons and of figures. */
#define LEAT_REASONS(R)                                                                            \
    .reasons = (R), .n_reasons = sizeof(R) / sizeof((R)[0]),                                       \
    .reason_size = sizeof(struct leat_own_reason)
#define LEAT_FIGURES(F)                                                                            \
    .figures = (F), .n_figures = sizeof(F) / sizeof((F)[0]),                                       \
    .figure_size = sizeof(struct leat_figure)
/* Members of leat_stage: what its batches must have, and what it adds to them. */
#define LEAT_FLOW(NEEDS, MAKES) .needs = (NEEDS), .makes = (MAKES)
/* Members of leat_stage: the struct of each instance, and its open and close; CLOSE may be NULL. */
#define LEAT_INSTANCE(STRUCT, OPEN, CLOSE)                                                         \
    .instance_size = sizeof(STRUCT), .open = (OPEN), .close = (CLOSE)

#endif
