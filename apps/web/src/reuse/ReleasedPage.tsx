import { statistics } from "@dosimeter/query/statistics";
import { useDebouncedValue } from "@mantine/hooks";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDataset } from "../api/datasets.ts";
import { useReleased } from "../api/reuse.ts";
import { More } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Card, DatasetCrumbs, Page, Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { Combine } from "./Combine.tsx";

const route = getRouteApi("/datasets/$dataset/released");
const ASK_AFTER_MS = 250;
const names = Object.entries(statistics).map(([value, { label }]) => ({ value, label }));

/** Answers that were paid for: asking for them again, or for what can be calculated from them, is free. */
export function ReleasedPage() {
  const { dataset: id } = route.useParams();
  const dataset = useDataset(id);
  const [text, setText] = useState("");
  const [column, setColumn] = useState("");
  const [statistic, setStatistic] = useState("");
  const [asked] = useDebouncedValue(text, ASK_AFTER_MS);
  const released = useReleased(id, { text: asked, column, statistic });
  const columns = Object.keys((dataset.data?.declaration.columns as object | undefined) ?? {});
  return (
    <Page
      title="Released answers"
      crumbs={<DatasetCrumbs id={id} name={dataset.data?.name} />}
      lead="Answers that were paid for and that you may reuse. Asking for one of them, or for what can be calculated from them, is free: the plan offers it. Results made outside come last, to be cited."
    >
      <div className="stack">
        <Card>
          <div className="stack">
            <div className="page-actions">
              <TextField label="Search" value={text} onChange={setText} />
              <Choice
                label="Column"
                value={column}
                onChange={setColumn}
                data={[{ value: "", label: "any" }, ...columns]}
              />
              <Choice
                label="Statistic"
                value={statistic}
                onChange={setStatistic}
                data={[{ value: "", label: "any" }, ...names]}
              />
            </div>
            <Pending of={released}>
              {({ pages }) => {
                const items = pages.flatMap((page) => page.items);
                return items.length === 0 ? (
                  <Empty title="Nothing here">
                    No answer that you may reuse matches. The dataset’s admin decides whose answers are offered to whom.
                  </Empty>
                ) : (
                  <>
                    <DataTable
                      caption="Released statistics, newest first"
                      isCaptionHidden
                      isStacking
                      rows={items}
                      keyOf={(item) => (item.kind === "released" ? `${item.release}/${item.row}` : item.charge)}
                      columns={[
                        {
                          name: "Statistic",
                          isHead: true,
                          cell: (item) =>
                            item.kind === "released" ? (
                              <Link to="/releases/$release" params={{ release: item.release }}>
                                {item.label}
                              </Link>
                            ) : (
                              <>
                                <Link to="/charges/$charge" params={{ charge: item.charge }}>
                                  {item.label}
                                </Link>{" "}
                                <Tag>made outside</Tag>
                              </>
                            ),
                        },
                        {
                          name: "Also gives",
                          cell: (item) => (item.kind === "released" && item.derivable.join(", ")) || "–",
                        },
                        {
                          name: "Version",
                          isNumber: true,
                          cell: (item) => (item.kind === "released" ? item.version : "–"),
                        },
                        { name: "Released", cell: ({ at }) => <span className="nowrap">{momentText(at)}</span> },
                        { name: "By", cell: ({ by }) => <span className="nowrap">{by}</span> },
                      ]}
                    />
                    <More of={released} />
                  </>
                );
              }}
            </Pending>
          </div>
        </Card>
        {released.data === undefined ? null : (
          <Combine
            dataset={id}
            items={released.data.pages.flatMap((page) => page.items.filter((item) => item.kind === "released"))}
          />
        )}
      </div>
    </Page>
  );
}
