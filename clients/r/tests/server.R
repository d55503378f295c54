# Asks the server of DOSIMETER_URL, which has the demo, as DOSIMETER_TOKEN.
library(dosimeter)

message_of <- function(expression) tryCatch({ expression; "none" }, dosimeter_error = conditionMessage)
stopifnot(grepl("^url is \"ftp", message_of(dm_connect("ftp://a", "token"))))
stopifnot(grepl("^token is missing", message_of(dm_connect("http://localhost", "two words"))))

# No way of showing or keeping a connection shows its token.
kept <- tempfile()
connection <- dm_connect("http://localhost:1", "dm_hidden")
saveRDS(connection, kept, compress = FALSE)
shown <- c(
  capture.output(print(connection)), capture.output(str(connection)), capture.output(dput(connection)), capture.output(unclass(connection)),
  rawToChar(Filter(function(byte) byte != 0, readBin(kept, "raw", 1e6)))
)
stopifnot(identical(shown[1], "<dm_connection http://localhost:1>"), !grepl("hidden", shown, useBytes = TRUE))
stopifnot(identical(dosimeter:::token_of(readRDS(kept)), "dm_hidden"))
moved <- connection
moved$url <- "http://localhost:2"
stopifnot(grepl("^connection is of another session", message_of(dm_datasets(moved))))

for (url in c("https://ana:hunter2@a", "ftp://ana:hunter2@a", "http://localhost\\@ana:hunter2@a"))
  stopifnot(grepl("^url is", message_of(dm_connect(url, "token"))), !grepl("hunter2", message_of(dm_connect(url, "token"))))
warned <- function(url) tryCatch({ dm_connect(url, "token"); "none" }, warning = conditionMessage)
stopifnot(grepl("unencrypted", warned("http://example.org")), grepl("unencrypted", warned("http://localhost.example.org")))
for (url in c("https://example.org", "http://localhost", "http://127.0.0.1:1/", "http://[::1]:2")) stopifnot(warned(url) == "none")

tries <- dosimeter:::tries
utils::assignInNamespace("tries", 1, "dosimeter")
stopifnot(grepl("no server answers", message_of(dm_datasets(dm_connect("http://127.0.0.1:9", "token")))))
utils::assignInNamespace("tries", tries, "dosimeter")

# What was not decided is tried again, and every other refusal is an answer.
pause <- function(status, attempt, after = NULL) {
  headers <- if (is.null(after)) list() else list(`Retry-After` = after)
  dosimeter:::pause_after(httr2::response(status, headers = headers), attempt)
}
stopifnot(
  dosimeter:::pause_after(NULL, 1) == 1, pause(429, 1, "7") == 7, pause(503, 3) == 4, is.null(pause(429, 1, "3600")),
  is.null(pause(409, 1)), is.null(pause(200, 1))
)
stopifnot(grepl("wait -1 seconds", message_of(pause(429, 1, "-1"))))

# A list without an end is refused; what was not asked for is not sent.
mocked <- dosimeter:::call_route
asked <- 0
utils::assignInNamespace("call_route", function(...) {
  asked <<- asked + 1
  list(items = list(), `next` = "again")
}, "dosimeter")
stopifnot(grepl("no end", message_of(dosimeter:::pages(connection, "/v1/datasets"))), asked == 2)
utils::assignInNamespace("call_route", mocked, "dosimeter")
amount <- function(value) dosimeter:::amount_text("epsilon", value)
stopifnot(amount(0.1) == "0.1", amount("1e-9") == "1e-9", as.numeric(amount(1e-7)) == 1e-7, amount(3L) == "3")
body <- list(a = 0.1 + 0.2, b = list(1e-7, 2L), c = c(0.25, 0.5), d = I(0.5), e = "x", f = TRUE)
json <- '{"a":0.30000000000000004,"b":[1e-07,2],"c":[0.25,0.5],"d":[0.5],"e":"x","f":true}'
stopifnot(identical(dosimeter:::write_json(body), json))
for (wrong in list(NA_real_, Inf, c(1, 2), "", TRUE)) stopifnot(grepl("^epsilon is", message_of(amount(wrong))))

