#!/usr/bin/env bash
# The longest allowed pages for people.
source "$(dirname "$0")/../support/lint.sh"

# longer LINES PAGE…: prints the pages with more lines.
longer() {
    local most=$1
    shift
    wc -l "$@" | awk -v most="$most" '$2 != "total" && $1 > most { print $2 ": " $1 " lines" }'
}
nothing "no page of the guide has over 150 lines" longer 150 docs/guide/*.md docs/guide/plugins/*.md
nothing "the architecture has at most 120 lines" longer 120 docs/architecture.md

long_releases() {
    awk '/^## / { name = $0; n = 0 } name != "" && !/^$/ && ++n == 27 { print name ": over 25 lines" }' CHANGELOG.md
}
nothing "the changes of a release have at most 25 lines" long_releases
done_claims
