import type { Release } from "@dosimeter/client";
import {
  answersText,
  citation,
  endingOf,
  type FormatName,
  formats,
  formatted,
  type ReportedAnswer,
} from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { Button, Menu } from "@mantine/core";
import { IconCopy, IconDownload, IconLink, IconQuote, IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDataset } from "../api/datasets.ts";
import { useReleaseReport } from "../api/releases.ts";
import { download, toClipboard } from "../parts/browser.ts";
import { Dialog } from "../parts/Dialog.tsx";

/** What can be done with answers: copy them, download, cite, share their address, plan them again. */
export function ReleaseTools({ release, answers }: { release: Release; answers: readonly ReportedAnswer[] }) {
  const [isCiting, setCiting] = useState(false);
  const [said, setSaid] = useState("");
  const copy = (text: string, done: string) =>
    void toClipboard(text).then((isCopied) =>
      setSaid(isCopied ? done : "Your browser does not let this page copy: select the text."),
    );
  const maySpend = (useDataset(release.dataset).data?.myAccounts ?? []).length > 0;
  return (
    <>
      <button
        type="button"
        className="tool"
        onClick={() => copy(answersText(release.title, answers), "The answers are copied.")}
      >
        <IconCopy size={16} aria-hidden /> Copy
      </button>
      <Downloads release={release} />
      <button type="button" className="tool" onClick={() => setCiting(true)}>
        <IconQuote size={16} aria-hidden /> Cite
      </button>
      <button
        type="button"
        className="tool"
        onClick={() => copy(pageAddress(), "The link is copied. Who opens it sees what they may read.")}
      >
        <IconLink size={16} aria-hidden /> Share
      </button>
      {maySpend ? (
        <Link
          className="tool"
          to="/datasets/$dataset/plan"
          params={{ dataset: release.dataset }}
          search={{ account: release.account }}
          state={{ repeat: { plan: release.plan, release: release.id, epsilon: release.receipt?.epsilon ?? null } }}
        >
          <IconRefresh size={16} aria-hidden /> Plan again
        </Link>
      ) : null}
      <span className="release-said soft small" role="status">
        {said}
      </span>
      {isCiting ? <Cite release={release} onClose={() => setCiting(false)} /> : null}
    </>
  );
}

/** The page as the address bar shows it, with the title of the release. */
const pageAddress = (): string => new URL(window.location.pathname, window.location.origin).href;

/** What a citation keeps: no title, which may change. */
const addressOf = ({ id }: Release): string => new URL(`/releases/${id}`, window.location.origin).href;

function Cite({ release, onClose }: { release: Release; onClose: () => void }) {
  const { text, apa, bibtex } = citation(release, addressOf(release));
  return (
    <Dialog title="Cite this release" size="lg" onClose={onClose}>
      <div className="stack gap-16">
        <CopyText label="Text" text={text} rows={5} />
        <CopyText label="APA" text={apa} rows={4} />
        <CopyText label="BibTeX" text={bibtex} rows={11} />
      </div>
    </Dialog>
  );
}

export function CopyText({ label, text, rows }: { label: string; text: string; rows: number }) {
  const [isCopied, setCopied] = useState<boolean | null>(null);
  return (
    <div>
      <textarea className="citation" readOnly rows={rows} aria-label={label} value={text} />
      <div className="page-actions at-middle below-8">
        <Button
          size="xs"
          variant="default"
          aria-label={`Copy ${label}`}
          onClick={() => void toClipboard(text).then(setCopied)}
        >
          Copy
        </Button>
        <span role="status" className="soft small">
          {isCopied === null
            ? label
            : isCopied
              ? "Copied."
              : "Your browser does not let this page copy: select the text."}
        </span>
      </div>
    </div>
  );
}

/** The release as files: for reading, for spreadsheets, for programs, and the plan that makes it again. */
function Downloads({ release }: { release: Release }) {
  const pdf = useReleaseReport();
  const [said, setSaid] = useState("");
  const reported = { ...release, answers: answersToShow(release) };
  const name = `release-${release.id}`;
  const save = (file: string, type: string, content: string | Blob): void => {
    download(file, type, content);
    setSaid(`${file} is downloaded.`);
  };
  const make = async (format: FormatName, isExact = false): Promise<void> => {
    try {
      const made = await formatted(format, reported, { isExact });
      const content = typeof made === "string" ? made : new Blob([made]);
      save(`${name}${isExact ? "-exact" : ""}.${endingOf(format)}`, formats[format].media, content);
    } catch {
      setSaid("The file could not be made. Load the page again, then try once more.");
    }
  };
  const made = Object.entries(formats).map(
    ([format, { label }]) => [label, () => void make(format as FormatName)] as const,
  );
  const files = {
    ...Object.fromEntries(made),
    "Report (PDF)": () =>
      pdf.mutate(release.id, {
        onSuccess: (file) => save(`${name}.pdf`, "application/pdf", file),
        onError: () => setSaid("The PDF could not be made."),
      }),
    "CSV, all digits": () => void make("csv", true),
    JSON: () => save(`${name}.json`, "application/json", `${JSON.stringify(release, null, 2)}\n`),
    "Plan file": () =>
      save(`plan-${release.id}.json`, "application/json", `${JSON.stringify(release.plan, null, 2)}\n`),
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <button type="button" className="tool" disabled={pdf.isPending}>
            <IconDownload size={16} aria-hidden /> Download
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(files).map(([label, run]) => (
            <Menu.Item key={label} onClick={run}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}
