import type { StatisticRequest } from "@dosimeter/query/statistics";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useMemo, useState } from "react";
import { useDataset } from "../../api/datasets.ts";
import { lazy } from "../../api/part.ts";
import { useReleased } from "../../api/reuse.ts";
import { AskField, type Begun, ofPlan } from "./AskField.tsx";
import type { Askable } from "./use-askable.ts";
import { useGrammar } from "./use-grammar.ts";

const AskPreview = lazy(async () => ({ default: (await import("./AskCard.tsx")).AskPreview }));

/** Questions of others that are offered. */
const MAX_ASKED = 4;
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
    const rows = items.map(({ request }) => request as unknown as StatisticRequest);
    const texts = rows.flatMap((row) => grammar.askText(row, declaration) ?? []);
    return [...new Set(texts)].slice(0, MAX_ASKED);
  }, [released.data, grammar, declaration]);
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
      asked={asked}
      below={(whole) =>
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
