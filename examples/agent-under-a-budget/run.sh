#!/bin/sh
# An AI agent with ε = 0.3: it asks over the Model Context Protocol until the ledger refuses, and then asks what still fits.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export DOSIMETER_DATA="$folder/data"

# 2,000 made-up people.
awk 'BEGIN {print "person,age,region"; for (i = 1; i <= 2000; i++) printf "%d,%d,%s\n", i, 18 + (i * 7) % 70, (i % 3 ? "north" : "south")}' > "$folder/people.csv"
npx dosimeter dataset add "$folder/people.csv" -d '{name: people, privacyUnit: {column: person},
  contribution: {rows: 1}, columns: {person: {type: integer}, age: {type: integer, lower: 18, upper: 90},
  region: {type: category, categories: [north, south]}}}' > "$folder/log"
npx dosimeter ledger open people --epsilon 2 --delta 1e-6 >> "$folder/log"

# The agent acts for Grace. It has an account of its own, a limit for each charge, and a token that reads and releases.
npx dosimeter person create "Grace" >> "$folder/log"
npx dosimeter person create "Grace's agent" --kind agent --for Grace >> "$folder/log"
npx dosimeter account create people --person "Grace's agent" --epsilon 0.3 --query-epsilon 0.2 >> "$folder/log"
DOSIMETER_TOKEN=$(npx dosimeter token create mcp --person "Grace's agent" --scope "read release")
export DOSIMETER_TOKEN

node "$here/agent.mjs"
