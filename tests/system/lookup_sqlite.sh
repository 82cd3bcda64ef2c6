# shape.lookup of a SQLite database: records get the same as in sqlite3's own join.
#
# A writer of the database is not disturbed, and nothing is written. check and run report mistakes.
# tier: long (18 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >lookup.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "lookup" {
  leat.source.file { path = a.input or "rows.csv" }, leat.parse.csv { numbers = a.numbers or {} },
  leat.shape.lookup { a.file or "hosts.db", table = a.table, query = a.query, key = "host", file_key = a.file_key,
    columns = a.columns or "owner,site", missing = a.missing, delimiter = a.delimiter, memory = a.memory, lanes = a.lanes },
  leat.sink.file { path = "-", format = "csv" },
}
LUA
printf 'host\nweb-0\n' >rows.csv
leat_run check lookup.lua --set table=hosts
if [[ $(cat "$err") == *"built without SQLite"* ]]; then
    claim_exit "without SQLite a database is refused" 2 # elsewhere
    without="lookup (shape.lookup): table: this leat was built without SQLite: install libsqlite3-dev and build it again"
    claim_says "and what to do is said" "$without" # elsewhere
    printf 'SQLite format 3\0' >hosts.db
    leat_run run lookup.lua
    without="path = 'hosts.db': is a SQLite database, and this leat was built without SQLite"
    claim_says "also where its first bytes alone say what it is" "$without" # elsewhere
    skip_rest "leat is built without SQLite"
fi

# ---- values ----

rows=$'with recursive n(i) as (select 0 union all select i + 1 from n where i < 4999) '
sqlite3 hosts.db "create table hosts(id integer primary key, host text, owner text, site text, photo blob);
    $rows insert into hosts select i, 'web-' || (i * 7919 % 4000), case i % 5 when 0 then null else 'o, \"' || i || 'ü' end, i * i, x'00' from n;
    create index narrow on hosts(owner, host, site);" # which has another order
sqlite3 -csv -header :memory: "$rows select 'web-' || (i * 31 % 6000) as host, i from n" >rows.csv
sqlite3 -csv -cmd '.import rows.csv r' hosts.db "attach ':memory:' as m" 2>/dev/null
sqlite3 -csv hosts.db \
    "select r.host, r.i, h.owner, h.site from r left join (select host, min(id) as id from hosts group by host) f on f.host = r.host
    left join hosts h on h.id = f.id order by cast(r.i as integer)" | tr -d '\r' >joined
sqlite3 hosts.db "drop table r"
cp hosts.db before.db
leat_run run lookup.lua
claim_exit "a database is known by itself, and its only table is taken" 0
claim "records get what sqlite3 joins to them" cmp <(sed 1d "$out" | tr -d '"') <(tr -d '"' <joined)
claim_says "of rows with one key the first is used" \
    "path = 'hosts.db': rows that are not used because an earlier row has the same key: 1000"
mv "$out" plain
for more in "table=hosts" "table=HOSTS" "lanes=3" "query=select host, owner, site from hosts not indexed"; do
    leat_run run lookup.lua --quiet --set "$more"
    claim "the same with $more" cmp "$out" plain
done
claim "the database is as it was, with nothing beside it" sh \
    -c "cmp hosts.db before.db && test \"\$(echo hosts.db*)\" = hosts.db"
leat_run run lookup.lua --quiet --set columns=owner --set missing=filter \
    --set query="select host, upper(owner) as owner from hosts where site < 100 -- few"
sqlite3 -csv hosts.db "select host, upper(owner) from hosts where site < 100" | tr -d '"\r' | sort >few
claim "a query gives what it gives" equal "$(sed 1d "$out" | cut -d, -f1,3- | tr -d '"' | sort -u)" "$(grep -F "$(sed \
    1d rows.csv | cut -d, -f1 | sed 's/$/,/')" few)"

sqlite3 kinds.db "create table kinds(host, owner, site); insert into kinds values (1, 9223372036854775807, -9223372036854775808), (0.5, 0.1, 1e300),
    (2.0, 7.0, 9e999), ('t', '', null), (null, 'none', 'none'), (x'74', 'blob', 1)"
