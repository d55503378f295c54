#!/bin/sh
# Hospital visits by month: from a CSV to a table with intervals, in a folder that is deleted at the end.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export DOSIMETER_DATA="$folder/data"

# 6,000 visits of 1,500 made-up patients in half a year; more of them in winter.
awk 'BEGIN {
  print "patient,seen,ward"
  for (i = 0; i < 6000; i++) {
    month = 1 + int(6 * ((i * 37) % 6000 / 6000) ^ 1.3)
    printf "%d,2026-%02d-%02d,%s\n", 1 + (i * 7) % 1500, month, 1 + i % 28, (i % 3 ? "day" : "night")
  }
}' > "$folder/visits.csv"

# Of one patient at most four visits count: that bounds what one patient can change.
npx dosimeter dataset add "$folder/visits.csv" -d '{name: visits, privacyUnit: {column: patient},
  unitNoun: {one: patient, many: patients}, contribution: {rows: 4}, columns: {patient: {type: integer},
  seen: {type: date, lower: 2026-01-01, upper: 2026-06-30}, ward: {type: category, categories: [day, night]}}}' > "$folder/log"
npx dosimeter ledger open visits --epsilon 2 --delta 1e-6 >> "$folder/log"
npx dosimeter person create "Grace" >> "$folder/log"
npx dosimeter account create visits --person Grace --epsilon 1 >> "$folder/log"
DOSIMETER_TOKEN=$(npx dosimeter token create report --person Grace)
export DOSIMETER_TOKEN

query="SELECT DATE_TRUNC('month', seen) AS month, COUNT(*) AS visits FROM visits GROUP BY month ORDER BY month"
echo "What it costs, and how far off it will be:"
npx dosimeter sql --epsilon 0.5 --quote "$query"
echo
echo "The answer:"
npx dosimeter sql --epsilon 0.5 --key june "$query"
