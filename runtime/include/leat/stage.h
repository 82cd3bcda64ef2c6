/* stage.h -- what a stage is: data that describes it, and functions that the host calls.
 *
 * struct leat_stage has what every stage may have. What only some do is in a struct of its own, one
 * for each role: source, learner, asker, letters, state, transaction. A stage points to those that
 * it has:
 *
 *     const struct leat_stage source_mine = {
 *         .name = "source.mine",
 *         .kind = LEAT_SOURCE,
 *         LEAT_INSTANCE(struct mine, open, close),
 *         .source = LEAT_ROLE(leat_source, .produce = produce, .wake = wake),
 *         .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
 *     };
 *
 * Every function but those that are said to be needed may be NULL. Structs grow at their ends only.
 *
 * Beside every function stands its contract, which docs/plugins.md has as a table:
 *
 *     [thread | may block | may allocate | returns | what the host has prepared]
 *
 *   check   any thread, any number of times, while checking and before a run. The call is pure: no
 *           I/O, no threads, no state
 *   run     the thread of the run, while the stage's own does not exist: before start, after stop
 *   own     the one thread that calls this instance from start to stop; between two batches, if the
 *           call does not get one
 *   any     whichever thread, in no other call of the instance
 *   any, at any time   also while the instance is in another call: it touches atomics only
 *
 *   may block     no: it returns as soon as it has computed what it returns
 *   may allocate  memory of the host (leat_host.alloc) and of others
 *   returns       each call that returns a status may return a failure, too: a value below 0. Any
 *                 other value than these ends the run, or fails the check, and the stage, the call
 *                 and the value are told. "(stopped)": only while the run is being stopped
 *
 * So one call at a time is made of an instance, but for `progress` and `wake`. An instance of a
 * shard (host.h) is opened, restored and, if it was not started, closed within shard_begin and
 * shard_end, on the thread of the source.
 *
 * Checkpoints have numbers: 1, 2, 3, … of a pipeline, and a run that continues goes on after the
 * last. `barrier`, `commit` and `durable` get the same number for the same checkpoint, the last one
 * included. The next barrier of a stage comes when the checkpoint before it is over, so at most one
 * is under way: a source hears durable(n) before barrier(n + 1). A checkpoint that could not be
 * written has no `durable`; that of a later one is for it, too, and so it is for the checkpoints
 * after a source's end, of which it hears the last.
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

/* How far a run, or one of its sources, was at a checkpoint: bytes for a transactional sink. They
 * hold no pointers, and mean the same in another process. */
struct leat_position {
    const char *source; /* id of the stage; "": the host's own position, of the whole run    */
    const char *format; /* what the bytes are, with a version: "leat.run/1", "kafka.offsets/1" */
    const void *bytes;
    size_t n; /* 0: nothing changed since the last checkpoint */
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

/* Where validate and negotiate report what is wrong, within the call. The host prints file, line,
 * stage and `param` (NULL: none) before the text; so the text says what is wrong with which value,
 * and what to do. An error makes the check fail; the stage continues and reports all it finds. */
struct leat_diag {
    uint32_t size;
    uint32_t reserved;
    void (*error)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    void (*warn)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
};

/* The most memory that an instance may take from the host, which `leat check` prints and the host
 * holds it to (leat_host.alloc). What grows is counted where it stops growing: its largest size is
 * state, what it takes besides while it moves there is work. */
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
    LEAT_PARALLEL = 1,   /* a transform that treats each record alone: may run in lanes          */
    LEAT_REWRITES = 2,   /* changes columns, labels or examples that earlier stages made         */
    LEAT_PARSER = 4,     /* turns raw bytes into columns or examples; may have `framing`         */
    LEAT_STATEFUL = 8,   /* depends on earlier records: --state needs its snapshot function      */
    LEAT_ANY_ORDER = 16, /* a learner of counts: the order of the examples changes nothing      */
    LEAT_UNPACKS = 32,   /* gives records other bytes (raw), added to the batch; they are still
                            reported where they arrived                                         */
    LEAT_NAMED_LATER = 64, /* a parser that, where nothing else names its columns, makes those that
                            later stages look up (leat_negotiation.asked)                       */
    LEAT_LEARNS = 128,     /* a transform whose state is learned: with an older one, labels, weights
                            or features differ, never which records there are and their columns */
    LEAT_REPLACES = 256    /* may make a column of a name that the records have: on purpose, so that
                            nobody is warned (leat_host.made_later)                             */
};

