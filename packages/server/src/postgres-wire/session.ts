import { betweenSlices } from "../measuring/slices.ts";
import { malformed, partsOf } from "./decode.ts";
import * as encode from "./encode.ts";
import { extendedHandlers, type Handlers, ready } from "./extended.ts";
import { batched, type Out, Passed } from "./output.ts";
import { WireError } from "./sqlstate.ts";
import { type SessionOptions, statementsOf } from "./statement-runs.ts";
import { takeMessage } from "./stream.ts";

/** How long a session may say nothing. */
const IDLE_MS = 3_600_000;

/** Answers the messages of one client that has signed in, one after the other, until it leaves. */
export async function runSession(options: SessionOptions): Promise<void> {
  const { stream, reader, backend, pace, publicOf } = options;
  const out = batched(stream);
  const handlers = handlersOf(options, out);
  const breathe = betweenSlices();
  let isSkipping = false; // after a fault, until Sync
  try {
    for (;;) {
      if (reader.isEmpty()) await out.flush();
      const message = await takeMessage(reader, { idleMilliseconds: IDLE_MS });
      if (message.type === "X") return;
      await pace();
      await breathe();
      if (message.type === "S") isSkipping = false;
      if (isSkipping) continue;
      try {
        const handle = handlers[message.type];
        if (handle === undefined)
          throw new WireError({ severity: "FATAL", code: "08P01" }, "a message is of no kind that is known here");
        await handle(message);
      } catch (error) {
        if (!(error instanceof Passed)) {
          const shown = publicOf(error);
          await out.add(encode.errorResponse(shown));
          if (shown.facts.severity === "FATAL") return await out.flush();
          await backend.fail();
        }
        if (message.type === "Q" || message.type === "F") await ready(backend, out);
        else isSkipping = true;
      }
    }
  } finally {
    backend.close();
  }
}

function handlersOf(options: SessionOptions, out: Out): Handlers {
  const { backend } = options;
  const ignored = async (): Promise<void> => undefined;
  const statements = statementsOf(options, out);
  return {
    ...extendedHandlers(options, out, statements),
    async Q({ body }) {
      const parts = partsOf(body);
      const source = parts.text();
      if (!parts.isEnd()) malformed();
      await statements.all(source);
      await ready(backend, out);
    },
    H: () => out.flush(),
    async F() {
      throw new WireError({ code: "0A000" }, "calls of functions are not read; ask in SQL");
    },
    // Parts of a COPY that was refused, which a client may have sent before it knew.
    d: ignored,
    c: ignored,
    f: ignored,
  };
}
