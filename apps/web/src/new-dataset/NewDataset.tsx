import type { Draft as KeptDraft } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { declarationJson } from "@dosimeter/query/declaration";
import { signsOf } from "@dosimeter/query/source";
import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useChange } from "../api/connection.ts";
import { type CopyOf, copyOf, dropCopy } from "../api/copies.ts";
import { useEveryDataset, useFileColumns } from "../api/datasets.ts";
import { useMe } from "../api/session.ts";
import { useBeginUnfinished, useChangeUnfinished, useUnfinishedDraft } from "../api/unfinished.ts";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Fault, Loading, Pending, sentence } from "../parts/Pending.tsx";
import { useKept } from "../parts/use-kept.ts";
import { ChooseTable } from "./ChooseTable.tsx";
import { Columns } from "./Columns.tsx";
import { declare, type HeadField } from "./declare.ts";
import {
  type ChosenTable,
  type DelimiterName,
  type Draft,
  isText,
  plural,
  type Reading,
  type TextReading,
  withColumns,
} from "./draft.ts";
import { HowItFits, isMisfit, useFit } from "./HowItFits.tsx";
import { KeptBar } from "./KeptBar.tsx";
import { type Begun, begun, formOf, isGone, nameOf, overTable, restored } from "./kept.ts";
import { type KnownPopulation, People } from "./People.tsx";
import { Problems } from "./Problems.tsx";
import { Unfinished } from "./Unfinished.tsx";
import "./new-dataset.css";

const route = getRouteApi("/datasets/new");

/**
 * Declares a table: where it is, what its columns may hold, and who is in it. The person who declares it becomes its admin. What is typed is
 * kept from the moment that the table is chosen.
 */
export function NewDataset() {
  const { draft } = route.useSearch();
  return (
    <Page
      title="New dataset"
      crumbs={<Link to="/datasets">Datasets</Link>}
      lead="You will be its admin. Everyone who plans can read what you declare here; no value of the table is shown to anyone but you."
    >
      <div className="stack">{draft === undefined ? <Begin /> : <GoOn key={draft} id={draft} />}</div>
    </Page>
  );
}

function Begin() {
  const navigate = useNavigate();
  const begin = useBeginUnfinished();
  const [begunAt, setBegun] = useState<Begun | null>(null);
  const choose = (chosen: ChosenTable) => {
    const start = begun(chosen);
    setBegun(start);
    const kept = { name: nameOf(start), form: { ...formOf(start) }, ...present({ file: chosen.file }) };
    begin.mutate(kept, {
      onSuccess: ({ id }) => void navigate({ to: "/datasets/new", search: { draft: id }, replace: true }),
    });
  };
  if (begunAt === null)
    return (
      <>
        <ChooseTable onChosen={choose} />
        <Unfinished />
      </>
    );
  if (begin.error === null) return <Loading lines={8} />;
  return (
    <>
      <Notice tone="warn" title="What you type is not kept" isAlert>
        <p>{sentence(begin.error.message)} Finish the declaration on this page.</p>
      </Notice>
      <Declare
        key={begunAt.table.file}
        {...{ start: begunAt, kept: null, copy: null, moving: { wasSentAgain: false, error: null } }}
        onMove={setBegun}
        onReload={() => undefined}
      />
    </>
  );
}

function GoOn({ id }: { id: string }) {
  const draft = useUnfinishedDraft(id);
  const change = useChangeUnfinished();
  const me = useMe();
  const [opened, setOpened] = useState(0);
  const [wasSentAgain, setSentAgain] = useState(false);
  const copy: CopyOf = { person: me.data?.person.id ?? "", of: `declaration ${id}` };
  const reload = () => {
    dropCopy(copy);
    void draft.refetch().then(() => setOpened((times) => times + 1));
  };
  return (
    <Pending of={draft} lines={8}>
      {(kept) => {
        const start = restoredFrom(kept, copy);
        if (start === null) return <Fault error={new PrivacyError("NOT_FOUND", { name: "draft", got: id })} />;
        const move = (next: Begun, done?: () => void) =>
          change.mutate(
            { draft: id, form: { ...formOf(next) }, ...present({ file: next.table.file }) },
            {
              onSuccess: () => {
                done?.();
                reload();
              },
            },
          );
        if (!isGone(start))
          return (
            <Declare
              key={`${opened} ${start.table.file}`}
              {...{ start, kept, copy, moving: { wasSentAgain, error: change.error } }}
              onMove={(next) => move(next, () => setSentAgain(true))}
              onReload={() => {
                setSentAgain(false);
                reload();
              }}
            />
          );
        return (
          <>
            <Notice tone="warn" title={`The upload of ${start.table.name} is gone`}>
              <p>Send it again, or a corrected one: what was typed of columns with the same names stays.</p>
            </Notice>
            {change.error === null ? null : <Fault error={change.error} />}
            <ChooseTable onChosen={(table) => move(overTable(start, table))} />
          </>
        );
      }}
    </Pending>
  );
}

