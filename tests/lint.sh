#!/usr/bin/env bash
# What `make lint` checks: formatting, who may include what, cppcheck. Tools that are missing are
# named and passed over, except in CI (CI=true).
set -u
cd "$(dirname "$0")/.."
bad=0
complain() { echo "lint: $*"; bad=1; }
missing() { if [[ ${CI:-} == true ]]; then complain "$1 is not installed"; else echo "lint: $1 is not installed: passed over"; fi; }

# Dependencies point one way: plugins -> kernels, plugins -> include/leat, runtime -> include/leat.
grep -nE '#include *[<"](leat/|lua|lauxlib|lualib)' plugins/kernels/*.[ch] && complain "a kernel knows the runtime or Lua"
grep -nE '#include *"(\.\./)*(plugins|kernels)/' runtime/*.[ch] && complain "the runtime includes a plugin"
grep -rnE '#include *"(\.\./)*runtime/' plugins && complain "a plugin includes the runtime's inside"
grep -lE '#include *<(lua|lauxlib|lualib)\.h>' runtime/*.[ch] | grep -v '^runtime/lua_' && complain "only runtime/lua_* may see lua.h"
grep -rnE 'TODO|FIXME|XXX' runtime plugins lua pipelines docs && complain "something is left undone"

if command -v clang-format >/dev/null; then
    clang-format --dry-run -Werror $(git ls-files '*.c' '*.h') 2>&1 | head -20
    [[ ${PIPESTATUS[0]} == 0 ]] || complain "clang-format differs (make fmt)"
else
    missing clang-format
fi

if command -v cppcheck >/dev/null; then
    cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr \
        --suppress=missingInclude --suppress=missingIncludeSystem --error-exitcode=1 \
        -Iruntime/include -I. runtime plugins/kernels plugins/sources plugins/parsers \
        plugins/featurizers plugins/learners plugins/sinks || complain "cppcheck"
else
    missing cppcheck
fi

((bad == 0)) && echo "lint: clean"
exit $bad
