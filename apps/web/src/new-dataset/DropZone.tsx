import { sourceKinds, uploadExtensions } from "@dosimeter/query/source";
import { Button, FileButton } from "@mantine/core";
import { type DragEvent, useState } from "react";

/** Takes one file that is dropped on it or chosen with its button. */
export function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState("");
  const hold = (event: DragEvent, isInside: boolean) => {
    event.preventDefault();
    setOver(isInside);
  };
  const drop = (event: DragEvent) => {
    hold(event, false);
    const [file, ...more] = event.dataTransfer.files;
    const isFolder = event.dataTransfer.items[0]?.webkitGetAsEntry()?.isDirectory === true;
    if (file === undefined || more.length > 0 || isFolder) return setFault("Drop one file.");
    setFault("");
    onFile(file);
  };
  return (
    <section
      className="drop-zone"
      aria-label="Your table"
      data-over={isOver}
      onDragEnter={(event) => hold(event, true)}
      onDragOver={(event) => hold(event, true)}
      onDragLeave={(event) => hold(event, event.currentTarget.contains(event.relatedTarget as Node | null))}
      onDrop={drop}
    >
      <strong>Drop a table here</strong>
      <FileButton
        onChange={(file) => (file === null ? undefined : onFile(file))}
        accept={[...uploadExtensions, ".tsv", ".txt", "text/csv"].join()}
        inputProps={{ "aria-label": "Table" }}
      >
        {(properties) => <Button {...properties}>Choose a file</Button>}
      </FileButton>
      <span className="soft small">{sourceKinds.file.words.hint}</span>
      {fault === "" ? null : (
        <span role="alert" className="grid-fault">
          {fault}
        </span>
      )}
    </section>
  );
}
