/* log_limit.c -- see log_limit.h. */
#include "log_limit.h"

#include "core/mix64.h"
#include "log.h"

static const uint64_t SECOND_NS = UINT64_C(1000000000);

bool log_limit_take(struct log_limit *l, const char *id, const char *format, uint64_t now,
                    uint64_t *left_out)
{
    uint64_t place = mix64((uint64_t)(uintptr_t)id ^ mix64((uint64_t)(uintptr_t)format));
    struct log_kind *k = &l->kind[place % LOG_LIMIT_KINDS];
    if (k->id != id || k->format != format)
        *k = (struct log_kind){.id = id, .format = format, .since = now};
    if (now - k->since >= SECOND_NS) {
        k->since = now;
        k->passed = 0;
    }
    if (k->passed == LOG_BURST) {
        k->left_out++;
        return false;
    }
    k->passed++;
    *left_out = k->left_out;
    k->left_out = 0;
    return true;
}
