#!/bin/sh
# Three tools ask about the same penguins and one ledger pays, in a folder that is deleted at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
export DOSIMETER_DATA="$folder/data"
npx dosimeter serve --port 0 --json > "$folder/log" &
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

# Their number is public, so that one penguin is replaced and none is added: diffprivlib's means need that.
npx dosimeter dataset add "$here/penguins.csv" -d '{name: penguins, privacyUnit: row, adjacency: replace,
  size: {public: 342}, unitNoun: {one: penguin, many: penguins}, contribution: {rows: 1}, columns: {
  species: {type: category, categories: [Adelie, Chinstrap, Gentoo]},
  island: {type: category, categories: [Biscoe, Dream, Torgersen]},
  flipper_mm: {type: integer, lower: 150, upper: 250}, mass_g: {type: integer, lower: 2000, upper: 7000}}}' >> "$folder/said"
npx dosimeter ledger open penguins --epsilon 1 --delta 1e-6 --rule addition >> "$folder/said"
npx dosimeter person create "Kristen" >> "$folder/said"
npx dosimeter account create penguins --person Kristen --epsilon 1 >> "$folder/said"
npx dosimeter account declaring penguins Kristen --most-epsilon 0.5 >> "$folder/said"
DOSIMETER_TOKEN=$(npx dosimeter token create penguins --person Kristen --scope "read release")
PYTHONPATH="$root/clients/python/src" PYTHONDONTWRITEBYTECODE=1 DOSIMETER_TOKEN="$DOSIMETER_TOKEN" \
  "${PYTHON:-python3}" "$here/penguins.py" "$here/penguins.csv" "$folder/permit.json"

echo
echo "Checked without the server:"
npx dosimeter ledger export penguins > "$folder/penguins.jsonl"
npx dosimeter verify "$folder/penguins.jsonl"
npx dosimeter verify permit "$folder/permit.json"
