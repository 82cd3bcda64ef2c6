#!/usr/bin/env bash
# gnu-parallel-retry-takes-the-next-block -- GNU parallel --pipepart: a block whose job is tried again is never read
#
# A file of 1000 lines is cut into four blocks: parallel --pipepart -a FILE --block 1k --retries 3 COUNT. The job of
# block 2 fails once, say for lack of memory, and succeeds when it is tried again.
#
# Guess: the job that is tried again gets its block again, as with --pipe. Otherwise --retries makes no sense.
# Truth: it gets the next block that no job has had. Each later job moves up by one, and the last one reads nothing.
#        Block 2 is never read, 749 lines of 1000 are counted, and the exit code is 0.
#        With --joblog, and then --resume-failed, job 2 gets block 1, which job 1 has had, and a new job 5 gets block 2.
#        1278 lines are counted, and the exit code is 0.
#        --pipe, which sends such blocks through parallel itself, is right in both cases.
#
# Cause: the list of blocks is a queue apart from the list of jobs. A command takes the head of it each time it is
#        built: so a job that is built again takes another, and a job that --resume skips takes none.
# Cure:  --pipe, where it is fast enough; or files cut before (split -n l/4), one a job. Then the name is the block.
#
# Seen with: parallel 20221122 (20221122+ds-2 of Debian 12), Perl 5.36.0; 20170423 (tried by hand) loses the block, too.
# Sources: GNU parallel, src/parallel, sub wrapped ("shift @Global::cat_prepends"); parallel(1), --pipe-part: "works
#          similar to --pipe, but is much faster", whose limits are named and do not have this one. We found no report.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C
changed=0

# versions PACKAGE=VERSION...: unpacks them into packages/; prints the versions.
versions() {
    apt-get -qq download "$@" 2>apt.log || { cat apt.log; exit 1; }
    for package in *.deb; do
        dpkg -x "$package" packages
    done
    printf '%s\n' "$@" | tr '=' ' '
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions parallel=20221122+ds-2
perl -e 'printf "perl %vd\n", $^V'
seq 1000 >lines

# Prints its number, and the first and last line that it has read. Fails once if its number is that in FAILS.
cat >count.sh <<'SH'
#!/bin/sh
awk -v job="$PARALLEL_SEQ" 'NR == 1 { first = $1 } END { print job ": " (NR ? first "-" $1 : "nothing") }' >block.$$
[ "$PARALLEL_SEQ" != "${FAILS:-0}" ] || [ -e failed ] || { touch failed; exit 1; }
cat block.$$
SH
chmod +x count.sh

# each OPTION...: runs a job for each block, the second of which fails once; prints what the jobs read, and the exit
# code. The slot is one, as the order of the jobs is then certain.
each() {
    rm -f failed
    once "$@"
}
once() {
    code=0
    packages/usr/bin/parallel -j1 --block 1k "$@" ./count.sh >out 2>errors || code=$?
    sort out | tr '\n' ' '
    echo "exit $code"
}

whole="1: 1-278 2: 279-529 3: 530-780 4: 781-1000 exit 0"
expect "nothing fails:" "$(each --pipepart -a lines)" "$whole"
export FAILS=2
expect "--pipepart --retries 3:" "$(each --pipepart -a lines --retries 3)" \
    "1: 1-278 2: 530-780 3: 781-1000 4: nothing exit 0"
expect "--pipe --retries 3:" "$(each --pipe --retries 3 <lines)" "$(FAILS=0 each --pipe <lines)"
expect "--pipepart --joblog:" "$(each --pipepart -a lines --joblog log)" "1: 1-278 3: 530-780 4: 781-1000 exit 1"
expect "  and again with --resume-failed:" "$(once --pipepart -a lines --joblog log --resume-failed)" \
    "2: 1-278 5: 279-529 exit 0"
rm log
each --pipe --joblog log <lines >first
expect "--pipe --joblog, and again with --resume-failed:" \
    "$(sed 's/ exit 1//' first | tr '\n' ' ')+ $(once --pipe --joblog log --resume-failed <lines)" \
    "1: 1-277 3: 528-777 4: 778-1000 + 2: 278-527 exit 0"
exit $changed
