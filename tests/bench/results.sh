#!/usr/bin/env bash
# Prints the page of results from results.tsv, one row a figure: `make results` writes RESULTS.md.
set -eu
cd "$(dirname "$0")"
cat <<'END'
# Results

How fast and how exact leat is. This page is generated from [results.tsv](results.tsv) by `make results`.
[history/2026.md](history/2026.md) has every measurement, and what did not help. [README.md](README.md) says how to
measure again.

- **met** or **missed** judges a target that was set before the measurement. Rows without a target inform.
- Figures are medians. Only ratios of programs that took turns are to be trusted: machines are shared and drift.
- Machines: AMD EPYC, Zen 5 (`zen5`) or Zen 3 (`zen3`), or Intel Xeon (`xeon`), 2 cores, 24 GB; Debian 12, gcc 12.2 `-O2`, baseline x86-64.
- `bench_…` are programs in `build/release/tests/bench` after `make bench`. The history names the data.
END
awk -F'\t' '
    NR == 1 { next }
    $2 != section {
        printf "\n## %s\n\n| claim | figure | target | verdict | measured by | date, machine |\n", section = $2
        print "|---|---|---|---|---|---|"
    }
    { printf "| %s | %s %s | %s | %s | `%s` | %s, %s |\n", $3, $4, $5, $6, $7, $8, $9, $10 }
' results.tsv
