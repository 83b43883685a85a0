#!/bin/bash
# Health check of a container whose program speaks HTTP on $PORT: "http-health.sh /ready" succeeds if the path returns 200, and
# otherwise prints the response, which "docker inspect" shows. Written in bash because it runs every few seconds: it takes two
# milliseconds, and starting node takes fifty times as long.
set -eu
exec 3<> "/dev/tcp/127.0.0.1/$PORT"
printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&3
IFS= read -r status <&3
[[ $status == 'HTTP/1.1 200 '* ]] || {
    echo "$status"
    cat <&3
    exit 1
}
