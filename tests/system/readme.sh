#!/usr/bin/env bash
# README and guide: the commands work as they stand, the output shown is theirs, links lead somewhere.
#
#   ```sh        commands of this page, run in the order of the page, in a folder that looks like the repository
#   ```console   commands that are not run: they need a network, Kafka, other data, or root
#   ```text      what the commands before it print on standard output. A line that ends with … is a
#                beginning of one; a line that is … stands for lines left out
#   ```lua       whose first line is "-- NAME.lua" is that file
# tier: long (60 s)
source "$(dirname "$0")/../support/claims.sh"
root=$PWD
export HOME=$tmp LC_ALL=C.UTF-8

# As after make install: leat in the PATH, and what pkg-config says of its headers.
mkdir "$tmp/bin" "$tmp/pc"
ln -s "$LEAT" "$tmp/bin/leat"
printf 'Name: leat\nDescription: headers\nVersion: 0\nCflags: -I%s\n' "$root/runtime/include" >"$tmp/pc/leat.pc"
export PATH=$tmp/bin:$PATH PKG_CONFIG_PATH=$tmp/pc

# A folder to stand in: what a page names is there, what its commands write goes away with it.
stand_in()
{
    mkdir -p "$1/build"
    ln -s "$root"/{docs,lua,pipelines,runtime} "$1"
    ln -s "$LEAT" "$1/build/leat"
}

# The blocks of a page as files: 001.sh, 002.text, …
cut_into_blocks()
{
    awk -v to="$2" '
        /^```/ { if (file) { close(file); file = "" }
                 else { kind = substr($0, 4) == "" ? "none" : substr($0, 4)
                        file = sprintf("%s/%03d.%s", to, ++n, kind); printf "" >file }
                 next }
        file { print >file }' "$1"
}

# shows TEXT OUTPUT: every line of TEXT is in OUTPUT, in this order.
shows()
{
    awk 'NR == FNR { line[++n] = $0; next }
        $0 == "…" { skip = 1; next }
        { want = $0; beginning = sub(/…$/, "", want)
          do at++; while (skip && at <= n && !same())
          if (at > n || !same()) { printf "shown:   %s\nprinted: %s\n", $0, line[at]; exit bad = 1 }
          skip = 0 }
        END { if (!bad && !skip && at < n) { print "printed, too: " line[at + 1]; bad = 1 }; exit bad }
        function same() { return beginning ? index(line[at], want) == 1 : line[at] == want }' "$2" "$1"
}

page()
{
    local name=$1 blocks block file commands=""
    blocks=$(mktemp -d -p "$tmp") here=$(mktemp -d -p "$tmp")
    stand_in "$here"
    cut_into_blocks "$root/$name" "$blocks"
    for block in "$blocks"/*; do
        case $block in
            *.lua)
                file=$(sed -n '1s/^-- \([a-z_]*\.lua\)$/\1/p' "$block")
                [[ -z $file ]] || cp "$block" "$here/$file"
                ;;
            *.sh)
                commands=$(sed '/^ *#/d; s/  *#.*//' "$block" | head -1)
                (cd "$here" && bash -eu "$block" >"$out" 2>"$err")
                status=$?
                claim_exit "$name: $commands" 0
                ;;
            *.text) claim "$name: the output of $commands" shows "$block" "$out" ;;
        esac
    done
}

# The anchors of a page: its headings in lower case, without punctuation, "-" for blanks.
anchors()
{
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}

links()
{
    local name=$1 link file anchor bad=0
    for link in $(grep -oE '\]\([^): ]+\)' "$root/$name" | sed -E 's/^\]\(//; s/\)$//'); do
        file=$root/$name anchor=
        [[ $link == \#* ]] || file=$(dirname "$file")/${link%%#*}
        [[ $link != *#* ]] || anchor=${link#*#}
        [[ -e $file ]] || { echo "$name: there is no $link" && bad=1 && continue; }
        [[ -z $anchor ]] || anchors "$file" | grep -qxF -- "$anchor" ||
            { echo "$name: there is no heading for $link" && bad=1; }
    done
    return $bad
}

# What README shows of a script with three mistakes is what check reports.
mistakes()
{
    local here
    here=$(mktemp -d -p "$tmp")
    awk '/^-- payments.lua$/ { on = 1 } /^```$/ { on = 0 } on' README.md |
        sed 's/q = 0.9/q = 9/; s/budget/buget/; s/sink.top /sink.topp /' >"$here/payments.lua"
    ln -sfn "$root/pipelines" "$here/pipelines"
    (cd "$here" && "$LEAT" check payments.lua 2>&1 >"$out" | grep ': error: ') |
        diff <(grep '^payments.lua:' README.md) -
}

same_plugin()
{
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md | diff - docs/example-plugin/clip.c
}

for name in README.md docs/plugins.md docs/guide/*.md; do page "$name"; done
# These build plugins and hold them against laws with limits of time: not with sanitizers.
[[ $LEAT == *address* || $LEAT == *thread* ]] || for name in docs/guide/plugins/*.md; do page "$name"; done
for name in $(git ls-files '*.md' ':!plugins'); do claim "$name: links lead to files" links "$name"; done
claim "README's mistakes are reported as it shows" mistakes
claim "README's plugin is docs/example-plugin/clip.c" same_plugin
claim "docs/demo.svg is what the demo prints" diff <(docs/demo_svg.sh) docs/demo.svg
done_claims
