/* pace.c -- see pace.h. */
#include "pace.h"

uint64_t pace_rest(struct pace *p, uint64_t now, uint64_t busy)
{
    if (!p->at) *p = (struct pace){now, busy, PACE_ADVANCE_NS};
    p->left += (int64_t)((now - p->at) / 100 * PACE_PERCENT);
    if (p->left > PACE_ADVANCE_NS) p->left = PACE_ADVANCE_NS;
    p->left -= (int64_t)(busy - p->busy);
    p->at = now;
    p->busy = busy;
    if (p->left >= 0) return 0;
    uint64_t rest = (uint64_t)-p->left / PACE_PERCENT * 100;
    return rest < PACE_REST_NS ? rest : PACE_REST_NS;
}
