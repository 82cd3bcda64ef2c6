# lint.sh -- for the scripts of tests/lint: claims about files that git tracks, in the tree LINT_ROOT (default: this
# one).
#
#   nothing "words" CMD…   ok if CMD prints nothing; otherwise the failure lists each line
#   needs TOOL             continues if TOOL is there; otherwise ends the script, as a failure in CI, a skip elsewhere
#   release                prints the commit that set leat's present version
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
export LC_ALL=C.UTF-8
cd "${LINT_ROOT:-$(dirname "${BASH_SOURCE[0]}")/../..}" || exit 1

nothing() {
    local words=$1 found
    shift
    note_claim
    found=$("$@" 2>&1 | head -40)
    if [[ -z $found ]]; then
        echo "ok $words"
    else
        printf 'not ok %s:\n%s\n' "$words" "$found"
    fi
}

needs() {
    command -v "$1" >/dev/null && return
    [[ ${CI:-} != true ]] || claim "$1 is installed" false # elsewhere
    skip_rest "there is no $1"
}

release() { git log -1 --format=%H -G'define LEAT_VERSION' -- runtime/core/version.h; }
