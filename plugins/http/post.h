/* post.h -- sends HTTP requests by libcurl, and repeats each until its answer is final. */
#ifndef LEAT_HTTP_POST_H
#define LEAT_HTTP_POST_H

#include <stdint.h>

#include <leat/plugin.h>

struct post_cfg {
    const char *url;
    struct leat_strings header; /* "Name: value"; secrets replace ${env:…} and ${file:…} */
    const char *ca;             /* file of certificates; NULL for the system's certificates */
    const char *type;           /* Content-Type, unless a header sets it */
    int64_t timeout;            /* longest time of one attempt, in ns */
    int64_t retries;            /* largest number of attempts after the first */
};

enum { POST_WHY = 300 };

/* Outcome of a request. POST_REFUSED: the server will never accept this body. */
enum post_outcome { POST_TAKEN, POST_REFUSED, POST_FAILED };

struct post;

/* Returns the version of libcurl; NULL if leat was built without it. */
const char *post_library(void);

/* Opens a client. `cfg` must outlive it. Returns LEAT_OK, or a failure reported to the host. */
int post_open(struct leat_ctx *ctx, const struct post_cfg *cfg, struct post **p);
void post_close(struct post *p);

/* Sends the body and waits for the answer. If no answer comes, or the error may be temporary, tries
 * again after a pause, up to `retries` times. Returns POST_TAKEN; POST_REFUSED with the server's
 * answer in `why`; or POST_FAILED after a report to the host. */
enum post_outcome post_send(struct post *p, const char *body, size_t n, char why[POST_WHY]);

struct post_counts {
    uint64_t requests, retries;
};
struct post_counts post_counts(const struct post *p);

#endif