printf 'host\n1\n0.5\n2\n' >numbers.csv
leat_run run lookup.lua --set file=kinds.db --set input=numbers.csv --set numbers=host
claim_says "a blob is refused with its row" \
    "path = 'kinds.db': row 6: column 'host' is a blob, not a text: leave it out, or write a query"
sqlite3 kinds.db "delete from kinds where typeof(host) = 'blob'"
leat_run run lookup.lua --set file=kinds.db --set input=numbers.csv --set numbers=host
claim "numbers are written to the last digit, and are keys of numbers" equal "$(sed 1d "$out" | tr '\n' ' ')" \
    "1,9223372036854775807,-9223372036854775808 0.5,0.1,1e+300 2,7,inf "
claim_says "a row without a key is told" "path = 'kinds.db': rows that are not used because their key is NULL: 1"
cat >null.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "null" {
  leat.source.file { path = "t.csv" }, leat.parse.csv {},
  leat.shape.lookup { "kinds.db", key = "host", columns = { "owner", "site" } },
  leat.map(function(owner, site) return tostring(owner) .. "/" .. tostring(site) end, { "owner", "site" }, { "seen" }),
  leat.sink.file { path = "-", format = "csv", columns = { "seen" } },
}
LUA
printf 'host\nt\n' >t.csv
leat_run run null.lua --quiet
claim "NULL is no value, and an empty text is one" equal "$(sed 1d "$out")" "/nil"
sqlite3 wide.db "pragma encoding = 'UTF-16be'; create table t(host, owner, site); insert into t values ('t', 'Köln€', '😀')"
leat_run run lookup.lua --quiet --set file=wide.db --set input=t.csv
claim "text in UTF-16 becomes UTF-8" equal "$(sed 1d "$out")" "t,Köln€,😀"
sqlite3 latin.db "create table t(host, owner, site); insert into t values ('t', cast(x'4bf6' as text), 1)"
leat_run run lookup.lua --set file=latin.db --set input=t.csv
claim_says "text in another encoding is told" "path = 'latin.db': the text in the row of key 't' is not UTF-8"

# ---- who writes ----

sqlite3 wal.db "pragma journal_mode = wal; create table hosts(host, owner, site); insert into hosts values ('t', 'first', 1)" >/dev/null
owner() { leat_run run lookup.lua --quiet --set file="${1:-wal.db}" --set input=t.csv && sed 1d "$out" | cut -d, -f2; }
beside() { (cd "${1:-.}" && md5sum wal.db*); }
beside >files
claim "a database with a write-ahead log is read" equal "$(owner)" first
claim "which leaves nothing beside it" equal "$(beside)" "$(cat files)"
mkfifo feed
sqlite3 -cmd '.timeout 60000' wal.db <feed >/dev/null 2>&1 &
exec 8>feed
echo "pragma wal_autocheckpoint = 0; update hosts set owner = 'second'; begin immediate; update hosts set owner = 'third';" >&8
until_true test -s wal.db-wal
second() { [[ $(owner) == second ]]; }
until_true second
beside >files
claim "what another process has committed to the log is read, while it writes more" equal "$(owner)" second
claim "and neither log nor index are touched" equal "$(beside)" "$(cat files)"
mkdir copy && cp wal.db wal.db-wal copy
beside copy >files
claim "a copy of database and log is read as well" equal "$(owner copy/wal.db)" second
claim "and stays as it is" equal "$(beside copy)" "$(cat files)"
: >copy/wal.db-wal
beside copy >files
claim "also with an empty log" equal "$(owner copy/wal.db),$(beside copy)" "first,$(cat files)"
mkdir 'odd ?#%41'
cp copy/wal.db 'odd ?#%41/wal.db'
claim "characters of addresses in a path are themselves" equal "$(owner 'odd ?#%41/wal.db')" first
exec 8>&-
wait

