import { type DpEvent, parseEvent } from "@dosimeter/core";
import type { Reader } from "./function.ts";
import { array } from "./readers.ts";

export const event: Reader<DpEvent> = {
  type: 'event {"kind": …}',
  read: (value, path) => parseEvent(value, path),
};

export const events: Reader<readonly DpEvent[]> = array(event, "array of events");
