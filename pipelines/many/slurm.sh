#!/bin/sh
#SBATCH --requeue
# slurm.sh -- a task of a Slurm array: learns the file SPLITS/TASK, as TASK is numbered in the array.
#
#   job=$(sbatch --parsable --array=0-63 slurm.sh SPLITS STATES explain - --columns date,delay --outlier 'delay >= 60')
#   sbatch --dependency=afterok:$job --wrap 'leat model merge STATES.snapshot STATES/ --of 64'
#
# A task that is queued again writes the same bytes again. If some tasks failed, submit them alone (--array=3,17).
set -eu
splits=$1 states=$2
shift 2
mkdir -p "$states"

exec leat "$@" --quiet --split "$SLURM_ARRAY_TASK_ID" --state "$states/" <"$splits/$SLURM_ARRAY_TASK_ID"
