import { engineKit } from "../engine/engine.kit.ts";
import { postgresUnderTest } from "./under-test.kit.ts";

engineKit("PostgreSQL, at length", postgresUnderTest, { pairs: 4 });
