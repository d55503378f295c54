import type { Dataset } from "@dosimeter/client";
import { amplifyBySampling } from "@dosimeter/core/accounting";
import { formatNumber } from "@dosimeter/plot";
import { inNoun } from "@dosimeter/query/declaration";
import { useState } from "react";
import { declarationOf } from "../api/declaration.ts";
import { NumberField } from "../parts/fields.tsx";
import { readTyped } from "../parts/number-text.ts";
import { NO_SECRET_SAMPLE } from "./account-terms.ts";
import { plain } from "./grid/cells.ts";

/** A promise in three digits, rounded up. */
const up = (value: number): string => formatNumber(Number(plain(value)), 3);

/**
 * What a ledger promises people of whom its table is a secret sample. It is read over everything that the ledger allows, once: every
 * release uses the same sample, so no single plan has a gain. [M42, M48]
 */
export function SampleReading({ dataset, rows }: { dataset: Dataset; rows: number }) {
  const [typed, setTyped] = useState("");
  const { ledger } = dataset;
  const { unitNoun } = declarationOf(dataset) ?? {};
  if (ledger === null) return null;
  const wish = { isWhole: true, min: rows + 1, max: Number.MAX_SAFE_INTEGER } as const;
  const read = typed.trim() === "" ? null : readTyped(typed, wish);
  const promise =
    read === null || read.fault !== undefined
      ? null
      : amplifyBySampling(
          { epsilon: Number(ledger.epsilon), delta: Number(ledger.delta) },
          { size: rows, population: read.value },
        );
  return (
    <details className="card">
      <summary>Is this table a secret sample of a larger population?</summary>
      <div className="stack measured below-12">
        <p className="small flush">
          {NO_SECRET_SAMPLE} What all its releases together promise to the population is read here. It holds if the{" "}
          {formatNumber(rows)} were drawn at random, all at once and without replacement, if which{" "}
          {inNoun("people", unitNoun)} are in the table stays secret, if the number below is not too large, and as long
          as this is the only table that the ledger pays for.
        </p>
        <NumberField label="Secret sample of how many?" wish={wish} value={typed} onChange={setTyped} />
        {promise === null ? null : (
          <p className="flush">
            Towards those {typed.trim()} {inNoun("people", unitNoun)} everything that this ledger allows, ε{" "}
            {formatNumber(Number(ledger.epsilon), 3)}, promises ε <strong>{up(promise.epsilon)}</strong> and δ{" "}
            {up(promise.delta)}. To {inNoun("a person", unitNoun)} known to be in the table it promises ε{" "}
            {formatNumber(Number(ledger.epsilon), 3)}, as before. Nothing is charged less.
          </p>
        )}
      </div>
    </details>
  );
}
