/* status.h -- return values of calls between host and plugin, and reasons for rejecting records.
 *
 * A function returns its results through pointers, and a status as its value. 0 means success, a
 * value above 0 is information, a value below 0 a failure. The numbers never change; new versions
 * may append some.
 */
#ifndef LEAT_STATUS_H
#define LEAT_STATUS_H

// clang-format off
enum leat_status {
    LEAT_OK = 0,
    LEAT_EOS = 1,         /* source: the input has ended (the batch may still hold records) */
    LEAT_AGAIN = 2,       /* source: no record now; call again                              */
    LEAT_LATER = 3,       /* negotiation: the schema is known only when the input is open. Source:
                           * the remaining input may still grow */
    LEAT_EARG = -1,       /* wrong configuration or arguments                                     */
    LEAT_ENOMEM = -2,     /* no memory is left, or the stage has reached its limit                */
    LEAT_EIO = -3,        /* a file, pipe or network failed                                       */
    LEAT_EDATA = -4,      /* the rest of the input is unusable (for one bad record: host->reject) */
    LEAT_ENONFINITE = -5, /* a state would become NaN or infinite                                 */
    LEAT_EABI = -6,       /* plugin and host do not fit together                                  */
    LEAT_EFULL = -7,      /* the batch is full                                                    */
    LEAT_EROLLBACK = -8,  /* the output was undone: the run must return to the last checkpoint    */
    LEAT_EFENCED = -9,    /* another run owns the output now                                      */
    LEAT_ESTUCK = -10     /* a call into a library of the stage does not return                   */
};
// clang-format on

/* Reasons for rejecting a record. leat_host.reject also takes a text for people. For other cases a
 * stage declares its own reasons (leat_stage.reasons). */
enum leat_reason {
    LEAT_R_NONE = 0,
    LEAT_R_SYNTAX,    /* the record does not follow its format                         */
    LEAT_R_NUMBER,    /* a field is not a number but should be                         */
    LEAT_R_NONFINITE, /* a number is NaN or infinite                                   */
    LEAT_R_LABEL,     /* the label is missing, or the stage does not accept it         */
    LEAT_R_QUOTE,     /* a quoted field is never closed                                */
    LEAT_R_TOO_LARGE, /* the record is longer than max_record, or too long for a batch */
    LEAT_R_FIELDS,    /* the record has more or fewer fields than there are columns    */
    LEAT_R_INPUT,     /* the input ended inside the record                             */
    LEAT_R_LUA,       /* a Lua function raised an error                                */
    LEAT_R_LIMIT,     /* a Lua function exceeded its limit of instructions             */
    LEAT_R_OTHER,
    LEAT_R_TIME,      /* a text should be a time and is not, or the time is out of range */
    LEAT_R_UNMATCHED, /* the table does not have the key that was looked up */
    LEAT_R_CRASH,     /* the stage ended an earlier run at the record: only for the host */
    LEAT_R_COUNT
};

/* Number of the stage's reason leat_stage.reasons[i]. */
#define LEAT_R_OWN(I) (LEAT_R_FIRST_OWN + (int)(I))
enum { LEAT_R_FIRST_OWN = 256, LEAT_MAX_REASONS = 256 };

#endif
