/* framing.h -- finds the end of the next record.
 *
 * The caller holds a window of text that begins at a record and grows at its end. framing_next()
 * finds that record's end or asks for more. Called again with the same record and a longer window,
 * it continues where it stopped. So a record that arrives byte by byte costs no more than one at
 * once.
 *
 *   LINES   A record ends at \n; one \r before it is not part of the record.
 *   CSV     A record ends like a line, but not inside a quoted field. A quote opens a field only as
 *           its first byte; elsewhere it is an ordinary character. Inside, two quotes mean one.
 *           After the closing quote the field continues unquoted (the splitter complains, csv.h).
 *   EVENTS  A record is a line and the lines after it, up to a line that starts the next record or
 *           up to max_record. A longer one is split into pieces of whole lines.
 *
 * A quote that is never closed would swallow all following text. So in these cases only the first
 * line is cut off, as FRAMING_QUOTE, and the next line begins a new record:
 *
 *   - no quote closes the field within max_record bytes or before the end of the input
 *   - the closing quote is in a later line and in the middle of a field: it was meant to open one
 *
 * Only one line is lost.
 */
#ifndef LEAT_CORE_TEXT_FRAMING_H
#define LEAT_CORE_TEXT_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum framing_kind { FRAMING_LINES, FRAMING_CSV, FRAMING_EVENTS };

enum framing_result {
    FRAMING_RECORD, /* *cut is the record                                                  */
    FRAMING_QUOTE,  /* *cut is a line that opens a quote and never closes it               */
    FRAMING_LONG,   /* the line is longer than max_record: skip to its \n, framing_reset() */
    FRAMING_MORE    /* the window ends inside the record                                   */
};

struct framing {
    enum framing_kind kind;
    char delimiter;
    char quote; /* '\0': none, and CSV is LINES                                    */
    bool (*starts)(void *pattern, const char *line, size_t n); /* EVENTS: true if a record starts
                                                                * here */
    void *pattern;
    size_t max_record; /* greatest length of a record without its line end                */

    /* Progress of the search, counted from the record's first byte. 0: at the start. */
    size_t at;      /* everything before it is decided                    */
    size_t opened;  /* while quoted: offset of the quote                  */
    size_t no_line; /* no line end in [at, no_line)                       */
    size_t plain;   /* no quote in [0, plain); kept from record to record */
    bool quoted;
};

struct framing_cut {
    size_t len;     /* without the line end */
    size_t used;    /* with the line end: offset of the next record */
    uint32_t lines; /* line ends in the used bytes */
};

/* Sets up framing. max_record <= SIZE_MAX - 2, because a line end must fit, too. */
void framing_init(struct framing *f, enum framing_kind kind, char delimiter, char quote,
                  size_t max_record);

/* Forgets the unfinished record: the next call is for text from another place. */
void framing_reset(struct framing *f);

/* Makes records events; call it after framing_init. `starts` is true for a line (without its end)
 * that begins a record. */
void framing_of_events(struct framing *f, bool (*starts)(void *pattern, const char *line, size_t n),
                       void *pattern);

/* For EVENTS, after FRAMING_MORE: cuts the whole lines of the window as a record, although more
 * lines may come. Returns FRAMING_MORE if there are none. */
enum framing_result framing_flush(struct framing *f, const char *p, struct framing_cut *cut);

/* Finds the record that begins at p[0]. The window has n bytes, and no more will follow if `eof`.
 * At the end of the input the last record needs no line end; n = 0 then is FRAMING_MORE. It asks
 * for more only while n < max_record + 2, so a window of that size is enough. Cost: memchr scans
 * each byte a bounded number of times over all calls (framing.c). */
enum framing_result framing_next(struct framing *f, const char *p, size_t n, bool eof,
                                 struct framing_cut *cut);

#endif
