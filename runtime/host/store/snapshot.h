/* snapshot.h -- the state of a whole pipeline in one file: named sections, each with a checksum.
 *
 * All numbers are little-endian. Header, heads and payloads start at multiples of 64 bytes; zeros
 * fill the gaps.
 *
 *              0          8       12      16           24           32    36        64
 *   header    +----------+-------+-------+------------+------------+-----+---------+
 *             | leatSNAP | format| n     | checkpoint | file bytes | CRC | zeros   |
 *             +----------+-------+-------+------------+------------+-----+---------+
 *              0          4       8               16      20
 *   head      +----------+-------+---------------+-------+------ - - ---+- - - - - +  \
 *             | name len | CRC p | payload bytes | CRC h | name         | zeros    |   | n
 *             +----------+-------+---------------+-------+------ - - ---+- - - - - +   | times
 *   payload   +------ - - ---+- - - - - +                                              |
 *             | bytes        | zeros    |                                             /
 *             +------ - - ---+- - - - - +
 *
 *   format      1
 *   n           number of sections
 *   checkpoint  number of the checkpoint: 1 for the first one in a state directory, and so on
 *   CRC         CRC-32C of the 32 bytes before it
 *   CRC p       CRC-32C of the payload
 *   CRC h       CRC-32C of the 16 bytes before it and the name
 *
 * The sections, in this order (host/… and stage/… once for each instance):
 *   pipeline       the pipeline's identity: JSON (graph/fingerprint/fingerprint.h)
 *   run            records and rejections so far, length of the dead letters
 *   transaction    name of the transaction that must have committed this checkpoint. A snapshot
 *                  without this section is always valid (checkpoint/commit.h)
 *   committed      only without a section transaction, in a pipeline with a transactional sink:
 *                  number of the sink's last committed checkpoint, a space, and the name of the
 *                  transaction
 *   ended          marks a snapshot that includes the stages' output at the end of the input. A
 *                  run continues from the snapshot before it, because the input may have grown
 *                  (checkpoint/checkpoint.h)
 *   splits         only in a snapshot of what was learned (checkpoint/learned.h): the splits of the
 *                  input that it holds (checkpoint/splits.h)
 *   host/ID/LANE   the host's data of an instance: counts, progressive validation, times of the
 *                  next answers
 *   stage/ID/LANE  the data that the stage wrote (state_codec.h)
 *
 * A reader checks every length and every checksum before it uses anything. The file must end where
 * its header says. */
#ifndef LEAT_HOST_STORE_SNAPSHOT_H
#define LEAT_HOST_STORE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A snapshot contains names and texts of the input, so only its owner may read it. */
enum { SNAPSHOT_MODE = 0600 };

enum {
    SNAPSHOT_FORMAT = 1,
    SNAPSHOT_NAME = 300,
    SNAPSHOT_MESSAGE = 512,
    SNAPSHOT_MAGIC = 8,  /* bytes of "leatSNAP"           */
    SNAPSHOT_HEADER = 64 /* bytes of the header of a file */
};

/* One section. The bytes belong to the caller, or to the snapshot that was read. */
struct snapshot_section {
    char name[SNAPSHOT_NAME];
    const void *bytes;
    size_t n;
};

/* Writes a snapshot to fd, an open, empty file. The caller syncs it. Returns LEAT_OK, LEAT_ENOMEM,
 * or LEAT_EIO with errno. */
int snapshot_write(int fd, uint64_t checkpoint, const struct snapshot_section *section, uint32_t n);

/* Write a snapshot to memory: snapshot_bytes() returns its size, snapshot_put() writes that many
 * bytes to `to`. */
size_t snapshot_bytes(const struct snapshot_section *section, uint32_t n);
void snapshot_put(void *to, uint64_t checkpoint, const struct snapshot_section *section,
                  uint32_t n);

struct snapshot {
    uint64_t checkpoint;
    uint32_t n;
    struct snapshot_section *section; /* sections whose bytes point into `bytes` */
    void *bytes;
    size_t n_bytes;
    char error[SNAPSHOT_MESSAGE]; /* such as "section stage/model/0 is damaged (byte 4160)" */
};

/* Reads and checks a snapshot file. Returns LEAT_OK; LEAT_EIO if it is unreadable; LEAT_EDATA if it
 * is damaged, truncated, or not a snapshot; or LEAT_ENOMEM. s->error has the reason. Always call
 * snapshot_free() afterwards. */
int snapshot_read(struct snapshot *s, const char *path);
/* True if the n bytes are the beginning of a snapshot, damaged or not. */
bool snapshot_begins(const void *bytes, size_t n);
/* Returns the length of a snapshot from its header; 0 if that is damaged. */
size_t snapshot_length(const unsigned char header[SNAPSHOT_HEADER]);
/* Like snapshot_read(), for the n bytes of a snapshot file. Takes ownership of `bytes`, which
 * snapshot_free() passes to free(). */
int snapshot_parse(struct snapshot *s, void *bytes, size_t n);
void snapshot_free(struct snapshot *s);

/* Returns the section called `name`, or NULL. */
const struct snapshot_section *snapshot_find(const struct snapshot *s, const char *name);

#endif
