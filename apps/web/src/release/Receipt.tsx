import type { Release } from "@dosimeter/client";
import { Amount } from "../parts/Amount.tsx";
import { Facts } from "../parts/Page.tsx";
import { momentText } from "../parts/time.ts";

/** What vouches for the answers, behind one line: the receipt with its hashes, and the exact statement. */
export function Receipt({ release }: { release: Release }) {
  const { receipt } = release;
  if (receipt === null)
    return (
      <p className="soft">
        Charged as line {release.entry} of the ledger. The receipt is complete when the answers are.
      </p>
    );
  return (
    <details className="receipt">
      <summary>
        <h2>Receipt and exact statement</h2>
        <span className="soft small">
          {receipt.epsilon === null ? null : <Amount unit="ε" of={receipt.epsilon} />} on line {receipt.entry} of the
          ledger
        </span>
      </summary>
      <div className="stack gap-12">
        <Facts
          of={{
            "ε spent": <Amount of={receipt.epsilon} />,
            "δ spent": <Amount of={receipt.delta} />,
            "Ledger line": receipt.entry,
            Released: momentText(receipt.at),
          }}
        />
        <p className="small">
          The guarantee in force (version {receipt.guaranteeVersion}): {receipt.guarantee}
        </p>
        <dl className="small soft">
          <dt>Hash of the ledger line</dt>
          <dd className="code anywhere">{receipt.entryHash}</dd>
          <dt>Hash of the answers</dt>
          <dd className="code anywhere">{receipt.answersHash}</dd>
        </dl>
      </div>
    </details>
  );
}
