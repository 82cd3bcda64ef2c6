#!/usr/bin/env bash
# registry.sh -- Apicurio Registry on loopback, for tests: a Schema Registry at URL/apis/ccompat/v7.
#
#   registry.sh fetch            gets it with mvn into build/kafka/registry, once; fails if it cannot be had
#   registry.sh serdes           gets Apicurio's deserializers into build/kafka/serdes, once, and compiles Serdes.java
#   registry.sh start PORT       becomes the registry, with an empty memory; takes connections after some seconds
set -eu
cd "$(dirname "$0")/../../.."
version=3.0.9 # the last one for Java 17
folder=$PWD/build/kafka/registry

fetch() {
    mkdir -p "$folder"
    exec 8>"$folder/.lock"
    flock 8
    [[ -e $folder/.whole ]] && return
    timeout 300 mvn -q -B -Dstyle.color=never dependency:copy -Dmdep.useBaseVersion=true \
        -Dartifact="io.apicurio:apicurio-registry-app:$version:tar.gz:all" -DoutputDirectory="$folder" >&2 &&
        tar -xzf "$folder/apicurio-registry-app-$version-all.tar.gz" -C "$folder" &&
        rm "$folder/apicurio-registry-app-$version-all.tar.gz" && touch "$folder/.whole"
}

serdes() {
    local to=$PWD/build/kafka/serdes
    command -v javac >/dev/null && mkdir -p "$to"
    exec 8>"$to/.lock"
    flock 8
    [[ -e $to/.whole ]] && return
    timeout 300 mvn -q -B -Dstyle.color=never -f tests/support/kafka/serdes/pom.xml dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$to" >&2 &&
        javac -nowarn -cp "$to/*" -d "$to" tests/support/kafka/serdes/Serdes.java 2>/dev/null && touch "$to/.whole"
}

start() {
    cd "$folder"
    exec java -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dquarkus.http.host=127.0.0.1 "-Dquarkus.http.port=$1" \
        -cp "$folder/apicurio-registry-app-$version-runner.jar:lib/*" io.quarkus.runner.GeneratedMain
}

case ${1:-} in
fetch | serdes | start) "$@" ;;
*) sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//; /^set/d' && exit 2 ;;
esac
