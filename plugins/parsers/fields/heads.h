/* heads.h -- the heads of log files that name their fields: those of Zeek, and of W3C (IIS,
 * CloudFront).
 *
 *   #separator \x09                              Zeek: the names stand between separators
 *   #fields	ts	uid	id.orig_h	proto
 *   #types	time	string	addr	enum
 *
 *   #Fields: date time c-ip cs(User-Agent)       W3C: the names stand between blanks
 *
 * A head holds until the next one of the same input. Inputs may be read in turn, so each has its
 * own head. The heads of the 256 inputs that were used last are kept. */
#ifndef LEAT_PARSERS_FIELDS_HEADS_H
#define LEAT_PARSERS_FIELDS_HEADS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HEADS_MAX = 256,
    HEAD_FIELDS = 4096, /* most fields of a row */
    HEAD_MARK = 16,     /* bytes of a text that means no value, with its NUL */
};

/* Where a column is. FIELD_MASK has the number of the field. */
enum {
    FIELD_MASK = 0xffff,
    FIELD_NONE = FIELD_MASK,
    FIELD_JOINED = FIELD_MASK - 1, /* "datetime": the fields date and time */
    FIELD_IS_SET = 1 << 16,        /* Zeek: elements between separators */
    FIELD_HAS_PLUS = 1 << 17       /* IIS: a header of HTTP, with + for a blank */
};

struct head {
    uint32_t input, is_w3c;
    uint32_t fields; /* number of fields of a row; 0: not named yet */
    uint32_t date, time;
    char separator, set_separator;           /* of Zeek */
    char unset[HEAD_MARK], empty[HEAD_MARK]; /* of Zeek; of W3C "-" and nothing */
    uint64_t turn;
    uint32_t *at; /* of each column */
};

struct heads {
    const char *const *name; /* of each column */
    uint32_t n_columns, n;
    uint64_t turn;
    struct head head[HEADS_MAX];
};

/* Returns the bytes of memory that `at` of all heads takes. */
uint64_t heads_bytes(uint32_t n_columns);
/* Makes empty heads. `at` has heads_bytes() bytes. */
void heads_init(struct heads *, const char *const *name, uint32_t n_columns, uint32_t *at);

/* Returns the head of an input; NULL if there is none. */
struct head *heads_find(struct heads *, uint32_t input);
/* Returns the head of an input, or a new one, which may replace the one unused for longest. */
struct head *heads_begin(struct heads *, uint32_t input);

/* Function that takes a name of a head. */
typedef void heads_note(void *to, const char *name, uint32_t n);
/* Takes a line that begins with #. Gives each name of a line of names to `note`. Returns NULL, or
 * what is wrong with the line. */
const char *head_take(const struct heads *, struct head *, const char *line, uint32_t n,
                      heads_note *note, void *to);

/* Writes text[0, n) without its escapes \xNN and \\, in at most n bytes. Returns the length. An
 * escaped byte `keep` stays escaped. */
uint32_t head_unescape(const char *text, uint32_t n, char keep, char *to);

#endif
