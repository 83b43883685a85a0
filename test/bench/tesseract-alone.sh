#!/bin/sh
# Nothing but the recognition of the raw pages in this directory, on all cores, one thread a page: the limit.
# The last two lines of its output are the CPU times of the shell and of everything it ran.
set -eu

printf '%s\n' page-*.tif |
  OMP_THREAD_LIMIT=1 xargs -P "$(nproc)" -I '{}' tesseract '{}' '{}' -l eng --dpi 300
times
