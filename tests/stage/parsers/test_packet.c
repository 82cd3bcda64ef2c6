/* test_packet.c -- parse.packet on packets made by hand: whole, cut off and wrong.
 *
 * It also tests label.constant and learn.paired_count_min in the harness. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/text/packet.h"
#include "support/expect.h"
#include "support/harness.h"

/* ---- packets ---- */

struct bytes {
    uint32_t n;
    uint8_t at[256];
};

/* Appends hexadecimal digits; ignores blanks. */
static void hex(struct bytes *b, const char *text)
{
    for (unsigned v; *text; text++) {
        if (*text == ' ') continue;
        ck_assert_int_eq(sscanf(text++, "%2x", &v), 1);
        b->at[b->n++] = (uint8_t)v;
    }
}

#define LINK(N) "000000" N
#define MACS    "0a0000000001 0a0000000002 "
#define IPV4(LEN, FRAGMENT, PROTO)                                                                 \
    "4500 00" LEN " 0001 " FRAGMENT " 40" PROTO                                                    \
    " 0000 0a2f0198 d9679b50 " /* 10.47.1.152 217.103.155.80 */
#define V4 IPV4("28", "4000", "06")
#define IPV6(NEXT)                                                                                 \
    "60000000 0024 " NEXT "40 20010db8000100020000000000000001 fe8000000000000000000000000000ff "
#define PORTS "c19a 0050 "
#define TCP   PORTS "00000000 00000000 5000 0000 0000 0000 "

static struct harness *parser(void)
{
    struct harness *h = harness_new("parsers", "parse.packet");
    harness_has(h, LEAT_HAS_RECORDS);
    return h;
}

static uint32_t add(struct harness *h, const struct bytes *p, uint32_t n)
{
    char space[257];
    memset(space, 'x', sizeof space);
    space[n] = 0;
    uint32_t r = harness_record(h, space);
    memcpy(h->b.bytes + h->b.raw[r].off, p->at, n);
    return r;
}

static uint32_t add_hex(struct harness *h, const char *text)
{
    struct bytes p = {0};
    hex(&p, text);
    return add(h, &p, p.n);
}

/* Returns all cells of a record with blanks between them; "-" for a missing value. */
static const char *row(const struct harness *h, uint32_t r)
{
    static char out[512];
    ck_assert_msg(h->b.status[r] == LEAT_ROW_OK, "%u was not taken", r);
    size_t n = 0;
    for (uint32_t c = 0; c < h->out.n_columns; c++) {
        struct leat_str s = h->b.column[c].text[r];
        bool none = s.len == LEAT_NULL;
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s", c ? " " : "",
                              none ? 1 : (int)s.len, none ? "-" : leat_text(&h->b, s));
    }
    return out;
}

#define V4_NETS                                                                                    \
    " 10.0.0.0/8 10.47.0.0/16 10.47.1.0/24 217.0.0.0/8 217.103.0.0/16 "                            \
    "217.103.155.0/24"
#define V4_TEXT      "10.47.1.152 217.103.155.80 49562 80 tcp" V4_NETS
#define V6_ADDRESSES "2001:db8:1:2::1 fe80::ff "
#define V6_NETS                                                                                    \
    " 2001:db8::/32 2001:db8:1::/48 2001:db8:1:2::/64 fe80::/32 fe80::/48 "                        \
    "fe80::/64"

START_TEST(every_link_layer_leads_to_the_same_columns)
{
    static const char *const links[] = {
        LINK("01") MACS "0800 ",
        LINK("01") MACS "8100 0005 0800 ",
        LINK("01") MACS "88a8 0005 8100 0006 0800 ",
        LINK("71") "0000 0001 0006 0a00000000010000 0800 ",
        "00000114"
        "0800 0000 00000001 0001 00 06 0a00000000010000 ",
        LINK("65"),
        LINK("e4"),
        LINK("00") "02000000 ",
        LINK("00") "00000002 ",
        LINK("6c") "00000002 ",
    };
    struct harness *h = parser();
    ck_assert_msg(harness_open(h, 32) == LEAT_OK, "%s", h->said);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        struct bytes p = {0};
        hex(&p, links[i]);
        hex(&p, V4 TCP);
        add(h, &p, p.n);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t r = 0; r < h->b.n; r++)
        ck_assert_msg(!strcmp(row(h, r), V4_TEXT), "%u: %s", r, row(h, r));
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_free(h);
}
END_TEST

