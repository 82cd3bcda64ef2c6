#!/usr/bin/env bash
# The compiler of another kind of machine, arm64: runtime and plugins compile there without a warning.
# tier: long (60 s)
source "$(dirname "$0")/../support/lint.sh"
cross=aarch64-linux-gnu
command -v $cross-g++ >/dev/null || skip_rest "there is no cross compiler, $cross-g++"

# Headers of libraries come from this machine, after those of the other machine's C library.
elsewhere=(-idirafter /usr/include -idirafter "/usr/include/$(cc -print-multiarch)")

faults() {
    local flags
    flags=$(make -s CROSS=$cross CC=$cross-gcc PKG_CONFIG=pkg-config WERROR=1 flags | tail -n 1)
    git ls-files 'runtime/*.c' 'plugins/*.c' ':!*/templates/*' |
        eval "xargs -P $(nproc) -n 16 $cross-gcc $flags ${elsewhere[*]} -fsyntax-only" 2>&1 | grep -E 'error:|warning:'
    git ls-files 'plugins/*.cpp' ':!plugins/parquet/*' | # its library may be missing here
        xargs $cross-g++ -std=c++17 -Wall -Wextra -Iruntime/include -Iruntime -Iplugins "${elsewhere[@]}" -fsyntax-only 2>&1 |
        grep -E 'error:|warning:'
}
nothing "runtime and plugins compile for $cross without a warning" faults
done_claims
