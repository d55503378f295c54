import type { File } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { type ConnectionKind, connectionKinds, mayBeText, sourceKinds } from "@dosimeter/query/source";
import { Button, NativeSelect, Progress, Radio, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import { useChange } from "../api/connection.ts";
import { useConnections, useServerFiles, useTables } from "../api/datasets.ts";
import { useMe } from "../api/session.ts";
import { useUpload } from "../api/upload.ts";
import { Notice } from "../parts/Notice.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";
import { DropZone } from "./DropZone.tsx";
import { type ChosenTable, tableOf } from "./draft.ts";

type Place = "upload" | "folder" | ConnectionKind;

/** Chooses the table. Its header is read, and no value. */
export function ChooseTable({ onChosen }: { onChosen: (table: ChosenTable) => void }) {
  const me = useMe();
  const isPlatformAdmin = (me.data?.roles ?? []).some(({ role }) => role === "platformAdmin");
  const [place, setPlace] = useState<Place>("upload");
  const connections = useConnections(isPlatformAdmin);
  const known = connections.data?.items ?? [];
  const namesOf = (kind: ConnectionKind) => known.filter((one) => one.kind === kind).map(({ name }) => name);
  return (
    <Card title="1 · The table">
      <div className="stack">
        {isPlatformAdmin ? (
          <Radio.Group label="Where it is" value={place} onChange={(value) => setPlace(value as Place)}>
            <div className="choices">
              <Radio value="upload" label={sourceKinds.file.words.place} />
              <Radio value="folder" label="A folder of the server" />
              {connectionKinds
                .filter((kind) => namesOf(kind).length > 0)
                .map((kind) => (
                  <Radio key={kind} value={kind} label={sourceKinds[kind].words.place} />
                ))}
            </div>
          </Radio.Group>
        ) : null}
        {connections.data?.hosts.length ? (
          <p className="soft small flush">
            A database that is not here: <Link to="/settings">add a connection</Link>.
          </p>
        ) : null}
        {place === "upload" ? (
          <Upload onChosen={onChosen} />
        ) : place === "folder" ? (
          <FromFolder onChosen={onChosen} />
        ) : (
          <FromDatabase key={place} kind={place} names={namesOf(place)} onChosen={onChosen} />
        )}
      </div>
    </Card>
  );
}

/** Takes a file of one's own. */
export function Upload({ onChosen }: { onChosen: (table: ChosenTable) => void }) {
  const [share, setShare] = useState(0);
  const [sent, setSent] = useState<globalThis.File | null>(null);
  const abort = useRef(new AbortController());
  const upload = useUpload(setShare);
  const start = (file: globalThis.File, as: As = {}) => {
    abort.current = new AbortController();
    setSent(file);
    setShare(0);
    upload.mutate({ file, ...as, signal: abort.current.signal }, { onSuccess: unlessChoice(as, onChosen) });
  };
  const isStopped = upload.error instanceof DOMException;
  return (
    <>
      {upload.isPending ? (
        <div role="status" aria-label={`Uploading ${sent?.name}`} className="drop-zone">
          <span>
            {share < 1
              ? `Uploading ${sent?.name}: ${Math.round(share * 100)} %`
              : `Reading the header of ${sent?.name} …`}
          </span>
          <Progress value={share * 100} aria-label="Uploaded" w="100%" maw={360} />
          <Button variant="default" size="xs" onClick={() => abort.current.abort()}>
            Stop
          </Button>
        </div>
      ) : upload.data !== undefined && sent !== null ? (
        <ChooseSheet stored={upload.data} onChosen={onChosen} onOther={(sheet) => start(sent, { sheet })} />
      ) : (
        <DropZone onFile={(file) => start(file)} />
      )}
      {upload.error !== null && !isStopped ? <Fault error={upload.error} /> : null}
      {isUnreadable(upload.error) && sent !== null && mayBeText(sent.name) ? (
        <OtherReading isMine onRead={(as) => start(sent, as)} />
      ) : null}
    </>
  );
}

/** Takes a table as it is stored, unless its workbook has other sheets than the first and none was asked for. */
const unlessChoice =
  ({ sheet, comment }: As, onChosen: (table: ChosenTable) => void) =>
  (stored: File) => {
    const hasChoice = sheet === undefined && (stored.from?.sheets?.length ?? 0) > 1;
    if (!hasChoice) onChosen(tableOf(stored, comment));
  };

/** How a table is read that is not read as it is. */
interface As {
  readonly sheet?: string;
  readonly comment?: string;
  readonly encoding?: string;
  readonly skip?: number;
  readonly footer?: number;
}

const isUnreadable = (error: unknown): boolean => error instanceof PrivacyError && error.code === "DATA_UNREADABLE";

const encodings = {
  "windows-1252": "Western European",
  "windows-1250": "Central European",
  "windows-1251": "Cyrillic",
  "windows-1253": "Greek",
  "windows-1254": "Turkish",
  macintosh: "of older Macs",
  shift_jis: "Japanese",
  gb18030: "Chinese",
  big5: "Chinese (traditional)",
  "euc-kr": "Korean",
  "utf-8": "Unicode",
  "utf-16le": "Unicode, two bytes",
};

/**
 * Offered where a text cannot be read: its encoding, or lines around the table, may be why. What stands above the header is said only of one's
 * own file: of another, a row would be shown as its header.
 */
function OtherReading({ isMine, onRead }: { isMine: boolean; onRead: (as: As) => void }) {
  const [as, setAs] = useState({ encoding: "", skip: "", footer: "", comment: "" });
  const set = (field: keyof typeof as) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setAs({ ...as, [field]: event.currentTarget.value });
  const { skip, footer, ...said } = Object.fromEntries(Object.entries(as).filter(([, value]) => value.trim() !== ""));
  const asked = { ...said, ...present({ skip: skip && Number(skip), footer: footer && Number(footer) }) };
  return (
    <fieldset className="stack measured">
      <legend>Read it differently</legend>
      <NativeSelect
        label="Encoding"
        value={as.encoding}
        onChange={set("encoding")}
        data={[
          { value: "", label: "detect from the file" },
          ...Object.entries(encodings)
            .filter(([value]) => isMine || value !== "utf-16le")
            .map(([value, words]) => ({ value, label: `${words} (${value})` })),
        ]}
      />
      {isMine ? (
        <TextInput label="Lines above the header" inputMode="numeric" value={as.skip} onChange={set("skip")} />
      ) : null}
      <TextInput label="Lines below the table" inputMode="numeric" value={as.footer} onChange={set("footer")} />
      <TextInput label="Skip lines starting with" placeholder="#" value={as.comment} onChange={set("comment")} />
      <div className="page-actions">
        <Button variant="default" disabled={Object.keys(asked).length === 0} onClick={() => onRead(asked as As)}>
          Read it this way
        </Button>
      </div>
    </fieldset>
  );
}

function ChooseSheet({
  stored,
  onChosen,
  onOther,
}: {
  stored: File;
  onChosen: (table: ChosenTable) => void;
  onOther: (sheet: string) => void;
}) {
  const { sheet = "", sheets = [] } = stored.from ?? {};
  const [chosen, setChosen] = useState(sheet);
  return (
    <>
      <NativeSelect
        label="Sheet"
        description={`${stored.name} has ${sheets.length} sheets; a dataset is one of them.`}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[...sheets]}
      />
      <div className="page-actions">
        <Button onClick={() => (chosen === sheet ? onChosen(tableOf(stored)) : onOther(chosen))}>Use this sheet</Button>
      </div>
    </>
  );
}

