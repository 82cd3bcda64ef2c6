/* print_forecast.c -- see print_forecast.h. */
#include "print_forecast.h"

#include "host/log/json_text.h"
#include "core/text/plain_text.h"

static const char *const words[] = {[FORECAST_RESUMES] = "resumes",
                                    [FORECAST_STARTS] = "starts fresh",
                                    [FORECAST_REFUSED] = "is refused",
                                    [FORECAST_DROPPED] = "is dropped",
                                    [FORECAST_KEEPS_NOTHING] = "keeps nothing"};
static const char *const names[] = {[FORECAST_RESUMES] = "resume",
                                    [FORECAST_STARTS] = "fresh",
                                    [FORECAST_REFUSED] = "refuse",
                                    [FORECAST_DROPPED] = "drop",
                                    [FORECAST_KEEPS_NOTHING] = "nothing"};

void print_forecast(const struct forecast *f, const char *dir, FILE *out)
{
    fputc('\n', out);
    if (f->has_snapshot)
        plain_text_line(out, "state: snapshot %llu in %s", (unsigned long long)f->checkpoint, dir);
    else
        plain_text_line(out, "state: no snapshot in %s", dir);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct forecast_stage *s = &f->stage[i];
        plain_text_line(out, "  %-26s %s%s%s", s->id, words[s->outcome], s->why ? ": " : "",
                        s->why ? s->why : "");
    }
}

json_t *print_forecast_json(const struct forecast *f)
{
    json_t *stages = json_array();
    for (uint32_t i = 0; i < f->n; i++) {
        const struct forecast_stage *s = &f->stage[i];
        json_array_append_new(stages, json_pack("{s:o, s:s, s:o*}", "id", json_text(s->id),
                                                "outcome", names[s->outcome], "why",
                                                s->why ? json_text(s->why) : NULL));
    }
    json_t *snapshot = f->has_snapshot ? json_integer((json_int_t)f->checkpoint) : json_null();
    return json_pack("{s:o, s:o}", "snapshot", snapshot, "stages", stages);
}
