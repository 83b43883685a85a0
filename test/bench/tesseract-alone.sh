#!/bin/sh
# Recognizes the raw pages in the current directory and does nothing else, on all cores with one
# thread per page. No other side of the comparison can need less CPU time.
# The last two lines of output are the CPU times of the shell and of its children.
set -eu

printf '%s\n' page-*.tif |
  OMP_THREAD_LIMIT=1 xargs -P "$(nproc)" -I '{}' tesseract '{}' '{}' -l eng --dpi 300
times