/* A reason for rejecting records that status.h does not have. A word is unique in its stage and
 * none of the host's; stages that share one are counted together. Summary, dead letters and
 * messages have it. */
struct leat_own_reason {
    const char *word; /* "stale": lower-case letters, digits and _, at most LEAT_WORD_MAX bytes */
    const char *doc;  /* a sentence: "The record is older than `max_age`."                      */
};

/* A figure of a stage, which host->metric gives values by its name. */
struct leat_figure {
    const char *name; /* "late_records"; as a word above */
    /* "records", "features": what is counted, in the plural. "bytes" and "seconds", never multiples
     * of them; "ratio": a share, of 1. "1": a plain number. */
    const char *unit;
    const char *doc; /* one line: "records that came after their window" */
    uint32_t kind;   /* enum leat_figure_kind                            */
};
enum leat_figure_kind {
    LEAT_COUNTER = 1, /* begins at 0 and only grows; a run that continues may begin again */
    LEAT_GAUGE = 2    /* rises and falls */
};
enum { LEAT_WORD_MAX = 47, LEAT_MAX_FIGURES = 64 };

/* A source: where records come from. */
struct leat_source {
    uint32_t size; /* sizeof(struct leat_source) */
    /* The kinds of framing that it honours (LEAT_FRAMING), or-ed. A parser that wants another one
     * is refused by `leat check`. */
    uint32_t framings;

    /* Needed. Adds records to the empty batch b until it is full (b->cap records or b->fill_bytes
     * bytes). It returns within 100 ms, as nothing downstream hears of time, ticks and checkpoints
     * meanwhile; after a second the host warns of it. Only a source with shards may take longer,
     * while it reads the states of inputs that it begins. LEAT_AGAIN: nothing now; LEAT_EOS: it is
     * not called again; a failure ends the run once the records delivered before are processed.
     * LEAT_LATER, once, with ctx->continued: what is left is there, but may be more when a later
     * run reads it (a line without its end). The host takes the checkpoint from which such a run
     * continues, and calls again for the rest; or, when it keeps that for the later run, not.
     * When the run is being stopped (host->stopping) it is called once more, for what it holds and
     * has not delivered: a line without an end, say.
     * [own | 100 ms | no | LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER | an empty batch] */
    int (*produce)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* After open, when framing.header: the header record, lent until the next call. len 0: the
     * input has no record at all.
     * [run | until there is one | yes | LEAT_OK, LEAT_EOS (stopped) | what open has made] */
    int (*header)(struct leat_ctx *, void *self, const char **text, uint32_t *len);
    /* How far it has read, in bytes; total 0: unknown. After a produce the answer must not depend
     * on time or chance: a merge orders its inputs by it.
     * [any, at any time | no | no | nothing | what open has made] */
    void (*progress)(void *self, uint64_t *done, uint64_t *total);
    /* Makes a blocking produce return soon.
     * [any, at any time | no | no | nothing | what open has made] */
    void (*wake)(void *self);
    /* Every stage has processed all records of this checkpoint and of those before, and with
     * --state they are in a snapshot on disk: the time to commit offsets. For the last checkpoint
     * it comes after stop. A run that continues begins with that of the checkpoint it continues
     * from. A source with this function gets checkpoints (barrier) without --state, too.
     * [own; after stop, run | until it is committed | no | LEAT_OK | a finished checkpoint] */
    int (*durable)(struct leat_ctx *, void *self, uint64_t checkpoint);
    /* Positions of its own making, for sinks that commit offsets in the source's system: their
     * format ("kafka.offsets/1"), and NULL if this one has none. Both or neither. A source with a
     * `state` needs neither: the host makes positions of that.
     * [check | no | no | a format or NULL | cfg] */
    const char *(*position_format)(const void *cfg);
    /* With ctx->position_committed, right after its barrier: bytes and n of how far it has
     * delivered, lent until the next call. Such a source commits nothing itself.
     * [own | no | no | LEAT_OK | its barrier] */
    int (*position)(struct leat_ctx *, void *self, struct leat_position *);
};

