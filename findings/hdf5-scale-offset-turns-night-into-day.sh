#!/usr/bin/env bash
# hdf5-scale-offset-turns-night-into-day -- HDF5: a solar plant draws 0.01 kW at night; what is read back is 5.11 kW
#
# A day of a plant, a reading a minute, float32, in whole hundredths of a kW: -0.01 in the dark, up to 5.00 at noon.
# h5py writes it with scaleoffset=2: HDF5's scale-offset filter, which keeps two digits after the decimal point.
#
# Guess: the filter loses digits after the second, and there are none. So what is read is what was written, to the last
#        bits of float32. That NaN does not pass the filter is documented; there is none.
# Truth: all 720 readings of -0.01 are read as 5.11, above the day's maximum. The day's energy is 99.5 kWh in place of
#        38.1. float64 is right. Nothing warns.
#        If one reading is -0.02, all are right; so a test with noise, or with lower numbers, does not see it.
#        scaleoffset=4 reads -0.0001 as 0.0511; -0.1 with 1, and -0.001 with 3, are right.
#        With scaleoffset=0 all of 0.99, 0.5 and -0.7 are read as 0, and with a fill value of 3, 2.51 as 3: what lies
#        within one unit of the fill value is lost, with errors of a whole unit and not of a half.
#
# Cause: numbers within 10^-2 of the fill value, 0 by default, are taken for it. The pass that looks for the minimum
#        asks so in double, where float32's 0.01 is less than 10^-2. The pass that packs asks in float, where it is not.
#        So -0.01 is packed as a number, below the minimum 0.02: -3, of which the low nine bits are kept.
# Cure:  fillvalue=-1e30, or another one far away; or float64; or round() and a compressor (shuffle, gzip).
#
# Seen with: h5py 3.16.0 from PyPI, which has HDF5 2.0.0; h5py 3.11.0 with HDF5 1.14.2 does the same. amd64.
# Sources: HDF5, H5Zscaleoffset.c (H5Z_scaleoffset_max_min_3 against H5Z_scaleoffset_modify_1);
#          https://github.com/h5py/h5py/issues/783 and /issues/1009 (NaN); https://github.com/HDFGroup/hdf5/pull/5864
#          (an error that it mends). No issue of it was found in HDF5. A library in Rust copies the two precisions,
#          and says so (https://github.com/CramBL/hdf5-pure, src/scaleoffset.rs).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs them into packages/; prints the versions.
versions() {
    python3 -m pip install -q --disable-pip-version-check --target packages "$@" 2>pip.log ||
        { cat pip.log; exit 1; }
    for package in "$@"; do
        echo "${package%==*} ${package#*==}"
    done
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions h5py==3.16.0 numpy==2.4.6

cat >day.py <<'PY'
"""Prints, a line for each claim, what is read back of what was written."""
import h5py
import numpy

print("HDF5", h5py.version.hdf5_version, sep="\t")


def back(values, digits, **options):
    with h5py.File("day.h5", "w") as file:
        file.create_dataset("power", data=values, scaleoffset=digits, **options)
    with h5py.File("day.h5", "r") as file:
        return file["power"][:]


def plant(digits=2, kind="float32"):
    """Returns 720 minutes of light, up to 500 units and never below 2, and 720 of night, at -1 unit."""
    light = numpy.maximum(2, numpy.round(500 * numpy.sin(numpy.arange(720) * numpy.pi / 720)))
    return (numpy.concatenate([light, numpy.full(720, -1)]) / 10**digits).astype(kind)


def night(claim, power, digits=2, **options):
    print(claim, *(f"{value:.6g}" for value in numpy.unique(back(power, digits, **options)[720:])), sep="\t")


night("float32", plant())
night("float64", plant(kind="float64"))
night("far", plant(), fillvalue=-1e30)
lower = plant()
lower[1439] = -0.02
night("lower", lower)
for digits in 1, 3, 4:
    night(digits, plant(digits), digits)
print("energy", *(f"{day.sum(dtype=float) / 60:.1f}" for day in (plant(), back(plant(), 2))), sep="\t")
print("maximum", f"{plant().max():.2f}", sep="\t")
wide = numpy.array([0.99, 0.5, -0.7, 1.0, 7.0])
print("units", *(f"{value:g}" for value in back(wide, 0)), sep="\t")
print("filled", *(f"{value:g}" for value in back(numpy.array([1.0, 2.0, 2.51, 3.49, 7.0]), 0, fillvalue=3.0)), sep="\t")
PY
PYTHONPATH=packages python3 day.py >day.tsv

# of CLAIM: prints what day.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { sub(/^[^\t]*\t/, ""); gsub(/\t/, " "); print }' day.tsv
}

expect "version of HDF5" "$(of HDF5)" 2.0.0
expect "maximum of the day, as written" "$(of maximum)" 5.00
expect "the nights' -0.01: scaleoffset=2, float32" "$(of float32)" 5.11
expect "  float64" "$(of float64)" -0.01
expect "  with fillvalue=-1e30" "$(of far)" -0.01
expect "  with one reading of -0.02" "$(of lower)" "-0.02 -0.01"
expect "the nights' -0.1: scaleoffset=1" "$(of 1)" -0.1
expect "the nights' -0.001: scaleoffset=3" "$(of 3)" -0.001
expect "the nights' -0.0001: scaleoffset=4" "$(of 4)" 0.0511
expect "energy, kWh: written, read" "$(of energy)" "38.1 99.5"
expect "0.99 0.5 -0.7 1 7: scaleoffset=0" "$(of units)" "0 0 0 1 7"
expect "1 2 2.51 3.49 7: scaleoffset=0, fillvalue=3" "$(of filled)" "1 2 3 3 7"
exit $changed
