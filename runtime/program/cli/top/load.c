/* load.c -- see load.h. */
#include "load.h"

#include <math.h>
#include <string.h>

#include "program/page/fields.h"

struct times {
    double busy, starved, blocked;
};

static double number_or_0(double x) { return x > 0 ? x : 0; }

/* What a member has grown by. */
static double grown(const json_t *now, const json_t *before, const char *key)
{
    return number_or_0(field_number(now, key) - number_or_0(field_number(before, key)));
}

static struct times times_of(const json_t *thread, const json_t *before)
{
    return (struct times){grown(thread, before, "busy"), grown(thread, before, "starved"),
                          grown(thread, before, "blocked")};
}

static double sum(struct times t) { return t.busy + t.starved + t.blocked; }

/* The i-th element of an array of numbers. */
static double element(const json_t *thread, const char *key, size_t i)
{
    return number_or_0(json_number_value(json_array_get(field(thread, key), i)));
}

static double stage_grown(const json_t *now, const json_t *before, size_t i)
{
    return number_or_0(element(now, "stages_busy", i) - element(before, "stages_busy", i));
}

static const char *stage_name(const json_t *thread, size_t i)
{
    const char *id = json_string_value(json_array_get(field(thread, "stages"), i));
    return id ? id : "";
}

struct load load_of_stage(const json_t *status, const json_t *before, const char *id)
{
    const json_t *threads = field(status, "threads");
    struct times all = {0, 0, 0};
    double own = 0;
    for (size_t k = 0; k < json_array_size(threads); k++) {
        const json_t *now = json_array_get(threads, k),
                     *old = json_array_get(field(before, "threads"), k);
        for (size_t i = 0; i < json_array_size(field(now, "stages")); i++) {
            if (strcmp(stage_name(now, i), id)) continue;
            struct times t = times_of(now, old);
            all =
                (struct times){all.busy + t.busy, all.starved + t.starved, all.blocked + t.blocked};
            own += stage_grown(now, old, i);
        }
    }
    double whole = sum(all) > 0 ? sum(all) : (double)NAN;
    return (struct load){own / whole, all.starved / whole, all.blocked / whole};
}

const char *load_bottleneck(const json_t *status, const json_t *before, double *share)
{
    const json_t *threads = field(status, "threads"), *most = NULL, *most_before = NULL;
    *share = 0.5;
    for (size_t k = 0; k < json_array_size(threads); k++) {
        const json_t *now = json_array_get(threads, k),
                     *old = json_array_get(field(before, "threads"), k);
        struct times t = times_of(now, old);
        if (!(sum(t) > 0) || t.busy / sum(t) <= *share) continue;
        *share = t.busy / sum(t);
        most = now, most_before = old;
    }
    size_t stage = 0;
    for (size_t i = 1; i < json_array_size(field(most, "stages")); i++)
        if (stage_grown(most, most_before, i) > stage_grown(most, most_before, stage)) stage = i;
    return most ? stage_name(most, stage) : NULL;
}

double load_seconds(const json_t *status, const json_t *before)
{
    double now = field_number(status, "seconds");
    return before ? now - field_number(before, "seconds") : now;
}

static const json_t *stage_of(const json_t *status, const char *id)
{
    const json_t *stages = field(status, "stages");
    for (size_t k = 0; k < json_array_size(stages); k++)
        if (!strcmp(field_text(json_array_get(stages, k), "id"), id))
            return json_array_get(stages, k);
    return NULL;
}

/* Counts of stages include those of the runs before. */
double load_stage_rate(const json_t *status, const json_t *before, const char *id)
{
    double seconds = load_seconds(status, before);
    double in = field_number(stage_of(status, id), "in");
    bool continued = !before && field_number(status, "records_before") > 0;
    if (!(seconds > 0) || continued) return (double)NAN;
    return (before ? in - field_number(stage_of(before, id), "in") : in) / seconds;
}

double load_rate(const json_t *status, const json_t *before)
{
    double seconds = load_seconds(status, before), records = field_number(status, "records");
    double from = before ? field_number(before, "records") : field_number(status, "records_before");
    return seconds > 0 ? (records - from) / seconds : (double)NAN;
}
