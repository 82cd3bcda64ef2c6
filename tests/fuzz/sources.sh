#!/usr/bin/env bash
# sources.sh TARGET: what a fuzz target links beside itself, one word a line. It stands in its head, after "sources:", to
# the end of the comment.
set -eu
words=$(sed -n '/^ \* sources:/,/\*\// { s/^ \* sources://; s/^ \*\/*//; p }' "$1")
eval "printf '%s\n' $(tr '\n' ' ' <<<"$words")" # their braces, and what pkg-config says
