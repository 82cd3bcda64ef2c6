/* state_codec.h -- a stage's state as bytes: a writer, and a reader that trusts nothing.
 *
 * The writer (state_writer_) writes into growing memory. All numbers are little-endian. Header,
 * fields and end start at multiples of 8; zeros fill the gaps.
 *
 *   header  8 bytes  "leatSTAT"
 *           4        format, 2
 *           4        state_version of the stage
 *           8        total number of bytes
 *           4        number of fields
 *           4        length of the stage's name; then the name
 *   field   2        element type (enum leat_element)
 *           2        0: one number, 1: an array, 2: an array that is mostly zeros (zero_blocks.h),
 *                    3: a text, u8 without a zero among them and a zero after them
 *           4        length of its name
 *           8        number of elements; then the name; then the elements,
 *                    from a multiple of 8; elements of an array from a multiple of 64
 *   end     8        XXH3 (64 bits, seed 0) of everything before
 *
 * The checksum is checked before anything else but the magic, and stays the last 8 bytes in every
 * future format. It finds damage, not malice. So the reader (state_reader_) still checks lengths
 * against the available bytes, and names against each other. The stage checks the meaning of the
 * numbers.
 *
 * Bytes lent to a reader must live as long as the reader. If they are aligned to 64, only sparse
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

/* True for a valid name of a field or stage. Names go into messages: printable ASCII, no spaces. */
bool state_is_name(const char *p, size_t len);

struct state_writer {
    struct leat_writer base; /* given to the stage     */
    char *bytes;             /* aligned to STATE_ALIGN */
    size_t n, cap;
    int status; /* of the first failure; from then on nothing is written */
    uint32_t n_fields;
    size_t at[STATE_MAX_FIELDS]; /* start of each field */
    char error[STATE_MESSAGE];
};

/* Begins a state. Returns LEAT_OK or LEAT_ENOMEM. Afterwards always free the writer. */
int state_writer_init(struct state_writer *w, const char *stage, uint32_t version);
/* Begins a state with a zeroed or used writer, whose memory is reused. Returns like
 * state_writer_init. */
int state_writer_begin(struct state_writer *w, const char *stage, uint32_t version);
/* Completes bytes[0 .. n). Returns LEAT_OK, LEAT_ENOMEM, or LEAT_EARG: the stage wrote a field
 * twice, too many fields, or an invalid one (`error` names it). */
int state_writer_finish(struct state_writer *w);
void state_writer_free(struct state_writer *w);

struct stored_field {
    const char *name, *payload;
    uint32_t name_len;
    uint16_t element;
    uint8_t array, sparse, text; /* if all are 0: one number */
    uint64_t count;
};

struct state_reader {
    struct leat_reader base; /* given to the stage */
    char stage[STATE_MAX_NAME + 1];
    uint32_t version;
    uint32_t n_fields, next; /* next: start of the search for a name */
    struct stored_field field[STATE_MAX_FIELDS];
    char *whole;               /* sparse arrays, expanded, or NULL             */
    void *copy;                /* of bytes that are not aligned to 64, or NULL */
    char error[STATE_MESSAGE]; /* reason of the first failure                  */
};

/* Checks all bytes. Returns LEAT_OK, LEAT_ENOMEM, or LEAT_EDATA: damaged, cut short, or not a state
 * (`error` gives the reason). Afterwards always free the reader. */
int state_reader_init(struct state_reader *r, const void *bytes, size_t n);
/* Returns LEAT_OK if it is a state of this stage, at most of this version; otherwise LEAT_EDATA.
 * With `exact` it must be exactly this version (for a merge, which does not get the version).
 * whose: owner of this version, for the message. */
int state_reader_expect(struct state_reader *r, const char *stage, uint32_t version, bool exact,
                        const char *whose);
/* Bytes of all elements, including zeros of sparse arrays. */
uint64_t state_reader_bytes(const struct state_reader *r);
void state_reader_free(struct state_reader *r);

/* "f32" for LEAT_F32. */
const char *state_element_name(uint32_t element);

/* Returns the correct last 8 bytes of a state of n bytes. n >= 8. */
uint64_t state_checksum(const void *bytes, size_t n);

#endif
