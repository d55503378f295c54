# Questions about a dataset: free quotes, charged releases, what is left.

dm_datasets <- function(connection) {
  seen <- pages(connection, "/v1/datasets")
  field <- function(name) vapply(seen, function(each) each[[name]], character(1))
  data.frame(
    id = field("id"),
    name = field("name"),
    privacy_unit = field("privacyUnit"),
    accounts = vapply(seen, function(each) length(each$myAccounts), integer(1))
  )
}

dm_budget <- function(connection) {
  held <- pages(connection, "/v1/accounts")
  gauge <- function(name, field) {
    amounts <- vapply(held, function(account) or_na(account$balance[[name]][[field]]), character(1))
    as.numeric(amounts)
  }
  data.frame(
    account = vapply(held, function(account) account$id, character(1)),
    path = vapply(held, function(account) paste(unlist(account$path), collapse = "/"), character(1)),
    epsilon = gauge("epsilon", "cap"),
    spent = gauge("epsilon", "spent"),
    left = gauge("epsilon", "left"),
    delta = gauge("delta", "cap"),
    delta_left = gauge("delta", "left")
  )
}

dm_releases <- function(connection) {
  listed(pages(connection, "/v1/releases"), list(
    id = "id", title = "title", dataset = "datasetName", by = "byName", state = "state", epsilon = "epsilon", charged_at = "chargedAt"
  ))
}

dm_requests <- function(connection, received = FALSE) {
  box <- if (received) "received" else "submitted"
  listed(pages(connection, "/v1/requests", list(box = box)), list(
    id = "id", dataset = c("dataset", "name"), status = "status", epsilon = c("asked", "epsilon"),
    granted = c("granted", "epsilon"), note = "note", created_at = "createdAt"
  ))
}

# One row for each item; a column is where it stands in one.
listed <- function(items, columns) {
  of <- function(path) vapply(items, function(item) {
    for (name in path) item <- item[[name]]
    or_na(item)
  }, character(1))
  frame <- as.data.frame(lapply(columns, of))
  for (name in intersect(c("epsilon", "granted"), names(frame))) frame[[name]] <- as.numeric(frame[[name]])
  frame
}

dm_statistic <- function(statistic, column = NULL, by = NULL, where = NULL, epsilon = NULL, rho = NULL, ...) {
  row <- list(statistic = statistic, column = column, where = where, ...)
  if (!is.null(by)) row$groupBy <- as.list(by)
  if (!is.null(epsilon)) row$epsilon <- amount_text("epsilon", epsilon)
  if (!is.null(rho)) row$rho <- amount_text("rho", rho)
  row[!vapply(row, is.null, logical(1))]
}

dm_quote <- function(connection, dataset, plan, account = NULL, reuse = NULL, people = NULL) {
  body <- c(asked(find_dataset(connection, dataset), plan, account, reuse), given(people = people))
  quote_of(call_route(connection, "/v1/quotes", body))
}

dm_release <- function(connection, dataset, plan, key, account = NULL, reuse = NULL, timeout = 600, purpose = NULL) {
  body <- c(asked(find_dataset(connection, dataset), plan, account, reuse), given(purpose = purpose))
  until <- deadline(timeout)
  release <- call_route(connection, "/v1/releases", body, list(wait = slice(until)), checked_key(key))
  cells_of(finished(connection, release, until))
}

dm_sql <- function(connection, query, key = NULL, epsilon = NULL, rho = NULL, delta = NULL, account = NULL, reuse = NULL,
                   timeout = 600, purpose = NULL) {
  prices <- given(epsilon = epsilon, rho = rho, delta = delta)
  prices <- Map(amount_text, names(prices), prices)
  body <- c(list(sql = query, account = payer(accounts_for(connection, query), account)), prices, given(reuse = reuse))
  if (is.null(key)) {
    answer <- call_route(connection, "/v1/sql/quote", body)
    return(quote_of(answer$quote, answer$plan))
  }
  body <- c(body, given(purpose = purpose))
  until <- deadline(timeout)
  ask <- function(wait) call_route(connection, "/v1/sql/release", body, list(wait = wait), checked_key(key))
  answer <- ask(slice(until))
  release <- finished(connection, answer$release, until)
  # The same key answers the same, and is not charged again.
  if (is.null(answer$tables)) answer <- ask(0)
  tables <- lapply(answer$tables, sql_table)
  out <- if (length(tables) == 1) tables[[1]] else tables
  attr(out, "release") <- cells_of(release)
  out
}

