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
