#!/bin/sh
# Boots the Debian in directory $1 with its own systemd, in its own namespaces. Ends when this
# process is killed.
set -e
case $2 in
'')
    exec unshare --pid --mount --net --uts --ipc --fork --kill-child "$0" "$1" enter
    ;;
enter)
    # With cgroups version 2, systemd needs a group without other processes.
    group=/sys/fs/cgroup/scan-service-systemd-test
    if [ -f /sys/fs/cgroup/cgroup.controllers ] && mkdir -p $group; then echo 0 >$group/cgroup.procs; fi
    exec unshare --cgroup "$0" "$1" boot
    ;;
esac
. "${0%/*}/../debian/mounts.sh"
mount -t cgroup2 cgroup2 sys/fs/cgroup
for directory in run tmp; do mount -t tmpfs tmpfs $directory; done
ip link set lo up
exec env -i container=nspawn PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot . /lib/systemd/systemd --log-target=console systemd.unit=multi-user.target
