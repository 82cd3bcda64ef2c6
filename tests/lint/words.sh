#!/usr/bin/env bash
# Openings of comments that make a reader read twice: a comment begins with a noun or a verb.
source "$(dirname "$0")/../support/lint.sh"
puzzles='[Aa]s|[Ww]hat|[Tt]hose|[Nn]one|[Tt]he same|[Tt]hat|[Ww]hich|[Ww]hose|[Aa]lso|[Nn]ot|[Ss]o|[Aa]nd|[Bb]ut'
puzzles+='|[Ll]ikewise|[Ff]alse:|[Tt]rue:|Of|Its|It|No|They'
puzzling() { git grep -nE "/\* ($puzzles) " -- 'runtime/*.[ch]' 'plugins/*.[ch]' 'plugins/*.cpp' 'tests/*.[ch]' ':!tests/abi'; }
nothing "a comment begins with a noun or a verb" puzzling
done_claims
