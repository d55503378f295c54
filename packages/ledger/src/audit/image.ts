import type { Tables } from "../stores/tables.ts";

const pick = <R extends object, K extends keyof R>(row: R, ...columns: readonly K[]): Pick<R, K> =>
  Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<R, K>;

/**
 * The columns of each row that its audit line covers: all, or those that only an audited change may set. The
 * rest (states, counters, leases) is recomputed from the entries or not verified. Entries have their own hash.
 */
export const images = {
  principal: (row: Tables["principal"]) => ({ subject: row.id, image: row }),
  team: (row: Tables["team"]) => ({ subject: row.id, image: row }),
  membership: (row: Tables["membership"]) => ({ subject: row.id, image: row }),
  role_binding: (row: Tables["role_binding"]) => ({ subject: row.id, image: row }),
  credential: (row: Tables["credential"]) => ({ subject: row.id, image: row }),
  credential_maker: (row: Tables["credential_maker"]) => ({ subject: `mkr_${row.credential_id}`, image: row }),
  population: (row: Tables["population"]) => ({ subject: row.id, image: row }),
  dataset: (row: Tables["dataset"]) => ({ subject: row.id, image: row }),
  dataset_version: (row: Tables["dataset_version"]) => ({ subject: row.id, image: row }),
  guarantee_version: (row: Tables["guarantee_version"]) => ({
    subject: `${row.ledger_id}.v${row.version}`,
    image: row,
  }),
  transfer: (row: Tables["transfer"]) => ({ subject: `trf_${row.seq}`, image: row }),
  password: (row: Tables["password"]) => ({ subject: `pwd_${row.principal_id}`, image: row }),
  identity: (row: Tables["identity"]) => ({ subject: row.id, image: row }),
  invitation: (row: Tables["invitation"]) => ({ subject: row.id, image: row }),
  standing_approval: (row: Tables["standing_approval"]) => ({ subject: row.id, image: row }),
  release: (row: Tables["release"]) => ({ subject: row.id, image: row }),
  release_label: (row: Tables["release_label"]) => ({ subject: `lbl_${row.entry_seq}`, image: row }),
  public_answer: (row: Tables["public_answer"]) => ({ subject: `pba_${row.entry_seq}`, image: row }),
  declare_right: (row: Tables["declare_right"]) => ({ subject: `dcl_${row.account_id}`, image: row }),
  declare_approval: (row: Tables["declare_approval"]) => ({
    subject: `apv_${row.digest}_${row.approved_by}`,
    image: row,
  }),
  declare_wait: (row: Tables["declare_wait"]) => ({ subject: `dcw_${row.digest}`, image: row }),
  declared_charge: ({ report: _, ...row }: Tables["declared_charge"]) => ({ subject: row.charge_id, image: row }),
  request: (row: Tables["request"]) => ({ subject: row.id, image: row }),
  plan_quote: (row: Tables["plan_quote"]) => ({
    subject: `quo_${row.entry_seq}_${row.remaining_mu2_before}`,
    image: row,
  }),
  amendment: (row: Tables["amendment"]) => ({ subject: row.id, image: row }),
  cap_reading: (row: Tables["cap_reading"]) => ({ subject: `rdg_${row.account_id}_${row.entry_seq}`, image: row }),
  publication: (row: Tables["publication"]) => ({ subject: `pub_${row.population_id}`, image: row }),
  listing: (row: Tables["listing"]) => ({ subject: `lst_${row.dataset_id}`, image: row }),
  team_policy: (row: Tables["team_policy"]) => ({ subject: `pol_${row.team_id}`, image: row }),
  service: (row: Tables["service"]) => ({ subject: `srv_${row.principal_id}`, image: row }),
  agent_limit: (row: Tables["agent_limit"]) => ({ subject: `agl_${row.principal_id}`, image: row }),
  confirmation: (row: Tables["confirmation"]) => ({ subject: row.id, image: row }),
  report_threshold: (row: Tables["report_threshold"]) => ({ subject: `rpt_${row.ledger_id}`, image: row }),
  reuse_policy: (row: Tables["reuse_policy"]) => ({ subject: `rus_${row.dataset_id}`, image: row }),
  ledger: (row: Tables["ledger"]) => ({
    subject: row.id,
    image: pick(
      row,
      "id",
      "population_id",
      "rule",
      "policy",
      "mode",
      "status",
      "terms",
      "version",
      "opened_at",
      "opened_by",
    ),
  }),
  account: (row: Tables["account"]) => ({
    subject: row.id,
    image: pick(
      row,
      "id",
      "ledger_id",
      "parent_id",
      "holder_kind",
      "holder_id",
      "kind",
      "mode",
      "status",
      "opened_at",
      "expires_at",
      "query_epsilon",
    ),
  }),
} as const;

export type ImagedTable = keyof typeof images;
