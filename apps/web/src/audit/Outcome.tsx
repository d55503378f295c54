import { FITTED } from "@dosimeter/core";
import type { Check } from "@dosimeter/verify";
import { Notice } from "../parts/Notice.tsx";
import { Facts } from "../parts/Page.tsx";
import { momentText } from "../parts/words.ts";

/** What an independent reader found in the export of a ledger. */
export function Outcome({ check }: { readonly check: Check }) {
  const { ok, problems, entries, takenOver, lines, head, signedBy, exportedAt, isFitted } = check;
  return (
    <div className="stack">
      <Notice tone={ok ? "good" : "danger"} title={ok ? "It adds up" : "It does not add up"}>
        {ok ? (
          <p>Every entry contains the hash of the one before it, and no charge was cheaper than its events.</p>
        ) : null}
        {problems.slice(0, 20).map(({ where, problem }) => (
          <p key={`${where} ${problem}`}>
            {where} {problem}
          </p>
        ))}
        {problems.length > 20 ? <p>and {problems.length - 20} more.</p> : null}
      </Notice>
      {isFitted ? (
        <Notice tone="plain" title="Fitted to the data">
          <p>{FITTED}</p>
        </Notice>
      ) : null}
      <Facts
        of={{
          Entries:
            takenOver === 0
              ? entries
              : `${entries}, ${takenOver} with a price for a whole plan not derived again: too much work`,
          "Audit lines": lines,
          "As of": momentText(exportedAt),
          Head: <span className="code">{head}</span>,
          "Signed by": <span className="code">{signedBy ?? "not signed"}</span>,
        }}
      />
    </div>
  );
}
