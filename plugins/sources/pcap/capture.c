/* capture.c -- implementation of capture.h.
 *
 * libpcap knows the formats (pcap and pcapng, either byte order, micro- and nanoseconds) and reads
 * from a FILE. The FILE gets its bytes from a struct stream, which decompresses them. If the run is
 * stopped, the stream ends a wait for a pipe. */
#include "capture.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

/* Reads bytes for the FILE. Waits until there are some, because fread() treats zero bytes as the
 * end. */
static ssize_t read_cookie(void *cookie, char *to, size_t cap)
{
    struct capture *c = cookie;
    size_t n;
    enum stream_status s;
    do
        s = stream_read(c->ctx, &c->stream, to, cap, true, &n);
    while (s == STREAM_IDLE || (s == STREAM_TEXT && !n));
    if (s == STREAM_TEXT) return (ssize_t)n;
    c->stopped = s == STREAM_STOPPED;
    if (s == STREAM_END) return 0;
    errno = EIO;
    return -1;
}

static enum capture_status failed(struct capture *c, const char *why)
{
    if (c->stopped) return CAPTURE_STOPPED;
    /* The stream's reason is more precise than libpcap's. */
    if (c->stream.why[0])
        snprintf(c->why, sizeof c->why, "%s", c->stream.why);
    else
        snprintf(c->why, sizeof c->why, "cannot read %s: %s", c->stream.input->name, why);
    return CAPTURE_FAILED;
}

void capture_close(struct capture *c)
{
    if (c->filtering) pcap_freecode(&c->filter);
    if (c->pcap) pcap_close(c->pcap);
    if (c->stream.input) stream_close(&c->stream);
    c->filtering = false;
    c->pcap = NULL;
}

/* Fails to open the file. If there is no memory, libpcap's reason is "malloc", "not enough core" or
 * empty, so this writes its own. */
static enum capture_status capture_give_up(struct capture *c, const char *why)
{
    bool no_memory = errno == ENOMEM;
    enum capture_status s = failed(c, no_memory ? "there is not enough memory"
                                      : *why    ? why
                                                : "libpcap gives no reason");
    capture_close(c);
    return s;
}

/* Returns the LINKTYPE (the number of the link layer in files). libpcap uses the same numbers,
 * except for raw IP. */
static uint32_t link_type(const pcap_t *p)
{
    int dlt = pcap_datalink((pcap_t *)p);
    return dlt == DLT_RAW ? 101 : (uint32_t)dlt;
}

enum capture_status capture_open(struct leat_ctx *ctx, struct capture *c, const struct input *input,
                                 const char *filter, char *raw)
{
    static const cookie_io_functions_t calls = {.read = read_cookie};
    char why[PCAP_ERRBUF_SIZE] = "";
    *c = (struct capture){.ctx = ctx};
    if (stream_open(&c->stream, input, raw) != STREAM_TEXT) {
        snprintf(c->why, sizeof c->why, "%s", c->stream.why);
        return CAPTURE_FAILED;
    }
    errno = 0;
    FILE *f = fopencookie(c, "rb", calls);
    if (!f) return capture_give_up(c, "there is not enough memory");
    c->pcap = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!c->pcap) {
        enum capture_status s = capture_give_up(c, why);
        fclose(f);
        return s;
    }
    c->link = link_type(c->pcap);
    if (!filter || !filter[0]) return CAPTURE_PACKET;
    if (pcap_compile(c->pcap, &c->filter, filter, 1, PCAP_NETMASK_UNKNOWN)) {
        snprintf(why, sizeof why, "filter \"%.80s\": %.150s", filter, pcap_geterr(c->pcap));
        return capture_give_up(c, why);
    }
    c->filtering = true;
    return CAPTURE_PACKET;
}

enum capture_status capture_next(struct leat_ctx *ctx, struct capture *c,
                                 const struct pcap_pkthdr **head, const u_char **bytes)
{
    struct pcap_pkthdr *h;
    assert(c->pcap);
    c->ctx = ctx;
    for (;;) {
        int result = pcap_next_ex(c->pcap, &h, bytes);
        if (result == PCAP_ERROR_BREAK) return CAPTURE_END;
        if (result != 1) return failed(c, pcap_geterr(c->pcap));
        if (!c->filtering || pcap_offline_filter(&c->filter, h, *bytes)) {
            *head = h; /* only after a match: h is gone once the file is closed */
            return CAPTURE_PACKET;
        }
        c->passed++;
    }
}
