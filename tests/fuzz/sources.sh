#!/usr/bin/env bash
# sources.sh TARGET FOLDER CXX…: what a fuzz target links beside itself, one word a line. It stands in its head, after
# "sources:", to the end of the comment. In place of C++ are objects, which CXX… makes in FOLDER.
set -eu
words=$(sed -n '/^ \* sources:/,/\*\// { s/^ \* sources://; s/^ \*\/*//; p }' "$1")
folder=$2
shift 2
for word in $(eval "printf '%s\n' $(tr '\n' ' ' <<<"$words")"); do # their braces, and what pkg-config says
    if [[ $word == *.cpp ]]; then
        object=$folder/$(basename "$word" .cpp).o
        "$@" -std=c++17 -fno-exceptions -fno-rtti -Iplugins -c -o "$object" "$word"
        word=$object
    fi
    echo "$word"
done