/** As it was typed last: in this browser, where the server does not have it yet. */
function restoredFrom(kept: KeptDraft, of: CopyOf): Begun | null {
  const copy = copyOf(of);
  const typed = copy === null ? null : restored({ ...kept, form: copy.form as KeptDraft["form"] });
  if (typed !== null) return typed;
  dropCopy(of);
  return restored(kept);
}

function usePopulations(): readonly KnownPopulation[] {
  const datasets = useEveryDataset();
  const all = datasets.data ?? [];
  const mine = all.filter(({ myRoles }) => myRoles.includes("datasetAdmin"));
  return [...new Set(mine.map(({ population }) => population))].flatMap((id) => {
    const members = mine.filter(({ population }) => population === id);
    const [first] = members;
    if (first === undefined) return [];
    const { adjacency, privacyUnit } = first;
    return [{ id, adjacency, privacyUnit, datasets: members.map(({ name }) => name) }];
  });
}

function signsIn(reading: Reading): Parameters<typeof useFileColumns>[1] {
  const { delimiter, comment, quote } = isText(reading) ? reading : {};
  return {
    ...(delimiter === "auto" ? {} : { delimiter }),
    ...signsOf({ source: { ...(comment === "" ? {} : { comment }), quote } }),
  };
}

const NONE: ReturnType<typeof declare>["problems"] = [];

function Declare({
  start,
  kept,
  copy,
  moving,
  onMove,
  onReload,
}: {
  start: Begun;
  /** Null, as the copy is, where the server does not keep it. */
  kept: KeptDraft | null;
  copy: CopyOf | null;
  /** Over a file that was sent again. */
  moving: { readonly wasSentAgain: boolean; readonly error: unknown };
  onMove: (to: Begun) => void;
  onReload: () => void;
}) {
  const navigate = useNavigate();
  const [table] = useState(start.table);
  const [draft, setDraft] = useState<Draft>(start.draft);
  const [reading, setReading] = useState<Reading>(start.reading);
  const [tries, setTries] = useState(0);
  const isTried = tries > 0;
  const tried = () => setTries((before) => before + 1);
  const [reason, setReason] = useState(start.reason);
  const populations = usePopulations();
  const other = useFileColumns(table.file, reading === table.reading ? null : signsIn(reading));
  const columns = reading === table.reading ? table.columns : other.data?.columns;
  useEffect(() => {
    if (columns !== undefined) setDraft((before) => withColumns(before, columns));
  }, [columns]);
  const now: Begun = { table: { ...table, columns: columns ?? table.columns }, draft, reading, reason };
  const form = formOf(now);
  const keeping = useKept(form, { copy, name: nameOf(form), there: kept });
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  const known = populations.find(({ id }) => id === draft.population);
  const named = known === undefined ? draft : { ...draft, unit: known.privacyUnit, units: plural(known.privacyUnit) };
  const { declaration, problems } = declare(named, reading);
  const stated = declaration === undefined ? undefined : declarationJson(declaration);
  const mistyped = problems.filter(({ isMistyped }) => isMistyped);
  const shown = isTried ? problems : mistyped.length === 0 ? NONE : mistyped;
  const faultOf = (field: HeadField) =>
    shown.find((problem) => problem.field === field && problem.column === undefined)?.fault;
  const create = useChange((client) =>
    client.createDataset({
      ...present({ file: table.file }),
      declaration: stated ?? {},
      ...(draft.population === "" ? { unit: draft.unit.trim() } : { population: draft.population }),
      ...(reason.trim() === "" ? {} : { secondLedger: reason.trim() }),
    }),
  );
  const { error } = create;
  const fitting = useFit(table.file, stated);
  const declareIt = () =>
    create.mutate(undefined, {
      onSuccess: ({ id }) =>
        void keeping
          .end()
          .then(() => navigate({ to: "/datasets/$dataset/open", params: { dataset: id }, replace: true })),
    });
  // A colleague may declare what was sent in another session, where no check is shown.
  const isRefused = fitting.check.error !== null && !fitting.isStale;
  const isUnchecked = table.file !== undefined && fitting.fit === undefined && !isRefused;
  const hasOtherLedger =
    table.file === undefined && error instanceof PrivacyError && error.details.name === "body.population";
  const isKnownMisfit = fitting.fit !== undefined && isMisfit(fitting.fit, draft, { wasShown: true });
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        tried();
        if (declaration === undefined) return;
        if (!isUnchecked) return declareIt();
        fitting.run((fit) => {
          if (fit !== undefined && !isMisfit(fit, draft, { wasShown: fitting.asked !== undefined })) declareIt();
        });
      }}
    >
      {kept === null ? null : <KeptBar draft={kept.id} keeping={keeping} onReload={onReload} />}
      <Card title={`1 · ${table.name}`}>
        <div className="stack measured">
          <TextInput
            label="Dataset name"
            value={draft.name}
            id="head-name"
            error={faultOf("name")}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          {isText(reading) ? (
            <HowWritten reading={reading} draft={draft} onRead={setReading} onChange={change} />
          ) : null}
          {other.error !== null && reading !== table.reading ? <Fault error={other.error} /> : null}
        </div>
      </Card>
      <Columns draft={draft} problems={shown} onChange={setDraft} />
      <People
        draft={draft}
        file={table}
        isFile={"file" in reading}
        populations={populations}
        faultOf={faultOf}
        onChange={change}
      />
      <HowItFits
        file={table.file}
        fitting={fitting}
        {...moving}
        declaration={stated}
        draft={draft}
        onChange={setDraft}
        onSent={(sent) =>
          void keeping.flush().then(
            () => onMove(overTable(now, sent)),
            () => undefined,
          )
        }
        onIncomplete={tried}
      />
      <Card>
        <div className="stack">
          <Problems of={problems} draft={draft} tries={tries} />
          {error === null ? null : <Fault error={error} />}
          {hasOtherLedger || reason !== "" ? (
            <TextInput
              label="Reason for a second ledger"
              description="Both datasets show it. Leave it empty if the people are the same, and choose them above."
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          ) : null}
          <Submit
            isUnchecked={isUnchecked}
            isDeclared={declaration !== undefined}
            isBusy={create.isPending || fitting.check.isPending}
            isRefused={isRefused}
            isKnownMisfit={isKnownMisfit}
            onUnchecked={declareIt}
          />
        </div>
      </Card>
    </form>
  );
}

