/* log_formats.c -- implementation of log_formats.h.
 *
 * A part of a pattern must not take what belongs to another field, because the columns of a line in
 * another format would then be shifted. A part that may hold blanks therefore says what it cannot
 * hold. A pattern refuses a line that has one field more, or one fewer. */
#include "log_formats.h"

#include <stddef.h>

/* clang-format off */

/* ---- access logs ---- */

/* An address of IPv4 or IPv6 before a blank. */
#define ADDRESS "(?:(?:\\d{1,3}\\.){3}\\d{1,3} |[0-9A-Fa-f]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]* )"

/* A name that is no item of a list with commas. */
#define HOST "(?<host>\\S*[^\\s,])"

/* Identity and user. A user may have blanks. A line with another field in front would then have the
 * client as its identity and "- -" as its user. So the identity is no address. A user with blanks
 * follows the identity "-", and none of its words is "-". */
#define WHO                                                                                        \
    "(?!" ADDRESS ")(?<ident>\\S+) "                                                               \
    "(?<user>\\S+|(?<= - )(?!- )(?:(?! - ).)+?) "

#define REQUEST                                                                                    \
    "\"(?:(?<method>[A-Z][A-Z-]*) (?<path>\\S+)(?: (?<protocol>[^\"\\s]+))?|"                      \
    "(?<request>(?:[^\"\\\\]|\\\\.)*))\""
#define QUOTED(NAME) "\"(?<" NAME ">(?:[^\"\\\\]|\\\\.)*)\""
#define ANSWER       "\\[(?<time>[^\\]]+)\\] " REQUEST " (?<status>\\d{3}|-) (?<bytes>\\d+|-)"
#define VISITOR      ANSWER " " QUOTED("referer") " " QUOTED("agent")

/* ---- syslog ---- */

/* A host, which `journalctl --no-hostname` leaves out. A program ends with a colon, a host does
 * not. A year, a level, or the name of a stream, is no host. */
#define SYSLOG_HOST                                                                                \
    "(?:(?!(?i:std(?:out|err)|trace|debug|info|warn|warning|error|fatal|\\d{4}) )"                 \
    "(?<host>[\\w.:%-]*[\\w.-]) )?"

/* RFC 5424 has a byte order mark before a message in UTF-8. */
#define MARK "(?:\\xef\\xbb\\xbf)?"

/* A program and a message; after a host also a message alone. Of messages that came in the form of
 * RFC 5424 rsyslog writes "su[77] text", or without a process "su text". */
#define SYSLOG_MESSAGE                                                                             \
    "(?:(?<program>[^:\\[\\s]+)(?:\\[(?<pid>[^\\]]*)\\]:?|:)(?: |$)|(?(<host>)|(?!)))"             \
    MARK "(?<message>.*)$"

#define PRIORITY     "(?:<(?<priority>\\d{1,3})>)?"
#define SYSLOG_CLOCK "(?<time>[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d)(?:\\.\\d+)? "
#define ISO_TIME                                                                                   \
    "(?<time>\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d))"
#define WORD(NAME) "(?<" NAME ">\\S+)"

/* ---- HAProxy ---- */

/* A time in ms. -1 means that the request never came so far. */
#define MS(NAME) "(?:-1|(?<" NAME ">\\d+))"
#define HAPROXY                                                                                    \
    "^(?:(?:\\S+ ){1,6}?haproxy\\[\\d+\\]: )?(?<client>\\S+):(?<port>\\d+) "                       \
    "\\[(?<time>[^\\]]+)\\] (?<frontend>[^\\s~]+)~? (?<backend>[^\\s/]+)/"                         \
    "(?:<[A-Z]+>|(?<server>\\S+)) " MS("request_ms") "/" MS("queue_ms") "/" MS("connect_ms") "/"   \
    MS("response_ms") "/\\+?" MS("total_ms") " (?:-1|(?<status>\\d{3}|0)) \\+?(?<bytes>\\d+) "     \
    WORD("request_cookie") " " WORD("response_cookie") " (?<termination>\\S{4}) "                  \
    "(?<active>\\d+)/(?<of_frontend>\\d+)/(?<of_backend>\\d+)/(?<of_server>\\d+)/"                 \
    "\\+?(?<retries>\\d+) (?<server_queue>\\d+)/(?<backend_queue>\\d+) "                           \
    "(?:\\{(?<request_headers>[^}]*)\\} )?(?:\\{(?<response_headers>[^}]*)\\} )?"                  \
    "\"(?:(?<method>[A-Z][A-Z-]*) (?<path>\\S+)(?: (?<protocol>[^\"\\s]+))?|"                      \
    "(?<request>[^\"]*))(?:\"|$)"

/* ---- AWS application load balancers ---- */

