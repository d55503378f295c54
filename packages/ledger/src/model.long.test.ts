import { modelKit } from "./model.kit.ts";
import { postgresHouse } from "./postgres.kit.ts";

const house = postgresHouse();

modelKit(() => house.open(), Number(process.env.MODEL_RUNS ?? 6));
