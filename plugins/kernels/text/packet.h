/* packet.h -- from the bytes of a captured packet to its addresses, protocol and ports.
 *
 * Link layers: Ethernet with any number of VLAN tags, Linux cooked (SLL, SLL2), BSD loopback and
 * null, raw IP. Then IPv4 or IPv6 with its extension headers, then the ports of TCP, UDP, UDP-Lite,
 * SCTP and DCCP. Numbers of link layers are those that capture files hold (LINKTYPE_*).
 *
 * Anybody can have sent the bytes: every length is checked before it is used, and nothing is read
 * outside [p, p + n).
 *
 * Not here: capture files (sources/pcap), text of addresses, checksums, reassembly: a fragment
 * that is not the first one has no ports.
 */
#ifndef LEAT_KERNELS_TEXT_PACKET_H
#define LEAT_KERNELS_TEXT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packet_link {
    PACKET_NULL = 0,
    PACKET_ETHERNET = 1,
    PACKET_RAW = 101,
    PACKET_LOOP = 108,
    PACKET_SLL = 113,
    PACKET_IPV4 = 228,
    PACKET_IPV6 = 229,
    PACKET_SLL2 = 276
};

enum packet_result {
    PACKET_OK = 0,
    PACKET_OTHER,    /* not wrong as far as it was read, but not IP      */
    PACKET_SHORT,    /* the packet ends inside the header named in `what` */
    PACKET_WRONG,    /* the header named in `what` contradicts itself     */
    PACKET_NO_READER /* the link layer is not known here                  */
};

struct packet {
    int version;              /* 4, 6                             */
    uint8_t src[16], dst[16]; /* 4 or 16 bytes, network order     */
    uint8_t protocol;         /* number of what IP carries        */
    bool has_ports;
    uint16_t sport, dport;
    const char *what; /* of PACKET_SHORT and PACKET_WRONG: "IPv4 header" */
};

enum packet_result packet_parse(uint32_t link, const uint8_t *p, size_t n, struct packet *out);

#endif
