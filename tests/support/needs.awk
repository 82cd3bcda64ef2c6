# needs.awk -- what each plugin and each test must be linked again for, as lines of a makefile: the objects of all folders
# that its sources include headers of, and of those that these include. Archives alone would link all of them for each
# change of one kernel.
#
#   find runtime plugins tests -name '*.[ch]' -o -name '*.cpp' | awk -v B=build/release -f needs.awk
#
# A node is a folder; of tests each file is one, as a test and its rig are in folders with many others.
function node(file) {
    if (file !~ /^tests\//) { sub(/\/[^\/]*$/, "", file); return file }
    sub(/\.[a-z]*$/, "", file)
    return file
}
# Returns the file that `from` includes as `name`; empty if it is none of these.
function found(name, from,   i, n, root, file) {
    file = from
    sub(/[^\/]*$/, name, file)
    if (file in is_file) return file
    n = split("runtime/ plugins/ tests/", root, " ")
    for (i = 1; i <= n; i++) if ((root[i] name) in is_file) return root[i] name
    return ""
}
function reach(from,   i, n, next_node) {
    if (from in reached) return
    reached[from]
    n = split(out[from], next_node, " ")
    for (i = 1; i <= n; i++) reach(next_node[i])
}
function print_needs(target, except,   at) {
    printf "%s:", target
    for (at in reached) if (at in objects && index(at "/", except "/") != 1) printf "%s", objects[at]
    printf "\n"
    split("", reached)
}
/templates\/|^tests\/abi\// { next }
{
    is_file[$0]
    all[++files] = $0
}
END {
    for (i = 1; i <= files; i++) {
        file = all[i]
        from = node(file)
        if (file ~ /\.c$/ && file !~ /\/main\.c$/) {
            object = file
            sub(/\.c$/, ".o", object)
            objects[from] = objects[from] " " B "/" object
        }
        if (file ~ /\/plugin\.c$/) plugins[from]
        if (file ~ /^tests\/(kernel|unit|stage)\/.*\.c$/) tests[from]
        while ((getline line <file) > 0) {
            if (line !~ /^#include "/) continue
            split(line, part, "\"")
            to = found(part[2], file)
            if (to == "" || ((from, node(to)) in edge)) continue
            edge[from, node(to)]
            out[from] = out[from] " " node(to)
        }
        close(file)
    }
    for (at in plugins) {
        for (i = 1; i <= files; i++) if (index(node(all[i]) "/", at "/") == 1) reach(node(all[i]))
        name = substr(at, 9)
        gsub(/\//, "_", name)
        print_needs(B "/lib/leat/plugins/" name ".so", at)
    }
    for (at in tests) {
        reach(at)
        print_needs(B "/" at, at)
    }
}
