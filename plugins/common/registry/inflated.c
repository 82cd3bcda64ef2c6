/* inflated.c -- implementation of inflated.h. ISA-L unpacks the stream and checks its sum. */
#include "inflated.h"

#include <isa-l/igzip_lib.h>

#include "framing.h"

enum { INFLATED_RECORD = 1 << 20 /* longest record if the source sets no limit */ };

struct inflated {
    struct inflate_state z;
};

uint64_t inflated_bytes(void) { return sizeof(struct inflated); }

struct inflated *inflated_new(struct leat_ctx *ctx)
{
    return ctx->host->alloc(ctx, sizeof(struct inflated));
}

void inflated_free(struct leat_ctx *ctx, struct inflated *i) { ctx->host->free(ctx, i); }

bool inflated_record(struct leat_ctx *ctx, struct inflated *i, struct leat_batch *b, uint32_t r,
                     struct leat_str *text)
{
    const struct leat_str raw = b->raw[r];
    const uint32_t max = ctx->in->max_record_bytes ? ctx->in->max_record_bytes : INFLATED_RECORD;
    struct inflate_state *z = &i->z;
    const uint32_t space = b->cap_bytes - b->n_bytes, cap = space < max ? space : max;
    isal_inflate_init(z);
    z->crc_flag = ISAL_ZLIB;
    z->next_in = (uint8_t *)b->bytes + raw.off + FRAMING_GLUE;
    z->avail_in = raw.len - FRAMING_GLUE;
    z->next_out = (uint8_t *)b->bytes + b->n_bytes;
    z->avail_out = cap;
    const int result = isal_inflate_stateless(z);
    const bool whole = result == ISAL_DECOMP_OK && z->block_state == ISAL_BLOCK_FINISH;
    if (whole && !z->avail_in) {
        *text = (struct leat_str){b->n_bytes, z->total_out};
        b->n_bytes += z->total_out;
        return true;
    }
    if (result == ISAL_OUT_OVERFLOW && cap == max)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the record has more than %u bytes when it is unpacked, the longest "
                          "record of its source",
                          (unsigned)max);
    else if (result == ISAL_OUT_OVERFLOW)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the unpacked record, because its records have "
                          "grown more than %d times: set a smaller batch_rows",
                          (int)INFLATED_COPIES);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX,
                          "the record is compressed as AWS Glue does it, and its zlib stream is %s",
                          whole                      ? "followed by other bytes"
                          : result == ISAL_END_INPUT ? "cut off"
                                                     : "damaged");
    return false;
}