START_TEST(extension_headers_of_ipv6_are_stepped_over)
{
    struct harness *h = parser();
    ck_assert_int_eq(harness_open(h, 32), LEAT_OK);
    add_hex(h, LINK("01") MACS "86dd " IPV6("11") PORTS "0008 0000");
    add_hex(h, LINK("e5") IPV6("00") "3c00 000000000000 1100 000000000000 " PORTS);
    add_hex(h, LINK("65") IPV6("2c") "1100 0001 00000001 " PORTS); /* the first fragment */
    add_hex(h, LINK("65") IPV6("2c") "1100 00a1 00000001 " PORTS); /* a later one */
    add_hex(h, LINK("65") IPV6("3a") "8000 0000 0000 0000");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t r = 0; r < 3; r++)
        ck_assert_str_eq(row(h, r), V6_ADDRESSES "49562 80 udp" V6_NETS);
    ck_assert_str_eq(row(h, 3), V6_ADDRESSES "- - udp" V6_NETS);
    ck_assert_str_eq(row(h, 4), V6_ADDRESSES "- - icmp6" V6_NETS);
    harness_free(h);
}
END_TEST

START_TEST(only_first_fragments_have_ports)
{
    struct harness *h = parser();
    harness_set(h, "prefixes", "false");
    ck_assert_int_eq(harness_open(h, 32), LEAT_OK);
    ck_assert_uint_eq(h->out.n_columns, 5);
    add_hex(h, LINK("65") IPV4("1c", "2000", "11") PORTS "0008 0000");
    add_hex(h, LINK("65") IPV4("1c", "20b9", "11") PORTS "0008 0000");
    add_hex(h, LINK("65") IPV4("1c", "0000", "01") "0800 0000 0000 0000");
    add_hex(h, LINK("65") IPV4("14", "0000", "fd"));
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(row(h, 0), "10.47.1.152 217.103.155.80 49562 80 udp");
    ck_assert_str_eq(row(h, 1), "10.47.1.152 217.103.155.80 - - udp");
    ck_assert_str_eq(row(h, 2), "10.47.1.152 217.103.155.80 - - icmp");
    ck_assert_str_eq(row(h, 3), "10.47.1.152 217.103.155.80 - - 253");
    harness_free(h);
}
END_TEST

START_TEST(what_is_no_ip_is_filtered)
{
    struct harness *h = parser();
    ck_assert_int_eq(harness_open(h, 32), LEAT_OK);
    add_hex(h, LINK("01") MACS "0806 0001 0800"); /* ARP */
    add_hex(h, LINK("01") MACS "0026 4242 0300"); /* spanning tree */
    add_hex(h, LINK("00") "07000000 00");         /* another family */
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 0);
    harness_free(h);
}
END_TEST

static void refused(const char *packet, const char *text)
{
    struct harness *h = parser();
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    add_hex(h, packet);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    const struct harness_rejection *x = harness_rejected(h, 0);
    ck_assert_msg(x != NULL, "%s was taken", packet);
    ck_assert_int_eq(x->reason, LEAT_R_SYNTAX);
    ck_assert_str_eq(x->text, text);
    harness_free(h);
}

