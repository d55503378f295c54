/** Settings of PostgreSQL that a client may change: how values look, how long things may take, how a statement is planned. */
const ALLOWED = new Set(
  `application_name array_nulls backslash_quote bytea_output client_encoding client_min_messages constraint_exclusion cursor_tuple_fraction
  datestyle deadlock_timeout default_text_search_config default_transaction_deferrable default_transaction_isolation
  default_transaction_read_only escape_string_warning extra_float_digits from_collapse_limit geqo geqo_threshold icu_validation_level
  idle_in_transaction_session_timeout idle_session_timeout intervalstyle jit join_collapse_limit lc_messages lc_monetary lc_numeric lc_time
  lock_timeout max_parallel_workers max_parallel_workers_per_gather parallel_setup_cost parallel_tuple_cost plan_cache_mode
  quote_all_identifiers random_page_cost search_path seed seq_page_cost standard_conforming_strings statement_timeout
  synchronize_seqscans synchronous_commit tcp_keepalives_count tcp_keepalives_idle tcp_keepalives_interval timezone
  timezone_abbreviations transaction_deferrable transaction_isolation transaction_read_only transaction_timeout
  transform_null_equals work_mem xmlbinary xmloption`.split(/\s+/),
);
/** What a statement calls them that has words of its own for them. */
const WORDS = new Set(["transaction", "session characteristics", "all"]);
const OWNER =
  /(?:^role$|authorization|read_only|row_security|preload|_path$|superuser|system_table|^session_replication)/;

export type SettingAs = "may" | "is kept" | "is unknown";

/** Names with a dot are of clients themselves: PostgreSQL reads none of them. */
export function settingAs(given: string): SettingAs {
  const name = given.toLowerCase();
  if (ALLOWED.has(name) || WORDS.has(name) || /^enable_[a-z_]+$/.test(name)) return "may";
  if (/^[a-z_][\w$]*\.[\w$.]+$/.test(name) && !name.startsWith("plpgsql.")) return "may";
  return OWNER.test(name) ? "is kept" : "is unknown";
}
