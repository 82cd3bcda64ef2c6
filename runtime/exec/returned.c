/* returned.c -- see returned.h. */
#include "returned.h"

#include "instance.h"
#include "run.h"

static const char *names(unsigned news)
{
    switch (news) {
    case RETURNED_EOS | RETURNED_AGAIN:
        return "LEAT_OK, LEAT_AGAIN, LEAT_EOS";
    case RETURNED_EOS:
        return "LEAT_OK, LEAT_EOS";
    default:
        return "LEAT_OK";
    }
}

int returned(struct instance *i, const char *call, int status, unsigned news)
{
    if (status <= 0 || (status <= LEAT_LATER && news & 1u << status)) return status;
    return run_fail(i->run, LEAT_EDATA,
                    "%s: %s returned %d; it may return %s or a failure below 0 (leat/status.h)",
                    i->node->label, call, status, names(news));
}
