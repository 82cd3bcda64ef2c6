# shellcheck shell=bash
# data.sh -- finds the data sets of datasets.txt in a folder, and describes each; all.sh sources it.

# each_dataset COMMAND: calls COMMAND VARIABLE NAMES WHAT ORIGIN for each data set.
each_dataset() {
    local variable names what origin
    while IFS='|' read -r variable names what origin; do
        [[ $variable == \#* || -z $variable ]] || "$1" "$variable" "$names" "$what" "$origin"
    done <"$here/datasets.txt"
}

# file_named PATTERN: prints the first file of that name in $data_dir, plain or compressed.
file_named() {
    local file ending
    for ending in "" .zst .gz .bz2 .xz .lz4; do
        for file in "$data_dir"/$1$ending; do # a pattern
            if [[ -f $file ]]; then
                echo "$file"
                return
            fi
        done
    done
}

# find_dataset VARIABLE NAMES …: exports the variable if it is not set, and a file of such a name exists.
find_dataset() {
    local pattern file patterns
    if [[ -n ${!1:-} && ( ! -r ${!1} || -d ${!1} ) ]]; then
        echo "${0##*/}: $1=${!1} cannot be read: name a file, or leave it out" >&2
        exit 2
    fi
    [[ -z ${!1:-} && -n $data_dir ]] || return 0
    IFS=' ' read -ra patterns <<<"$2"
    for pattern in "${patterns[@]}"; do
        file=$(file_named "$pattern")
        if [[ -n $file ]]; then
            export "$1=$file"
            return 0
        fi
    done
}

# origin_row VARIABLE NAMES WHAT ORIGIN: prints a row of the table of data.
origin_row() {
    local made
    made=$(cat "$out"/*/"standin-$1.csv" 2>/dev/null | head -1) || true
    if [[ -n ${!1:-} ]]; then
        echo "| $1 | $3 | $4 | $(basename "${!1}") | \`$(sha256sum <"${!1}" | cut -d' ' -f1)\` |"
    elif [[ -n $made ]]; then
        echo "| $1 | $3 | $4 | missing: stand-in \`$1~\` of ${made%,*} lines | \`${made#*,}\` |"
    else
        echo "| $1 | $3 | $4 | missing: left out | – |"
    fi
}

# origins: prints the table of data.
origins() {
    printf '| variable | what it is | origin | file | sha256 of the file |\n|---|---|---|---|---|\n'
    each_dataset origin_row
}
