import { fuzzKit } from "./fuzz.kit.ts";

fuzzKit({ options: async () => ({ house: {}, secret: "signing.key" }), runs: 4 });
