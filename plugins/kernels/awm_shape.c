/* awm_shape.c -- what an AWM-Sketch of some shape costs, and the shape for a budget; see awm.h.
 *
 * The cost model is that of the paper (section 7): four bytes for each id, weight, other value of a
 * slot, and cell. Index, padding and scratch are in awm_block_bytes.
 */
#include "plugins/kernels/awm.h"

uint32_t awm_extra(const struct awm_options *opt)
{
    return (opt->sgd.rates != SGD_SHARED) + (opt->counts ? 2u : 0u);
}

bool awm_shape_from_budget(uint64_t bytes, struct awm_shape *s)
{
    uint64_t width = s->width, active = s->active;
    if (!s->depth) s->depth = 1;
    if (!width) {
        uint64_t most = bytes / 8 / s->depth;
        for (width = 1; width * 2 <= most && width * 2 * s->depth <= AWM_MAX_CELLS;)
            width *= 2;
    }
    uint64_t sketch = 4 * width * s->depth;
    if (!active) active = bytes > sketch ? (bytes - sketch) / (8 + 4 * (uint64_t)s->extra) : 0;
    if (active > AWM_MAX_ACTIVE) active = AWM_MAX_ACTIVE;
    s->active = (uint32_t)active;
    s->width = (uint32_t)width;
    return active > 0 && s->depth <= AWM_MAX_DEPTH && width * s->depth <= AWM_MAX_CELLS;
}

uint64_t awm_charged_bytes(const struct awm_shape *s)
{
    return (uint64_t)s->active * (8 + 4 * (uint64_t)s->extra) + 4 * (uint64_t)s->width * s->depth;
}
