/* blocks.h -- follows the blocks of a pcapng file while libpcap reads it.
 *
 *   section header     begins a section, which has a byte order and interfaces of its own
 *   interface          has the link type of its packets
 *   packets            enhanced, simple or old: name their interface; simple ones have no time
 *
 * libpcap refuses sections of another byte order and interfaces of another link type, and gives
 * packets without a time that of 1970. So it gets each section as a file of its own, in which all
 * interfaces have the link type of the first; struct blocks has the real ones. A pcap file passes
 * unchanged. */
#ifndef LEAT_SOURCES_PCAP_BLOCKS_H
#define LEAT_SOURCES_PCAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCKS_HEAD = 12, BLOCKS_INTERFACES = 1024 };

struct blocks {
    enum { BLOCKS_NEW, BLOCKS_PCAP, BLOCKS_PCAPNG } format;
    bool big; /* byte order of the section */
    enum {
        BLOCKS_BETWEEN, /* collects the head of a block */
        BLOCKS_ENDED,   /* the section has ended: `head` begins another one */
        BLOCKS_IN_HEAD, /* returns the head */
        BLOCKS_IN_BODY  /* returns what follows it */
    } place;
    uint8_t head[BLOCKS_HEAD]; /* first n_head bytes of a block; `given` of them are returned */
    size_t n_head, given;
    uint64_t left; /* bytes of the block behind its head that are not returned */
    uint16_t link[BLOCKS_INTERFACES];
    uint32_t n_links;   /* interfaces of the section so far */
    uint32_t interface; /* of the last packet */
    bool timeless;      /* the last packet has no time */
};

/* Copies bytes of the file to `to`, up to cap, and of pcapng those of one block at most. So a FILE
 * that buffers them never has a part of the next block. Advances *in and *n past the bytes that it
 * has taken. Returns the number of bytes copied; 0 if the section has ended, or needs more bytes.
 * With `last`, no more bytes come. */
size_t blocks_take(struct blocks *b, const char **in, size_t *n, bool last, char *to, size_t cap);
/* True if the bytes returned so far end with the end of a block. */
bool blocks_is_between(const struct blocks *b);
/* Begins the next section, after BLOCKS_ENDED. */
void blocks_begin_section(struct blocks *b);

#endif
