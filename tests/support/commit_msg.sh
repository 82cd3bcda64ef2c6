#!/bin/sh
# commit_msg.sh -- git's commit-msg hook, which `make hooks` installs.
#
# It refuses a long subject, and files that tests/lint/door.sh refuses.
subject=$(sed -n '/^#/d; 1p' "$1")
if [ "$(printf %s "$subject" | wc -m)" -gt 60 ]; then
    echo "The subject has over 60 characters: $subject" >&2
    exit 1
fi
refused=$(bash tests/lint/door.sh | grep -A20 -E '^not ok (the root|each tracked)')
[ -z "$refused" ] || { echo "$refused" >&2; exit 1; }