/* A learner that can be asked. */
struct leat_learner {
    uint32_t size; /* sizeof(struct leat_learner) */
    uint32_t reserved;

    /* Answers a question. It may return what the functions of leat_result have returned.
     * [own; after stop, run | no | more than plan, given back | LEAT_OK | where the answer goes] */
    int (*query)(struct leat_ctx *, void *self, const struct leat_query *, struct leat_result *);
    /* Names of the columns of its answers to LEAT_QUERY_TOP, n of them, so that a question for
     * others is refused before the run. NULL: they are not known before.
     * [check | no | no | names or NULL | cfg] */
    const char *const *(*columns)(const void *cfg, uint32_t *n);
};

/* A sink, or a transform with `expand`, that asks a learner. */
struct leat_asker {
    uint32_t size; /* sizeof(struct leat_asker) */
    uint32_t reserved;

    /* Needed. Its question.
     * [check | no | no | LEAT_OK | cfg] */
    int (*ask)(const void *cfg, struct leat_ask *);
    /* Needed. Receives an answer. A transform with `expand` receives it before that is called with
     * the batch that the answer came with, and the last one before the last batch.
     * [own | as its output does | no | LEAT_OK | an answer] */
    int (*show)(struct leat_ctx *, void *self, const struct leat_table *);
};

/* A sink that takes every rejected record of the pipeline, whichever stage rejected it. Its
 * other calls wait while one of these is made, and these wait for its others. */
struct leat_letters {
    uint32_t size; /* sizeof(struct leat_letters) */
    uint32_t reserved;

    /* Needed. Gets one.
     * [any | as its output does | no | LEAT_OK | a dead letter] */
    int (*take)(struct leat_ctx *, void *self, const struct leat_dead_letter *);
    /* When it returns, all dead letters before it are delivered; the host calls it before a
     * checkpoint is complete, and once all stages have stopped.
     * [any | until all is out | no | LEAT_OK | all dead letters before it] */
    int (*flush)(struct leat_ctx *, void *self);
};

/* What a stage knows (state.h). States of other shapes, seeds or parameters are refused, naming the
 * field; a refused restore or merge changes nothing. */
struct leat_state {
    uint32_t size; /* sizeof(struct leat_state) */

    /* A number that changes when the fields do. restore and merge get that of the stage that wrote
     * the state. */
    uint32_t version;
    /* Writes its fields.
     * [own; before start, run | no | no | LEAT_OK | where they go] */
    int (*snapshot)(struct leat_ctx *, void *self, struct leat_writer *);
    /* Takes over a state. A source that must read its way back returns LEAT_EOS when the run is
     * stopped meanwhile.
     * [run | no; a source reads its way back | more than plan, given back |
     *  LEAT_OK; a source also LEAT_EOS (stopped) | a state of the same stage] */
    int (*restore)(struct leat_ctx *, void *self, struct leat_reader *, uint32_t version);
    /* Adds the state of another instance, which learned from other data, as if it had occurred
     * `weight` times: commutative, associative up to rounding, with a fresh state as identity.
     * [run; with shards, own | no | more than plan, given back | LEAT_OK |
     *  a state of the same stage] */
    int (*merge)(struct leat_ctx *, void *self, struct leat_reader *, double weight);
};

