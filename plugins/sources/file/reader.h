/* reader.h -- text of many inputs in a window: inputs read once, or files that grow (follow.h).
 *
 *   BETWEEN   no input is being read
 *   MARK      the byte order mark of the input comes next
 *   HEADER    the header of the input comes next
 *   RECORDS   records come next; the window may begin inside a record that is too long
 *
 *   event           comes from                                       transition
 *   OPENED          reader_begin_input; a file's turn, at its start  BETWEEN     -> MARK
 *   CONTINUED       reader_seek; a file's turn, in its middle        BETWEEN MARK -> RECORDS
 *   MARK_PASSED     records_skip_mark                                MARK        -> HEADER
 *                                     if header_wanted is false:     MARK        -> RECORDS
 *   HEADER_PASSED   header_take                                      HEADER      -> RECORDS
 *   CLOSED          the end of an input; another file's turn         all         -> BETWEEN
 *
 * Only reader_move() sets the state. The functions here read text into the window. The text may
 * begin with a mark and a header (header.h). The rest becomes records (records.h). Each step
 * returns how to continue (enum reader_step). After a failure (damaged data, a header that
 * differs), the records before it are delivered before the run fails.
 *
 * Reading goes through a window, not straight into batches. A batch is full at its limit of records
 * or of bytes, so most of its last read would have to be moved to the next batch. The window stays
 * in the second-level cache: a copy from there costs a tenth of the read. The window has room for
 * max_record + 2 bytes, the most that framing needs, and for one more read.
 *
 * Invariants: from <= end <= cap; offset and line are the position of window[from]; text before
 * `from` has been delivered or rejected, or is a header. */
#ifndef LEAT_SOURCES_FILE_READER_H
#define LEAT_SOURCES_FILE_READER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "common/inputs/inputs.h"
#include "common/inputs/stream.h"
#include "core/text/framing.h"
#include "follow.h"

enum { READER_READ_BYTES = 256 << 10 /* bytes of one read */ };

enum reader_state { READER_BETWEEN, READER_MARK, READER_HEADER, READER_RECORDS, READER_STATES };
enum reader_event {
    READER_OPENED,
    READER_CONTINUED,
    READER_MARK_PASSED,
    READER_HEADER_PASSED,
    READER_CLOSED,
    READER_EVENTS
};

/* Whether more text may follow the end of the window. */
enum reader_tail {
    TAIL_OPEN, /* more text may follow */
    TAIL_IDLE, /* no text for idle_ns: the lines in the window make a record */
    TAIL_LAST  /* the window has the last text of the input */
};

enum reader_mode {
    READER_INPUTS,   /* reads each input to its end, one after the other */
    READER_FOLLOWS,  /* reads files that grow, each for a while */
    READER_FINISHING /* reads no further, and delivers incomplete last lines */
};

struct reader {
    struct inputs inputs;
    uint32_t input, pass, passes; /* present input and pass; number of passes */
    uint64_t behind;              /* bytes of files that were read to their ends */
    uint64_t last_bytes;          /* bytes of the last one */
    int64_t max_record;           /* parameter; framing.max_record may be smaller */
    enum reader_mode mode;
    enum reader_state state;
    bool header_wanted;
    bool rest_due; /* deliver text now that may still grow */

    struct stream stream; /* if mode is READER_INPUTS: open except in state BETWEEN */
    int wake_fd;          /* ends a wait (wake_fd.h); any thread may ring between init and fini */
    char *raw;            /* buffer that `stream` uses */
    enum recode_from encoding;
    struct stream_coded *coded; /* used by `stream`; NULL if the text is UTF-8 */

    char *window; /* text in [from, end) is read and not delivered */
    size_t cap, from, end;
    enum reader_tail tail;
    uint64_t offset, line; /* position of window[from] in the text of the input */
    struct fingerprint is; /* text of the input, unless files are followed */

    /* For records.h: */
    struct framing framing;
    struct framing_cut cut; /* record or open quote that did not fit into the last batch */
    enum framing_result cut_is;
    struct multiline *multiline; /* finds where records begin; NULL if each line is a record */
    bool gap;                    /* the next record begins a new extent */
    struct reader_long too_long;
    bool start_warned;    /* the log has warned of a line where record_start gave up */
    bool encoding_warned; /* the log has warned of text that is not UTF-8, or the parser will */
    bool beyond_ascii;    /* text with UTF-8 characters beyond ASCII was read */

    /* For header.h: */
    uint64_t after_header; /* `offset` right after the header; UINT64_MAX if there is no header */
    char *header;          /* first header, of input header_input; NULL until it is read */
    uint32_t header_len, header_input;
    bool looked_ahead; /* the beginnings of the other inputs have been checked */

