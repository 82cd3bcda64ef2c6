/* dead_letters.h -- rejected records with all that is kept of them: noted in their batch, gathered
 * from its copies down the branches of forks until the last copy is at its end, and written in one
 * order whatever the threads do.
 *
 *     text   | message 0 | record 0 | key 0 | headers 0 | message 1 | ...
 *            letter[0].at ^                              ^ letter[1].at
 *
 * Bytes are copied, for a branch may give its batch back, or have made another record of what
 * arrived. The memory grows to the rejected records of one batch, and is used again (rejects.c).
 * Not thread-safe: rejects.mu guards it. */
#ifndef LEAT_HOST_EXEC_REJECTS_DEAD_LETTERS_H
#define LEAT_HOST_EXEC_REJECTS_DEAD_LETTERS_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

/* Notes a rejection in the batch. Any stage's thread; the batch is its own. */
void dead_letters_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                       const char *format, va_list args);

struct dead_letter {
    uint64_t record; /* its place in the order of the input (batch_order) */
    int32_t reason;
    bool made;    /* by a stage, of others */
    bool counted; /* and no more: it has no texts */
    const struct instance *by;
    struct leat_dead_letter
        l;     /* of its texts only whether there is a key, until dead_letters_settle */
    size_t at; /* of its texts in letters.text */
};

struct dead_letters {
    struct dead_letters *next_free; /* in rejects */
    struct dead_letter *letter;
    uint32_t n, cap;
    char *text;
    size_t n_text, cap_text;
};

/* Adds what the batch has noted. LEAT_OK, or LEAT_ENOMEM, and some are added. */
int dead_letters_add(struct dead_letters *s, struct hbatch *h);
/* Nothing will be added: gives each letter its texts and puts them in order, by record, then by the
 * place of the stage in the script, then by reason, then by text. */
void dead_letters_settle(struct dead_letters *s);
void dead_letters_empty(struct dead_letters *s);
void dead_letters_free(struct dead_letters *s);

/* Returns where dead letters go, as text of the graph's arena: "bad.jsonl", "standard output",
 * "bad.jsonl and payments.dead (sink.dead_letters)"; NULL if nowhere. */
const char *dead_letters_places(const struct graph *g);

#endif