if (!nzchar(Sys.getenv("DOSIMETER_URL"))) {
  cat("skipped: DOSIMETER_URL is not set\n")
  quit(status = 0)
}

server <- dm_connect()
left <- function() dm_budget(server)$left
stopifnot(all(c("adults", "visits") %in% dm_datasets(server)$name))
asked <- dm_requests(server)
stopifnot(identical(names(asked), names(dm_requests(server, received = TRUE))), !anyNA(asked$epsilon), !anyNA(asked$id))

plan <- dm_statistic("mean", "income", by = "sex", epsilon = 0.01)
stopifnot(identical(plan$epsilon, "0.01"), identical(dm_statistic("count", epsilon = 0.1 + 0.2)$epsilon, "0.30000000000000004"))
quote <- dm_quote(server, "adults", plan)
stopifnot(quote$admitted, quote$cost$epsilon == "0.01", grepl("within", quote$statistics$sentence))

before <- left()
means <- dm_release(server, "adults", plan, key = "r-means")
stopifnot(
  identical(names(means)[5:8], c("sex", "bin", "value", "low")), nrow(means) == 2, means$low <= means$value,
  means$value <= means$high, means$low < means$high, attr(means, "cost") == "0.01", abs(before - left() - 0.01) < 1e-12
)
stopifnot(identical(dm_release(server, "adults", plan, key = "r-means"), means), abs(before - left() - 0.01) < 1e-12)

mine <- dm_releases(server)
stopifnot(nrow(mine) > 0, "adults" %in% mine$dataset, is.numeric(mine$epsilon), mine$state[1] == "released")

# The plot of docs/r.md shows what was released.
if (requireNamespace("ggplot2", quietly = TRUE)) {
  library(ggplot2)
  drawn <- layer_data(ggplot(means, aes(sex, value, ymin = low, ymax = high)) + geom_pointrange())
  stopifnot(setequal(drawn$y, means$value), setequal(drawn$ymin, means$low), setequal(drawn$ymax, means$high))
}

query <- "SELECT sex, COUNT(*) AS people FROM adults GROUP BY sex ORDER BY sex DESC"
stopifnot(dm_sql(server, query, epsilon = "0.02")$cost$epsilon == "0.02")
people <- dm_sql(server, query, key = "r-people", epsilon = "0.02")
stopifnot(identical(people$sex, c("male", "female")), is.numeric(people$people), attr(people, "release")$high > attr(people, "release")$low)

refused <- tryCatch(dm_sql(server, "SELECT AVG(agee) FROM adults", epsilon = 1), UNKNOWN_COLUMN = function(error) error)
stopifnot(refused$facts$line == 1, refused$facts$column == 12)
full <- tryCatch(
  dm_release(server, "adults", dm_statistic("count", epsilon = 100), key = "r-full"),
  BUDGET_EXHAUSTED = function(error) error
)
stopifnot(dm_quote(server, "adults", dm_statistic("count", epsilon = 1e-4))$cost$epsilon == "0.0001")
stopifnot(as.numeric(full$facts$largestEpsilon) == left())
stopifnot(grepl("key", message_of(dm_release(server, "adults", plan, key = ""))))
stopifnot(grepl("not found", message_of(dm_quote(server, "elsewhere", plan))))
stopifnot(grepl("^account is", message_of(dm_quote(server, "adults", plan, account = "Eve"))))
stopifnot(grepl("purpose .*only an AI agent", message_of(dm_release(server, "adults", plan, key = "r-purpose", purpose = "why"))))
stopifnot(grepl("purpose .*only an AI agent", message_of(dm_sql(server, query, key = "r-why", epsilon = "0.01", purpose = "why"))))
stopifnot(grepl("timeout", message_of(dm_release(server, "adults", plan, key = "r", timeout = -1))))
