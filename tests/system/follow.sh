# source.file { follow = true }: growing files, rotated under load, truncated, not there yet; killed and continued.
# tier: long (11 s, waits)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
patience=30 # nothing here takes as long, and what is lost never comes
writer=${LEAT%/bin/leat}/tests/programs/log_writer

cat >f.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "f" {
  leat.source.file { path = a.path or "a.log", follow = true, max_files = tonumber(a.max_files), max_record = a.max_record },
  a.csv and leat.parse.csv { numbers = { "n" } } or leat.parse.lines {},
  leat.sink.file { path = "out", format = "raw" },
}
LUA
follow() { rm -f out; leat_start f.lua --summary s.json "$@"; }
has_lines() { [[ $(wc -l <out) == "$1" ]]; }
# Numbers 0 .. N-1 in this order; -1 is what a writer still has put into a file that was renamed.
in_order() { grep -v '^-1 ' "$1" | awk -v n="$2" '$1 != NR - 1 { print "line " NR " is " $0; bad = 1; exit } END {
    exit bad || NR != n }'; }
# What is rotated before it is seen is not followed: the first line is.
begin_with_0() {
    rm -f a.log*
    echo 0 >a.log
    follow
    until_true has_lines 1
}
strays() { grep -c '^-1 ' out; }

