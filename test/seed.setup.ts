import fc from "fast-check";

/** Every property draws the same cases on every run; `scratch.setup.ts` says which seed, and reads TEST_SEED. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });
