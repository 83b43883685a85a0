#!/bin/sh
# Runs a program in the Debian in directory $1, in its own namespaces: its mounts and child
# processes end with it. It uses the machine's network.
set -e
if [ "$1" != inside ]; then
    exec unshare --mount --pid --fork --kill-child "$0" inside "$@"
fi
shift
. "${0%/*}/mounts.sh"
shift
exec chroot . "$@"
