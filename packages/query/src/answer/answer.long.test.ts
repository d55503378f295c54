import { coverageKit } from "./answer.kit.ts";

coverageKit({ spreads: 200 });
