/* fuzz_pcap.c -- any bytes as a capture, plain or compressed.
 *
 * A file and a pipe give the same packets and the same end. Every byte of a packet can be read.
 *
 * sources: plugins/common/inputs/{stream,decoder,gzip,lz4,xz,binary,avro_lines,arrow_lines}.c
 * plugins/common/inputs/{item_lines,parquet_lines,grown,line_out,unpack}.c
 * plugins/kernels/items/{item,item_json}.c plugins/kernels/arrow/{arrow_schema,arrow_json}.c
 * plugins/kernels/avro/{avro,avro_schema,avro_fingerprint,value_text}.c
 * runtime/core/report/text_out.c
 * plugins/kernels/text/{packet,encoding}.c plugins/sources/pcap/blocks.c
 * -lpcap -ljansson
 * -lisal -lbz2 -llzma -lzstd -llz4
 */
#include <sys/mman.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzz.h"
#include "kernels/text/packet.h"
#include "sources/pcap/capture.c"

enum { MAX_BYTES = 4096, MAX_PACKETS = 2000 };

struct outcome {
    enum capture_status opened, ended;
    uint64_t packets, hash;
};

static int never;
static int stop_fd(struct leat_ctx *ctx) { return never; }
static int stopping(struct leat_ctx *ctx) { return 0; }
static const struct leat_host host = {.stop_fd = stop_fd, .stopping = stopping};

static void take(struct capture *c, struct outcome *o)
{
    const struct pcap_pkthdr *head;
    const u_char *bytes;
    struct leat_ctx ctx = {.host = &host};
    while (o->packets < MAX_PACKETS &&
           (o->ended = capture_next(&ctx, c, &head, &bytes)) == CAPTURE_PACKET) {
        struct packet p = {0};
        o->hash = XXH3_64bits_withSeed(bytes, head->caplen, o->hash);
        uint8_t *exact = exactly(bytes, head->caplen);
        (void)packet_parse(c->link, exact, head->caplen, &p);
        free(exact);
        o->packets++;
    }
}

static struct outcome read_all(const char *path)
{
    static char raw[STREAM_RAW_BYTES];
    struct input in = {.path = path, .name = "capture", .window = 1 << 20};
    struct leat_ctx ctx = {.host = &host};
    struct capture c;
    struct outcome o = {.opened = capture_open(&ctx, &c, &in, NULL, raw)};
    if (o.opened != CAPTURE_PACKET) {
        must(c.why[0] != 0);
        return o;
    }
    take(&c, &o);
    must(o.ended != CAPTURE_FAILED || c.why[0] != 0);
    capture_close(&c);
    return o;
}

static struct outcome read_fd(int fd)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct outcome o = read_all(path);
    close(fd);
    return o;
}

static int as_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("capture", 0);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    return fd;
}

/* Returns a pipe with the bytes. A pipe holds this much without a reader. */
static int as_pipe(const uint8_t *data, size_t size)
{
    int end[2];
    must(!pipe(end) && write(end[1], data, size) == (ssize_t)size);
    close(end[1]);
    return end[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int end[2];
    if (!never) {
        must(!pipe(end));
        never = end[0];
    }
    if (!size || size > MAX_BYTES) return 0;
    struct outcome a = read_fd(as_file(data, size)), b = read_fd(as_pipe(data, size));
    must(a.opened == b.opened && a.ended == b.ended && a.packets == b.packets && a.hash == b.hash);
    return 0;
}
