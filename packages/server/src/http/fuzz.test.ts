import { fuzzKit } from "./fuzz.kit.ts";

fuzzKit({ options: async () => ({ instance: {}, secret: "signing.key" }), runs: 4 });