sqlite3 kept.db "create table hosts(host, owner, site); insert into hosts values ('t', 'first', 1)"
cp kept.db kept.copy
sqlite3 -cmd '.timeout 60000' kept.db <feed >/dev/null 2>&1 &
exec 8>feed
echo "begin exclusive;" >&8
locked() { ! sqlite3 kept.db "select 1 from hosts" 2>/dev/null; }
until_true locked
leat_run run lookup.lua --set file=kept.db --set input=t.csv
claim_exit "a database that another process keeps locked is not read" 1
claim_says "which is said" "path = 'kept.db': is locked by another process, which writes to it"
leat_start lookup.lua --quiet --set file=kept.db --set input=t.csv
echo "rollback;" >&8
leat_end
claim "one that becomes free is" equal "$status,$(sed 1d "$out")" "0,t,first,1"
echo "pragma cache_size = 1; begin; $rows insert into hosts select i, i, hex(randomblob(100)) from n;" >&8
until_true test -s kept.db-journal
spilt() { (($(stat -c %s kept.db) > 100000)); }
until_true spilt
cp kept.db hot.db && cp kept.db-journal hot.db-journal
exec 8>&-
wait
leat_run run lookup.lua --set file=hot.db --set input=t.csv
claim_says "a transaction that was broken off is told" \
    "path = 'hot.db': has an unfinished transaction: open it once for writing, for example with sqlite3"
claim "and not taken back" test -s hot.db-journal

sqlite3 view.db "create view only as select 'a' as host, 'x' as owner"
printf 'host\na\n' >viewed.csv
cat >view.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "view" { leat.source.file { "viewed.csv" }, leat.parse.csv {},
  leat.shape.lookup { "view.db", key = "host", columns = { "owner" } }, leat.sink.file { format = "csv" } }
LUA
leat_run run view.lua --quiet
claim "a single view is taken as a single table is" equal "$(sed 1d "$out")" "a,x"

# A CSV file in whose place a database comes.
printf 'host,owner\na,x\n' >live.csv
mkfifo came.csv
cat >place.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "place" { leat.source.file { "came.csv" }, leat.parse.csv {},
  leat.shape.lookup { "live.csv", key = "host", columns = { "owner" }, reload = true },
  leat.sink.file { path = "placed", format = "csv", columns = { "owner" } } }
LUA
leat_start place.lua
exec 9>came.csv
printf 'host\na\n' >&9
until_true grep -qsx x placed # the table is read
cp view.db live.new && mv live.new live.csv
says_database() { echo a >&9; sleep 0.05; grep \
    -q "live.csv': is now a SQLite database, and was a CSV file when the run began: start again" "$err"; }
claim "a CSV file that became a database is told as one" until_true says_database
exec 9>&-
leat_end

# ---- reload ----

cat >reload.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "reload" {
  leat.source.file { path = "-" }, leat.parse.csv { columns = { "host" }, header = false },
  leat.shape.lookup { "live.db", key = "host", columns = { "owner" }, reload = true },
  leat.sink.file { path = "seen", format = "csv" },
}
LUA
mkfifo records
for mode in delete wal; do
    rm -f live.db* seen
    sqlite3 live.db "pragma journal_mode = $mode; create table hosts(host, owner); insert into hosts values ('t', 'first')" >/dev/null
    exec 7<>records
    leat_start reload.lua --summary s.json --log-level info <records 7>&-
    sqlite3 -cmd '.timeout 60000' live.db <feed >/dev/null 2>&1 7>&- &
    exec 8>feed
    seen() { echo t >&7; sleep 0.05; tail -1 seen | grep -q "t,$1"; }
    until_true seen first
    echo "pragma wal_autocheckpoint = 0; update hosts set owner = 'second';" >&8
    until_true seen second
    claim "$mode: what is committed during the run is read" test "$?" = 0
    claim "$mode: and a writer that does not wait can write" sqlite3 live.db "update hosts set owner = 'third'"
    until_true seen third
    if [[ $mode == delete ]]; then
        echo "begin exclusive; update hosts set owner = 'fourth';" >&8
        touched() { touch live.db; echo t >&7; sleep 0.05; grep -q "is tried again each second" "$err"; }
        until_true touched
        claim_says "a lock is told, and is none for the run" \
            "path = 'live.db' is locked by another process, which writes to it; it is tried again each second"
        echo "commit;" >&8
        until_true seen fourth
        claim "and what it was for is read then" test "$?" = 0
    fi
    sqlite3 next.db "create table others(x); create table hosts(host)" && mv next.db live.db && rm -f live.db-*
    kept() { echo t >&7; sleep 0.05; grep -q "several tables" "$err"; }
    until_true kept
    claim_says "$mode: another file is looked at anew" \
        "path = 'live.db': has several tables: set table to one of hosts, others; the former table stays in use"
    exec 7>&- 8>&-
    leat_end
    claim_exit "$mode: it ends well" 0
    claim "$mode: records have met one state after the other" equal "$(sed 1d seen | uniq | cut -d, -f2 | head -3 |
        tr '\n' ' ')" "first second third "
    claim "$mode: the file that was of no use is counted" equal "$(json '.stages[] | select(.plugin ==
        "shape.lookup").metrics.unusable_files')" 1
    wait
