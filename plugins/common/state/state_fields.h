/* state_fields.h -- writes, checks and reads a state by a table of its fields.
 *
 * If a stage's state is a struct, the table declares each field once: its name in the snapshot, its
 * place in the struct, and its range. state_write() and state_read() do the rest.
 *
 *   struct sketch {
 *       uint32_t width, max_rows, rows, order;
 *       double bias;
 *       uint64_t records[2];
 *       const uint64_t *id;                                    rows
 *       const float *weight;                                   rows x width
 *       const uint32_t *count;                                 rows, or NULL: nothing is counted
 *   };
 *
 *   #define AT(member) STATE_MEMBER(struct sketch, member)
 *   static const struct state_field fields[] = {
 *       {"width", STATE_SAME, .at = AT(width)},
 *       {"order", STATE_SAME, .at = AT(order), .choices = orders},
 *       {"bias", STATE_VALUE, .at = AT(bias), .min = -1e30, .max = 1e30},
 *       {"records", STATE_INSIDE, .at = AT(records), .each = 2},
 *       {"ids", STATE_LENT, .at = AT(id), .count = {AT(rows)}, .sets_count = true,
 *        .limit = AT(max_rows)},
 *       {"weights", STATE_LENT, .at = AT(weight), .count = {AT(rows), AT(width)}},
 *       {"counts", STATE_LENT, .at = AT(count), .count = {AT(rows)}, .optional = true},
 *   };
 *   #undef AT
 *
 *   int write(struct leat_writer *w)    { return state_write(w, STATE_TABLE(fields), &live); }
 *   int read(struct leat_reader *r)
 *   {
 *       struct sketch s = live;                                a copy: nothing live is touched
 *       if (state_read(r, STATE_TABLE(fields), &s) != LEAT_OK) return LEAT_EDATA;
 *       ... build a second model from s, then let it replace the live one
 *   }
 *
 * A model of several structs has a table and a call for each struct. The names of all fields in a
 * state must differ. If a state contains several structs of the same type, state_prefix.h gives
 * their fields different names.
 *
 * If state_read() refuses a state, the message names the field, the value and the bound:
 *   width is 1024 in the saved state and 4096 here
 *   order is fifo in the saved state and random here
 *   bias is 1e+31; it must be -1e+30 to 1e+30
 *   ids has 70000 elements; there must be 0 to 65536
 *   weights[17] is nan; it must be a finite number
 *   counts has 30 elements in the saved state and 20 here
 * The model checks properties that involve several values: ids that occur twice, sums that do not
 * match.
 */
#ifndef LEAT_COMMON_STATE_STATE_FIELDS_H
#define LEAT_COMMON_STATE_STATE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "kernels/base/count.h"

/* Member of a struct: its offset, and the type (enum leat_element) of its value or elements. A bool
 * is LEAT_U8, an enum LEAT_U32. If the type is 0, there is no member. */
struct state_member {
    size_t offset;
    uint32_t type;
};

#define STATE_MEMBER(STRUCT, member)                                                               \
    {                                                                                              \
        offsetof(STRUCT, member), STATE_TYPE(((STRUCT *)0)->member)                                \
    }

/* Member whose element type STATE_TYPE cannot find, such as an array of structs. */
#define STATE_MEMBER_OF(STRUCT, member, type)                                                      \
    {                                                                                              \
        offsetof(STRUCT, member), type                                                             \
    }

/* clang-format off */
#define STATE_TYPE(x)                                                                              \
    _Generic((x),                                                                                  \
        bool:     LEAT_U8,  bool *:     LEAT_U8,  const bool *:     LEAT_U8,                       \
        uint8_t:  LEAT_U8,  uint8_t *:  LEAT_U8,  const uint8_t *:  LEAT_U8,                       \
        uint32_t: LEAT_U32, uint32_t *: LEAT_U32, const uint32_t *: LEAT_U32,                      \
        uint64_t: LEAT_U64, uint64_t *: LEAT_U64, const uint64_t *: LEAT_U64,                      \
        int64_t:  LEAT_I64, int64_t *:  LEAT_I64, const int64_t *:  LEAT_I64,                      \
        float:    LEAT_F32, float *:    LEAT_F32, const float *:    LEAT_F32,                      \
        double:   LEAT_F64, double *:   LEAT_F64, const double *:   LEAT_F64)
