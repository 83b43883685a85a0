#!/bin/sh
# Runs a program in the Debian in the directory $1, in namespaces of its own: what it mounts and starts ends with it. The network is
# that of the machine.
set -e
if [ "$1" != inside ]; then
    exec unshare --mount --pid --fork --kill-child "$0" inside "$@"
fi
shift
. "${0%/*}/mounts.sh"
shift
exec chroot . "$@"
