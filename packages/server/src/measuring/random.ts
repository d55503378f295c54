import { randomFillSync } from "node:crypto";
import { type SecureRandom, secureRandom } from "@dosimeter/core";

/** The operating system's generator, buffered; each word is zeroed after use. The only source of noise. */
export const systemRandom = (): SecureRandom =>
  secureRandom((words) => {
    randomFillSync(words);
  });