    struct shuffle {
        int *fd;          /* an open descriptor for each input; NULL: records come in order */
        uint64_t *offset; /* of each entry in the text of all inputs, and its kind (shuffle.c) */
        uint32_t *line;
        uint64_t n, cap;       /* entries */
        uint64_t passes, next; /* next: number of entries delivered in all passes */
        uint64_t key;          /* of the order of the first pass */
        uint64_t expected;     /* entries that a snapshot names; 0: none */
        bool ready;            /* the index is complete */
    } shuffle;

    struct follow follow;
    struct followed *followed; /* file in the window; NULL if there is none */
    uint64_t burst;            /* bytes read of `followed` since its turn began */

    bool opened; /* the inputs from closed_to on are open for the host */
    uint32_t closed_to;

    int failure; /* status to end with, after the records before the failure */
    char why[1024];
    uint64_t unsized;      /* bytes of inputs before this one, if the size of all is not known */
    _Atomic uint64_t done; /* bytes delivered; written by the stage's thread, read by any thread */
};

/* How the caller continues after a step. */
enum reader_step {
    STEP_ON,      /* continue at once */
    STEP_MORE,    /* read more text */
    STEP_FULL,    /* continue with an empty batch */
    STEP_REST,    /* continue with text that may still grow, once all other text is delivered */
    STEP_IDLE,    /* continue later: there is no text now */
    STEP_DONE,    /* end: all inputs are read */
    STEP_STOPPED, /* end: the run is stopping */
    STEP_FAILED   /* end: `failure` and `why` have the reason */
};

struct reader_options {
    const struct leat_strings *paths;
    const char *format; /* coding of the items of all inputs, as in struct input */
    int64_t window, max_record;
    uint32_t passes;
    enum recode_from encoding;
    struct multiline *multiline; /* NULL if each line is a record, or framing alone finds records */
    uint64_t idle_ns, quiet_ns;
    int64_t follow; /* most files to follow at a time; 0: do not follow */
};
int reader_init(struct leat_ctx *ctx, struct reader *r, struct reader_options o);
void reader_fini(struct leat_ctx *ctx, struct reader *r);

/* Sets the state that the table above gives for the event. */
void reader_move(struct reader *r, enum reader_event event);
/* Opens input r->input at its beginning. After the last input, begins the next pass. */
enum reader_step reader_begin_input(struct reader *r);
/* Closes the input that is being read, if any. */
void reader_close_input(struct reader *r);
/* Moves the undelivered text to the beginning of the window, and reads more text behind it. With
 * `wait`, waits for some time if there is no text. */
enum reader_step reader_more_text(struct leat_ctx *ctx, struct reader *r, bool wait);
/* Advances `from` by `bytes` bytes, which contain `lines` line ends. */
static inline void reader_skip(struct reader *r, size_t bytes, uint32_t lines)
{
    r->from += bytes;
    r->offset += bytes;
    r->line += lines;
}

/* Tells the host which inputs hold event time back (leat_host.open_inputs): all that are not read
 * to their ends. Returns false if the next batch must close some before it has records. */
bool reader_open_inputs(struct leat_ctx *ctx, struct reader *r);

/* Returns the name of an input for messages. */
const char *reader_name(const struct reader *r, uint32_t input);
/* Stores a failure, which is reported after the records before it are delivered. Returns
 * STEP_FAILED. */
enum reader_step reader_fail(struct reader *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports the stored failure to the host, unless the host knows it. Returns the status of the
 * failure. */
int reader_report_failure(struct leat_ctx *ctx, const struct reader *r);

/* Position of the first record that is not delivered. `head` has the first n_head bytes of the
 * input, and `tail` the n_tail bytes before byte tail_at; all are before that record. */
struct reader_location {
    uint64_t inputs; /* number of inputs */
    uint64_t behind; /* bytes of files that were read to their ends, as they were then */
    uint64_t input, pass, offset, line, tail_at;
    const uint8_t *head, *tail;
    uint64_t n_head, n_tail;
};
struct reader_location reader_locate(struct reader *r);
/* Computes the progress and stores it in r->done. */
void reader_note_done(struct reader *r);
/* Continues from a location, before the first fill. Returns LEAT_OK; LEAT_EOS if the run was
 * stopped meanwhile; or a failure reported to the host if the input is shorter or another one. */
int reader_seek(struct leat_ctx *ctx, struct reader *r, struct reader_location to);

/* Returns how many bytes of followed files are written and not delivered. Call this between two
 * fills. */
uint64_t reader_backlog(struct reader *r);
/* Write the positions of followed files to a snapshot, and continue from them (leat_stage.snapshot
 * and restore). A reader that does not follow can continue, too: it reads the files of the
 * snapshot, and newer files, to their ends. */
int reader_write_followed(struct reader *r, struct leat_writer *w);
int reader_read_followed(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         struct leat_reader *from);
/* Follows files, and continues from the position of a reader that did not follow. */
int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from);

#endif
