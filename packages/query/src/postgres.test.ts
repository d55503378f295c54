import { engineKit } from "./engine.kit.ts";
import { postgresUnderTest } from "./postgres.kit.ts";

engineKit("PostgreSQL", postgresUnderTest, { pairs: 4 });