/* clang-format on */

enum state_role {
    /* Numbers. A snapshot stores them as u64, i64 or f64. */
    STATE_SAME,  /* parameter: must be equal in the snapshot and in the live model */
    STATE_VALUE, /* value: must be in range */
    /* Arrays. */
    STATE_INSIDE, /* array inside the struct */
    STATE_LENT,   /* pointer: set to the reader's elements, which are valid only during the call of
                   * restore or merge */
    STATE_COPIED, /* pointer: the elements are copied to the memory that it points to. Not for live
                   * models, because a refused read changes them */
};

struct state_field {
    const char *name; /* name in the snapshot; must never change */
    enum state_role role;
    struct state_member at;
    /* Range of a number or of each element. If both are 0, any finite value of the type is valid. A
     * bool needs max = 1 if it is read. */
    double min, max;
    struct state_member limit; /* member that is used in place of max */
    const char *hint; /* name of the parameter that sets the bound, for messages: "max_features" */
    const char *const *choices; /* names of the values 0, 1, ... of a number, ended by NULL */
    /* Number of elements of an array: `each` (0 counts as 1) times the numbers in `count`. If these
     * numbers are read, they must come earlier in the table. */
    uint32_t each;
    struct state_member count[2];
    /* The array may have any length up to `limit`. Reading it sets count[0] to the length. For the
     * first of several arrays of equal length, such as ids. */
    bool sets_count;
    bool optional; /* the pointer may be NULL; the array is then neither written nor read */
    /* For an array of bytes that has other numbers in it: converts them between this machine's
     * byte order and that of a snapshot. It is called before and after the array is written. Who
     * reads the bytes calls it for a copy. */
    void (*turn)(void *bytes, uint64_t n);
};

/* Expands to two arguments of a function, the table and its length; or to the initialiser of a
 * struct state_table. */
#define STATE_TABLE(fields) fields, sizeof fields / sizeof *(fields)
struct state_table {
    const struct state_field *field;
    size_t n; /* 0 if there are no fields */
};

/* Names of the values of a bool, for `choices`. */
extern const char *const state_false_true[];

/* Writes all fields of `state`. Returns LEAT_OK or LEAT_ENOMEM. */
int state_write(struct leat_writer *w, const struct state_field *field, size_t n,
                const void *state);

/* Reads the fields into `state`, which is a copy of the live state: its parameters, limits and
 * pointers are needed for the checks. Returns LEAT_OK; or LEAT_EDATA after a refusal, and `state`
 * may then be changed in part. */
int state_read(struct leat_reader *r, const struct state_field *field, size_t n, void *state);

/* ---- other checks of every restore and merge ---- */

/* Rows of the members of a struct half_life_clock (kernels/base/half_life.h). */
#define STATE_HALF_LIFE(NEWEST, LEAST, AHEAD, SEEN)                                                \
    {"event_time", STATE_VALUE, .at = NEWEST, .max = 0x1p63},                                      \
        {"event_least", STATE_VALUE, .at = LEAST, .max = 0x1p63},                                  \
        {"event_ahead", STATE_VALUE, .at = AHEAD, .max = HALF_LIFE_SURE - 1},                      \
    {                                                                                              \
        "event_first", STATE_VALUE, .at = SEEN, .max = HALF_LIFE_FIRST                             \
    }

/* Refuses a snapshot unless its version (there) is the one that this stage reads (here). */
int state_check_version(struct leat_reader *r, uint32_t there, uint32_t here);

/* Largest weight of a merge: each example of the other model counts 0 to STATE_MAX_WEIGHT times. */
#define STATE_MAX_WEIGHT 1e9
int state_check_weight(struct leat_reader *r, double weight);

#endif
