#!/usr/bin/env bash
# Prints, for each work, the processor seconds of leat and of the best of its peers, on one core. README.md says how to
# read it.
#   ROWS=1000000   rows of the made-up data (12000000 for figures to publish)     RUNS=5   medians of so many, in turns
#   WORKS="count mean …"   some of the works alone                                CORE=0   the core
# A row whose exact answers differ is named, and the exit code is 1.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C OPENBLAS_NUM_THREADS=1 TIMEFORMAT='%U %S'
leat=${B:-build/release}/bin/leat rows=${ROWS:-1000000} runs=${RUNS:-5} core=${CORE:-0} here=tests/bench/peers
all_works="count mean mean_gz mean_zst top frequent quantile distinct json explain explain_counts explain_names explain_trips explain_days learn"
all_works+=" log pmi"
command -v mawk >/dev/null || apt-get install -y -q mawk >&2
python=build/peers/bin/python
[[ -x $python ]] || python3 -m venv build/peers
build/peers/bin/pip install -q --disable-pip-version-check -r $here/requirements.txt
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mawk -v rows="$rows" -v to="$tmp" -f $here/data.awk
gzip -k "$tmp/flights.csv" && zstd -qk "$tmp/flights.csv"

application() { "$leat" run "pipelines/$1.lua" --quiet --set out=jsonl "${@:2}"; }
explain() { # MODE FILE
    application explain --set data="$tmp/$2" --set outlier='delay >= 60' --set mode="$1" --set k=20 \
        --set attributes=origin,destination,hour --set min_odds_gain=0 --set min_count=100 --set min_support=0 \
        --set edges= --set order=risk
}
trips=origin,destination,distance,hour # thresholds of distance and hour
days=$trips,month,weekday,day
trips() { # ATTRIBUTES
    application explain --set data="$tmp/trips.csv" --set outlier='delay >= 60' --set attributes="$1"
}
works() { # WORK FILE
    "$leat" run $here/works.lua --quiet --set work="$1" --set data="$tmp/$2" --set out=-
}
by_leat() { # WORK
    case $1 in
        mean_*) works mean "flights.csv.${1#mean_}" ;;
        json) works json flights.jsonl ;;
        log) works log access.log ;;
        explain) explain exact flights.csv ;;
        explain_counts) explain counts flights.csv ;;
        explain_names) explain counts names.csv ;;
        explain_trips) trips $trips ;;
        explain_days) trips $days ;;
        learn) application classify --set data="$tmp/examples.libsvm" --set learner=awm --set budget=32KB --set k=1 \
            --set figures=jsonl ;;
        pmi) application pairs --set data="$tmp/words.txt" --set rule=whitespace --set window=2 --set k=20 \
            --set order=pmi --set budget=400MB ;;
        top | frequent | quantile | distinct) works "$1" users.csv ;;
        count) "$leat" run $here/works.lua --quiet --summary - --set work=count --set data="$tmp/flights.csv" ;;
        *) works "$1" flights.csv ;;
    esac
}
by_peer() { # PEER WORK FILE
    case $1 in
        mawk) mawk -F'"' '{ split($3, part, " "); n[part[1]]++ } END { for (s in n) print s "," n[s] }' "$tmp/$3" ;;
        wc) wc -l <"$tmp/$3" ;;
        zcat | zstdcat) "$1" "$tmp/$3" >/dev/null ;;
        *) $python $here/peers.py "$1" "$2" "$tmp/$3" $attributes ;;
    esac
}
seconds() { # NAME COMMAND…: its answer to $tmp/NAME.raw, its processor seconds to $tmp/NAME.whole and NAME.seconds
    local name=$1 used
    shift
    used=$({ time "$@" >"$tmp/$name.raw" 2>"$tmp/err"; } 2>&1) || { cat "$tmp/err" >&2 && exit 1; }
    awk '{ print $1 + $2 }' <<<"$used" >>"$tmp/$name.whole"
    [[ $name =~ ^(duckdb|polars|chdb|vw)$ ]] && used=$(tail -n 1 "$tmp/err") # without the start of Python
    awk '{ print $1 + $2 }' <<<"$used" >>"$tmp/$name.seconds"
}
rows_of_leat() { # WORK: its raw answer as the peers write theirs
    case $1 in
        explain*) jq -r '.top[] | "\(.feature),\(.relative_risk),\(.count)"' ;;
        count) jq .records ;;
        learn) jq 'select(.error_rate) | .error_rate' ;;
        pmi) jq -r '.top[].pmi' ;;
        top) grep -o 'u[0-9]* ([~0-9]*)' | tr -d '()' | tr ' ' , ;;
        frequent) sed -n 's/.*user=//p' ;;
        *) sed 1d | cut -d, -f2- ;; # without the header and the window
    esac <"$tmp/leat.raw"
}
digits() { # numbers in ten digits, rows in one order
    awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9]+$/) $i = sprintf("%.10g", $i) } 1' | sort
}
within() { # WORK: how far leat's answer is off, in ranks or in numbers; fails if that is more than docs/stages.md says
    awk -F, -v work="$1" -v answer="$(rows_of_leat "$1")" 'NR > 1 && work == "distinct" { n += !seen[$2]++ }
        NR > 1 && work == "quantile" { n++; below += $3 < answer; most += $3 <= answer }
        END {
            off = work == "distinct" ? answer / n - 1 : below / n > .99 ? below / n - .99 : most / n < .99 ? most / n - .99 : 0
            printf "off by %.2g %%\n", 100 * off
            exit off * off > (work == "distinct" ? .084 : .0025) ^ 2
        }' "$tmp/users.csv"
}
median() { sort -g "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
best() { # KIND PEER…: seconds or whole
    for peer in "${@:2}"; do echo "$(median "$peer.$1") $peer"; done | sort -g | head -n 1
}
over() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

taskset -cp "$core" $$ >/dev/null # all that follows
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), one core; $rows rows"
echo "Processor seconds: medians of $runs runs in turns."
echo
echo '| work | leat | best peer | leat / peer | work alone | leat / peer | reading alone | all peers | answers |'
echo '|---|---|---|---|---|---|---|---|---|'
status=0
for work in ${WORKS:-$all_works}; do
    file=flights.csv peers="duckdb polars chdb" limit=wc asked=${work%%_*} attributes=origin,destination,hour
    case $work in
        mean_gz) file=flights.csv.gz limit=zcat ;;
        mean_zst) file=flights.csv.zst limit=zstdcat ;;
        json) file=flights.jsonl ;;
        explain_names) file=names.csv ;;
        explain_trips) file=trips.csv attributes=$trips ;;
        explain_days) file=trips.csv attributes=$days ;;
        learn) file=examples.vw peers=vw ;;
        log) file=access.log peers=mawk ;;
        top | quantile | distinct) file=users.csv ;;
        frequent) file=users.csv asked=top ;;
        pmi) file=words.txt peers=duckdb ;;
    esac
    rm -f "$tmp"/*.seconds "$tmp"/*.whole
    for ((run = 0; run < runs; run++)); do
        seconds leat by_leat "$work"
        for peer in $peers $limit; do seconds "$peer" by_peer "$peer" "$asked" $file; done
    done
    answers=equal
    for peer in $peers; do
        cmp -s <(rows_of_leat "$work" | digits) <(digits <"$tmp/$peer.raw") && continue
        [[ $answers == equal ]] && answers="other than $peer" || answers+=", $peer"
    done
    if [[ $work == explain_names ]]; then
        answers="with bounds" # more features than fit by name
    elif [[ $work =~ ^explain_(trips|days)$ ]]; then
        answers="with thresholds" # which peers are not asked for
    elif [[ $work == learn ]]; then
        answers="errors $(rows_of_leat learn), $(cat "$tmp/vw.raw")"
    elif [[ $work == quantile || $work == distinct ]]; then
        answers=$(within "$work") || status=1
    elif [[ $answers != equal ]]; then
        status=1
    fi
    # shellcheck disable=SC2086
    whole=$(best whole $peers) alone=$(best seconds $peers)
    all=$(for peer in $peers; do echo "$peer $(median "$peer.whole")"; done | paste -sd, | sed 's/,/, /g')
    ours=$(median leat.whole)
    printf '| %s | %.2f | %s | %s | %s | %s | %.2f | %s | %s |\n' "$work" "$ours" "${whole#* } ${whole% *}" \
        "$(over "$ours" "${whole% *}")" "${alone#* } ${alone% *}" "$(over "$ours" "${alone% *}")" \
        "$(median $limit.whole)" "$all" "$answers"
done
exit $status