function FromFolder({ onChosen }: { onChosen: (table: ChosenTable) => void }) {
  const files = useServerFiles(true);
  const [path, setPath] = useState("");
  const take = useChange((client, from: As & { path: string }) => client.importFile(from));
  const start = (from: As & { path: string }) => take.mutate(from, { onSuccess: unlessChoice(from, onChosen) });
  if (files.error !== null) return <Fault error={files.error} />;
  if (files.data === undefined) return <Loading lines={2} />;
  const { items } = files.data;
  const chosen = path === "" ? (items[0]?.path ?? "") : path;
  if (items.length === 0)
    return (
      <Notice tone="plain" title="No table in an allowed folder">
        <p>
          The operator of this server names the folders:{" "}
          <span className="code">dosimeter serve --folder /srv/tables</span>
        </p>
      </Notice>
    );
  return (
    <>
      <NativeSelect
        label="Table"
        description="It is copied into the data folder, so that later changes of the file do not matter."
        value={chosen}
        onChange={(event) => {
          setPath(event.currentTarget.value);
          take.reset();
        }}
        data={items.map((file) => ({ value: file.path, label: `${file.path} (${bytesText(file.bytes)})` }))}
      />
      {take.data === undefined ? (
        <div className="page-actions">
          <Button loading={take.isPending} onClick={() => start({ path: chosen })}>
            Use this table
          </Button>
        </div>
      ) : (
        <ChooseSheet stored={take.data} onChosen={onChosen} onOther={(sheet) => start({ path: chosen, sheet })} />
      )}
      {take.error === null ? null : <Fault error={take.error} />}
      {isUnreadable(take.error) && mayBeText(chosen) ? (
        <OtherReading isMine={false} onRead={(as) => start({ path: chosen, ...as })} />
      ) : null}
    </>
  );
}

