/* mirror.c -- see mirror.h. */
#include "mirror.h"

#include <stdlib.h>

#include "host/memory/memory.h"
#include "host/store/state_codec.h"

struct mirrored {
    struct visit visit; /* first */
    struct instance *from, *to;
    struct state_writer writer;
    int status;
};

struct mirror {
    struct run *run;
    uint32_t n;
    struct state_reader reader;
    struct mirrored one[];
};

static bool is_mirrored(const struct node *n)
{
    return !(n->stage->caps & LEAT_PARALLEL) && n->stage->state->snapshot &&
           n->stage->state->restore;
}

/* On the worker's thread. */
static void save(struct visit *v)
{
    struct mirrored *m = (struct mirrored *)v;
    const struct leat_stage *s = m->from->node->stage;
    bool ended = v->worker->visits_over || control_halted(&m->from->run->control);
    m->status =
        ended ? LEAT_AGAIN : state_writer_begin(&m->writer, m->from->node->name, s->state->version);
    if (m->status == LEAT_OK)
        m->status = s->state->snapshot(&m->from->ctx, m->from->self, &m->writer.base);
    if (m->status == LEAT_OK) m->status = state_writer_finish(&m->writer);
}

struct mirror *mirror_new(const struct predict_path *p, const struct run *from, struct run *apart)
{
    struct mirror *m = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        n += is_mirrored(p->step[i]);
    if (!n) return NULL;
    m = memory_take(sizeof *m + n * sizeof *m->one);
    m->run = (struct run *)from;
    m->n = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (!is_mirrored(p->step[i])) continue;
        struct mirrored *one = &m->one[m->n++];
        *one = (struct mirrored){.from = run_instance(from, p->step[i], 0),
                                 .to = run_instance(apart, p->step[i], 0)};
        one->visit = (struct visit){.worker = visits_worker(from, one->from), .call = save};
    }
    return m;
}

void mirror_free(struct mirror *m)
{
    for (uint32_t i = 0; m && i < m->n; i++)
        state_writer_free(&m->one[i].writer);
    free(m);
}

static int restore(struct state_reader *r, struct mirrored *m)
{
    const struct leat_stage *s = m->to->node->stage;
    int status = state_reader_init(r, m->writer.bytes, m->writer.n);
    if (status == LEAT_OK)
        status = s->state->restore(&m->to->ctx, m->to->self, &r->base, s->state->version);
    state_reader_free(r);
    return status;
}

int mirror_take(struct mirror *m, uint64_t until)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; m && i < m->n && status == LEAT_OK; i++) {
        struct mirrored *one = &m->one[i];
        visits_ask(m->run, &(struct visit *){&one->visit}, 1, until);
        status = one->visit.state == VISIT_DONE ? one->status : LEAT_AGAIN;
        if (status == LEAT_OK) status = restore(&m->reader, one);
    }
    return status;
}
