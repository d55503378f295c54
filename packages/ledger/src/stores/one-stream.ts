import type { DatabaseConnection, Dialect, Driver } from "kysely";

/**
 * A dialect whose one connection refuses a query while rows are streamed over it: both would wait for each other for ever. RangeError, at
 * once. Rows that are needed inside of the loop are read before it, or in a snapshot of their own.
 */
export const oneStreamAtATime = (dialect: Dialect): Dialect => ({
  // The driver answers for the one connection, so that nothing waits in a queue before it.
  createAdapter: () => Object.create(dialect.createAdapter(), { supportsMultipleConnections: { value: true } }),
  createDriver: () => guarded(dialect.createDriver()),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
});

function guarded(driver: Driver): Driver {
  let streams = 0;
  const guardedConnection = (connection: DatabaseConnection): DatabaseConnection => ({
    executeQuery: (query, options) => connection.executeQuery(query, options),
    async *streamQuery(query, size, options) {
      streams += 1;
      try {
        yield* connection.streamQuery(query, size, options);
      } finally {
        streams -= 1;
      }
    },
  });
  return {
    init: (options) => driver.init(options),
    acquireConnection: async (options) => {
      if (streams > 0) throw new RangeError("a query inside of the loop over a stream would wait for it for ever");
      return guardedConnection(await driver.acquireConnection(options));
    },
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    releaseConnection: async () => undefined,
    destroy: (options) => driver.destroy(options),
  };
}
