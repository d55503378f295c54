#!/bin/sh
# Runs the notebook's cells beside a demo of its own, in a folder that is deleted at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
export DOSIMETER_DATA="$folder/data"
npx dosimeter serve --demo --port 0 --json > "$folder/log" &
server=$!
# The server lets go of its folder when its last work is written: ten seconds at most.
finish() {
  kill "$server"
  wait "$server" 2> "$folder/end" || true
  tries=0
  while [ -e "$DOSIMETER_DATA/lock.json" ] && [ "$tries" -lt 20 ]; do
    tries=$((tries + 1))
    sleep 0.5
  done
  rm -rf "$folder"
}
trap finish EXIT

# It is ready when it has said its address: a minute at most.
tries=0
until grep -q '"url"' "$folder/log"; do
  tries=$((tries + 1))
  [ "$tries" -lt 120 ] || { echo "the server did not start" >&2; exit 1; }
  sleep 0.5
done
DOSIMETER_TOKEN=$(npx dosimeter token create notebook --person "Ana Silva")
export DOSIMETER_TOKEN PYTHONPATH="$root/clients/python/src" PYTHONDONTWRITEBYTECODE=1
python3 "$root/clients/python/tests/notebooks.py" "$here/income-by-education.ipynb"
