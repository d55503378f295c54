import type { Account, Dataset, PlanRequest, Quote } from "@dosimeter/client";
import { savedPlan } from "@dosimeter/planner";
import { errorUnit } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { errorText } from "@dosimeter/query/quote";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useQuote } from "../api/releases.ts";
import type { Chosen } from "../reuse/Offers.tsx";
import type { OwnedAnswer } from "./plan-bench.ts";
import type { Planner } from "./use-planner.ts";
import { costOf, readyPlan } from "./workbench.ts";

/** The pause in typing after which the server is asked. */
const QUOTE_AFTER_MS = 300;

interface Asking {
  readonly dataset: Dataset;
  readonly account: Account;
  readonly declaration: Declaration;
  /** Rows that were to be answered again when the plan was typed before. */
  readonly fresh: readonly string[];
}

/** The server's quote of the present plan. A free earlier answer that is as good or better is taken unless a person says otherwise. */
export function useQuoted(planner: Planner, { dataset, account, declaration, fresh: anew }: Asking) {
  const [said, setSaid] = useState<Chosen>(() => Object.fromEntries(anew.map((id) => [id, "fresh"])));
  const [asOf, setAsOf] = useState<number | null>(null);
  const plan = readyPlan(planner.bench, planner.rows);
  const cost = costOf(planner.rows);
  const { rows: planned } = planner.bench.draft;
  const fresh = planner.rows.filter(({ id }) => planned.find((row) => row.id === id)?.isOwned !== true);
  const saved = plan === null ? null : savedPlan(planner.bench.draft, declaration);
  const request: PlanRequest | null =
    plan === null || saved === null
      ? null
      : {
          dataset: dataset.id,
          account: account.id,
          plan: saved as PlanRequest["plan"],
          reuse: Object.fromEntries(plan.statistics.map(({ id = "" }) => [id, said[id] ?? "asAccurate"])),
          ...(asOf === null ? {} : { asOf }),
        };
  // Compared as text, because a plan is a new object at every keystroke.
  const question = JSON.stringify(request);
  const [asked] = useDebouncedValue(question, QUOTE_AFTER_MS, { leading: true });
  const isSettled = asked === question;
  const quote = useQuote(JSON.parse(asked) as PlanRequest | null, true);
  const quoted = request === null ? undefined : quote.data;
  const free = quoted?.statistics.filter(({ reuse }) => reuse.chosen !== null) ?? [];
  const chosen: Chosen = Object.fromEntries(
    quoted?.statistics.map(({ id, reuse }) => [id, reuse.chosen ?? "fresh"]) ?? [],
  );
  const choose = (id: string, choice: string): void => setSaid((before) => ({ ...before, [id]: choice }));
  const isAdded = free.some((statistic) => !isServed(statistic));
  const owned = quoted?.statistics.filter(isServed).map(({ id }) => id) ?? [];
  const isFetching = request !== null && (quote.isFetching || !isSettled);
  const { own } = planner;
  const told = Object.fromEntries(quoted?.statistics.map(({ id, known }) => [id, known]) ?? []);
  const facts = isFetching || quoted === undefined ? null : JSON.stringify({ ids: owned, known: told });
  // Once more where an edit or an undo put other rows in place.
  const shown = planner.bench.draft.rows;
  useEffect(() => {
    if (facts !== null && shown.length > 0) own(JSON.parse(facts) as Parameters<typeof own>[0]);
  }, [facts, shown, own]);
  const unitOf = (id: string): string | null =>
    errorUnit(planner.rows.find((row) => row.id === id)?.settings ?? {}, declaration);
  return {
    plan: plan as PlanRequest["plan"] | null,
    /** What is released is what the quote shows: the offers that it names, and no other. */
    request: request === null ? null : { ...request, reuse: chosen },
    quoted,
    error: request === null ? null : quote.error,
    isFetching,
    isAdmitted: isSettled && !quote.isPlaceholderData && quote.data?.admitted === true,
    /** Statistics that were paid for before. */
    free,
    cost,
    /** Earlier answers are added to, so the quote has the charge, not the sum of the rows. */
    isAdded,
    charged: isAdded ? (quoted?.cost?.epsilon ?? cost) : costOf(fresh),
    /** What shows as chosen: until the server's quote is here, what the person said. */
    chosen: isFetching ? { ...chosen, ...said } : chosen,
    choose,
    fresh: Object.keys(said).filter((id) => said[id] === "fresh"),
    unitOf,
    ownedOf: (id: string): OwnedAnswer | undefined => ownedIn(quoted, { id, unit: unitOf(id) }, choose),
    asOf,
    setAsOf: (version: number | null) => {
      setSaid({});
      setAsOf(version);
    },
  };
}

export type Quoted = ReturnType<typeof useQuoted>;

/** An earlier answer stands for the row, whole: nothing of it is paid again. */
const isServed = ({ reuse: { chosen, offers } }: Quote["statistics"][number]): boolean =>
  offers.some(({ id, kind }) => id === chosen && kind !== "refined");

type Offers = Quote["statistics"][number]["reuse"]["offers"];

const bestOf = (offers: Offers): Offers[number] | undefined =>
  offers.reduce<Offers[number] | undefined>(
    (best, offer) => ((offer.halfWidth ?? Infinity) < (best?.halfWidth ?? Infinity) ? offer : best),
    undefined,
  );

/** The free answer that a row takes, or would take if asked: the best that is as good as a new one. */
function ownedIn(
  quoted: Quote | undefined,
  { id, unit }: { readonly id: string; readonly unit: string | null },
  choose: (id: string, choice: string) => void,
): OwnedAnswer | undefined {
  const row = quoted?.statistics.find((each) => each.id === id);
  const free = row?.reuse.offers.filter(({ kind }) => kind !== "refined") ?? [];
  const used = free.find((offer) => offer.id === row?.reuse.chosen);
  const offer = used ?? bestOf(free.filter(({ asAccurate }) => asAccurate));
  if (row === undefined || offer === undefined || offer.halfWidth === null) return undefined;
  return {
    error: `± ${errorText(offer.halfWidth, unit)}`,
    sentence: offer.sentence,
    isUsed: used !== undefined,
    isBetter: row.accuracy.halfWidth !== null && offer.halfWidth < row.accuracy.halfWidth,
    use: (isUsed) => choose(id, isUsed ? offer.id : "fresh"),
  };
}
