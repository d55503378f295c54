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

type Sent = Omit<Input<"uploadFile">, "name" | "content"> & {
  readonly file: Blob & { readonly name: string };
  readonly signal: AbortSignal;
};

function upload(
  file: Sent["file"],
  { signal, onProgress, ...reading }: Omit<Sent, "file"> & { readonly onProgress: (share: number) => void },
): Promise<File> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const address = new URL(calls.uploadFile.path, origin);
    address.searchParams.set("name", file.name);
    for (const [key, value] of Object.entries(reading))
      if (value !== undefined) address.searchParams.set(key, String(value));
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