/* Exactly once. A sink whose `name` gives one commits checkpoints: what it received since the last
 * one, the number of the checkpoint and the positions become visible together, or not at all. A
 * pipeline has at most one such sink, and needs --state or a source with shards, whose states are
 * then part of its position.
 *
 * A sink that can keep bytes beside its rows (a table of a database) has `positions`: `commit` then
 * gets the host's position, and after the loss of snapshots the run continues from it, without a
 * row lost or doubled. Name, fence and commit are needed. */
struct leat_transaction {
    uint32_t size; /* sizeof(struct leat_transaction) */
    uint32_t reserved;

    /* Under which name it commits; NULL: it does not.
     * [check | no | no | a name or NULL | cfg] */
    const char *(*name)(const void *cfg);
    /* Makes sure that no earlier run under this name can commit any more, and gives the number of
     * the last committed checkpoint; 0: none is known.
     * [run | yes | yes | LEAT_OK, LEAT_EOS (stopped) | what open has made] */
    int (*fence)(struct leat_ctx *, void *self, uint64_t *checkpoint);
    /* The snapshot of this checkpoint is on disk, or the shards' states are ready. Called right
     * after its barrier; for checkpoints after its last batch, after stop. It gets n positions,
     * lent for the call: those of sources in formats that the sink accepts, and with `positions`
     * the host's. LEAT_EROLLBACK: the checkpoint was undone; the run returns to the last committed
     * one. LEAT_EFENCED: another run owns the name now. The sink's other calls may return both,
     * too. [own; after stop, own or run | yes | yes | LEAT_OK | a state on disk] */
    int (*commit)(struct leat_ctx *, void *self, uint64_t checkpoint, const struct leat_position *,
                  uint32_t n);
    /* After fence: the positions that it keeps, as commit got them for the last committed
     * checkpoint, lent until its next call. *n 0: there are none. Those in formats that it accepts
     * may be left out. NULL: it keeps no positions.
     * [run | yes | yes | LEAT_OK, LEAT_EOS (stopped) | its fence] */
    int (*positions)(struct leat_ctx *, void *self, const struct leat_position **list, uint32_t *n);
    /* Formats of sources' positions that its transactions commit in the source's system, ended by
     * NULL. NULL: none; such a sink does not look at the bytes of any position. */
    const char *const *accepts;
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
    const struct leat_own_reason *reasons;
    uint32_t n_reasons, reason_size; /* reason_size = sizeof(struct leat_own_reason) */
    const struct leat_figure *figures;
    uint32_t n_figures, figure_size; /* figure_size = sizeof(struct leat_figure)     */
    size_t instance_size; /* of `self`, zeroed and aligned to 64 bytes by the host      */

    /* Says what one parameter alone cannot: "max must be above min".
     * [check | no | no | LEAT_OK | cfg, filled and in its ranges] */
    int (*validate)(const void *cfg, struct leat_diag *);
    /* Names the columns that it reads and adds, and what it makes of a batch at most (schema.h). A
     * stage has what it declares in `makes` and what negotiate adds to out->has: either is enough.
     * [check | no | no | LEAT_OK, LEAT_LATER | cfg; the schema that arrives] */
    int (*negotiate)(const void *cfg, struct leat_negotiation *);
    /* The memory that it will take at most.
     * [check | no | no | LEAT_OK | cfg; schemas] */
    int (*plan)(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *);
    /* LEAT_PARSER: how the source is to cut.
     * [check | no | no | LEAT_OK | cfg] */
    int (*framing)(const void *cfg, struct leat_framing *);

    /* Asks the servers that the stage is going to use whether what it needs is there and may be
     * used: `leat check --online`. Without open, from cfg; changes nothing there, and takes
     * `seconds` at most. Problems go to the diag, as in validate; a failure of the configuration
     * that shows only now is reported to the host.
     * [run | seconds | by itself | LEAT_OK | cfg] */
    int (*online)(struct leat_ctx *, int seconds, struct leat_diag *);