watches() { grep -qs '^inotify' "/proc/$pid"/fdinfo/*; }

# ---- one file ----
follow
until_true watches
echo one >a.log
claim "a file that does not exist yet is waited for" until_true has_lines 1
printf tw >>a.log
echo three >other.log
sleep 0.3
claim "half a line waits" has_lines 1
echo o >>a.log
claim "until it is whole" until_true grep -qx two out
printf half >>a.log
sleep 0.2
leat_stop
claim_exit "a signal ends the run" 0
claim "and half a line is delivered then" equal "$(tail -1 out)" half
claim "one line after the other" equal "$(tr '\n' ' ' <out)" "one two half "
claim "the summary says how much is not read" equal "$(stage file behind_bytes)" 0

rm a.log*
follow
"$writer" watch out 1000 >ms & watch=$!
"$writer" write a.log 0 1000 1000 0 rename
wait "$watch"
leat_stop
if [[ $LEAT == *address* || $LEAT == *thread* ]]; then
    skip "1000 lines a second are in the sink's file within 50 ms" "sanitizers are slow"
else
    claim "1000 lines a second are in the sink's file within 50 ms, half of them" below "$(cut -d' ' -f1 ms)" 50
fi

# ---- rotation under load ----
for how in rename copy; do
    begin_with_0
    "$writer" write a.log 1 6000 3000 545 "$how"
    until_true in_order out 6001
    leat_stop
    claim "ten rotations ($how) under load lose and double nothing" in_order out 6001
done
claim_says "a truncated file is told by its path" "a.log was truncated after byte" "its copy, a.log.1"
begin_with_0
"$writer" write a.log 1 60000 0 2000 rename
until_true in_order out 60001
leat_stop
claim "nor do thirty at once" in_order out 60001
claim "what is written to a file after it was renamed is read, too" equal "$(strays)" 30

rm -f a.log*
follow
printf 'one\ntw' >a.log
until_true has_lines 1
sleep 0.3
: >a.log
echo new >>a.log
claim "a file without a copy is read from its beginning" until_true grep -qx new out
leat_stop
claim_says "and what is lost is told" "a.log was truncated after byte 4" "are lost, at least 2"

# ---- killed between rotations ----
for how in rename copy; do
    rm -rf a.log* s out
    echo 0 >a.log
    leat_start f.lua --state s
    until_true has_lines 1
    leat_stop # what is rotated before the first snapshot is not promised
    "$writer" write a.log 1 5999 2000 400 "$how" & write=$!
    while kill -0 $write; do
        leat_start f.lua --state s --every 100ms
        sleep "0.$((RANDOM % 6 + 1))"
        kill -KILL "$pid"
        leat_end
        sleep "0.$((RANDOM % 5 + 1))"
    done
    echo 6000 >>a.log # the output of the run that was killed last does not have it
    leat_start f.lua --state s --every 100ms --summary s.json
    until_true in_order out 6001
    leat_stop
    claim "killed all the time between rotations ($how), a run loses and doubles nothing" in_order out 6001
done

# The snapshot of the start has read nothing yet.
for how in other same; do
    rm -rf a.log* s out
    { echo head && seq 1 100; } >a.log
    leat_start f.lua --state s --every 0
    until_true has_lines 101
    kill -KILL "$pid"
    leat_end
    if [[ $how == other ]]; then seq 101 300 >a.log; else echo head >a.log; fi
    leat_start f.lua --state s --every 0
    until_true grep -qxE '300|head' out
    leat_stop
    claim_says "another text ($how beginning) in a file of which a snapshot had nothing read is not taken for the old one" \
        "a.log at the snapshot was not found by its inode and text" "its text after byte 0 is lost, at least 297"
done

# A snapshot may be made before any text of a file is read, and before the rotated files between are found.
rm -rf a.log* s out
: >a.log
leat_start f.lua --state s --every 0
until_true compgen -G "s/*.snapshot" >/dev/null
kill -KILL "$pid"
leat_end
turn_over() { # turn_over TEXT: copies and truncates the log, and writes to it
    sleep 0.05 # the clock of files ticks
    [[ ! -e a.log.1 ]] || mv a.log.1 a.log.2
    cp a.log a.log.1
    : >a.log
    sleep 0.05
    echo "$1" >>a.log
}
echo 0 >>a.log
turn_over 1
leat_start f.lua --state s --every 0
until_true in_order out 2
kill -KILL "$pid"
leat_end
turn_over 2
leat_start f.lua --state s --every 0
until_true grep -qx 2 out
leat_stop
claim "a copy of an unread file does not hide the copies before it" in_order out 3

rm -rf a.log* s out
echo same >a.log
leat_start f.lua --state s
until_true has_lines 1
leat_stop
cp a.log a.log.1
printf 'same\nsame\n' >a.log
leat_start f.lua --state s
until_true has_lines 2
leat_stop
claim_says "one line that comes again may be of another text, which is said" "cannot be told"

rm -rf a.log* s out
echo 0 >a.log
leat_start f.lua --state s
until_true has_lines 1
leat_stop
mv a.log a.log.2
sleep 0.05
echo lost >a.log.1
gzip a.log.1
echo 1 >a.log
leat_start f.lua --state s
until_true has_lines 2
leat_stop
claim_says "a rotated file that was compressed unread is told" "a.log.1.gz is compressed, and was written after the last"

for how in "mv 9" "mv 1" "cp 9" "cp 1"; do
    rm -rf a.log* s out
    echo 0 >a.log
    leat_start f.lua --state s
    until_true has_lines 1
    leat_stop
    for i in {1..100}; do
        ${how% *} a.log "a.log.$((101 - i))"
        echo "$i" >a.log
    done
    leat_start f.lua --state s --set max_files="${how#* }"
    until_true in_order out 101
    leat_stop
    claim "a hundred rotations (${how% *}) while nobody reads are found, at most ${how#* } files at a time" in_order \
        out 101
done

rm -rf a.log* s out
echo one >a.log
leat_start f.lua --state s
until_true has_lines 1
cp a.log a.log.1
: >a.log
until_true grep -q "was truncated after byte" "$err"
sleep 1 # it looks for text meanwhile, and finds none
leat_stop
echo two >a.log
cp a.log a.log.2
mv a.log.1 a.log.3
echo three >a.log
leat_start f.lua --state s
until_true has_lines 3
leat_stop
claim "a copy that was made before anything of its text was read is found by the next run" \
    equal "$(tr '\n' ' ' <out)" "one two three "
claim "which says nothing of losses" equal "$(grep -c "is lost" "$err")" 0

# A copy of a whole folder gives all files one time.
for names in "-20261231 -20270101 -20270102 -20270110" ".2026-11-09 .2026-11-10 .2026-11-10.1 .2026-11-11" \
    ".2026-11-09_9 .2026-11-09_10 .2026-11-09_11 .2026-11-10_0" ".1795521600 .1795525200 .1795528800 .1795532400" \
    ".11 .10 .9 .1" \
    "-2026-11-09T08:00:00 -2026-11-09T09:00:00 -2026-11-10T08:00:00 .1"; do
    rm -rf a.log* s out
    echo 0 >a.log
    leat_start f.lua --state s
    until_true has_lines 1
    leat_stop
    i=0
    for name in $names; do
        ((i)) && echo "$i" >a.log
        i=$((i + 1))
        mv a.log "a.log$name"
    done
    touch -d '+1 minute' a.log?*
    echo 4 >a.log
    leat_start f.lua --state s
    until_true in_order out 5
    leat_stop
    claim "files of one time are read in the order of their names ($names)" in_order out 5
done

rm -rf a.log* s out
printf 'one\ntw' >a.log
leat_start f.lua --state s
until_true has_lines 1
leat_stop
echo o >>a.log
mv a.log a.log.1
sleep 0.1 # the clock of files ticks
echo three >a.log
mv a.log a.log.2 # written after the other
echo four >a.log
leat_start f.lua --state s
until_true has_lines 4
leat_stop
claim "with --state, half a line is left for the next run, which reads all that was rotated since, in order" \
    equal "$(tr '\n' ' ' <out)" "one two three four "
rm a.log.1 a.log.2 a.log
echo five >a.log
leat_start f.lua --state s
until_true has_lines 5
leat_stop
claim_says "a file that is gone is told, with the byte" "was not found by its inode and text" "to its end, at byte 5; text that came later, if any, is lost"
claim "and the new one read" equal "$(tail -1 out)" five
for copy in kept compressed; do # killed before the first snapshot by time
    rm -rf a.log* s out
    seq 1 3000 >a.log
    leat_start f.lua --state s --every 100s
    until_true has_lines 3000
    cp a.log a.log.1
    : >a.log
    kill -KILL "$pid"
    leat_end
    [[ $copy == kept ]] || gzip a.log.1
    seq 3001 4000 >>a.log
    leat_start f.lua --state s
    until_true has_lines "$([[ $copy == kept ]] && echo 4000 || echo 1000)"
    leat_stop
    [[ $copy == kept ]] && claim "a copy of a file is found of which the snapshot has no byte" cmp <(seq 1 4000) out
done
claim_says "one that is gone is told, with what the snapshot knows of it" \
    "the file that was a.log at the snapshot was not found by its inode and text" \
    "its text after byte 0 is lost, at least 13893"
rm -rf a.log* s out
echo five >a.log
leat_start f.lua --state s
until_true has_lines 1
leat_stop

mkdir new
mv a.log new/a.log
echo six >>new/a.log
leat_start f.lua --state s --set path=new/a.log
until_true has_lines 2
leat_stop
claim "files may be moved between runs" equal "$(tail -2 out | tr '\n' ' ')" "five six "

# ---- followed, and then read to the end ----
cat >w.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "w" {
  leat.source.file { path = a.path or "a.log", follow = leat.flag(a, "follow"), encoding = a.encoding },
  leat.parse.csv { columns = { "time", "n" }, header = false }, leat.parse.time { column = "time", format = "unix" },
  leat.window { "count", "sum(n)", every = "1min", lateness = "1s" },
  leat.sink.file { path = a.out or "out", format = "csv" },
}
LUA
rows() { seq "$1" "$2" | awk '{ print 1700000000 + $1 * 7 "," $1 }'; }
for how in mv cp; do
    rm -rf a.log* s out
    rows 0 99 >a.log
    leat_start w.lua --set follow=true --state s
    until_true has_lines 12
    leat_stop
    rows 100 199 >>a.log
    $how a.log a.log.2
    sleep 0.1
    rows 200 299 >a.log
    $how a.log a.log.1
    sleep 0.1
    rows 300 399 >a.log
    printf '1700002800,400' >>a.log
    leat_run run w.lua --state s --quiet
    claim_exit "what was followed ends with follow = false ($how)" 0
    { rows 0 399; printf '1700002800,400'; } >all
    leat_run run w.lua --set path=all --set out=want --quiet
    claim "where it was, with all that was rotated since, and all windows ($how)" cmp want out
done
echo >>a.log
rows 401 499 >>a.log
leat_start w.lua --set follow=true --state s
until_true has_lines 60
leat_stop
claim "and may be followed again" equal "$(tail -1 out)" "2023-11-14T23:10:00Z,9,4410"
leat_run run w.lua --state s --quiet --set encoding=latin-1
claim_says "other parameters must be the same" "encoding is \"latin-1\" here"
leat_run check w.lua --set follow=true --set encoding=latin-1
claim_says "what is followed must be UTF-8" "encoding: a file that is followed must be UTF-8"
rm -rf a.log* s out
rows 0 99 >a.log
leat_run run w.lua --state s --quiet
mv a.log a.log.1
rows 100 149 >>a.log.1
rows 150 199 >a.log
leat_start w.lua --set follow=true --state s
until_true has_lines 24
leat_stop
claim "a run that was not followed is continued by one that is, though its file was rotated since" \
    equal "$(sed -n '14p;$p' out | tr '\n' ' ')" "2023-11-14T22:25:00Z,9,936 2023-11-14T22:35:00Z,9,1710 "
leat_run check w.lua --state s --reset file
claim_says "a source that begins again repeats records, which is said" "warning: file (source.file): --reset file: " \
    "window, file2 will see records again that are in the snapshot already" "Add --reset window --reset file2"
leat_run check w.lua --state s --reset file --reset window --reset file2
claim "unless what follows it does, too" equal "$(grep -c "second time" "$err")" 0

# ---- several files ----
rm -rf s out ./*.log*
echo a1 >a.log
follow --set 'path=*.log'
echo b1 >b.log
claim "a new file that matches a pattern is read" until_true has_lines 2
mv b.log c.log
echo c2 >>c.log
claim "and once, whatever its name becomes" until_true grep -qx c2 out
echo a2 >>a.log
until_true has_lines 4
rm a.log
sleep 0.3
echo a3 >a.log
claim "a file that was removed and made again is a new one" until_true grep -qx a3 out
gzip -c a.log >d.log
claim "a compressed one is left alone" until_true grep \
    -q "d.log is not followed: it is compressed or binary (gzip): give a pattern that does not match rotated files" \
    "$err"
mkdir folder.log
mkfifo pipe.log
ln -s /dev/zero zero.log
printf '\xff\xfew\0\n\0' >wide.log
printf '\xff' >byte.log # the mark of UTF-16 comes in two pieces
for unfit in folder pipe zero; do
    claim "so is what is no file: $unfit.log" until_true grep \
        -q "warning: file (source.file): $unfit.log is not followed: only files grow, and this is not a file" "$err"
done
claim "and text in UTF-16" until_true grep -q "wide.log is not followed: its first bytes show text in UTF-16" \
    "$err"
sleep 0.6
printf '\xfew\0\n\0' >>byte.log
claim "when its mark is whole, too" until_true grep -q "byte.log is not followed: its first bytes show text in UTF-16" "$err"
rmdir folder.log
echo e1 >folder.log
claim "once it is a file it is read" until_true grep -qx e1 out
echo a4 >>a.log
claim "and others go on meanwhile" until_true grep -qx a4 out
claim "each is told once" equal "$(grep -c 'is not followed' "$err")" 6
leat_stop
claim_exit "none of these ends the run" 0
claim "each line came once" equal "$(sort out | tr '\n' ' ')" "a1 a2 a3 a4 b1 c2 e1 "
for unfit in zero wide; do
    leat_run run f.lua --set path=$unfit.log
    claim_exit "at the start it is refused: $unfit.log" 1
done
claim_says "with the cure" \
    "the first bytes of wide.log show text in UTF-16, and a file that is followed must be UTF-8" \
    'set encoding = "utf-16" and follow = false'
leat_run run f.lua --set path=d.log
claim_exit "a compressed file cannot be followed" 1
claim_says "which is said with the cure" "d.log is compressed or binary (gzip)" "set follow = false"
leat_run check f.lua --set path=-
claim_says "nor can standard input" "follow: standard input ('-') is read until it ends"
leat_run check f.lua --set path=not/yet.log
claim_exit "a file that is followed need not exist for the check" 0
claim_says "which says that it does not" "f.lua:" \
    ": warning: file (source.file): path: not/yet.log does not exist, and the run waits until it does"
echo a >apply.log
leat_run check f.lua --set path=aply.log
claim_says "and which name was meant" \
    "warning: file (source.file): path: aply.log does not exist, and the run waits until it does: did you mean 'apply.log'?"
leat_run check f.lua --set 'path=no*.log'
claim_says "or that a pattern matches nothing" \
    "warning: file (source.file): path: no file matches no*.log: the run waits until one does"
leat_run check f.lua --set 'path=apply.log'
claim "a file that is there is not told" test ! -s "$err"
follow --set path=aply.log
claim "a run says it at once, and not at its end" until_true grep \
    -qF "path: aply.log does not exist, and the run waits until it does: did you mean 'apply.log'?" "$err"
echo b >aply.log
until_true has_lines 1
leat_stop
rm -f ./*.log
for i in 1 2 3; do echo "$i" >$i.log; done
follow --set 'path=*.log' --set max_files=2
until_true has_lines 2
leat_stop
claim_says "more files than max_files are told" "2 files are followed, and max_files allows no more: 3.log"

# ---- the same script, without following ----
rm -rf s out ./*.log*
sed 's/follow = true/follow = a.follow == "yes"/' f.lua >both.lua
echo 0 >a.log
leat_start both.lua --set follow=yes --set max_files=2 --state s
until_true has_lines 1
leat_stop
for i in 1 2 3 4; do
    mv a.log a.log.$i
    echo $i >a.log
done
leat_run run both.lua --set max_files=2 --state s
claim_exit "max_files may stay where follow = false" 0
claim "what was rotated meanwhile is read to its end" equal "$(sort out | tr '\n' ' ')" "0 1 2 3 4 "
claim "and max_files bounds nothing then" sh -c "! grep -q max_files '$err'"
leat_run check f.lua --set max_files=2
sed 's/follow = true, //' f.lua >never.lua
leat_run check never.lua --set max_files=2
claim_says "without follow it has no effect" "max_files: has no effect without follow"

# ---- records of several lines ----
cat >events.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "events" {
  leat.source.file { a.path or "a.log", follow = a.follow ~= nil, record_start = a.start or [[^\d{4}-]], idle = a.idle, max_record = a.max_record },
  a.csv and leat.parse.csv {} or leat.parse.regex { [[(?s)^(?<day>\S+) (?<level>\w+) (?<text>.*)]], unmatched = "reject" },
  leat.sink.file { path = "out", format = "jsonl" },
}
LUA
rm -f ./*.log* out
printf '2024-05-01 ERROR boom\n  at f\n\n  at g\r\n2024-05-02 INFO fine\n2024-05-03 WARN last\n  at h' >a.log
leat_run run events.lua --quiet
claim "a record has the lines up to the next that begins one, and the last those up to the end" equal "$(jq -c .text \
    out | tr '\n' ' ')" \
    '"boom\n  at f\n\n  at g" "fine" "last\n  at h" '
gzip -k a.log
leat_run run events.lua --quiet --set path=a.log.gz
claim "of compressed files, too" equal "$(jq -c .day out | tr '\n' ' ')" '"2024-05-01" "2024-05-02" "2024-05-03" '
awk 'BEGIN { print "2024-05-01 ERROR long"; for (i = 0; i < 3000; i++) print "  at", i;
    print "2024-05-02 INFO short" }' >long.log
leat_run run events.lua --quiet --set path=long.log --set start='^(\d{4}-|  at .*00$)' --set max_record=2KiB
claim "all lines of any record are delivered or rejected" equal "$(jq -r .text out | wc -l)" 102
leat_run run events.lua --set path=long.log --set max_record=2KiB
claim_says "one that is too long comes in pieces of whole lines, which begin where they do" "long.log:239 (byte 2045)"
leat_run check events.lua --set start='(a'
claim_says "a wrong pattern is told before the run" "record_start: '(a' is wrong at byte 3"
for command in check run; do
    for path in long.log a.log.gz; do
        leat_run $command events.lua --set csv=1 --set path=$path
        claim_exit "CSV has no use for it: $command $path" 2
        claim_says "which is said" "record_start: works only with parsers of lines"
    done
done
rm -f ./*.log* out
leat_start events.lua --set follow=1 --set idle=3s
until_true test -e out
printf '2024-05-01 ERROR boom\n' >a.log
sleep 0.1
printf '  at f\n' >>a.log
sleep 0.1
printf '  at g\n' >>a.log
claim "the last record of a file that is followed comes when nothing more does" until_true has_lines 1
printf '2024-05-02 ERROR two\n  at h\n2024-05-03 ERROR three\n' >>a.log
until_true has_lines 3
printf '2024-05-04 ERROR end\n  at i' >>a.log
sleep 0.1
leat_stop
claim "with its lines, and at the end what there is" equal "$(jq -c .text out |
    tr '\n' ' ')" '"boom\n  at f\n  at g" "two\n  at h" "three" "end\n  at i" '
for how in mv cp; do
    rm -rf ./*.log* out
    printf '2024-05-01 ERROR one\n2024-05-02 ERROR two\n  at f\n' >a.log
    leat_start events.lua --set follow=1 --set idle=1h
    until_true has_lines 1
    $how a.log a.log.1
    : >a.log
    claim "the last record of a rotated file ($how) does not wait for idle" until_true has_lines 2
    printf '2024-05-03 ERROR three\n  at g\n2024-05-04 ERROR four\n' >>a.log
    until_true has_lines 3
    leat_stop
    claim "and comes before those of the next file ($how)" equal "$(jq -c .text out |
        tr '\n' ' ')" '"one" "two\n  at f" "three\n  at g" "four" '
done
rm -rf ./*.log* out s
printf '2024-05-01 ERROR boom\n  at f\n' >a.log
leat_start events.lua --set follow=1 --set idle=1h --state s
sleep 0.3
leat_stop
printf '  at g\n2024-05-02 INFO x\n' >>a.log
leat_start events.lua --set follow=1 --set idle=1h --state s
until_true has_lines 1
leat_stop
claim "with --state a record that may go on is left for the next run" equal "$(jq -c .text out)" \
    '"boom\n  at f\n  at g"'

# ---- records ----
rm -f ./*.log*
printf 'n,te' >a.log
leat_start f.lua --set csv=1
sleep 0.2
printf 'xt\n1,"two\nlines"\nx,y\n2,"op' >>a.log
until_true has_lines 2
mv a.log a.log.1
printf 'n,text\n3,z\n' >a.log
printf 'en"\n' >>a.log.1
claim "a header may come late, and is the first record of each rotated file" until_true has_lines 4
leat_stop
claim "quoted line ends are waited for" equal "$(sort out | tr '\n' ' ')" '1,"two 2,"open" 3,z lines" '
claim_says "a bad row is told with the name and the line" "a.log:4 (byte 21)" "'x' is not a number"
rm -f ./*.log*
head -c 5000 /dev/zero | tr '\0' x >a.log
follow --set max_record=1KiB
sleep 0.3
echo y >>a.log
echo z >>a.log
claim "a record that is too long is skipped while it grows" until_true grep -qx z out
leat_stop
claim_says "and rejected once it has ended" "the record has 5001 bytes, more than max_record = 1024"

# ---- a header that is not whole yet ----
rm -rf a.log* out
printf 'name,' >a.log
leat_start f.lua --set csv=1 --state header.state
sleep 0.3
printf n >>a.log
sleep 0.3
leat_stop
claim "a header that is not whole is no record" test ! -s out
leat_start f.lua --set csv=1 --state header.state
printf '\na,1\n' >>a.log
claim "it is awaited, also by the next run" until_true grep -qx a,1 out
leat_stop
claim_exit "and the run ends well" 0

# ---- a state of a followed file, continued without following ----
printf 'k,n\na,1\n' >half.csv
cat >half.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "half" {
  leat.source.file { path = "half.csv", follow = leat.args.follow == "true" }, leat.parse.csv {},
  leat.sink.file { path = "half.out", format = "csv" }, max_reject_ratio = 1,
}
LUA
leat_start half.lua --quiet --state half --set follow=true
until_true sh -c 'grep -q a,1 half.out'
leat_stop
printf 'b,12' >>half.csv
leat_run run half.lua --quiet --state half --keep-open
claim "a line without its end waits where what was followed is kept open" equal "$(tail -n 1 half.out)" "a,1"
leat_run run half.lua --quiet --state half
claim "else it is a record of this run" equal "$(tail -n 1 half.out)" "b,12"
printf '34\nc,5\n' >>half.csv
leat_run run half.lua --quiet --state half
claim "and the next run takes the whole line in its place" equal "$(tr '\n' ' ' <half.out)" "k,n a,1 b,1234 c,5 "
done_claims
