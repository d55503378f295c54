import { randomFillSync } from "node:crypto";
import { type SecureRandom, secureRandom } from "@dosimeter/core";

/** The operating system's generator, in buffers whose words are zeroed as they are used. The only source of noise. */
export const systemRandom = (): SecureRandom =>
  secureRandom((words) => {
    randomFillSync(words);
  });
