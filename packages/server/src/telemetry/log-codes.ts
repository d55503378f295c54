/** What a line of the log says, and what to do. */
type Row = readonly [says: string, mend: string];

const DATABASE = "see why the database does not answer; it is tried again";
const UPLOADS = "let the folder of uploads be written; it is tried again";

/** Every line of level `error`, by its code, which keeps its meaning; `docs/logs.md` and `dosimeter doctor CODE` explain them. */
export const logCodes = {
  REQUEST_FAILED: ["a request failed", "`cause` is the database's own code, or INTERNAL: then report `error` and `at`"],
  PROVIDER_FAILED: ["a sign-in through a provider failed", "`cause` says why; `dosimeter doctor` tries the provider"],
  GROUP_NOT_APPLIED: ["a group of a provider was not applied", "name a team of `groups` that is there once, and open"],
  OPERATOR_TOKEN_NOT_RENEWED: ["the operator's token was not renewed", "let DOSIMETER_FILES be written"],
  MEASUREMENT_FAILED: ["a measurement failed", "nothing where no RELEASE_FAILED follows: it is run again at no cost"],
  RELEASE_FAILED: ["a release failed at its last try", "see why its table is not read, then *Measure again*"],
  RELEASES_SET_ASIDE: ["releases are set aside: their process ended", "raise DOSIMETER_MEMORY, then *Measure again*"],
  RELEASE_NOT_TAKEN: ["a release could not be taken", DATABASE],
  WAITING_FAILED: ["waiting for an answer failed", DATABASE],
  RECOVERY_FAILED: ["unfinished releases could not be looked at", DATABASE],
  LEASE_LOST: ["another server took over what this one measures", "leave servers more processor; compare clocks"],
  LEASE_NOT_RENEWED: ["a lease was not renewed", DATABASE],
  ANSWER_LOST: ["an answered charge is pending again", "the database was wound back: stop all servers, restore"],
  DEPARTURE_MISSED: ["a departure was missed", "leave more processor; remove `timetable.json` and start again"],
  CALIBRATION_FAILED: ["calibration failed", "nothing: what is stated stays in force, and the next start tries again"],
  REPORT_NOT_MADE: ["a scheduled report was not made", DATABASE],
  DATABASE_RESTORED: ["the ledger database was restored: ledgers are frozen", "write the gap off, or ask the witness"],
  CHECKPOINT_MISSING: ["the ledger database has no checkpoint: ledgers are frozen", "start in its folder"],
  CHECKPOINT_NOT_KEPT: ["the checkpoint was not kept", "make room in the data folder, and let it be written"],
  WITNESS_NOT_WRITTEN: ["the witness was not written", "let it answer; without `error` it knows newer: this is a copy"],
  WITNESS_NOT_READ: ["the witness was not read", "let DOSIMETER_WITNESS answer"],
  AUDIT_NOT_STREAMED: ["audit lines were not streamed", "let DOSIMETER_AUDIT_STREAM answer; they are sent again"],
  AUDIT_STREAMED_AGAIN: ["audit lines are streamed again", "nothing: AUDIT_NOT_STREAMED has ended"],
  NOT_SHIPPED: [
    "changes of the ledger do not reach DOSIMETER_SHIP",
    "let it be written; TAKEN: another server does; EMPTIED: mount it",
  ],
  SHIPPED_AGAIN: ["changes of the ledger are shipped again", "nothing: NOT_SHIPPED has ended"],
  TELEMETRY_NOT_SENT: ["traces or metrics were not sent", "let DOSIMETER_OTLP answer; what waited is dropped"],
  OUTBOX_FAILED: ["the outbox could not be looked at", DATABASE],
  SOURCE_DOWN: ["a connection cannot be used", "`dosimeter doctor` says why, of the one that `source` names"],
  SOURCES_NOT_TRIED: ["connections could not be looked at", DATABASE],
  UPLOAD_NOT_DELETED: ["a file that was never declared was not deleted", UPLOADS],
  APPEND_NOT_DELETED: ["a file of an append was not deleted", UPLOADS],
  APPEND_SET_ASIDE: ["a file of an append has no dataset in the database", "delete it (`….aside`)"],
  NOT_EXPIRED: ["what is past its date was not ended", DATABASE],
  NOT_ERASED: ["what is past its date was not erased", DATABASE],
  AFTERWARDS_FAILED: ["work after an answer failed", DATABASE],
  INVARIANT_BROKEN: ["a certified number broke an invariant", "report it, with `cause`: the safe side was taken"],
} satisfies Readonly<Record<string, Row>>;

export type LogCode = keyof typeof logCodes;
