/* waiting.c -- implementation of waiting.h. */
#include "waiting.h"

#include <microhttpd.h>
#include <string.h>

#include "core/time/clock.h"
#include "core/time/steady_cond.h"

/* Returns how long pages must not be made, in ns. Call it with mu held. */
static uint64_t waiting_rest(struct waiting *w) { return pace_rest(&w->pace, clock_ns(), w->busy); }

/* Resumes the first connection. Call it with mu held. */
static void resume_first(struct waiting *w)
{
    struct MHD_Connection *first = w->queue[0];
    memmove(w->queue, w->queue + 1, --w->n * sizeof *w->queue);
    MHD_resume_connection(first);
}

static void *waiting_main(void *arg)
{
    struct waiting *w = arg;
    pthread_setname_np(pthread_self(), "http pace");
    pthread_mutex_lock(&w->mu);
    while (!w->ends) {
        uint64_t rest = w->n && !w->granted ? waiting_rest(w) : UINT64_MAX;
        if (rest) {
            uint64_t until = rest == UINT64_MAX ? rest : clock_ns() + rest;
            steady_cond_wait(&w->changed, &w->mu, until);
            continue;
        }
        w->granted = true;
        resume_first(w);
    }
    while (w->n)
        resume_first(w);
    pthread_mutex_unlock(&w->mu);
    return NULL;
}

bool waiting_start(struct waiting *w)
{
    *w = (struct waiting){.n = 0};
    pthread_mutex_init(&w->mu, NULL);
    steady_cond_init(&w->changed);
    if (!pthread_create(&w->thread, NULL, waiting_main, w)) return true;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mu);
    return false;
}

void waiting_stop(struct waiting *w)
{
    pthread_mutex_lock(&w->mu);
    w->ends = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mu);
    pthread_join(w->thread, NULL);
}

bool waiting_turn(struct waiting *w, struct MHD_Connection *from, bool *waits)
{
    pthread_mutex_lock(&w->mu);
    bool now = *waits || w->ends || (!w->n && !w->granted && !waiting_rest(w));
    if (!now && w->n < CONNECTIONS_MAX) {
        *waits = true;
        MHD_suspend_connection(from);
        w->queue[w->n++] = from;
        pthread_cond_signal(&w->changed);
    } else {
        now = true;
    }
    pthread_mutex_unlock(&w->mu);
    return now;
}

void waiting_spent(struct waiting *w, uint64_t ns, bool waited)
{
    pthread_mutex_lock(&w->mu);
    w->busy += ns;
    waiting_rest(w);
    if (waited) w->granted = false;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mu);
}
