/* dead_letters.h -- the texts and the order of dead letters.
 *
 * A stage notes a rejection in the batch. Forks make copies of a batch; when the last copy is at
 * its end, the notes of all copies have been gathered. They are written in an order that does not
 * depend on threads.
 *
 *   text   | message 0 | record 0 | key 0 | headers 0 | message 1 | ...
 *           letter[0].at ^                              ^ letter[1].at
 *
 * Bytes are copied, because a branch may give its batch back, or may have changed the record. The
 * memory grows to the rejected records of one batch and is reused (rejects.c). rejects.mu guards
 * it. */
#ifndef LEAT_HOST_EXEC_REJECTS_DEAD_LETTERS_H
#define LEAT_HOST_EXEC_REJECTS_DEAD_LETTERS_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

/* Notes a rejection in the batch. Called on the thread of the stage that has the batch. */
void dead_letters_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                       const char *format, va_list args);

struct dead_letter {
    uint64_t record; /* position in the order of the input (batch_order) */
    int32_t reason;
    bool made;    /* by a stage, from other records */
    bool counted; /* only counted: no texts */
    const struct instance *by;
    struct leat_dead_letter l; /* until dead_letters_settle: no texts, `key` only NULL or not */
    size_t at;                 /* offset of its texts in letters.text */
};

struct dead_letters {
    struct dead_letters *next_free; /* in rejects */
    struct dead_letter *letter;
    uint32_t n, cap;
    char *text;
    size_t n_text, cap_text;
};

/* Adds the rejections that the batch has noted. Returns LEAT_OK; or LEAT_ENOMEM, with some
 * added. */
int dead_letters_add(struct dead_letters *s, struct hbatch *h);
/* Gives each letter its texts and sorts the letters: by record, then by the stage's place in the
 * script, then by reason, then by text. Call it when all are added. */
void dead_letters_settle(struct dead_letters *s);
void dead_letters_empty(struct dead_letters *s);
void dead_letters_free(struct dead_letters *s);

/* Returns where dead letters go, in the graph's arena: "bad.jsonl", "standard output", "bad.jsonl
 * and payments.dead (sink.dead_letters)"; NULL if nowhere. */
const char *dead_letters_places(const struct graph *g);

#endif
