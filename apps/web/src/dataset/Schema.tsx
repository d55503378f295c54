import type { Dataset } from "@dosimeter/client";
import { FITTED, periodUnit } from "@dosimeter/core";
import { countText, printableText } from "@dosimeter/core/internal";
import { formatNumber, rangeText } from "@dosimeter/plot";
import { type Column, missingWords, mostRowsOf } from "@dosimeter/query/declaration";
import { declarationOf } from "../api/declaration.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Facts, Tag } from "../parts/Page.tsx";
import { Empty } from "../parts/Pending.tsx";

/** The declared columns and the source of their bounds. */
export function Schema({ dataset }: { dataset: Dataset }) {
  const declaration = declarationOf(dataset);
  if (declaration === null) {
    return <Empty title="The declaration cannot be shown">It was written for another version of Dosimeter.</Empty>;
  }
  const { privacyUnit, contribution, size } = declaration;
  return (
    <div className="stack">
      <Facts
        of={{
          "Privacy unit": privacyUnit === "row" ? "each row" : `each value of ${privacyUnit.column}`,
          "Counts at most": contributionText(contribution),
          Size:
            size === undefined
              ? "secret"
              : "public" in size
                ? `${formatNumber(size.public, 15)} rows, public`
                : `about ${formatNumber(size.assumed, 15)} rows, assumed`,
          "Most rows": formatNumber(mostRowsOf(declaration), 15),
        }}
      />
      {dataset.isFitted ? <p className="flush">{FITTED}</p> : null}
      <DataTable
        caption={`Declared columns. Bounds and categories are public or asserted by the owner${dataset.isFitted ? "" : ", never read from the data"}.`}
        isStacking
        rows={Object.entries(declaration.columns)}
        keyOf={([name]) => name}
        columns={[
          { name: "Column", isHead: true, cell: ([name, column]) => <Named name={name} column={column} /> },
          { name: "Type", cell: ([, { type, scale }]) => (scale === undefined ? type : "decimal") },
          { name: "Values", cell: ([, column]) => valuesText(column) },
          { name: "Missing", cell: ([, column]) => printableText(missingWords(column)) },
          { name: "Source", cell: ([, column]) => <Tag>{vouched(column)}</Tag> },
        ]}
      />
    </div>
  );
}

function Named({ name, column: { label, description } }: { name: string; column: Column }) {
  if (label === undefined && description === undefined) return name;
  return (
    <>
      {name}
      {label === undefined ? null : <div className="soft small">{printableText(label)}</div>}
      {description === undefined ? null : <div className="soft small">{printableText(description)}</div>}
    </>
  );
}

const provenanceText = { public: "public", asserted: "the owner", "dp-estimated": "a paid release" } as const;

const vouched = ({ provenance, release }: Column): string =>
  release === undefined ? provenanceText[provenance] : `release ${release}, paid for`;

const MAX_SHOWN = 8;

function valuesText({
  type,
  lower,
  upper,
  granularity,
  calendar,
  zone,
  categories,
  unit,
  valueLabels = {},
  spellings = {},
}: Column): string {
  const named = (value: string | number) => {
    const also = Object.hasOwn(spellings, String(value)) ? ` (also ${spellings[String(value)]?.join(", ")})` : "";
    return `${value}${Object.hasOwn(valueLabels, String(value)) ? ` = ${valueLabels[String(value)]}` : ""}${also}`;
  };
  if (categories !== undefined) {
    const shown = categories.slice(0, MAX_SHOWN).map(named).join(", ");
    return categories.length > MAX_SHOWN ? `${shown} and ${categories.length - MAX_SHOWN} more` : shown;
  }
  const labels = Object.entries(valueLabels)
    .slice(0, MAX_SHOWN)
    .map(([value, label]) => `${value} = ${label}`);
  if (lower === undefined || upper === undefined)
    return labels.length > 0 ? labels.join(", ") : type === "boolean" ? "true, false" : "–";
  if (calendar !== undefined)
    return `${rangeText([lower, upper], { calendar })}${calendar === "day" ? "" : `, by ${periodUnit(calendar)}`}${zone === undefined ? "" : `, ${zone}`}`;
  const by = granularity === undefined ? "" : ` by ${formatNumber(granularity)}`;
  const range = `${rangeText([lower, upper], { unit })}${by}`;
  return [range, ...labels].join(", ");
}

interface ContributionTextProps {
  rows?: number;
  groups?: number;
  rowsPerGroup?: number;
}

function contributionText({ rows, groups, rowsPerGroup }: ContributionTextProps): string {
  const parts = [
    ...(rows === undefined ? [] : [countText(rows, "row")]),
    ...(groups === undefined ? [] : [countText(groups, "group")]),
    ...(rowsPerGroup === undefined ? [] : [`${rowsPerGroup} a group`]),
  ];
  return parts.join(", ");
}
