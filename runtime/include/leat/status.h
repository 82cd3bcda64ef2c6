/* status.h -- what calls between the host and a plugin answer, and why a record was rejected.
 *
 * Results go out through pointers; the return value is a status. 0 is fine, a positive value is
 * news, a negative one is failure. Fixed numbers: they may be appended to, never changed.
 */
#ifndef LEAT_STATUS_H
#define LEAT_STATUS_H

enum leat_status {
    LEAT_OK = 0,
    LEAT_EOS = 1,     /* source: nothing will ever follow (the batch may still hold records)      */
    LEAT_AGAIN = 2,   /* source: nothing now, ask again                                           */
    LEAT_LATER = 3,   /* negotiation: cannot be known before the input is opened                  */
    LEAT_EARG = -1,   /* wrong configuration or arguments                                         */
    LEAT_ENOMEM = -2, /* memory, or the stage's share of it, is used up                           */
    LEAT_EIO = -3,    /* a file, pipe or network failed                                           */
    LEAT_EDATA = -4,  /* the data cannot be gone on with (one bad record is no reason: reject it) */
    LEAT_ENONFINITE =
        -5,          /* a state would become non-finite                                          */
    LEAT_EABI = -6,  /* plugin and host do not fit                                               */
    LEAT_EFULL = -7, /* the batch has no room left                                               */
    LEAT_EROLLBACK =
        -8, /* what was put out since the last checkpoint was taken back: the run goes back  */
    LEAT_EFENCED = -9 /* the output belongs to another run now                                    */
};

/* Why a record was rejected. Its text for people comes with it (leat_host.reject). */
enum leat_reason {
    LEAT_R_NONE = 0,
    LEAT_R_SYNTAX,    /* the record does not follow its format           */
    LEAT_R_NUMBER,    /* a number was expected and is none               */
    LEAT_R_NONFINITE, /* a number is NaN or infinite                     */
    LEAT_R_LABEL,     /* the label is missing or none the stage can take */
    LEAT_R_QUOTE,     /* a quoted field is never closed                  */
    LEAT_R_TOO_LARGE, /* longer than max_record, or more than a batch holds */
    LEAT_R_FIELDS,    /* more or fewer fields than columns               */
    LEAT_R_INPUT,     /* the input broke off inside the record           */
    LEAT_R_LUA,       /* a Lua function raised an error                  */
    LEAT_R_LIMIT,     /* a Lua function used up its instructions         */
    LEAT_R_OTHER,
    LEAT_R_COUNT
};

#endif
