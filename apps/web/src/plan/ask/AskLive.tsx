import type { StatisticRequest } from "@dosimeter/query/statistics";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useMemo, useState } from "react";
import { useDataset } from "../../api/datasets.ts";
import { lazy } from "../../api/part.ts";
import { useReleased } from "../../api/reuse.ts";
import { AskField, type Begun, ofPlan, type Question } from "./AskField.tsx";
import type { Askable } from "./use-askable.ts";
import { useGrammar } from "./use-grammar.ts";

const AskPreview = lazy(async () => ({ default: (await import("./AskCard.tsx")).AskPreview }));

/** Questions of others that are offered on an empty line, and below a card. */
const MAX_ASKED = 4;
const MAX_ALSO = 3;
const ANY = { text: "", column: "", statistic: "" };

/** The line of a dataset in use: what it reads, what others asked, and below it what the answer could look like. */
export function AskLive({
  of: { id, name, account },
  begun,
  isBack,
  aside,
  onText,
}: {
  of: Askable;
  begun: Begun;
  /** Its text stood there from the start: room for the card is kept. */
  isBack: boolean;
  aside: ReactNode;
  /** Takes what is typed, to be kept. */
  onText: (text: string) => void;
}) {
  const navigate = useNavigate();
  const { data } = useDataset(id);
  const grammar = useGrammar(true);
  const declaration = useMemo(
    () => (data === undefined ? null : (grammar?.declarationOf(data) ?? null)),
    [data, grammar],
  );
  const released = useReleased(id, ANY);
  const asked = useMemo(() => {
    if (grammar === null || declaration === null) return [];
    const items = (released.data?.pages[0]?.items ?? []).filter((item) => item.kind === "released");
    // Of rows that were replaced since, each is paid again.
    const free = items.filter(({ version }) => version === data?.version);
    const rows = free.map(({ request }) => request as unknown as StatisticRequest);
    const texts = rows.map((row) => [grammar.askText(row, declaration) ?? "", row.column] as const);
    return [...new Map(texts.filter(([text]) => text !== ""))];
  }, [released.data, grammar, declaration, data?.version]);
  /** Other questions than this, those of its column first. */
  const alsoOf = (whole: Question | null): readonly string[] => {
    const said = whole?.rows.map((row) => (declaration === null ? null : grammar?.askText(row, declaration)));
    const columns = whole?.rows.map(({ column }) => column) ?? [];
    const [near, far] = [true, false].map((isNear) => asked.filter(([, each]) => columns.includes(each) === isNear));
    const others = [...(near ?? []), ...(far ?? [])].flatMap(([text]) => (said?.includes(text) ? [] : text));
    return whole === null ? [] : others.slice(0, MAX_ALSO);
  };
  const [wanted, setWanted] = useState<string | null>(null);
  const payer = data?.accounts.find((each) => each.id === account);
  const room = isBack ? <div className="ask-space" /> : null;
  return (
    <AskField
      label={`Ask ${name}`}
      declaration={declaration}
      begun={begun}
      onText={onText}
      aside={aside}
      asked={asked.slice(0, MAX_ASKED).map(([text]) => text)}
      below={(whole, put) =>
        data === undefined || declaration === null ? (
          room
        ) : payer === undefined ? null : (
          <Suspense fallback={whole === null ? null : room}>
            <AskPreview
              whole={whole === null || ofPlan(whole) ? null : whole}
              dataset={data}
              account={payer}
              onWanted={setWanted}
              onReleased={() => onText("")}
              {...{ declaration, wanted }}
            />
            <Also of={alsoOf(whole)} onTake={put} />
          </Suspense>
        )
      }
      onAsk={async (question) => {
        if (!ofPlan(question)) setWanted(JSON.stringify(question.rows));
        else
          await navigate({
            to: "/datasets/$dataset/plan",
            params: { dataset: id },
            search: { account, ask: question.text },
          });
        return undefined;
      }}
    />
  );
}

/** What others asked, which is read for free. */
function Also({ of, onTake }: { of: readonly string[]; onTake: (text: string) => void }) {
  if (of.length === 0) return null;
  return (
    <p className="soft small ask-also">
      People also asked, free to read:
      {of.map((text) => (
        <button key={text} type="button" className="tool" onClick={() => onTake(text)}>
          {text}
        </button>
      ))}
    </p>
  );
}