done

# ---- what is wrong ----

wrong() { # "words" ARGUMENTS TEXT
    for what in check run; do
        # shellcheck disable=SC2086
        eval "leat_run $what lookup.lua $2"
        claim_exit "$1: $what ends with ${4:-1}" "${4:-1}"
        claim_says "$1: $what says so" "$3"
    done
}
wrong "a table that is not there" "--set table=host" \
    "path = 'hosts.db': has no table 'host': did you mean 'hosts'? (tables: hosts)"
wrong "a column that is not there" "--set columns=ownr" \
    "path = 'hosts.db': has no column 'ownr': did you mean 'owner'? (columns: id, host, owner, site, photo)"
wrong "a key that is not there" "--set file_key=address" "has no column 'address' (columns: id, host"
wrong "a blob" "--set columns=photo" "row 1: column 'photo' is a blob"
sqlite3 two.db "create table a(host); create table b(host); create view c as select 1 as host"
wrong "which of several tables" "--set file=two.db" "path = 'two.db': has several tables: set table to one of a, b, c"
sqlite3 none.db "pragma user_version = 1"
wrong "no tables" "--set file=none.db" "path = 'none.db': has no tables"
wrong "a file of another kind" "--set file=rows.csv --set table=hosts" \
    "path = 'rows.csv': does not begin like a SQLite database"
: >empty.db
wrong "an empty file" "--set file=empty.db --set table=hosts" "path = 'empty.db': does not begin like a SQLite database"
gzip -c hosts.db >hosts.gz
wrong "a compressed database" "--set file=hosts.gz" \
    "path = 'hosts.gz': is a compressed SQLite database: decompress it first"
wrong "an error in a query" "--set query='select host, ownr from hosts'" \
    'path = '"'hosts.db'"': query: SQLite says "no such column: ownr"'
wrong "a query that changes something" "--set query='delete from hosts'" "query: this statement gives no rows: write a SELECT"
wrong "two queries" "--set query='select 1; drop table hosts'" "query: there is more than one statement: write one SELECT"
wrong "a query with a gap" "--set query='select :host'" "query: ':host' has no value: write it into the query"
wrong "two columns of one name in a query" "--set query='select host, owner, owner, site from hosts'" \
    "has 2 columns named 'owner': give them different names"
wrong "too little memory" "--set memory=64KB" "does not fit into memory = 65536 bytes: make memory larger"
wrong "a table and a query" "--set table=hosts --set query='select 1'" "query" 2
wrong "a delimiter of a table" "--set table=hosts --set delimiter=';'" \
    "delimiter: applies only to CSV files, and table only to databases: leave out one of the two" 2
leat_run run lookup.lua --set delimiter=';'
claim_says "a delimiter of a file that is a database" "path = 'hosts.db' is a database: delimiter is not used"
claim "nothing of this has changed the database" cmp hosts.db before.db

# Damage: each run ends with a message or with records, whatever is in the file.
seed=${SEED:-7}
size=$(stat -c %s hosts.db)
ended=0
for i in $(seq 40); do
    cp before.db bad.db
    for k in 1 2 3; do
        at=$(((seed * 7919 + i * 104729 + k * 1299709) % size))
        ((i % 2)) && at=$((at % 4096))
        printf "\\x$(printf %x $(((i * 37 + k * 91) % 256)))" | dd of=bad.db bs=1 seek=$at conv=notrunc status=none
    done
    leat_run run lookup.lua --quiet --set file=bad.db --set table=hosts
    ((status == 0 || (status == 1 && $(wc -l <"$err") == 1))) && ((++ended))
done
claim "forty damaged databases are read or refused in one line" equal "$ended" 40
head -c $((size / 2)) before.db >bad.db
leat_run run lookup.lua --set file=bad.db
claim_says "one that was cut off is damaged" \
    "path = 'bad.db': is damaged: SQLite says \"database disk image is malformed\""
done_claims