START_TEST(malformed_packets_are_rejected_with_what_is_wrong)
{
    refused("0000", "the record has only 2 bytes, too few for the link type that begins a "
                    "packet of source.pcap");
    refused(LINK("01"), "the packet's 0 bytes end inside the Ethernet header");
    refused(LINK("01") MACS "8100 00", "the packet's 15 bytes end inside the VLAN tag");
    refused(LINK("01") MACS "0800 4500", "the packet's 16 bytes end inside the IPv4 header");
    refused(LINK("01") MACS "0800 " IPV4("28", "4000", "06") "c1",
            "the packet's 35 bytes end inside the ports");
    refused(LINK("65") IPV4("16", "4000", "06") PORTS,
            "the packet's 24 bytes end inside the ports");
    refused(LINK("65") "44"
                       "00 0028 0001 4000 4006 0000 0a2f0198 d9679b50",
            "the IPv4 header is malformed"); /* four words long */
    refused(LINK("65") "45"
                       "00 0013 0001 4000 4006 0000 0a2f0198 d9679b50",
            "the IPv4 header is malformed"); /* shorter than its header */
    refused(LINK("65") "4f"
                       "00 0048 0001 4000 4006 0000 0a2f0198 d9679b50",
            "the packet's 20 bytes end inside the IPv4 header"); /* options are missing */
    refused(LINK("65") "15", "the IP header is malformed");
    refused(LINK("e5") V4, "the packet's 20 bytes end inside the IPv6 header");
    refused(LINK("65") IPV6("00") "06ff 000000000000 ",
            "the packet's 48 bytes end inside the IPv6 extension header");
    refused("00000093" V4, "link type 147 is not supported");
}
END_TEST

START_TEST(cut_anywhere_a_packet_is_whole_or_rejected)
{
    static const char *const whole[] = {
        LINK("01") MACS "8100 0005 0800 " V4 TCP,
        LINK("01") MACS "86dd " IPV6("00") "3c00 000000000000 0600 000000000000 " TCP,
    };
    for (int i = 0; i < 2; i++) {
        struct harness *h = parser();
        struct bytes p = {0};
        hex(&p, whole[i]);
        ck_assert_int_eq(harness_open(h, 256), LEAT_OK);
        for (uint32_t n = 0; n <= p.n; n++)
            add(h, &p, n);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        uint32_t headers = p.n - 16; /* up to and including the ports */
        ck_assert_uint_eq(h->b.n_sel, p.n - headers + 1);
        ck_assert_uint_eq(h->n_rejections, headers);
        harness_free(h);
    }
}
END_TEST

START_TEST(no_bytes_make_it_read_outside)
{
    static const uint32_t links[] = {0, 1, 101, 108, 113, 228, 229, 276, 9999};
    uint64_t s = 5;
    for (int t = 0; t < 200000; t++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        size_t n = s >> 58;
        uint8_t *p = malloc(n ? n : 1); /* exact size, so that a sanitizer sees the end */
        for (size_t i = 0; i < n; i++)
            p[i] = (uint8_t)((s >> (i % 29)) * 0x9e3779b97f4a7c15u >> 56);
        uint32_t link = links[t % 9];
        if (n > 14 && link == 1) memcpy(p + 12, t & 1 ? "\x08\x00" : "\x86\xdd", 2);
        size_t ip = link == 1 ? 14 : 0;
        if (n > ip) p[ip] = t & 1 ? (uint8_t)(0x40 | (p[ip] & 15)) : 0x60;
        struct packet out;
        enum packet_result r = packet_parse(link, p, n, &out);
        if (r == PACKET_OK) ck_assert(out.version == 4 || out.version == 6);
        if (r == PACKET_SHORT || r == PACKET_WRONG) ck_assert_ptr_nonnull(out.what);
        free(p);
    }
}
END_TEST

START_TEST(the_longest_texts_fit_into_the_room_that_was_declared)
{
    struct harness *h = parser();
    enum { ROWS = 40 };
    ck_assert_int_eq(harness_open(h, ROWS), LEAT_OK);
    for (int r = 0; r < ROWS; r++)
        add_hex(h, LINK("65") "60000000 0004 8840 11112222333344445555666677778888 "
                              "aaaabbbbccccddddeeeeffff11112222 ffff fffe");
    h->b.cap_bytes = h->b.n_bytes + ROWS * h->out.added_bytes_per_record;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_str_eq(
        row(h, ROWS - 1),
        "1111:2222:3333:4444:5555:6666:7777:8888 aaaa:bbbb:cccc:dddd:eeee:ffff:1111:2222 "
        "65535 65534 udplite 1111:2222::/32 1111:2222:3333::/48 "
        "1111:2222:3333:4444::/64 aaaa:bbbb::/32 aaaa:bbbb:cccc::/48 "
        "aaaa:bbbb:cccc:dddd::/64");
    harness_free(h);
}
END_TEST

