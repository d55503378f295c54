import { invalid, PrivacyError } from "@dosimeter/core";

/** The most bytes of a JSON body, ten times a plan of a thousand statistics. */
const MAX_BODY_BYTES = 2 ** 20;

/** The time after which a body that is still arriving is refused. */
const BODY_MS = 30_000;

/** Parses a JSON body. PAYLOAD_TOO_LARGE above the limit, without reading on; INVALID_PARAMETER when it is not JSON. */
export async function readJson(request: Request, most = MAX_BODY_BYTES): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type))
    invalid("content-type", type, "application/json");
  const text = await readText(request, most);
  if (depthOf(text) > MAX_DEPTH)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "body", want: `at most ${MAX_DEPTH} levels` },
      `the body nests deeper than ${MAX_DEPTH} levels`,
    );
  try {
    return JSON.parse(text);
  } catch {
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "body", want: "well-formed JSON" },
      "the body is not well-formed JSON",
    );
  }
}

/** Functions that follow a value inwards have room for more. */
const MAX_DEPTH = 200;

/** How deep brackets nest in a text, those in texts left out; stops once it is too deep. */
function depthOf(text: string): number {
  let [depth, most, isText] = [0, 0, false];
  for (let at = 0; at < text.length && most <= MAX_DEPTH; at++) {
    const character = text[at];
    if (isText && character === "\\") at++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "[" || character === "{") most = Math.max(most, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return most;
}

/** PAYLOAD_TOO_LARGE above the limit, without reading on; INVALID_PARAMETER when it is late or not UTF-8. */
export async function readText(request: Request, most: number): Promise<string> {
  const tooLarge = () =>
    new PrivacyError(
      "PAYLOAD_TOO_LARGE",
      { name: "body", want: `at most ${most} bytes` },
      `the body is too long, must be at most ${most} bytes`,
    );
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel();
  }, BODY_MS);
  const parts: Uint8Array[] = [];
  try {
    for (let size = 0; ; ) {
      const { done, value } = await reader.read();
      if (late) invalid("body", undefined, `sent within ${BODY_MS / 1000} s`);
      if (done) break;
      size += value.byteLength;
      if (size > most) throw tooLarge();
      parts.push(value);
    }
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new PrivacyError("INVALID_PARAMETER", { name: "body", want: "UTF-8" }, "the body is not UTF-8");
  }
}

/** The most of a refused body that is read and dropped before the answer, in bytes and in milliseconds. */
const MAX_DROPPED_BYTES = 2 ** 26;
const DROP_MS = 1000;
/** After the answer, the time until the connection of a body that still arrives is ended. */
const END_MS = 10_000;

/** Reads what is left of a refused body: a caller may send the next request on the same connection only after the whole body. */
export async function dropRest({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
  const reader = body.getReader();
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), DROP_MS);
  const read = () => reader.read().catch(() => ({ done: true as const }));
  let isWhole = false;
  for (let size = 0; size < MAX_DROPPED_BYTES; ) {
    const part = await Promise.race([read(), late.promise]);
    isWhole = part?.done === true;
    if (part === null || part.done) break;
    size += part.value.byteLength;
  }
  clearTimeout(timer);
  if (!isWhole) setTimeout(() => void reader.cancel().catch(() => undefined), END_MS).unref();
}
