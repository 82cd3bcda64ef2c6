#!/usr/bin/env bash
# Functions of the C library whose last bits depend on the processor or the library: runtime and plugins call none.
# core/exp.h, core/erfc.h and core/pow10.h have their own.
source "$(dirname "$0")/../support/lint.sh"
B=${B:-build/release}

inexact='(log|exp|exp2|exp10|log2|log10|log1p|expm1|pow|erfc?|[lt]gamma(_r)?|sin|cos|sincos|tan|atan2?|hypot|cbrt|a?(sin|cos|tan)h)[fl]?'
callers() {
    find "$B/runtime" "$B/plugins" -name '*.o' -exec nm -A --undefined-only {} + |
        sed -nE "s/^(.*)\.o: +U ($inexact)(@.*)?$/\1 calls \2/p"
}
nothing "no object calls an inexact function of libm" callers
wide() { git grep -nE '^WIDE( |$)' -- 'runtime/*.c' 'plugins/*.c' | grep -v 'WIDE static'; }
nothing "functions with clones are static: clang links no others" wide
claim "objects were read" [ "$(find "$B/plugins" -name '*.o' | wc -l)" -gt 100 ]
done_claims
