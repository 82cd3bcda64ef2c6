/* framing.h -- where does the next record end?
 *
 * The caller holds a window of text that begins at a record and grows at its end. framing_next()
 * finds that record's end or asks for more; asked again with the same record and a longer window it
 * continues where it stopped, so a record that arrives byte by byte costs no more than one at once.
 *
 * LINES: a record ends at \n; one \r before it is not part of the record.
 * CSV:   the same, but not inside a quoted field. A quote opens a field only as its first byte;
 *        elsewhere it is a character like any other. Inside, two quotes mean one. After the
 *        closing quote the field continues unquoted (the splitter complains, csv.h).
 * EVENTS: a record is a line and those after it up to one that starts the next record, or up to
 *        max_record: what is longer comes in pieces of whole lines.
 *
 * A quote that is never closed would swallow all that follows. So the first line alone is cut off
 * as FRAMING_QUOTE, and the next line begins a new record, when the quote is not closed within
 * max_record bytes or before the end of the input, or when the quote that closes it is in a later
 * line and in the middle of a field (then it was meant to open one). One line is lost and no more.
 */
#ifndef LEAT_CORE_TEXT_FRAMING_H
#define LEAT_CORE_TEXT_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum framing_kind { FRAMING_LINES, FRAMING_CSV, FRAMING_EVENTS };

enum framing_result {
    FRAMING_RECORD, /* *cut is the record                                                  */
    FRAMING_QUOTE,  /* *cut is a line that opens a quote which is never closed             */
    FRAMING_LONG,   /* the line is longer than max_record: skip to its \n, framing_reset() */
    FRAMING_MORE    /* the window ends inside the record                                   */
};

struct framing {
    enum framing_kind kind;
    char delimiter;
    char quote; /* '\0': none, and CSV is LINES                                    */
    bool (*starts)(void *pattern, const char *line, size_t n); /* EVENTS: a record?      */
    void *pattern;
    size_t max_record; /* a record's greatest length, without its line end                */

    /* How far the search is, counted from the record's first byte. 0: at the start. */
    size_t at;      /* everything before is decided                                  */
    size_t opened;  /* while quoted: the offset of the quote                         */
    size_t no_line; /* no line end in [at, no_line)                                  */
    size_t plain;   /* no quote in [0, plain); kept from record to record            */
    bool quoted;
};

struct framing_cut {
    size_t len;     /* without the line end */
    size_t used;    /* with it: where the next record begins */
    uint32_t lines; /* line ends in the used bytes */
};

/* max_record <= SIZE_MAX - 2: a line end must fit, too. */
void framing_init(struct framing *f, enum framing_kind kind, char delimiter, char quote,
                  size_t max_record);

/* Forget the record begun: the next call is for text from somewhere else. */
void framing_reset(struct framing *f);

/* Records are events: after framing_init. `starts` says of a line, without its end, whether a
 * record begins there. */
void framing_of_events(struct framing *f, bool (*starts)(void *pattern, const char *line, size_t n),
                       void *pattern);

/* EVENTS, after FRAMING_MORE: the whole lines that are there are a record, although more may come.
 * FRAMING_MORE: there are none. */
enum framing_result framing_flush(struct framing *f, const char *p, struct framing_cut *cut);

/* The record that begins at p[0]; n bytes are there, and no more will follow if `eof`. At the end
 * of the input the last record needs no line end; n = 0 then is FRAMING_MORE. It asks for more only
 * while n < max_record + 2, so a window of that size is enough. Cost: each byte is looked at by
 * memchr a bounded number of times over all calls (framing.c). */
enum framing_result framing_next(struct framing *f, const char *p, size_t n, bool eof,
                                 struct framing_cut *cut);

#endif
