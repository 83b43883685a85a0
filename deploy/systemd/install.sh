#!/bin/sh
# Installs or updates the units: sh deploy/systemd/install.sh [DIRECTORY], as root, on Debian 12 or
# 13. Copies the settings that `npm run setup` wrote to DIRECTORY, by default this checkout. Keeps
# installed files that are newer, and backs up each file it replaces.
set -eu
umask 022
checkout=$(cd "$(dirname "$0")/../.." && pwd)
written=$(cd "${1:-$checkout}" && pwd)
program=/opt/scan-service
settings=/etc/scan-service

if [ "$(id -u)" != 0 ]; then
  echo 'Only root can install the units: run this with sudo.' >&2
  exit 1
fi

# take_over FILE TARGET OPTIONS...: installs a file of the set-up, unless the target is newer.
take_over() {
  file=$1 target=$2
  shift 2
  if [ -f "$file" ] && ! [ "$target" -nt "$file" ]; then
    install --backup=numbered "$@" "$file" "$target"
  fi
}

echo 'Installing packages ...'
export DEBIAN_FRONTEND=noninteractive
apt-get update --quiet=2
# Newer versions of Node bring their own npm, which conflicts with Debian's.
npm=$(command -v npm >/dev/null || echo npm)
# shellcheck disable=SC2086 # an empty $npm must add no argument
apt-get install --quiet=2 --yes --no-install-recommends $npm ca-certificates curl sane-utils sane-airscan ocrmypdf \
  tesseract-ocr tesseract-ocr-eng qpdf python3-tesserocr python3-pikepdf python3-pil python3-numpy >/dev/null

echo "Installing the programs in $program ..."
if [ "$checkout" != "$program" ]; then
  mkdir -p "$program"
  copy=$(mktemp)
  trap 'rm -f "$copy" "$copy.list"' EXIT
  tar --create --file "$copy" --directory "$checkout" --exclude=./node_modules --exclude=./.tools --exclude=./.demo \
    --exclude=./config/profiles/*.yaml* --exclude=./secrets/* --exclude=./.env .
  tar --extract --file "$copy" --no-same-owner --directory "$program"
  tar --list --file "$copy" >"$copy.list"
  if [ -f "$program/.installed" ]; then
    # Removes files of an earlier version that this one does not have.
    grep --invert-match --line-regexp --fixed-strings --file "$copy.list" "$program/.installed" | grep -v '/$' |
      (cd "$program" && xargs --no-run-if-empty --delimiter '\n' rm -f --)
  fi
  cp "$copy.list" "$program/.installed"
fi
cd "$program"
# Makes the files readable for the units' users, whatever umask the checkout was created with.
find . \( -path ./.git -o -path ./node_modules -o -path ./.tools -o -path ./.env -o -path './secrets/*' -o -path './config/*' \) \
  -prune -o -exec chmod go=rX {} +
# Hides warnings: the packages need Node 24, but Debian's npm runs on an older one.
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
mkdir -p .tools/bin
cp -r deploy/bootstrap/node .tools/
npm ci --prefix .tools/node --ignore-scripts --no-audit --no-fund --loglevel=error
ln -sf "$program"/.tools/node/node_modules/node-linux-*/bin/node .tools/bin/node

echo "Taking over the settings into $settings ..."
id scan-service >/dev/null 2>&1 ||
  useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin scan-service
getent group scanner >/dev/null || groupadd --system scanner
install -d "$settings" "$settings/profiles" "$settings/sane.d"
install -d -g scan-service -m 0750 "$settings/secrets"
for file in "$written"/config/profiles/*.yaml; do
  take_over "$file" "$settings/profiles/${file##*/}" -m 0644
done
for file in "$written"/config/sane.d/*.conf; do
  take_over "$file" "$settings/sane.d/${file##*/}" -m 0644
done
# Copied after the set-up's files, which would otherwise count as older.
cp --update=none deploy/scanner/sane.d/* "$settings/sane.d/" 2>/dev/null ||
  cp --no-clobber deploy/scanner/sane.d/* "$settings/sane.d/"
for file in "$written"/secrets/*_token; do
  take_over "$file" "$settings/secrets/${file##*/}" -g scan-service -m 0640
done
if [ -f "$written/.env" ]; then
  # Omits paths of the checkout, which differ for the units. The file may contain tokens.
  environment=$(mktemp)
  grep -vE '^(SECRETS_DIR|SANE_CONFIG_DIR|PROFILES_DIR|SCANNER_SOCKET)=' "$written/.env" >"$environment" || true
  touch -r "$written/.env" "$environment"
  take_over "$environment" "$settings/environment" -m 0600
  rm "$environment"
fi
if ! [ -e "$settings/environment" ] && [ -z "$(find "$settings/profiles" -name '*.yaml')" ]; then
  # A new appliance, to be set up in the browser: the shipped profiles need an address to load.
  install -m 0600 /dev/stdin "$settings/environment" <<END
# Until the set-up in the browser names another Paperless-ngx:
DMS_URL_DEFAULT=http://localhost:8000
END
fi

cp deploy/systemd/*.service /etc/systemd/system/
systemctl enable --quiet scan-service
if ! [ -d /run/systemd/system ]; then
  echo 'Installed. It starts with the machine.'
  exit 0
fi
systemctl daemon-reload
port=$(sed -n 's/^PORT=//p' "$settings/environment" 2>/dev/null | tail -n 1)
service="http://localhost:${port:-8080}"
ready="$service/ready"
if ! systemctl is-active --quiet scan-service && curl --silent --max-time 5 --output /dev/null "$ready"; then
  echo "Something answers at $ready already: stop the programs that you started by hand, then run this again." >&2
  exit 1
fi
systemctl restart scan-service
echo 'Waiting until it is ready ...'
if ! curl --silent --max-time 5 --retry 60 --retry-all-errors --retry-delay 1 --fail "$ready" >/dev/null 2>&1; then
  echo "It does not become ready. See: journalctl -u 'scan-service*'" >&2
  exit 1
fi
echo "It runs, and starts with the machine. On your phone, open http://$(hostname -I | cut -d ' ' -f 1):${port:-8080}/"
if curl --silent --max-time 5 "$service/set-up" | grep -q '"state":"new"'; then
  echo 'It leads through the set-up. Whoever opens it first chooses the operator password.'
fi
if [ -s "$settings/secrets/scan_api_token" ]; then
  echo "It asks once for the caller token, which is in $settings/secrets/scan_api_token."
fi
echo "Settings, profiles and tokens are in $settings from now on. If something is wrong: npm run doctor"