const STILL_TYPING_MS = 400;
function FromDatabase({
  kind,
  names,
  onChosen,
}: {
  kind: ConnectionKind;
  names: readonly string[];
  onChosen: (table: ChosenTable) => void;
}) {
  const [connection, setConnection] = useState(names[0] ?? "");
  const [schema, setSchema] = useState<string>(sourceKinds[kind].connection.schema);
  const [table, setTable] = useState("");
  const [snapshot, setSnapshot] = useState("");
  const { words, connection: ways } = sourceKinds[kind];
  const at = { connection, schema: schema.trim(), table: table.trim() };
  const pinned = snapshot.trim() === "" ? {} : { snapshot: snapshot.trim() };
  const look = useChange((client) => client.describeTable(at));
  const [asked] = useDebouncedValue(at.schema, STILL_TYPING_MS);
  const listed = useTables(connection, asked);
  const { schemas = [], tables = [], isWhole = true } = listed.data ?? {};
  const error = look.error ?? listed.error;
  return (
    <>
      <p className="soft flush">{words.hint}</p>
      <NativeSelect
        label="Connection"
        value={connection}
        onChange={(event) => setConnection(event.currentTarget.value)}
        data={[...names]}
      />
      <Suggesting label="Schema" names={schemas} isWhole={isWhole} value={schema} onChange={setSchema} />
      <Suggesting label="Table or view" names={tables} isWhole={isWhole} value={table} onChange={setTable} />
      {ways.snapshot === null ? null : (
        <TextInput
          label={ways.snapshot.label}
          description={ways.snapshot.hint}
          value={snapshot}
          onChange={(event) => setSnapshot(event.currentTarget.value)}
        />
      )}
      {error === null ? null : <Fault error={error} />}
      <div className="page-actions">
        <Button
          disabled={at.schema === "" || at.table === ""}
          loading={look.isPending}
          onClick={() =>
            look.mutate(undefined, {
              onSuccess: ({ columns }) =>
                onChosen({ name: at.table, columns, sameAs: [], reading: { format: kind, ...at, ...pinned } }),
            })
          }
        >
          Use this table
        </Button>
      </div>
    </>
  );
}

/** A name that is typed, or chosen among those that are known. */
function Suggesting({
  label,
  names,
  isWhole,
  value,
  onChange,
}: {
  label: string;
  names: readonly string[];
  isWhole: boolean;
  value: string;
  onChange: (name: string) => void;
}) {
  const id = useId();
  return (
    <>
      <TextInput
        label={label}
        description={isWhole ? undefined : "Not all names are suggested; any can be typed."}
        list={id}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

const units = ["bytes", "kB", "MB", "GB"] as const;

function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
