# The server: JSON in and out, amounts as decimal text, and what breaks on the way is tried again.

tries <- 5
max_pause_seconds <- 30
wait_seconds <- 20

max_pages <- 10000

# The tokens of this session. A connection only says where its token is, so that printing, str() and saveRDS() show none.
tokens <- new.env(parent = emptyenv())

dm_connect <- function(url = Sys.getenv("DOSIMETER_URL"), token = Sys.getenv("DOSIMETER_TOKEN")) {
  if (!is_text(url) || !grepl("^https?://[^/]", url) || grepl("[[:space:]\\\\]", url))
    invalid("url", without_user(url), "http://\u2026 or https://\u2026; set DOSIMETER_URL")
  if (grepl("^https?://[^/?#]*@", url))
    invalid("url", without_user(url), "an address without user and password: the token says who asks")
  if (!is_text(token) || !grepl("^[!-~]+$", token)) invalid("token", NULL, "given, or set as DOSIMETER_TOKEN")
  if (grepl("^http://", url) && !grepl("^http://(localhost|127[.]0[.]0[.]1|\\[::1\\])([:/?#]|$)", url))
    warning(sprintf("the token goes to %s unencrypted, for all to read on the way: use https://", url), call. = FALSE)
  url <- sub("/+$", "", url)
  # A name that no other session has: a connection that was saved finds no token of another server.
  session <- basename(tempfile("dm_"))
  assign(session, list(url = url, token = token), envir = tokens)
  structure(list(url = url, session = session), class = "dm_connection")
}

print.dm_connection <- function(x, ...) {
  cat(sprintf("<dm_connection %s>\n", x$url))
  invisible(x)
}

token_of <- function(connection) {
  if (!inherits(connection, "dm_connection")) invalid("connection", NULL, "what dm_connect() returns")
  held <- tokens[[connection$session]]
  if (is.null(held) || !identical(held$url, connection$url))
    refuse("INVALID_PARAMETER", "connection is of another session, must be made again: dm_connect()", list(name = "connection"))
  held$token
}

without_user <- function(url) if (is.character(url)) sub("[^/]*@", "\u2026@", url) else url

# Quotes change nothing and releases carry a key, so that every call may be sent twice.
call_route <- function(connection, path, body = NULL, query = list(), key = NULL) {
  token <- token_of(connection)
  request <- httr2::request(paste0(connection$url, path))
  request <- httr2::req_auth_bearer_token(request, token)
  request <- httr2::req_options(request, followlocation = FALSE)
  request <- httr2::req_timeout(request, 30 + if (is.null(query$wait)) 0 else query$wait)
  request <- httr2::req_error(request, is_error = function(response) FALSE)
  request <- do.call(httr2::req_url_query, c(list(request), query))
  if (!is.null(key)) request <- httr2::req_headers(request, `Idempotency-Key` = key)
  if (!is.null(body)) request <- httr2::req_body_raw(request, write_json(body), "application/json")
  answer_of(tried(request, connection$url))
}

tried <- function(request, url) {
  for (attempt in seq_len(tries)) {
    response <- tryCatch(httr2::req_perform(request), error = function(error) NULL)
    pause <- pause_after(response, attempt)
    if (is.null(pause)) return(response)
    if (attempt < tries) Sys.sleep(pause)
  }
  if (is.null(response)) refuse("UNREACHABLE", sprintf("no server answers at %s", url))
  response
}

# Seconds until it is worth another try; NULL where the response is an answer.
pause_after <- function(response, attempt) {
  if (is.null(response)) return(1)
  if (!httr2::resp_status(response) %in% c(429, 503)) return(NULL)
  named <- suppressWarnings(as.numeric(httr2::resp_header(response, "retry-after")))
  pause <- if (length(named) == 0 || is.na(named)) 2^(attempt - 1) else named
  if (pause < 0) refuse("INTERNAL", sprintf("the server asks to wait %g seconds, must be 0 or more", pause))
  if (pause <= max_pause_seconds) pause else NULL
}

answer_of <- function(response) {
  status <- httr2::resp_status(response)
  if (status >= 300 && status < 400) refuse("INVALID_PARAMETER", "url leads elsewhere, must be the address itself")
  body <- tryCatch(
    jsonlite::fromJSON(httr2::resp_body_string(response), simplifyVector = FALSE),
    error = function(error) NULL
  )
  if (status < 400 && !is.null(body)) return(body)
  if (is.null(body$code) || is.null(body$detail))
    refuse("INTERNAL", sprintf("the server answered %d without a reason", status))
  refuse(body$code, body$detail, body)
}

# A condition of class dosimeter_error, and of its code: tryCatch(…, QUOTA_EXHAUSTED = \(e) e$facts$largestEpsilon).
refuse <- function(code, message, facts = list()) {
  stop(structure(
    class = c(code, "dosimeter_error", "error", "condition"),
    list(message = message, call = NULL, code = code, facts = facts)
  ))
}

invalid <- function(name, got, want) {
  is <- if (is.null(got)) "is missing" else sprintf("is %s", paste(deparse(got, nlines = 1), collapse = ""))
  refuse("INVALID_PARAMETER", sprintf("%s %s, must be %s", name, is, want), list(name = name, want = want))
}

is_text <- function(value) is.character(value) && length(value) == 1 && !is.na(value) && nzchar(value)

write_json <- function(body) {
  as.character(jsonlite::toJSON(exact_numbers(body), auto_unbox = TRUE, null = "null", na = "null", json_verbatim = TRUE))
}

# Doubles as their shortest decimals: jsonlite writes 15 digits at most.
exact_numbers <- function(value) {
  if (is.list(value)) return(lapply(value, exact_numbers))
  if (!is.double(value) || length(value) == 0 || !all(is.finite(value))) return(value)
  texts <- vapply(value, shortest, character(1))
  is_one <- length(value) == 1 && !inherits(value, "AsIs")
  structure(if (is_one) texts else sprintf("[%s]", paste(texts, collapse = ",")), class = "json")
}

shortest <- function(value) {
  for (digits in 15:17) {
    text <- formatC(value, digits = digits, format = "g", width = 1)
    if (as.numeric(text) == value) break
  }
  text
}

# An amount as exact decimal text: 0.1 is one tenth, as the server reads a number.
amount_text <- function(name, value) {
  if (is_text(value)) return(value)
  if (!is.numeric(value) || length(value) != 1 || !is.finite(value))
    invalid(name, value, "a finite number or a decimal text")
  shortest(value)
}

pages <- function(connection, path, query = list()) {
  items <- list()
  cursor <- NULL
  for (count in seq_len(max_pages)) {
    page <- call_route(connection, path, query = c(query, list(limit = 200), if (!is.null(cursor)) list(cursor = cursor)))
    items <- c(items, page$items)
    if (is.null(page$`next`)) return(items)
    if (identical(page$`next`, cursor)) break
    cursor <- page$`next`
  }
  refuse("INTERNAL", sprintf("the server answers %s with pages that have no end", path))
}
