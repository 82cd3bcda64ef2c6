/* dead_letters.h -- the texts and the order of dead letters.
 *
 * When a stage rejects a record, the rejection is noted in the batch. Forks copy the batch, and
 * each copy may have rejections. They are gathered in a struct dead_letters when a copy leaves the
 * pipeline, and written when the last copy does, in an order that does not depend on threads.
 *
 *   text   | message 0 | record 0 | key 0 | headers 0 | message 1 | ...
 *           letter[0].at ^                              ^ letter[1].at
 *
 * The texts are copied, because a branch gives its batch back before the letters are written, and a
 * stage may have changed the record. The memory grows until it has room for the rejected records of
 * one batch, and is reused (rejects.c). rejects.mu guards it. */
#ifndef LEAT_HOST_EXEC_REJECTS_DEAD_LETTERS_H
#define LEAT_HOST_EXEC_REJECTS_DEAD_LETTERS_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

/* Marks the record as rejected and notes the rejection in the batch. Called on the thread of the
 * stage that is working on the batch. */
void dead_letters_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                       const char *format, va_list args);

struct dead_letter {
    uint64_t record; /* place of the record in the order of dead letters (batch_order) */
    int32_t reason;
    bool made;    /* a stage with expand made the record            */
    bool counted; /* the rejection is only counted and has no texts */
    const struct instance *by;
    struct leat_dead_letter l; /* its texts are set by dead_letters_settle; before, `key` tells only
                                * whether there is a key */
    size_t at;                 /* offset of the letter's texts in dead_letters.text */
};

/* A rejection of a record whose batch has passed (leat_host.reject_kept). */
struct late_letter {
    struct late_letter *next; /* next in instance.late   */
    struct dead_letter x;     /* its texts are in `text` */
    char text[];              /* message, then record and more */
};

/* Copies record r with its origin to `to`, if the copy has at most `room` bytes. Returns the bytes
 * of the copy. */
size_t dead_letters_keep(struct hbatch *h, uint32_t r, void *to, size_t room);
/* Makes the rejection of a kept record, which free() frees. Returns NULL if there is no memory. */
struct late_letter *dead_letters_refuse(const void *kept, const struct instance *by, int reason,
                                        const char *format, va_list args);

struct dead_letters {
    struct dead_letters *next_free; /* next in rejects.free_letters */
    struct dead_letter *letter;
    uint32_t n, cap;
    char *text;
    size_t n_text, cap_text;
};

/* Adds the rejections that are noted in the batch. Returns LEAT_OK. Returns LEAT_ENOMEM if there is
 * no memory; some rejections may have been added even then. */
int dead_letters_add(struct dead_letters *s, struct hbatch *h);
/* Sets the texts of each letter, and sorts the letters by record, place of the stage in the script,
 * reason, and text. Call it when all rejections are added. */
void dead_letters_settle(struct dead_letters *s);
void dead_letters_empty(struct dead_letters *s);
void dead_letters_free(struct dead_letters *s);

/* Returns where dead letters are written, for messages: "bad.jsonl", "standard output", "bad.jsonl
 * and payments.dead (sink.dead_letters)"; NULL if nowhere. The text is in the graph's arena. */
const char *dead_letters_places(const struct graph *g);

#endif
