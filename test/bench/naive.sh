#!/bin/sh
# Scans to the document-management system as people script it: scan all sheets, make a PDF, recognize
# it, upload it. Runs in an empty directory or, without DEVICE, in one that holds the raw pages.
# Needs MODE, DMS_URL and DMS_TOKEN. The last two lines of output are the CPU times of the shell and
# of its children.
set -eu

if [ -n "${DEVICE:-}" ]; then
  scanimage --device-name="$DEVICE" --source=ADF --mode="$MODE" --resolution=300 -x 210 -y 297 \
    --format=tiff --batch=page-%04d.tif
fi
img2pdf --output pages.pdf page-*.tif
ocrmypdf --language eng --jobs "$(nproc)" pages.pdf document.pdf
curl --fail --silent --show-error --output answer.json \
  --header "Authorization: Token $DMS_TOKEN" --form document=@document.pdf \
  "$DMS_URL/api/documents/post_document/"
times