given <- function(...) {
  fields <- list(...)
  fields[!vapply(fields, is.null, logical(1))]
}

asked <- function(found, plan, account, reuse) {
  statistics <- if (!is.null(plan$statistic)) list(plan) else plan
  whole <- if (!is.null(plan$statistics)) plan else list(statistics = statistics)
  if (!is.list(whole$statistics) || !all(vapply(whole$statistics, is.list, logical(1))))
    invalid("plan", NULL, "a dm_statistic(), a list of them, or a list with statistics")
  c(list(dataset = found$id, account = payer(found$accounts, account), plan = whole), given(reuse = reuse))
}

find_dataset <- function(connection, wanted) {
  if (!is_text(wanted)) invalid("dataset", wanted, "a name or an id")
  seen <- pages(connection, "/v1/datasets")
  found <- Filter(function(each) each$id == wanted, seen)
  if (length(found) == 0) found <- Filter(function(each) each$name == wanted, seen)
  if (length(found) == 0) refuse("NOT_FOUND", sprintf("dataset \"%s\": not found, or not visible to you", wanted))
  if (length(found) > 1) {
    ids <- paste(vapply(found, function(each) each$id, character(1)), collapse = ", ")
    refuse("CONFLICT", sprintf("%d datasets are called \"%s\"; say which by its id: %s", length(found), wanted, ids))
  }
  call_route(connection, paste0("/v1/datasets/", found[[1]]$id))
}

# The accounts over the tables that a query names; all where it names none of them.
accounts_for <- function(connection, query) {
  held <- pages(connection, "/v1/accounts")
  is_named <- function(name) grepl(name, query, fixed = TRUE)
  named <- Filter(function(each) any(vapply(unlist(each$datasetNames), is_named, logical(1))), held)
  if (length(named) > 0) named else held
}

# The account that pays; who pays is never guessed between several.
payer <- function(accounts, wanted) {
  ids <- vapply(accounts, function(account) account$id, character(1))
  paths <- vapply(accounts, function(account) paste(unlist(account$path), collapse = "/"), character(1))
  fits <- if (is.null(wanted)) rep(TRUE, length(ids)) else
    ids == wanted | paths == wanted | endsWith(paths, paste0("/", wanted))
  if (sum(fits) == 1) return(ids[fits])
  held <- if (length(paths) == 0) "none" else paste(paths, collapse = ", ")
  invalid("account", wanted, paste("one of those that you can spend from:", held))
}

checked_key <- function(key) {
  if (missing(key) || !is_text(key) || !grepl("^[ -~]{1,200}$", key))
    invalid("key", if (missing(key)) NULL else key, "1 to 200 printable ASCII characters")
  key
}

deadline <- function(timeout) {
  if (!is.numeric(timeout) || length(timeout) != 1 || !is.finite(timeout) || timeout < 0)
    invalid("timeout", timeout, "a finite number of seconds, 0 or more")
  list(began = proc.time()[["elapsed"]], timeout = timeout)
}

# Seconds of the next wait: 0 when the time is over.
slice <- function(until) {
  round(max(0, min(wait_seconds, until$timeout - (proc.time()[["elapsed"]] - until$began))), 3)
}

finished <- function(connection, release, until) {
  repeat {
    if (release$stage == "done") return(release)
    if (!is.null(release$failure)) refuse(release$failure$code, release$failure$detail, release$failure)
    wait <- slice(until)
    if (wait == 0) {
      message <- sprintf("release %s is charged and %s; the same call again waits on, at no cost", release$id, release$stage)
      refuse("STILL_RUNNING", message, list(release = release$id))
    }
    release <- call_route(connection, paste0("/v1/releases/", release$id), query = list(wait = wait))
  }
}

or_na <- function(value) if (is.null(value)) NA_character_ else as.character(value)