/* ---- label.constant ---- */

START_TEST(a_constant_labels_every_record)
{
    struct harness *h = harness_new("labels", "label.constant");
    harness_has(h, LEAT_HAS_RECORDS);
    harness_set(h, "value", "-1");
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    for (int r = 0; r < 3; r++)
        harness_record(h, "x");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (int r = 0; r < 3; r++)
        ck_assert_float_eq(h->b.label[r], -1);
    harness_free(h);
}
END_TEST

START_TEST(a_second_label_is_refused)
{
    struct harness *h = harness_new("labels", "label.constant");
    harness_has(h, LEAT_HAS_RECORDS | LEAT_HAS_LABEL);
    harness_set(h, "value", "1");
    ck_assert_int_eq(harness_negotiate(h), 1);
    harness_free(h);
}
END_TEST

/* ---- learn.paired_count_min ---- */

static struct harness *learner(void)
{
    struct harness *h = harness_new("learners_counting", "learn.paired_count_min");
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 2;
    return h;
}

START_TEST(the_top_tells_ratio_and_counts)
{
    struct harness *h = learner();
    ck_assert_int_eq(harness_open(h, 100), LEAT_OK);
    for (int t = 0; t < 100; t++)
        harness_example(h, harness_record(h, "x"), t % 2 ? 1 : -1,
                        t % 2    ? "1:1 7:1"
                        : t % 10 ? "1:1 8:1"
                                 : "1:1 7:1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 10, 0);
    ck_assert_uint_eq(a->n_rows, 3);
    ck_assert_uint_eq(a->n_columns, 5);
    ck_assert_str_eq(a->column[0], "weight");
    ck_assert_str_eq(a->name[0], "8");
    ck_assert_double_eq_tol(a->value[0][0], log(0.5 / 40.5), 1e-6);
    ck_assert_str_eq(a->name[1], "7");
    ck_assert_double_eq_tol(a->value[1][0], log(50.5 / 10.5), 1e-6);
    ck_assert_double_eq(a->value[1][2], 1.0);
    ck_assert_double_eq(a->value[1][3], 0.2);
    ck_assert_double_eq(a->value[1][4], 60);
    ck_assert_double_eq_tol(a->value[2][0], 0, 1e-9);
    ck_assert_float_eq(h->b.score[0], 0); /* the model knew nothing */
    ck_assert_float_gt(h->b.score[99], 1);
    ck_assert_uint_eq(harness_query(h, LEAT_QUERY_TOP, 10, 41)->n_rows, 2);
    harness_free(h);
}
END_TEST

START_TEST(what_cannot_be_counted_is_rejected_and_changes_nothing)
{
    struct harness *h = learner();
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    harness_example(h, harness_record(h, "x"), 3, "1:1");
    harness_example(h, harness_record(h, "x"), NAN, "2:1");
    harness_example(h, harness_record(h, "x"), 1, "3:inf");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_int_eq(harness_rejected(h, 0)->reason, LEAT_R_LABEL);
    ck_assert_int_eq(harness_rejected(h, 1)->reason, LEAT_R_LABEL);
    ck_assert_int_eq(harness_rejected(h, 2)->reason, LEAT_R_NONFINITE);
    ck_assert_uint_eq(harness_query(h, LEAT_QUERY_TOP, 10, 0)->n_rows, 0);
    harness_free(h);
}
END_TEST

START_TEST(every_failed_allocation_is_told_and_leaves_nothing)
{
    expect_failed_allocations_told(learner);
}
END_TEST

LEAT_SUITE("packet", every_link_layer_leads_to_the_same_columns,
           extension_headers_of_ipv6_are_stepped_over, only_first_fragments_have_ports,
           what_is_no_ip_is_filtered, malformed_packets_are_rejected_with_what_is_wrong,
           cut_anywhere_a_packet_is_whole_or_rejected, no_bytes_make_it_read_outside,
           the_longest_texts_fit_into_the_room_that_was_declared, a_constant_labels_every_record,
           a_second_label_is_refused, the_top_tells_ratio_and_counts,
           what_cannot_be_counted_is_rejected_and_changes_nothing,
           every_failed_allocation_is_told_and_leaves_nothing)
