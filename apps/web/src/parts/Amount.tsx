import { shortest } from "./decimal.ts";

/** An exact amount, digit by digit; "–" where there is none. */
export function Amount({ of, unit }: { of: string | null | undefined; unit?: "ε" | "δ" | "μ²" }) {
  if (of === null || of === undefined) return <span className="soft">–</span>;
  return (
    <span className="nowrap">
      {unit === undefined ? null : <span aria-hidden="true">{unit} </span>}
      {unit === undefined ? null : <span className="visually-hidden">{unitNames[unit]} </span>}
      {shortest(of)}
    </span>
  );
}

const unitNames = { ε: "epsilon", δ: "delta", "μ²": "mu squared" } as const;
