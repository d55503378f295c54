// One filter decision, in microseconds; aim: at most 20 µs in the median, whatever the length of the history.
// Run: npx node bench/filter.bench.ts
import { cpus } from "node:os";
import { admit, type DpEvent, type FilterNode, ledgerCaps, openState, openTerms, shareCaps } from "@dosimeter/core";

const DECISIONS = 20_000;
const terms = openTerms({ epsilon: 5, delta: 1e-6, rule: "additionThenTight" });
const part = (of: bigint) => shareCaps(terms, { epsilon: (terms.epsilon / of) as typeof terms.epsilon });
const path: readonly FilterNode[] = [ledgerCaps(terms), part(2n), part(5n)].map((caps) => ({
  caps,
  state: openState(caps),
}));
const pure: readonly DpEvent[] = [{ kind: "pure", epsilon: 0.01 }];
const gaussian: readonly DpEvent[] = [{ kind: "gaussian", noiseMultiplier: 40 }];

const rows = [
  {
    what: "pure ε, a ledger alone, both sums",
    run: () => admit({ ...terms, activeRule: "addition" }, path.slice(0, 1), pure),
  },
  {
    what: "pure ε, ledger + team + member, both sums",
    run: () => admit({ ...terms, activeRule: "addition" }, path, pure),
  },
  {
    what: "Gaussian, ledger + team + member, tight",
    run: () => admit({ ...terms, activeRule: "tight" }, path, gaussian),
  },
];

console.log(`${cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}, ${DECISIONS} decisions each`);
for (const { what, run } of rows) {
  const micros: number[] = [];
  for (let i = 0; i < DECISIONS; i++) {
    const start = process.hrtime.bigint();
    if (!run().admitted) throw new Error(`${what} was refused`);
    micros.push(Number(process.hrtime.bigint() - start) / 1e3);
  }
  micros.sort((a, b) => a - b);
  const at = (quantile: number): string => (micros[Math.floor(quantile * DECISIONS)] ?? Number.NaN).toFixed(1);
  console.log(`${what}: median ${at(0.5)} µs, 99 % ${at(0.99)} µs`);
}
