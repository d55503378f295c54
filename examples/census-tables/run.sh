#!/bin/sh
# A small census: states, counties, age by sex and by marriage, as one release whose tables agree, in a folder that is deleted at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export DOSIMETER_DATA="$folder/data"

# 20,000 made-up residents of eleven counties; nobody below 15 is married.
awk 'BEGIN {
  split("Fulton Cobb DeKalb Gwinnett Alameda Fresno Kern Napa Orange Clark Washoe", county)
  split("0-14 15-39 40-64 65+", age)
  print "state,county,age,sex,married"
  for (i = 0; i < 20000; i++) {
    c = 1 + int(11 * ((i * 37) % 20000 / 20000) ^ 1.4)
    a = 1 + (i * 7 + int(i / 11)) % 4
    married = (a > 1 && (i * 13) % 5 < a) ? "true" : "false"
    printf "%s,%s,%s,%s,%s\n", (c <= 4 ? "Georgia" : c <= 9 ? "California" : "Nevada"), county[c], age[a], (i % 2 ? "f" : "m"), married
  }
}' > "$folder/census.csv"

npx dosimeter dataset add "$folder/census.csv" -d "$here/declaration.json" > "$folder/log"
npx dosimeter ledger open census --epsilon 4 --delta 1e-6 --rule tight >> "$folder/log"
npx dosimeter person create "Grace" >> "$folder/log"
npx dosimeter account create census --person Grace --epsilon 3 >> "$folder/log"
DOSIMETER_TOKEN=$(npx dosimeter token create report --person Grace)
export DOSIMETER_TOKEN

tables="tables tables=state,county,age+sex,age+married,county+age+sex weights=largest numbers=whole rho=0.1"
npx dosimeter --json release make census -s "$tables" --key census > "$folder/release.json"
node "$here/compare.mjs" "$folder/release.json"