    /* Files and memory. After a failure it is not closed.
     * [run | for files and servers | up to plan | LEAT_OK | self, zeroed; schemas; framing] */
    int (*open)(struct leat_ctx *, void *self);
    /* Gives back what is not the host's.
     * [run | no | no | nothing | what open has made] */
    void (*close)(struct leat_ctx *, void *self);
    /* The first call on its own thread.
     * [own | no | yes | LEAT_OK | what open or restore has made] */
    int (*start)(struct leat_ctx *, void *self);
    /* The last call on its own thread, once after each start: flush.
     * [own | until all is out | no | LEAT_OK | all batches] */
    int (*stop)(struct leat_ctx *, void *self);

    /* Transform, learner, sink. A learner predicts before it updates: it writes score[e] for each
     * selected example and then learns from it.
     * [own | as its output does | no | LEAT_OK | a batch with room for what all stages have
     * said] */
    int (*process)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* Transform that makes other records of those that come, none or many of each; instead of
     * `process`. Its schema `out` starts without columns, with key and timestamp if `in` has them:
     * a stage that does not pass them on (leat_add_from does) takes them out. The host calls it for
     * each batch `in`, also for those without records, and for the last (kind LEAT_BATCH_END),
     * after which it gives what it has kept, with an empty `out`. It fills `out`; when that is full
     * it returns LEAT_AGAIN and is called again with the same `in` and another empty `out`, until
     * it returns LEAT_OK. It may reject records of `in`. With --state or shards, a run that is
     * stopped has no last batch, as it continues.
     * [own | no | no | LEAT_OK, LEAT_AGAIN | the same, and an empty batch] */
    int (*expand)(struct leat_ctx *, void *self, struct leat_batch *in, struct leat_batch *out);
    /* At most once a second, between batches; now in ns, monotonic.
     * [own | no | no | LEAT_OK | the time] */
    int (*tick)(struct leat_ctx *, void *self, int64_t now);
    /* A checkpoint ends here, between two batches or after the last. When a sink returns,
     * everything it got before is delivered. What a source has produced until now belongs to the
     * checkpoint. [own | until all is out | no | LEAT_OK | all batches of the checkpoint] */
    int (*barrier)(struct leat_ctx *, void *self, uint64_t checkpoint);

    /* Says (host->log) what is striking in the whole run. After stop of all stages, if nothing has
     * failed. self: the instances of all lanes; ctx: of the first.
     * [run | no | no | nothing | all lanes, stopped] */
    void (*finish)(struct leat_ctx *, void *const *self, uint32_t lanes);

    /* Its roles; NULL: it has none of this. */
    const struct leat_source *source;
    const struct leat_learner *learner;
    const struct leat_asker *asker;
    const struct leat_letters *letters;
    const struct leat_state *state;
    const struct leat_transaction *transaction;
};

/* A role: .source = LEAT_ROLE(leat_source, .produce = produce). Before C++20, which has no members
 * by name, define the struct by itself and give its address. */
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
/* In a stage: its table of parameters, and the configuration struct that they fill. */
#define LEAT_PARAMS(P, CFG)                                                                        \
    .params = (P), .n_params = sizeof(P) / sizeof((P)[0]),                                         \
    .param_size = sizeof(struct leat_param), .cfg_size = sizeof(CFG)
/* Its tables of reasons and of figures. */
#define LEAT_REASONS(R)                                                                            \
    .reasons = (R), .n_reasons = sizeof(R) / sizeof((R)[0]),                                       \
    .reason_size = sizeof(struct leat_own_reason)
#define LEAT_FIGURES(F)                                                                            \
    .figures = (F), .n_figures = sizeof(F) / sizeof((F)[0]),                                       \
    .figure_size = sizeof(struct leat_figure)
/* What batches must have, and what the stage adds to them. */
#define LEAT_FLOW(NEEDS, MAKES) .needs = (NEEDS), .makes = (MAKES)
/* The struct that each instance has, and the calls at its two ends; CLOSE may be NULL. */
#define LEAT_INSTANCE(STRUCT, OPEN, CLOSE)                                                         \
    .instance_size = sizeof(STRUCT), .open = (OPEN), .close = (CLOSE)

#endif
