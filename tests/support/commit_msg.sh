#!/bin/sh
# commit_msg.sh -- the hook commit-msg of git, which `make hooks` installs: refuses a long subject, and what
# tests/lint/door.sh refuses of the files that the commit has.
subject=$(sed -n '/^#/d; 1p' "$1")
if [ "$(printf %s "$subject" | wc -m)" -gt 60 ]; then
    echo "The subject has over 60 characters: $subject" >&2
    exit 1
fi
refused=$(bash tests/lint/door.sh | grep -A20 -E '^not ok (the root|each tracked)')
[ -z "$refused" ] || { echo "$refused" >&2; exit 1; }
