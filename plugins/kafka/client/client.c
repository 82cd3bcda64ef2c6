/* client.c -- see client.h. */
#include "client.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DESTROY_SECONDS = 3, NAME_MAX_BYTES = 64, TOPIC_MAX_BYTES = 249 };

/* ---- properties ---- */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions and changes of a dead_letter that make one of the other (Levenshtein). */
static size_t distance(const char *a, const char *b, size_t n)
{
    size_t row[NAME_MAX_BYTES + 1];
    if (n > NAME_MAX_BYTES) return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t changed = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = least(changed, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[n];
}

/* The known name that is most like `key`; out is empty when none is. librdkafka lists its
 * properties as a table, a line each, the name first. */
static void suggest(const char *key, char *out, size_t cap)
{
    char *text = NULL, *rest = NULL;
    size_t n, best = 1 + strlen(key) / 4;
    FILE *f = open_memstream(&text, &n);
    out[0] = 0;
    if (!f) return;
    rd_kafka_conf_properties_show(f);
    fclose(f);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t len = strcspn(line, " |"), d = distance(key, line, len);
        if (!strchr(line, '|') || d > best) continue;
        best = d - (d > 0);
        snprintf(out, cap, "%.*s", (int)len, line);
    }
    free(text);
}

bool client_set(rd_kafka_conf_t *conf, const char *key, const char *value, char *why, size_t cap)
{
    char text[400], meant[NAME_MAX_BYTES + 1];
    rd_kafka_conf_res_t s = rd_kafka_conf_set(conf, key, value, text, sizeof text);
    if (s == RD_KAFKA_CONF_OK) return true;
    if (s == RD_KAFKA_CONF_UNKNOWN) {
        suggest(key, meant, sizeof meant);
        snprintf(why, cap, "librdkafka has no property '%s'%s%s%s", key,
                 meant[0] ? ": did you mean '" : "", meant, meant[0] ? "'?" : "");
    } else {
        snprintf(why, cap, "%s=%s: %s", key, value, text);
    }
    return false;
}

static bool set_one(rd_kafka_conf_t *conf, const char *property, const char *const *ours, char *why,
                    size_t cap)
{
    char key[128];
    const char *eq = strchr(property, '=');
    if (!eq || eq == property || (size_t)(eq - property) >= sizeof key) {
        snprintf(why, cap, "'%s' is not of the form name=value", property);
        return false;
    }
    memcpy(key, property, (size_t)(eq - property));
    key[eq - property] = 0;
    for (int i = 0; ours[i]; i++)
        if (!strcmp(key, ours[i])) {
            snprintf(why, cap, "%s is set by this stage", key);
            return false;
        }
    return client_set(conf, key, eq + 1, why, cap);
}

bool client_set_all(rd_kafka_conf_t *conf, const struct leat_strings *properties,
                    const char *const *ours, char *why, size_t cap)
{
    for (uint32_t i = 0; i < properties->n; i++)
        if (!set_one(conf, properties->v[i], ours, why, cap)) return false;
    return true;
}

/* ---- topics ---- */

const char *client_topic_wrong(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = strlen(name);
    if (!n || n > TOPIC_MAX_BYTES) return "is no name of 1 to 249 bytes";
    if (!strcmp(name, ".") || !strcmp(name, "..")) return "is not a name that a topic can have";
    return strspn(name, allowed) == n ? NULL
                                      : "has characters other than letters, digits and . _ -";
}

/* ---- the end ---- */

struct parting {
    pthread_mutex_t mu;
    pthread_cond_t over;
    rd_kafka_t *rk;
    int flags;
    bool done, left; /* left: nobody waits any more, the thread frees this */
};

static void *destroy(void *arg)
{
    struct parting *p = arg;
    rd_kafka_destroy_flags(p->rk, p->flags);
    pthread_mutex_lock(&p->mu);
    p->done = true;
    bool left = p->left;
    pthread_cond_signal(&p->over);
    pthread_mutex_unlock(&p->mu);
    if (left) free(p);
    return NULL;
}

static bool wait_for(struct parting *p)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += DESTROY_SECONDS;
    pthread_mutex_lock(&p->mu);
    while (!p->done && pthread_cond_timedwait(&p->over, &p->mu, &until) != ETIMEDOUT) {
    }
    p->left = !p->done;
    pthread_mutex_unlock(&p->mu);
    return !p->left;
}

bool client_destroy(rd_kafka_t *rk, int flags)
{
    pthread_t thread;
    struct parting *p = calloc(1, sizeof *p);
    if (!p) return false;
    *p = (struct parting){.rk = rk, .flags = flags};
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->over, NULL);
    if (pthread_create(&thread, NULL, destroy, p)) {
        free(p);
        return false;
    }
    if (!wait_for(p)) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    free(p);
    return true;
}
