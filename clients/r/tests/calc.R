# Printing, values and estimates are those of fdp 1.0.0 for R, from the page of epsdelta() and test/golden.
library(dosimeter)

# The current folder runs nothing by itself.
named <- Sys.getenv("DOSIMETER_COMMAND")
path <- Sys.getenv("PATH")
folder <- tempfile()
bin <- file.path(folder, "node_modules", ".bin")
dir.create(bin, recursive = TRUE)
for (program in file.path(c(bin, folder), "dosimeter")) {
  writeLines("#!/bin/sh\necho run > ran", program)
  Sys.chmod(program, "0755")
}
writeLines("#!/bin/sh\nexec ./node_modules/.bin/dosimeter", file.path(folder, "npx"))
Sys.chmod(file.path(folder, "npx"), "0755")
before <- setwd(folder)
Sys.unsetenv("DOSIMETER_COMMAND")
Sys.setenv(PATH = paste(".", folder, sep = .Platform$path.sep))
code <- tryCatch({ dosimeter:::command_words(); "none" }, dosimeter_error = function(error) error$code)
Sys.setenv(PATH = path)
if (nzchar(named)) Sys.setenv(DOSIMETER_COMMAND = named)
setwd(before)
stopifnot(code == "COMMAND_MISSING")

if (!nzchar(Sys.getenv("DOSIMETER_COMMAND")) && !nzchar(Sys.which("dosimeter"))) {
  cat("skipped: the command dosimeter is not here\n")
  quit(status = 0)
}

pure <- epsdelta(1)
stopifnot(identical(
  capture.output(print(pure)),
  c("(\u03b5, \u03b4)-Differential Privacy Trade-off Function", "  Parameters:", "    \u03b5 = 1", "    \u03b4 = 0")
))
stopifnot(identical(capture.output(print(pure())), c(
  "      alpha      beta",
  "1 0.0000000 1.0000000",
  "2 0.2689414 0.2689414",
  "3 1.0000000 0.0000000"
)))
approximate <- epsdelta(1, 0.01)
stopifnot(identical(capture.output(print(approximate(c(0.05, 0.1, 0.25, 0.5)))), c(
  "  alpha      beta",
  "1  0.05 0.8540859",
  "2  0.10 0.7181718",
  "3  0.25 0.3104295",
  "4  0.50 0.1802609"
)))
stopifnot(inherits(pure, "fdp_epsdelta_tradeoff"), is.function(pure))

laplace <- est_gdp(lap(1.5))
stopifnot(inherits(laplace, "fdp_gdp_tradeoff"), any(capture.output(print(laplace)) == "    \u03bc = 1.44"))
empirical <- data.frame(beta = c(1, 0.92, 0.85, 0.7, 0.45, 0), alpha = c(0, 0.05, 0.1, 0.25, 0.5, 1))
below <- est_epsdelta(empirical, delta = 0.01)
stopifnot(any(capture.output(print(below)) == "    \u03b5 = 0.34"))

grDevices::pdf(NULL)
drawn <- fdp(empirical = empirical, pure, approximate, .legend = "Privacy Mechanism")
invisible(grDevices::dev.off())
stopifnot(identical(unique(drawn$name), c("empirical", "(1,0)-DP", "(1,0.01)-DP")), all(drawn$beta <= 1 - drawn$alpha + 1e-9))

message_of <- function(expression) tryCatch({ expression; "none" }, dosimeter_error = conditionMessage)
stopifnot(message_of(epsdelta(-1)) == "epsilon is -1, must be a number >= 0")
stopifnot(grepl("^alpha is 2, must be", message_of(pure(2))))
stopifnot(grepl("one of both", message_of(est_epsdelta(pure))))
stopifnot(grepl("columns alpha and beta", message_of(est_gdp(data.frame(a = 1)))))
stopifnot(grepl("101 numbers", message_of(est_gdp(1:5))))
stopifnot(grepl("must be one number", message_of(gdp("a"))))
