/* capture.h -- reads a capture file packet by packet. */
#ifndef LEAT_SOURCES_PCAP_CAPTURE_H
#define LEAT_SOURCES_PCAP_CAPTURE_H

#include <pcap/pcap.h>

#include "blocks.h"
#include "common/inputs/stream.h"

enum { CAPTURE_BYTES = 8 << 10 };

enum capture_status {
    CAPTURE_PACKET,
    CAPTURE_END,
    CAPTURE_STOPPED, /* the run is stopping */
    CAPTURE_FAILED   /* reason in `why`; the packets before are valid */
};

struct capture {
    struct stream stream; /* decompressed bytes of the file */
    struct leat_ctx *ctx; /* context of the present call */
    struct blocks blocks;
    char bytes[CAPTURE_BYTES]; /* the part [at, end) is read and not given to libpcap */
    size_t at, end;
    bool ended;       /* the stream has ended */
    pcap_t *pcap;     /* reads a section through a FILE, and closes it; NULL between sections */
    const char *text; /* of the filter, or NULL */
    struct bpf_program filter;
    bool filtering;
    bool stopped;
    uint32_t link;   /* LINKTYPE of the last packet */
    int64_t time;    /* of the last packet, in ns since 1970; -1 if it has none */
    uint64_t passed; /* packets that the filter did not match */
    char why[PCAP_ERRBUF_SIZE + 512 + BINARY_MESSAGE];
};

/* Opens `input` and reads its header. filter: BPF text, or NULL. raw: buffer of STREAM_RAW_BYTES.
 * Returns CAPTURE_PACKET if the file can be read; otherwise there is nothing to close. */
enum capture_status capture_open(struct leat_ctx *ctx, struct capture *c, const struct input *input,
                                 const char *filter, char *raw);
/* Reads the next packet that matches the filter. *head and *bytes are valid until the next call. */
enum capture_status capture_next(struct leat_ctx *ctx, struct capture *c,
                                 const struct pcap_pkthdr **head, const u_char **bytes);
void capture_close(struct capture *c);

#endif
