# Asks the server of DOSIMETER_URL, which has the demo, as DOSIMETER_TOKEN.
library(dosimeter)

message_of <- function(expression) tryCatch({ expression; "none" }, dosimeter_error = conditionMessage)
stopifnot(grepl("^url is \"ftp", message_of(dm_connect("ftp://a", "token"))))
stopifnot(grepl("^token is missing", message_of(dm_connect("http://localhost", "two words"))))
tries <- dosimeter:::tries
utils::assignInNamespace("tries", 1, "dosimeter")
stopifnot(grepl("no server answers", message_of(dm_datasets(dm_connect("http://127.0.0.1:9", "token")))))
utils::assignInNamespace("tries", tries, "dosimeter")

if (!nzchar(Sys.getenv("DOSIMETER_URL"))) {
  cat("skipped: DOSIMETER_URL is not set\n")
  quit(status = 0)
}

server <- dm_connect()
left <- function() dm_budget(server)$left
stopifnot(all(c("adults", "visits") %in% dm_datasets(server)$name))

plan <- dm_statistic("mean", "income", by = "sex", epsilon = 0.01)
stopifnot(identical(plan$epsilon, "0.01"), identical(dm_statistic("count", epsilon = 0.1 + 0.2)$epsilon, "0.30000000000000004"))
quote <- dm_quote(server, "adults", plan)
stopifnot(quote$admitted, quote$cost$epsilon == "0.01", grepl("within", quote$statistics$sentence))

before <- left()
means <- dm_release(server, "adults", plan, key = "r-means")
stopifnot(
  identical(names(means)[5:8], c("sex", "bin", "value", "low")), nrow(means) == 2, means$low < means$value,
  means$value < means$high, attr(means, "cost") == "0.01", abs(before - left() - 0.01) < 1e-12
)
stopifnot(identical(dm_release(server, "adults", plan, key = "r-means"), means), abs(before - left() - 0.01) < 1e-12)

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
stopifnot(as.numeric(full$facts$largestEpsilon) == left())
stopifnot(grepl("key", message_of(dm_release(server, "adults", plan, key = ""))))
stopifnot(grepl("not found", message_of(dm_quote(server, "elsewhere", plan))))
stopifnot(grepl("^account is", message_of(dm_quote(server, "adults", plan, account = "Eve"))))
stopifnot(grepl("timeout", message_of(dm_release(server, "adults", plan, key = "r", timeout = -1))))
