#!/bin/sh
# Copies to TARGET what the scanner's image needs of the packages that are installed here:
#
#   collect-files.sh TARGET FILES-BEFORE PACKAGE...
#
# that is the files of these packages and the libraries that they are linked with, but nothing that is in the list
# FILES-BEFORE. libsane1 depends on perl, systemd and a video codec, by way of drivers for cameras that no appliance has:
# without those its image is half as large.
set -eu
target=$1
before=$2
shift 2

# Drivers of cameras and the old one for eSCL (sane-airscan is the better one), saned, and what only a whole system uses.
unwanted='libsane-(gphoto2|v4l|escl)\.|/saned$|/systemd/|/udev/|/tmpfiles\.d/|/share/(doc|man|locale)/'

wanted=$(mktemp)
dpkg-query --listfiles "$@" | sort -u | grep -Ev "$unwanted" | while read -r file; do
    if [ -f "$file" ]; then echo "$file"; fi
done > "$wanted"

# A library is found under the name that ldd prints, often a link, and the file is behind it.
libraries=$(xargs ldd < "$wanted" 2> /dev/null | sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | sort -u)
for library in $libraries; do
    echo "$(realpath "$(dirname "$library")")/$(basename "$library")"
    realpath "$library"
done >> "$wanted"

mkdir -p "$target"
sort -u "$wanted" | comm -23 - "$before" | tar --create --files-from=- | tar --extract --directory="$target"
