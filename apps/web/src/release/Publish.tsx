import type { Output, Release } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { IconBroadcast } from "@tabler/icons-react";
import { useState } from "react";
import { usePublication, usePublish, useUnpublish } from "../api/releases.ts";
import { Confirm, Dialog, FormDialog } from "../parts/Dialog.tsx";
import { Check, Choice, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Secret } from "../parts/Secret.tsx";
import { dayText } from "../parts/words.ts";
import { CopyText } from "./ReleaseTools.tsx";

type Publication = Output<"showPublication">;

/** For admins of the dataset: shows the answers to everyone with a link, says whether they are, and ends it. */
export function Publish({ release }: { release: Release }) {
  const [isOpen, setOpen] = useState(false);
  const { data, isError } = usePublication(release.id);
  if (isError) return null; // an admin of one of several datasets of the ledger
  return (
    <>
      <button type="button" className="tool" disabled={data === undefined} onClick={() => setOpen(true)}>
        <IconBroadcast size={16} aria-hidden /> {data?.isPublic === true ? "Public" : "Publish"}
      </button>
      {isOpen && data !== undefined ? (
        <Published release={release} publication={data} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

function Published(given: { release: Release; publication: Publication; onClose: () => void }) {
  const { release, publication, onClose } = given;
  const [made, setMade] = useState<string | null>(null);
  const [isMaking, setMaking] = useState(!publication.isPublic);
  const [isEnding, setEnding] = useState(false);
  const end = useUnpublish();
  if (made !== null) return <Made url={made} title={publication.title ?? release.title} onClose={onClose} />;
  if (isMaking) return <Form {...given} onMade={setMade} />;
  if (isEnding)
    return (
      <Confirm
        title="End the link"
        action="End the link"
        change={end}
        onConfirm={() => end.mutate(release.id, { onSuccess: onClose })}
        onClose={onClose}
      >
        <p>
          Its page, and every frame and picture of it on other pages, shows nothing from now on. What was seen stays
          seen, and no cap gets anything back. A new link costs nothing.
        </p>
      </Confirm>
    );
  return (
    <Dialog title="This release is public" onClose={onClose}>
      <div className="stack gap-16">
        <p>
          Everyone who has its link reads it
          {publication.expiresAt === null ? "" : `, until ${dayText(publication.expiresAt)}`}. The link was shown when
          it was made. A new one ends it.
        </p>
        <div className="page-actions to-end">
          <Button variant="default" color="red" onClick={() => setEnding(true)}>
            End the link
          </Button>
          <Button onClick={() => setMaking(true)}>Make a new link</Button>
        </div>
      </div>
    </Dialog>
  );
}

const spans = { "30": "30 days", "90": "90 days", "365": "one year", "1830": "five years" } as const;

function Form({
  release,
  publication,
  onMade,
  onClose,
}: Parameters<typeof Published>[0] & { onMade: (url: string | null) => void }) {
  const publish = usePublish();
  const [title, setTitle] = useState(publication.title ?? "");
  const [days, setDays] = useState<keyof typeof spans>("365");
  const [isIndexed, setIndexed] = useState(publication.isIndexed);
  const [confirmed, setConfirmed] = useState<readonly string[]>([]);
  const { values, isPublic } = publication;
  const asked = { release: release.id, title: title.trim() === "" ? null : title, days: Number(days) };
  return (
    <FormDialog
      title={isPublic ? "Make a new link" : "Publish this release"}
      size="lg"
      action={isPublic ? "Make a new link" : "Publish"}
      isReady={values.every((value) => confirmed.includes(value))}
      change={publish}
      onSubmit={() => publish.mutate({ ...asked, isIndexed, confirmed }, { onSuccess: ({ url }) => onMade(url) })}
      onClose={onClose}
    >
      <p>
        Everyone who has the link reads the answers, without signing in.{" "}
        {isPublic
          ? "The link before it ends; nothing is counted again."
          : "So they count against every cap on this data, once and for good. Where one has no room, nothing is published."}{" "}
        The page says nothing of who asked.
      </p>
      <TextField
        label="Title"
        description="Everyone reads it. Empty: what the release asks."
        maxLength={200}
        value={title}
        onChange={setTitle}
      />
      <Choice label="The link ends after" value={days} data={spans} onChange={setDays} />
      <Check label="Search engines may list it" checked={isIndexed} onChange={setIndexed} />
      {values.length === 0 ? null : (
        <fieldset className="stack gap-8 unpadded" style={{ border: 0 }}>
          <legend>
            Someone typed these values, and everyone would read them. Tick each that says nothing about one person.
          </legend>
          {values.map((value) => (
            <Check
              key={value}
              label={<span className="code anywhere">{value}</span>}
              checked={confirmed.includes(value)}
              onChange={(isChecked) =>
                setConfirmed(isChecked ? [...confirmed, value] : confirmed.filter((one) => one !== value))
              }
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}

/** The link, this once, and what shows it on other pages. */
function Made({ url, title, onClose }: { url: string; title: string; onClose: () => void }) {
  const name = title.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const frame = `<iframe src="${url}" title="${name}" width="100%" height="480" style="border:0" loading="lazy"></iframe>`;
  return (
    <Dialog title="This release is public" size="lg" onClose={onClose}>
      <div className="stack gap-16">
        <Secret title="Its page" label="Link" value={url} />
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            Open the page
          </a>
        </p>
        <CopyText label="Frame for another page" text={frame} rows={4} />
        <CopyText
          label="Picture"
          text={`<img src="${url}/chart" alt="${name}" style="max-width:100%;height:auto">`}
          rows={3}
        />
        <Notice tone="plain" title="This server cannot show the link again">
          <p>Who loses the link makes a new one, which ends this one in every page that shows it.</p>
        </Notice>
      </div>
    </Dialog>
  );
}
