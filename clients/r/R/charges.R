# Programs outside: the account pays before the program runs, and nothing is given back.

dm_charge <- function(connection, dataset, events, key = NULL, purpose = NULL, run, relation = "add-or-remove-one",
                      rows_per_unit = NULL, account = NULL, delta = NULL, tool = NULL, published = NULL) {
  if (!is.null(events$kind)) events <- list(events)
  if (!is.list(events) || length(events) == 0 || !all(vapply(events, function(each) is_text(each$kind), logical(1))))
    invalid("events", NULL, "a list of events like list(kind = \"pure\", epsilon = 0.1)")
  found <- find_dataset(connection, dataset)
  said <- given(relation = relation, rowsPerUnit = rows_per_unit, tool = tool, published = published, purpose = purpose)
  body <- c(list(dataset = found$id, account = payer(found$accounts, account), events = unname(events)), said)
  if (!is.null(delta)) body$delta <- amount_text("delta", delta)
  if (is.null(key)) return(call_route(connection, "/v1/charges/quote", body))
  paid <- call_route(connection, "/v1/charges", c(body, list(key = checked_key(key))))
  permit <- structure(
    list(id = paid$charge$id, key = key, price = paid$price, permit = paid$permit),
    class = "dm_permit"
  )
  if (missing(run)) return(permit)
  # A promise: R evaluates it only now, when it is paid for, and a permit is for one run.
  call_route(connection, "/v1/permits/redeem", list(permit = permit$permit, key = key))
  run
}

print.dm_permit <- function(x, ...) {
  price <- unlist(x$price[c("epsilon", "mu2", "delta")])
  cat(sprintf("<dm_permit %s: %s>\n", x$key, paste(names(price), "=", price, collapse = ", ")))
  invisible(x)
}
