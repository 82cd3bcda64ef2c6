/* state_codec.h -- a stage's state as bytes: a writer into growing memory (state_writer_), and a
 * reader that trusts nothing (state_reader_).
 *
 * All numbers are little endian. Header, fields and end start at multiples of 8; zeros fill up.
 *
 *   header  8 bytes  "leatSTAT"
 *           4        format, 2
 *           4        state_version of the stage
 *           8        bytes of the whole
 *           4        number of fields
 *           4        length of the stage's name; then the name
 *   field   2        element type (enum leat_element)
 *           2        0: one number, 1: an array, 2: an array that is mostly zeros (zero_blocks.h),
 *                    3: a text, u8 without a zero among them and a zero after them
 *           4        length of its name
 *           8        number of elements; then the name; then the elements,
 *                    from a multiple of 8, those of an array from a multiple of 64
 *   end     8        XXH3 (64 bits, seed 0) of all before
 *
 * The checksum is checked before anything else but the magic, and stays the last 8 bytes in every
 * future format. It finds damage, not malice: the reader still checks lengths against the bytes
 * there are, and names against each other; the stage checks what the numbers mean.
 *
 * Bytes lent to a reader must live as long as the reader. When they are aligned to 64, only sparse
 * arrays are copied.
 */
#ifndef LEAT_HOST_STORE_STATE_CODEC_H
#define LEAT_HOST_STORE_STATE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/state.h>
#include <leat/status.h>

enum {
    STATE_FORMAT = 2,
    STATE_MAX_FIELDS = 8192,
    STATE_MAX_NAME = 63, /* bytes, of a field or stage */
    STATE_ALIGN = 64,
    STATE_MESSAGE = 256
};

/* May a field or stage be called so? Names go into messages: printable ASCII, no spaces. */
bool state_is_name(const char *p, size_t len);

struct state_writer {
    struct leat_writer base; /* what the stage is given */
    char *bytes;             /* aligned to STATE_ALIGN  */
    size_t n, cap;
    int status; /* of the first failure; from then on nothing is written */
    uint32_t n_fields;
    size_t at[STATE_MAX_FIELDS]; /* where each field starts */
    char error[STATE_MESSAGE];
};

/* LEAT_OK or LEAT_ENOMEM. Afterwards always free it. */
int state_writer_init(struct state_writer *w, const char *stage, uint32_t version);
/* The same for a zeroed writer, or one that was used before: it keeps its memory. */
int state_writer_begin(struct state_writer *w, const char *stage, uint32_t version);
/* Completes bytes[0 .. n). LEAT_OK, LEAT_ENOMEM, or LEAT_EARG: the stage wrote a field twice, too
 * many fields, or one that is not allowed (`error` says which). */
int state_writer_finish(struct state_writer *w);
void state_writer_free(struct state_writer *w);

struct stored_field {
    const char *name, *payload;
    uint32_t name_len;
    uint16_t element;
    uint8_t array, sparse, text; /* none of them: one number */
    uint64_t count;
};

struct state_reader {
    struct leat_reader base; /* what the stage is given */
    char stage[STATE_MAX_NAME + 1];
    uint32_t version;
    uint32_t n_fields, next; /* next: where the search for a name starts */
    struct stored_field field[STATE_MAX_FIELDS];
    char *whole;               /* sparse arrays with their zeros again, or NULL     */
    void *copy;                /* of bytes that are not aligned to 64, or NULL      */
    char error[STATE_MESSAGE]; /* the reason of the first failure                   */
};

/* LEAT_OK, LEAT_ENOMEM, or LEAT_EDATA: damaged, cut short, or not a state (`error` says which).
 * Afterwards always free it. */
int state_reader_init(struct state_reader *r, const void *bytes, size_t n);
/* LEAT_OK if it is a state of this stage, at most of this version, and with `exact` of just this
 * version (for a merge, which does not learn the version); else LEAT_EDATA. whose: who has this
 * version, for the message. */
int state_reader_expect(struct state_reader *r, const char *stage, uint32_t version, bool exact,
                        const char *whose);
/* Bytes of all elements, zeros of sparse arrays included. */
uint64_t state_reader_bytes(const struct state_reader *r);
void state_reader_free(struct state_reader *r);

/* "f32" of LEAT_F32. */
const char *state_element_name(uint32_t element);

/* What the last 8 bytes of a state of n bytes must be. n >= 8. */
uint64_t state_checksum(const void *bytes, size_t n);

#endif
