#!/bin/sh
# Nothing but the recognition of the raw pages in this directory, on all cores, one thread a page: the limit. With
# SECONDS_A_SHEET set, the pages come one after the other, each after so many seconds, as from a feeder.
# The last two lines of its output are the CPU times of the shell and of everything it ran.
set -eu

pages() {
  for page in page-*.tif; do
    [ -z "${SECONDS_A_SHEET:-}" ] || sleep "$SECONDS_A_SHEET"
    echo "$page"
  done
}

pages |
  OMP_THREAD_LIMIT=1 xargs -P "$(nproc)" -I '{}' tesseract '{}' '{}' -l eng --dpi 300
times
