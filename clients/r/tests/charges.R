# Charges of programs outside, on the server of DOSIMETER_URL where DOSIMETER_CHARGES names the dataset that may be charged.
library(dosimeter)

if (!nzchar(Sys.getenv("DOSIMETER_CHARGES"))) {
  cat("skipped: DOSIMETER_CHARGES is not set\n")
  quit(status = 0)
}
code_of <- function(expression) tryCatch({ expression; "none" }, dosimeter_error = function(error) error$code)
dataset <- Sys.getenv("DOSIMETER_CHARGES")
server <- dm_connect()
left <- function() dm_budget(server)$left
near <- function(a, b) abs(a - b) < 1e-12
noise <- list(kind = "pure", epsilon = "0.01")
charge <- function(..., events = noise) dm_charge(server, dataset, events, purpose = "a test", rows_per_unit = 1, ...)

before <- left()
quote <- charge()
stopifnot(quote$fits, quote$price$epsilon == "0.01", !charge(events = list(kind = "pure", epsilon = "100"))$fits, left() == before)

# R evaluates the program when it is paid for, and once.
answer <- charge(key = "r-once", run = { stopifnot(near(left(), before - 0.01)); 42 })
stopifnot(answer == 42, near(left(), before - 0.01))
ran <- FALSE
stopifnot(code_of(charge(key = "r-once", run = ran <- TRUE)) == "CONFLICT", !ran, near(left(), before - 0.01))
refused <- code_of(charge(key = "r-full", events = list(kind = "pure", epsilon = "100"), run = ran <- TRUE))
stopifnot(refused %in% c("QUOTA_EXHAUSTED", "BUDGET_EXHAUSTED", "FORBIDDEN"), !ran)
stopifnot(code_of(charge(key = "r-once", events = list(kind = "pure", epsilon = "0.02"))) == "IDEMPOTENCY_CONFLICT")
stopifnot(code_of(charge(key = "r-replace", relation = "replace-one", run = ran <- TRUE)) == "ADJACENCY_MISMATCH", !ran)
stopifnot(code_of(charge(key = "r-none", events = list())) == "INVALID_PARAMETER")

# Without a program the permit is for another one, and several events are one charge.
permit <- charge(key = "r-permit", events = list(noise, list(kind = "repeated", count = 2L, event = noise)))
stopifnot(inherits(permit, "dm_permit"), permit$price$epsilon == "0.03", grepl("dosimeter-permit", permit$permit))
stopifnot(grepl("^<dm_permit r-permit: epsilon = 0.03", capture.output(print(permit))))
stopifnot(near(left(), before - 0.04))
