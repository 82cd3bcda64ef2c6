/* snapshot.h -- a whole pipeline's state in one file: named sections, each with its checksum.
 *
 * All numbers are little-endian. Header, heads and payloads start at multiples of 64 bytes; zeros
 * fill the gaps.
 *
 *            0          8       12      16           24           32    36        64
 *   header   +----------+-------+-------+------------+------------+-----+---------+
 *            | leatSNAP | format| n     | checkpoint | file bytes | CRC | zeros   |
 *            +----------+-------+-------+------------+------------+-----+---------+
 *            0          4       8               16      20
 *   head     +----------+-------+---------------+-------+------ - - ---+- - - - - +  \
 *            | name len | CRC p | payload bytes | CRC h | name         | zeros    |   | n
 *            +----------+-------+---------------+-------+------ - - ---+- - - - - +   | times
 *   payload  +------ - - ---+- - - - - +                                              |
 *            | bytes        | zeros    |                                             /
 *            +------ - - ---+- - - - - +
 *
 *   format      1
 *   n           number of sections
 *   checkpoint  1 for the first snapshot of a state directory, and so on
 *   CRC         CRC-32C of the 32 bytes before it
 *   CRC p       CRC-32C of the payload
 *   CRC h       CRC-32C of the 16 bytes before it and the name
 *
 * The sections, in this order (stage/ and host/ once for each instance):
 *   pipeline         the pipeline's identity: JSON (graph/fingerprint/fingerprint.h)
 *   run              records and rejections so far, length of the dead letters
 *   transaction      name of the transaction that the snapshot depends on; without this section
 *                    the snapshot is valid by itself (checkpoint/commit.h)
 *   committed        without that section, in a pipeline with a transactional sink: number of the
 *                    sink's last committed checkpoint, a space, and the transaction's name
 *   ended            the snapshot includes the stages' output at the end of the input. A run
 *                    continues from the snapshot before it, because the input may have grown
 *                    (checkpoint/checkpoint.h)
 *   host/ID/LANE     the host's data of an instance: counts, progressive validation, times of the
 *                    next answers
 *   stage/ID/LANE    data that the stage wrote (state_codec.h)
 *
 * A reader checks every length and every checksum before it uses anything. The file must end where
 * its header says.
 */
#ifndef LEAT_HOST_STORE_SNAPSHOT_H
#define LEAT_HOST_STORE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Snapshots hold names and texts of the input, so only their owner may read them. */
enum { SNAPSHOT_MODE = 0600 };

enum { SNAPSHOT_FORMAT = 1, SNAPSHOT_NAME = 300, SNAPSHOT_MESSAGE = 512 };

/* A section to be written; bytes are lent. */
struct snapshot_section {
    char name[SNAPSHOT_NAME];
    const void *bytes;
    size_t n;
};

/* Writes to an open, empty file; the caller syncs it. Returns LEAT_OK, LEAT_ENOMEM, or LEAT_EIO
 * with errno.
 */
int snapshot_write(int fd, uint64_t checkpoint, const struct snapshot_section *section, uint32_t n);

/* Write to memory: snapshot_bytes returns the size, snapshot_put writes. */
size_t snapshot_bytes(const struct snapshot_section *section, uint32_t n);
void snapshot_put(void *to, uint64_t checkpoint, const struct snapshot_section *section,
                  uint32_t n);

struct snapshot {
    uint64_t checkpoint;
    uint32_t n;
    struct snapshot_section *section; /* bytes point into `bytes` */
    void *bytes;
    size_t n_bytes;
    char error[SNAPSHOT_MESSAGE]; /* "section stage/model/0 is damaged (byte 4160)" */
};

/* Reads and checks a snapshot. Returns LEAT_OK; LEAT_EIO: unreadable; LEAT_EDATA: damaged, cut
 * short, or not a snapshot; LEAT_ENOMEM. `error` gives the reason. Afterwards always free it. */
int snapshot_read(struct snapshot *s, const char *path);
/* True if these are the first bytes of a snapshot, damaged or not. */
bool snapshot_begins(const void *bytes, size_t n);
int snapshot_parse(struct snapshot *s, void *bytes, size_t n); /* s takes ownership of the bytes
                                                                * (malloc) */
void snapshot_free(struct snapshot *s);

/* Returns the section of that name, or NULL. */
const struct snapshot_section *snapshot_find(const struct snapshot *s, const char *name);

#endif
