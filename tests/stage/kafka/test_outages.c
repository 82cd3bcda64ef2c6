/* test_outages.c -- the reason of an outage names the cure if a port does not speak TLS.
 *
 * It does so in each form in which librdkafka reports it, and in no other case. */
#include "kafka/client/client.c"

#include "support/suite.h"

static bool names_the_cure(int err, const char *reason)
{
    struct outage o = {.down = true};
    ck_assert(outage_take(&o, err, reason));
    ck_assert_ptr_nonnull(strstr(o.reason, reason));
    return strstr(o.reason, "the port may not speak TLS") != NULL;
}

#define AT        "ssl://127.0.0.1:9092/bootstrap: "
#define TRANSPORT RD_KAFKA_RESP_ERR__TRANSPORT
#define SSL_ERROR RD_KAFKA_RESP_ERR__SSL

/* Reasons that librdkafka 2.0.2 and 2.16.0 gave where a port closed or reset the connection, before
 * or after the first bytes of TLS. */
START_TEST(a_port_of_plain_text_is_named_in_each_form)
{
    ck_assert(names_the_cure(TRANSPORT, AT "SSL handshake failed: Disconnected: SSL connection "
                                           "closed by peer: connecting to a PLAINTEXT broker "
                                           "listener?"));
    ck_assert(names_the_cure(TRANSPORT, AT "Disconnected: SSL connection closed by peer (after 0ms "
                                           "in state SSL_HANDSHAKE)"));
    ck_assert(names_the_cure(SSL_ERROR, AT "SSL handshake failed: error:0A000126:SSL routines::"
                                           "unexpected eof while reading"));
    ck_assert(names_the_cure(TRANSPORT, AT "SSL handshake failed: Disconnected: connecting to a "
                                           "PLAINTEXT broker listener?"));
    ck_assert(names_the_cure(SSL_ERROR, AT "error:0A000126:SSL routines::unexpected eof while "
                                           "reading (after 0ms in state SSL_HANDSHAKE)"));
    ck_assert(names_the_cure(TRANSPORT, AT "Connect to ipv4#127.0.0.1:9092 failed: Connection "
                                           "reset by peer (after 0ms in state CONNECT)"));
}
END_TEST

START_TEST(other_reasons_are_passed_on_as_they_are)
{
    ck_assert(!names_the_cure(SSL_ERROR, AT "SSL handshake failed: certificate verify failed"));
    ck_assert(!names_the_cure(TRANSPORT, AT "Connect to ipv4#127.0.0.1:9092 failed: Connection "
                                            "refused (after 0ms in state CONNECT)"));
    ck_assert(!names_the_cure(TRANSPORT, AT "Disconnected (after 9ms in state UP)"));
    ck_assert(!names_the_cure(TRANSPORT, "127.0.0.1:9092/bootstrap: Connect to ipv4#127.0.0.1:9092 "
                                         "failed: Connection reset by peer"));
}
END_TEST

LEAT_SUITE("outages", a_port_of_plain_text_is_named_in_each_form,
           other_reasons_are_passed_on_as_they_are)
