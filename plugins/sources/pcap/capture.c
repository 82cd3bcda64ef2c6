/* capture.c -- implementation of capture.h.
 *
 * libpcap knows the formats (pcap and pcapng, either byte order, micro- and nanoseconds) and reads
 * from a FILE. The FILE gets its bytes from a struct stream, which decompresses them, through a
 * struct blocks, which cuts pcapng into its sections. If the run is stopped, the stream ends a wait
 * for a pipe. */
#include "capture.h"

#include <errno.h>
#include <stdio.h>

/* Reads more bytes of the file. Waits until there are some. Returns false if the stream has failed,
 * or the run is stopped. */
static bool capture_fill(struct capture *c)
{
    size_t n = 0;
    enum stream_status s;
    do
        s = stream_read(c->ctx, &c->stream, c->bytes, sizeof c->bytes, true, &n);
    while (s == STREAM_IDLE || (s == STREAM_TEXT && !n));
    c->at = 0;
    c->end = n;
    c->ended = s == STREAM_END;
    c->stopped = s == STREAM_STOPPED;
    return s == STREAM_TEXT || s == STREAM_END;
}

/* Reads bytes of the section for the FILE: not none, because fread() treats that as the end. */
static ssize_t read_cookie(void *cookie, char *to, size_t cap)
{
    struct capture *c = cookie;
    for (;;) {
        const char *in = c->bytes + c->at;
        size_t n = c->end - c->at, k = blocks_take(&c->blocks, &in, &n, c->ended, to, cap);
        c->at = c->end - n;
        if (k || c->ended || c->blocks.place == BLOCKS_ENDED) return (ssize_t)k;
        if (n) continue;
        if (capture_fill(c)) continue;
        errno = EIO;
        return -1;
    }
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

static void capture_close_section(struct capture *c)
{
    if (c->filtering) pcap_freecode(&c->filter);
    if (c->pcap) pcap_close(c->pcap);
    c->filtering = false;
    c->pcap = NULL;
}

void capture_close(struct capture *c)
{
    capture_close_section(c);
    if (c->stream.input) stream_close(&c->stream);
}

/* Fails to open the file, which is no capture or a damaged one. If there is no memory, libpcap's
 * reason is "malloc", "not enough core" or empty, so this writes its own. */
static enum capture_status capture_give_up(struct capture *c, const char *why)
{
    bool no_memory = errno == ENOMEM;
    struct stream *st = &c->stream;
    char what[BINARY_MESSAGE];
    size_t n;
    enum capture_status s = failed(c, no_memory ? "there is not enough memory"
                                      : *why    ? why
                                                : "libpcap gives no reason");
    while (st->n_first < BINARY_BYTES &&
           stream_read(c->ctx, st, what, sizeof what, true, &n) == STREAM_TEXT)
        continue;
    const struct binary_kind *k = binary_kind(st->first, st->n_first);
    if (k && !binary_is_capture(k) && !no_memory && s == CAPTURE_FAILED)
        snprintf(c->why, sizeof c->why, "%s is no capture, but %s", st->input->name,
                 binary_message(k, st->input->name, what));
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

/* Opens a section of the file, or the whole file if it has no sections. A section without
 * interfaces has no packets: c->pcap stays NULL. */
static enum capture_status open_section(struct capture *c)
{
    static const cookie_io_functions_t calls = {.read = read_cookie};
    char why[PCAP_ERRBUF_SIZE] = "";
    errno = 0;
    FILE *f = fopencookie(c, "rb", calls);
    if (!f) return capture_give_up(c, "there is not enough memory");
    c->pcap = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, why);
    bool is_empty = c->blocks.format == BLOCKS_PCAPNG && !c->blocks.n_links &&
                    blocks_is_between(&c->blocks) && !c->stopped && !c->stream.why[0];
    if (!c->pcap) {
        enum capture_status s = is_empty ? CAPTURE_PACKET : capture_give_up(c, why);
        fclose(f);
        return s;
    }
    c->link = link_type(c->pcap);
    if (!c->text || !c->text[0]) return CAPTURE_PACKET;
    if (pcap_compile(c->pcap, &c->filter, c->text, 1, PCAP_NETMASK_UNKNOWN)) {
        snprintf(why, sizeof why, "filter \"%.80s\": %.150s", c->text, pcap_geterr(c->pcap));
        return capture_give_up(c, why);
    }
    c->filtering = true;
    return CAPTURE_PACKET;
}

enum capture_status capture_open(struct leat_ctx *ctx, struct capture *c, const struct input *input,
                                 const char *filter, char *raw)
{
    *c = (struct capture){.ctx = ctx, .text = filter};
    if (stream_open(&c->stream, input, raw) != STREAM_TEXT) {
        snprintf(c->why, sizeof c->why, "%s", c->stream.why);
        return CAPTURE_FAILED;
    }
    c->stream.may_be_binary = true;
    return open_section(c);
}

enum { NS = 1000000000 };

/* Returns the time of a packet in ns. Seconds of pcap have no sign, but libpcap gives them one. */
static int64_t time_in_file(const struct capture *c, const struct pcap_pkthdr *h)
{
    int64_t seconds = h->ts.tv_sec;
    if (c->blocks.format == BLOCKS_PCAP) seconds = (uint32_t)h->ts.tv_sec;
    bool known = !c->blocks.timeless && seconds >= 0 && seconds < INT64_MAX / NS;
    return known ? seconds * NS + h->ts.tv_usec : -1;
}

/* Sets link type and time of the packet. Fails if the filter is for another link type. */
static enum capture_status note_packet(struct capture *c, const struct pcap_pkthdr *h)
{
    const struct blocks *b = &c->blocks;
    char why[160];
    c->time = time_in_file(c, h);
    if (b->format != BLOCKS_PCAPNG) return CAPTURE_PACKET;
    if (b->interface >= b->n_links) {
        snprintf(why, sizeof why, "a packet is of interface %u, and only %u are known",
                 (unsigned)b->interface, (unsigned)b->n_links);
        return failed(c, why);
    }
    c->link = b->link[b->interface];
    if (!c->filtering || c->link == b->link[0]) return CAPTURE_PACKET;
    snprintf(why, sizeof why,
             "packets have the link types %u and %u, and a filter is for one: leave out filter",
             (unsigned)b->link[0], (unsigned)c->link);
    return failed(c, why);
}

enum capture_status capture_next(struct leat_ctx *ctx, struct capture *c,
                                 const struct pcap_pkthdr **head, const u_char **bytes)
{
    struct pcap_pkthdr *h;
    enum capture_status s = CAPTURE_PACKET;
    c->ctx = ctx;
    while (s == CAPTURE_PACKET) {
        int result = c->pcap ? pcap_next_ex(c->pcap, &h, bytes) : PCAP_ERROR_BREAK;
        if (result == PCAP_ERROR_BREAK) {
            if (c->blocks.place != BLOCKS_ENDED) return CAPTURE_END;
            capture_close_section(c);
            blocks_begin_section(&c->blocks);
            s = open_section(c);
            continue;
        }
        s = result == 1 ? note_packet(c, h) : failed(c, pcap_geterr(c->pcap));
        if (s == CAPTURE_PACKET && (!c->filtering || pcap_offline_filter(&c->filter, h, *bytes))) {
            *head = h; /* only after a match: h is gone once the file is closed */
            return CAPTURE_PACKET;
        }
        c->passed++;
    }
    return s;
}
