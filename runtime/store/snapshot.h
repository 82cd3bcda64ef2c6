/* snapshot.h -- a whole pipeline's state in one file: named sections, each with its checksum.
 *
 * All numbers are little endian; everything starts at a multiple of 64 and zeros fill up.
 *
 *   header   8 bytes  "leatSNAP"
 *            4        format, 1
 *            4        number of sections
 *            8        checkpoint: 1 for the first snapshot of a state directory, and so on
 *            8        bytes of the whole file
 *            4        CRC-32C of the 32 bytes before
 *   section  4        length of its name
 *            4        CRC-32C of its payload
 *            8        bytes of its payload
 *            4        CRC-32C of the 16 bytes before and the name; then the name, then the payload
 *
 * The sections (names with a number or an id have one for each):
 *   pipeline         what pipeline it is: JSON (fingerprint.h)
 *   run              records and rejections so far, length of the dead letters
 *   stage/ID/LANE    state of an instance: what its stage wrote (state.h)
 *   host/ID/LANE     what the host keeps of it: counts, progressive validation, next answers
 *
 * Reading looks at every length and every checksum before anything is used, and the file must end
 * where its header says.
 */
#ifndef LEAT_STORE_SNAPSHOT_H
#define LEAT_STORE_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_FORMAT = 1, SNAPSHOT_NAME = 300, SNAPSHOT_MESSAGE = 512 };

/* A section to be written; bytes are lent. */
struct snapshot_section {
    char name[SNAPSHOT_NAME];
    const void *bytes;
    size_t n;
};

/* Write to an open, empty file; the caller syncs it. LEAT_OK, LEAT_ENOMEM, or LEAT_EIO; errno says
 * why. */
int snapshot_write(int fd, uint64_t checkpoint, const struct snapshot_section *section, uint32_t n);

/* The same in memory: how many bytes, and these bytes. */
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

/* LEAT_OK; LEAT_EIO: cannot be read; LEAT_EDATA: damaged, cut short, or not a snapshot;
 * LEAT_ENOMEM. `error` says which. Afterwards always free it. */
int snapshot_read(struct snapshot *s, const char *path);
int snapshot_parse(struct snapshot *s, void *bytes, size_t n); /* takes bytes (malloc) over */
void snapshot_free(struct snapshot *s);

/* NULL: there is none of that name. */
const struct snapshot_section *snapshot_find(const struct snapshot *s, const char *name);

#endif
