#!/bin/sh
# Copies the files that the scanner's image needs from the installed packages to TARGET:
#
#   collect-files.sh TARGET FILES-BEFORE PACKAGE...
#
# These are the files of the packages and the libraries they are linked with, except those listed in FILES-BEFORE. Through its
# camera drivers, libsane1 depends on perl, systemd and a video codec; without them the image is half as large.
set -eu
target=$1
before=$2
shift 2

# Camera drivers, the old eSCL driver (sane-airscan is better), saned, and files for complete systems.
unwanted='libsane-(gphoto2|v4l|escl)\.|/saned$|/systemd/|/udev/|/tmpfiles\.d/|/share/(doc|man|locale)/'

wanted=$(mktemp)
dpkg-query --listfiles "$@" | sort -u | grep -Ev "$unwanted" | while read -r file; do
    if [ -f "$file" ]; then echo "$file"; fi
done > "$wanted"

# The name that ldd prints is often a link: copy the link and the file it points to.
libraries=$(xargs ldd < "$wanted" 2> /dev/null | sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | sort -u)
for library in $libraries; do
    echo "$(realpath "$(dirname "$library")")/$(basename "$library")"
    realpath "$library"
done >> "$wanted"

mkdir -p "$target"
sort -u "$wanted" | comm -23 - "$before" | tar --create --files-from=- | tar --extract --directory="$target"