/** What happens next, and its button. */
function Submit({
  isUnchecked,
  isDeclared,
  isBusy,
  isRefused,
  isKnownMisfit,
  onUnchecked,
}: {
  isUnchecked: boolean;
  isDeclared: boolean;
  isBusy: boolean;
  isRefused: boolean;
  isKnownMisfit: boolean;
  onUnchecked: () => void;
}) {
  return (
    <>
      <p className="soft flush">
        {isUnchecked
          ? "The server now checks how the file fits (4), and declares it where nothing is wrong. "
          : "The server now reads the table once, to check that it can be read as declared. "}
        Next you decide its lifetime budget; until then nothing can be released.
      </p>
      <div className="page-actions">
        <Button type="submit" loading={isBusy}>
          {isRefused ? "Declare without a check" : isKnownMisfit ? "Declare it all the same" : "Declare the dataset"}
        </Button>
        {isUnchecked && isDeclared ? (
          <Button variant="subtle" onClick={onUnchecked} disabled={isBusy}>
            Declare without a check
          </Button>
        ) : null}
      </div>
    </>
  );
}

/** How the signs of a text file are read. */
function HowWritten({
  reading,
  draft,
  onRead,
  onChange,
}: {
  reading: Extract<Reading, { file: string }> & TextReading;
  draft: Draft;
  onRead: (next: Reading) => void;
  onChange: (next: Partial<Draft>) => void;
}) {
  return (
    <>
      <NativeSelect
        label="Separator"
        value={reading.delimiter}
        onChange={(event) => onRead({ ...reading, delimiter: event.currentTarget.value as DelimiterName })}
        data={[{ value: "auto", label: "detect from the header" }, "comma", "semicolon", "tab", "bar", "space"]}
      />
      <NativeSelect
        label="Skip lines starting with"
        value={reading.comment}
        onChange={(event) => onRead({ ...reading, comment: event.currentTarget.value })}
        data={[
          { value: "", label: "none" },
          ...["#", "%", ";", "!", "*", "/"].map((sign) => ({ value: sign, label: sign })),
        ]}
      />
      <NativeSelect
        label="Quote character"
        value={reading.quote}
        onChange={(event) => onRead({ ...reading, quote: event.currentTarget.value })}
        data={[
          { value: "", label: '"' },
          { value: "'", label: "'" },
          { value: "none", label: "none" },
        ]}
      />
      <NativeSelect
        label="How it writes the number 1234.5"
        description="A column that writes it otherwise says so under “Written as”."
        value={reading.numbers}
        onChange={(event) => onRead({ ...reading, numbers: event.currentTarget.value })}
        data={[{ value: "", label: "1234.5" }, ...["1234,5", "1.234,5", "1 234,5", "1,234.5", "1 234.5", "1'234.5"]]}
      />
      <Textarea
        label="Other texts for a missing value, one per line (optional)"
        autosize
        minRows={1}
        value={draft.missing}
        onChange={(event) => onChange({ missing: event.currentTarget.value })}
      />
    </>
  );
}
