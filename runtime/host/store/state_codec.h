/* state_codec.h -- a stage's state as bytes: a writer, and a reader that trusts nothing.
 *
 * The writer (state_writer_) writes into growing memory. All numbers are little-endian. Header,
 * fields and end start at multiples of 8; zeros fill the gaps.
 *
 *     header  8 bytes  "leatSTAT"
 *             4        format, 2
 *             4        version of the stage's state
 *             8        total number of bytes
 *             4        number of fields
 *             4        length of the stage's name; then the name
 *     field   2        element type (enum leat_element)
 *             2        form, 0: one number, 1: an array, 2: an array that is mostly zeros
 *                      (zero_blocks.h), 3: a text, which is u8 without zeros, ended by a zero
 *             4        length of the field's name
 *             8        number of elements; then the name; then the elements, which start at a
 *                      multiple of 8, or of 64 for arrays
 *     end     8        XXH3 (64 bits, seed 0) of everything before
 *
 * The reader checks the checksum first, directly after the magic. Future formats must keep it in
 * the last 8 bytes. It detects damage, but not malice. So the reader (state_reader_) also checks
 * lengths against the available bytes, and that names are valid and differ. The stage itself
 * checks the meaning of the numbers.
 *
 * The caller's bytes must stay valid as long as the reader. If they are aligned to 64, the reader
 * copies only sparse arrays. */
#ifndef LEAT_HOST_STORE_STATE_CODEC_H
#define LEAT_HOST_STORE_STATE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/state.h>
#include <leat/status.h>

enum {
    STATE_FORMAT = 2,
    STATE_MAX_FIELDS = 8192,
    STATE_MAX_NAME = 63, /* most bytes in the name of a field or stage */
    STATE_ALIGN = 64,
    STATE_MESSAGE = 256
};

/* True if the name of a field or stage is valid. Names appear in messages, so they are printable
 * ASCII without spaces. */
bool state_is_name(const char *p, size_t len);

struct state_writer {
    struct leat_writer base; /* interface for the stage */
    char *bytes;             /* aligned to STATE_ALIGN */
    size_t n, cap;
    int status; /* first failure; after it nothing more is written */
    uint32_t n_fields;
    size_t *at; /* offset of each field */
    uint32_t cap_fields;
    char error[STATE_MESSAGE];
};

/* Starts a state of `stage`. Returns LEAT_OK or LEAT_ENOMEM. Always call state_writer_free()
 * afterwards. */
int state_writer_init(struct state_writer *w, const char *stage, uint32_t version);
/* Starts a state with a writer that is zeroed or was used before; reuses its memory. Returns a
 * status like state_writer_init(). */
int state_writer_begin(struct state_writer *w, const char *stage, uint32_t version);
/* Completes w->bytes[0 .. w->n). Returns LEAT_OK; LEAT_ENOMEM; or LEAT_EARG if the stage wrote a
 * field twice, too many fields, or an invalid field (w->error names it). */
int state_writer_finish(struct state_writer *w);
/* Gives back the memory that the complete bytes do not need. */
void state_writer_trim(struct state_writer *w);
void state_writer_free(struct state_writer *w);

struct stored_field {
    const char *name, *payload;
    uint32_t name_len;
    uint16_t element;
    uint8_t array, sparse, text; /* all 0: one number */
    uint64_t count;
};

struct state_reader {
    struct leat_reader base; /* interface for the stage */
    char stage[STATE_MAX_NAME + 1];
    uint32_t version;
    uint32_t n_fields, next; /* next: field at which the next search for a name starts */
    struct stored_field *field;
    char *whole;               /* all sparse arrays, expanded; or NULL */
    void *copy;                /* aligned copy of the caller's bytes; NULL if they are aligned */
    char error[STATE_MESSAGE]; /* reason of the first failure */
};

/* Checks all bytes. Returns LEAT_OK; LEAT_ENOMEM; or LEAT_EDATA if they are damaged, truncated or
 * not a state (r->error has the reason). Always call state_reader_free() afterwards. */
int state_reader_init(struct state_reader *r, const void *bytes, size_t n);
/* Checks that the state belongs to this stage and has at most this version; with `exact`, exactly
 * this version. (A merge needs `exact`, because it does not get the version.) `whose` names the
 * owner of the version in the message. Returns LEAT_OK or LEAT_EDATA. */
int state_reader_expect(struct state_reader *r, const char *stage, uint32_t version, bool exact,
                        const char *whose);
/* Returns the bytes of all elements, with the zeros of sparse arrays. */
uint64_t state_reader_bytes(const struct state_reader *r);
void state_reader_free(struct state_reader *r);

/* Returns the name of an element type, such as "f32" for LEAT_F32. */
const char *state_element_name(uint32_t element);

/* Returns the checksum that the last 8 of n bytes must have; n >= 8. */
uint64_t state_checksum(const void *bytes, size_t n);

#endif
