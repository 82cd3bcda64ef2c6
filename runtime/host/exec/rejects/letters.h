/* letters.h -- the rejections of a batch and of its copies down the branches of forks, gathered
 * until the last copy is at its end, so that they are written in one order whatever the threads do.
 *
 *     text   | message 0 | record 0 | key 0 | headers 0 | message 1 | ...
 *            letter[0].at ^                              ^ letter[1].at
 *
 * Bytes are copied, for a branch may give its batch back, or have made another record of what
 * arrived. It grows to what is rejected of one batch, and is used again (rejects.c). Not
 * thread-safe: rejects.mu guards it. */
#ifndef LEAT_HOST_EXEC_REJECTS_LETTERS_H
#define LEAT_HOST_EXEC_REJECTS_LETTERS_H

#include "host/flow/batch.h"

struct letter {
    uint64_t record; /* its place in the order of the input (batch_order) */
    int32_t reason;
    bool made;    /* by a stage, of others */
    bool counted; /* and no more: it has no texts */
    const struct instance *by;
    struct leat_dead_letter l; /* of its texts only whether there is a key, until letters_settle */
    size_t at;                 /* of its texts in letters.text */
};

struct letters {
    struct letters *next_free; /* in rejects */
    struct letter *letter;
    uint32_t n, cap;
    char *text;
    size_t n_text, cap_text;
};

/* Adds what the batch has noted. LEAT_OK, or LEAT_ENOMEM, and some are added. */
int letters_add(struct letters *s, struct hbatch *h);
/* Nothing will be added: gives each letter its texts and puts them in order, by record, then by the
 * place of the stage in the script, then by reason, then by text. */
void letters_settle(struct letters *s);
void letters_empty(struct letters *s);
void letters_free(struct letters *s);

#endif
