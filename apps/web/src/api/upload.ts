import { calls, type File, type Input, problemToError } from "@dosimeter/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { askServer, NO_ANSWER, origin } from "./connection.ts";

/** Streams a file from the disk of the browser's machine; `fetch` cannot say how far it is. */
export function useUpload(onProgress: (share: number) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ file, ...more }: Sent) => upload(file, { ...more, onProgress }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
}

interface Sent {
  readonly file: Blob & { readonly name: string };
  /** Of a text whose header line does not tell. */
  readonly encoding?: Input<"uploadFile">["encoding"];
  /** Lines of a text that begin with this sign are no rows. */
  readonly comment?: string | undefined;
  /** Of a workbook; its first visible one when absent. */
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
}

function upload(
  file: Sent["file"],
  {
    encoding,
    comment,
    sheet,
    signal,
    onProgress,
  }: Omit<Sent, "file"> & { readonly onProgress: (share: number) => void },
): Promise<File> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const address = new URL(calls.uploadFile.path, origin);
    address.searchParams.set("name", file.name);
    if (encoding !== undefined) address.searchParams.set("encoding", encoding);
    if (comment !== undefined) address.searchParams.set("comment", comment);
    if (sheet !== undefined) address.searchParams.set("sheet", sheet);
    request.open(calls.uploadFile.method, address);
    request.setRequestHeader("x-dosimeter", "1");
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () =>
      request.status === 201
        ? resolve(request.response as File)
        : reject(problemToError(request.response, request.status));
    request.onerror = () => void askServer().then(() => reject(new Error(NO_ANSWER)));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}
