import { boundedRow, errorAt, type PlanDraft, type PlanRow, yardstickOf } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import { errorUnit } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { biasText } from "@dosimeter/query/quote";
import { formatCost } from "../parts/Amount.tsx";
import { formatError } from "./grid/cells.ts";
import type { OwnedAnswer } from "./plan-bench.ts";

/** The most changes that are listed. */
const MAX_CHANGES = 4;

interface Compared {
  readonly draft: PlanDraft;
  readonly result: PlanDraft;
  readonly declaration: Declaration;
  readonly nameOf: (id: string) => string;
  /** The row that comes first. */
  readonly edited: string | null;
  /** The earlier answer that a row is, where it is one: it costs nothing. */
  readonly ownedOf: (id: string) => OwnedAnswer | undefined;
}

/** What another plan would change, before and after. */
export function Changes(compared: Compared) {
  const changes = [...changesOfPlan(compared), ...changesOfRows(compared)];
  const more = changes.length - MAX_CHANGES;
  return (
    <div>
      <dl>
        {changes.slice(0, MAX_CHANGES).map(({ name, before, after }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {before} <span aria-hidden="true">→</span>
              <span className="visually-hidden">becomes</span> <strong>{after}</strong>
            </dd>
          </div>
        ))}
      </dl>
      {more > 0 ? <p className="soft small">and {more} more</p> : null}
    </div>
  );
}

interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const percent = (part: number): string => `${formatNumber(100 * part, 4)} %`;

const changesOfPlan = ({ draft, result }: Compared): readonly Change[] =>
  [
    {
      name: "ε of the plan",
      before: formatCost(draft.epsilon),
      after: formatCost(result.epsilon),
    },
    { name: "Reserve", before: percent(Number(draft.reserve)), after: percent(Number(result.reserve)) },
    { name: "Confidence", before: percent(draft.confidence), after: percent(result.confidence) },
  ].filter(({ before, after }) => before !== after);

function changesOfRows({ draft, result, declaration, nameOf, edited, ownedOf }: Compared): readonly Change[] {
  const text = (plan: PlanDraft, id: string): string => {
    const row = plan.rows.find((other) => other.id === id);
    if (row === undefined) return "not asked";
    const error = errorAt(row, plan, declaration);
    const unit = errorUnit(row.request, declaration);
    const { bias } = yardstickOf(row, boundedRow(row, plan, declaration), null);
    const capping = bias === undefined ? "" : `, ${biasText(bias, unit)}`;
    return `${amountOf(row)}${error === null ? "" : `, ±\u00a0${formatError(error, unit)}${capping}`}`;
  };
  return draft.rows
    .map(({ id }) => {
      const owned = ownedOf(id);
      const before = owned?.isUsed ? `ε\u00a00, ${owned.error}, an earlier answer` : text(draft, id);
      const isAsked = result.rows.some((row) => row.id === id);
      // An edit of another row changes what a new answer would cost; this one stays the earlier answer.
      const isKept = owned?.isUsed === true && isAsked && id !== edited;
      const after = isKept || text(result, id) === text(draft, id) ? before : text(result, id);
      return { id, name: nameOf(id), before, after };
    })
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => Number(b.id === edited) - Number(a.id === edited));
}

const amountOf = ({ epsilon, rho }: PlanRow): string =>
  rho === undefined ? `ε\u00a0${formatCost(epsilon)}` : `ρ\u00a0${formatCost(rho)}`;
