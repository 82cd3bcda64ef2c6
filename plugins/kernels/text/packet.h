/* packet.h -- reads addresses, protocol and ports from the bytes of a captured packet
 *
 * Link layers: Ethernet with any number of VLAN tags, Linux cooked (SLL, SLL2), BSD loopback and
 * null, raw IP. Above them IPv4, or IPv6 with its extension headers, then the ports of TCP, UDP,
 * UDP-Lite, SCTP and DCCP. Link layers are numbered as in capture files (LINKTYPE_*).
 *
 *   example   IPv4   45 00 00 1c  00 00 00 00  40 11 00 00  0a 00 00 01  0a 00 00 02
 *             UDP    00 35 04 00  00 08 00 00
 *             from 10.0.0.1 port 53 to 10.0.0.2 port 1024, protocol 17
 *
 * The bytes may come from an attacker: every length is checked before use, and no function reads
 * outside [p, p + n).
 *
 * Out of scope: capture files (sources/pcap), text of addresses, checksums, reassembly. A fragment
 * other than the first has no ports.
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
    PACKET_OTHER,    /* valid so far, but not an IP packet                  */
    PACKET_SHORT,    /* the packet ends inside the header that `what` names */
    PACKET_WRONG,    /* the header that `what` names is inconsistent        */
    PACKET_NO_READER /* unsupported link layer                              */
};

struct packet {
    int version;              /* version of IP: 4 or 6            */
    uint8_t src[16], dst[16]; /* 4 or 16 bytes, in network order  */
    uint8_t protocol;         /* number of the protocol inside IP */
    bool has_ports;
    uint16_t sport, dport;
    const char *what; /* faulty header, such as "IPv4 header" */
};

enum packet_result packet_parse(uint32_t link, const uint8_t *p, size_t n, struct packet *out);

#endif