#define SECONDS(NAME) "(?:-1|(?<" NAME ">[\\d.]+|-)) "
#define TEXT(NAME) "\"(?<" NAME ">[^\"]*)\" "
#define ALB                                                                                        \
    "^(?<type>https?|h2|grpcs|wss?) (?<time>\\d{4}-\\S+Z) (?<balancer>\\S+) "                      \
    "(?<client>\\S+):(?<port>\\d+) (?<target>\\S+) " SECONDS("request_s") SECONDS("target_s")      \
    SECONDS("response_s") "(?<status>\\d{3}|-) (?<target_status>\\d{3}|-) (?<received>\\d+) "      \
    "(?<bytes>\\d+) \"(?<method>\\S+) (?<path>\\S*) (?<protocol>[^\"]*)\" " QUOTED("agent") " "    \
    WORD("cipher") " " WORD("tls") " " WORD("group") " " TEXT("trace") TEXT("domain")              \
    TEXT("certificate") WORD("rule") " \\S+ " TEXT("actions") "\"[^\"]*\" \"(?<error>[^\"]*)\""

/* ---- audit logs ---- */

/* A key of the record, anywhere in it, with its text in quotes or without. Of the texts that mean
 * no value, "?" and "(null)" are left out here. */
#define AUDIT(NAME)                                                                                \
    "(?:(?=.*?[ '\\x1d]" NAME "=(?|\"(?<" NAME ">[^\"]*)\"|"                                       \
    "(?!(?:\\?|\\(null\\))(?:[\\s'\\x1d]|$))(?<" NAME ">[^\\s'\\x1d]*)))|)"
#define AUDITD                                                                                     \
    "^(?:node=(?<node>\\S+) )?type=(?<type>\\S+) "                                                 \
    "msg=audit\\((?<time>\\d+\\.\\d+):(?<serial>\\d+)\\):"                                         \
    AUDIT("pid") AUDIT("ppid") AUDIT("auid") AUDIT("uid") AUDIT("ses") AUDIT("syscall")            \
    AUDIT("success") AUDIT("exit") AUDIT("comm") AUDIT("exe") AUDIT("key") AUDIT("op")             \
    AUDIT("acct") AUDIT("hostname") AUDIT("addr") AUDIT("terminal") AUDIT("res") AUDIT("name")     \
    AUDIT("cwd") " ?(?<message>.*)$"

/* ---- Common Event Format ---- */

/* A field of the head, in which a backslash stands before a bar. */
#define CEF_FIELD(NAME) "(?<" NAME ">(?:[^|\\\\]|\\\\.)*)\\|"
/* A key of the extension. Its text, which may hold blanks, ends before the next key. */
#define CEF_KEY(NAME)                                                                              \
    "(?:(?=(?:.*? )??" NAME "=(?<" NAME ">(?:[^=\\\\]|\\\\.)*?)\\s*(?: [\\w.-]+=|$))|)"
#define CEF                                                                                        \
    "^(?:.{1,200}? )?CEF:\\d+\\|" CEF_FIELD("vendor") CEF_FIELD("product") CEF_FIELD("version")    \
    CEF_FIELD("id") CEF_FIELD("event") CEF_FIELD("severity")                                       \
    CEF_KEY("src") CEF_KEY("spt") CEF_KEY("dst") CEF_KEY("dpt") CEF_KEY("proto") CEF_KEY("act")    \
    CEF_KEY("outcome") CEF_KEY("reason") CEF_KEY("suser") CEF_KEY("duser") CEF_KEY("shost")        \
    CEF_KEY("dhost") CEF_KEY("request") CEF_KEY("app") CEF_KEY("cat") CEF_KEY("cnt")               \
    CEF_KEY("in") CEF_KEY("out") CEF_KEY("rt") CEF_KEY("msg") "(?<extension>.*)$"

/* ---- the table ---- */

const char *const log_format_names[] = {
    "pattern", "common", "combined", "vhost_combined", "forwarded_combined",
    "syslog", "syslog3339", "syslog5424", "haproxy", "alb", "auditd", "cef", NULL,
};

const char *const log_format_patterns[] = {
    NULL,
    "^" HOST " " WHO ANSWER "$",
    "^" HOST " " WHO VISITOR,
    "^(?!- |" ADDRESS ")(?<vhost>\\S*?[^\\s,])(?::(?<vport>\\d+))? (?!- )" HOST " " WHO VISITOR,
    "^(?<forwarded>\\S*[^\\s,](?:, ?\\S*[^\\s,])*)(?: (?!- )" HOST ")? " WHO VISITOR,
    "^" PRIORITY SYSLOG_CLOCK SYSLOG_HOST SYSLOG_MESSAGE,
    "^" PRIORITY ISO_TIME " " SYSLOG_HOST SYSLOG_MESSAGE,
    "^<(?<priority>\\d{1,3})>\\d{1,2} " WORD("time") " " WORD("host") " " WORD("program") " "
    WORD("pid") " " WORD("id") " "
    "(?<data>-|(?:\\[(?:[^\\]\"\\\\]|\\\\.|\"(?:[^\"\\\\]|\\\\.)*\")*\\])+)"
    "(?: " MARK "(?<message>.*))?$",
    HAPROXY,
    ALB,
    AUDITD,
    CEF,
};
/* clang-format on */
