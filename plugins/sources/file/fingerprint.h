/* fingerprint.h -- recognises a file that an earlier run, or an earlier look, has read in part.
 *
 * The inode and the time of birth name a file, but not its text: it may have been written anew. The
 * first bytes are those of every file with the same preamble. The bytes before the place reached
 * tell most other texts. Text that repeats itself, such as one line again and again, is told by
 * nothing; callers then trust the inode and the name, and say so. */
#ifndef LEAT_SOURCES_FILE_FINGERPRINT_H
#define LEAT_SOURCES_FILE_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_BYTES = 1024 };

struct fingerprint {
    uint64_t inode, born;    /* born: time of birth in ns since 1970; 0 if unknown */
    uint64_t tail_at;        /* place in the file right after `tail` */
    uint32_t n_head, n_tail; /* numbers of bytes kept */
    uint8_t head[FINGERPRINT_BYTES], tail[FINGERPRINT_BYTES];
};

/* Returns when the file was created, in ns since 1970; 0 if the file system does not say. */
uint64_t fingerprint_born(int fd);
/* Forgets the text. */
void fingerprint_reset(struct fingerprint *is);
/* Sets the text to that of `of`, up to byte `offset`. */
void fingerprint_take_text(struct fingerprint *is, const struct fingerprint *of, uint64_t offset);
/* Extends is->head by text[0, n), which is at byte `at` of the file. Ignores text that does not
 * continue the head. */
void fingerprint_add(struct fingerprint *is, uint64_t at, const void *text, size_t n);
/* Moves the tail to byte `at` of the file. The n bytes before `end` are the text before `at`. */
void fingerprint_move(struct fingerprint *is, uint64_t at, const char *end, size_t n);
/* Sets the tail to the text of the file before byte `at`. */
void fingerprint_read_tail(struct fingerprint *is, int fd, uint64_t at);
/* True if the file has the head and the tail at their places. True if both are empty. */
bool fingerprint_fits(const struct fingerprint *is, int fd);
/* True if two tails that end at the same place may be of one text. */
bool fingerprint_same_tail(const struct fingerprint *is, const struct fingerprint *other);
/* True if the open file has this inode and time of birth. */
bool fingerprint_is_file(const struct fingerprint *is, int fd);
/* True if the tail is a text that repeats itself. */
bool fingerprint_repeats(const struct fingerprint *is);

#endif
