# Trade-off functions with the names and arguments of the package fdp. The command `dosimeter calc` computes them.

# Nothing of the current folder runs by itself, such as its node_modules: a folder from elsewhere could hold any program.
command_words <- function() {
  named <- Sys.getenv("DOSIMETER_COMMAND")
  if (nzchar(named)) return(strsplit(named, " +")[[1]])
  found <- unname(Sys.which("dosimeter"))
  is_here <- nzchar(found) && normalizePath(dirname(found)) == normalizePath(".")
  if (nzchar(found) && !is_here) return(found)
  refuse("COMMAND_MISSING", paste(
    "the command dosimeter is not found: put it on the path, or set DOSIMETER_COMMAND,",
    "for example to \"npx --no-install dosimeter\" in the source folder, if you trust it"
  ))
}

# Values of several calls, in their order, by one process.
calc <- function(...) {
  calls <- list(...)
  words <- command_words()
  lines <- vapply(calls, write_json, character(1))
  said <- tryCatch(
    suppressWarnings(system2(words[1], shQuote(c(words[-1], "calc")), stdout = TRUE, input = enc2utf8(lines), timeout = 120)),
    error = function(error) character(0)
  )
  if (length(said) != length(calls)) refuse("COMMAND_MISSING", sprintf("%s calc did not answer", paste(words, collapse = " ")))
  lapply(said, function(line) {
    Encoding(line) <- "UTF-8"
    answer <- jsonlite::fromJSON(line, simplifyVector = FALSE)
    if (!is.null(answer$error)) refuse(answer$error$code, answer$error$message)
    answer$value
  })
}

epsdelta <- function(epsilon, delta = 0) {
  tradeoff(list(epsdelta = list(number("epsilon", epsilon), number("delta", delta))), "fdp_epsdelta_tradeoff")
}

gdp <- function(mu = 1) tradeoff(list(gdp = number("mu", mu)), "fdp_gdp_tradeoff")

lap <- function(mu = 1) tradeoff(list(lap = number("mu", mu)), "fdp_lap_tradeoff")

est_gdp <- function(x, dp = 2) {
  gdp(calc(c(list(fn = "tradeoff.estGdp", digits = number("dp", dp)), estimated(x)))[[1]]$mu)
}

est_epsdelta <- function(x, epsilon = NULL, delta = NULL, dp = 2) {
  if (is.null(epsilon) == is.null(delta)) invalid("epsilon", epsilon, "given, or else delta: one of both")
  target <- if (is.null(delta)) list(epsilon = number("epsilon", epsilon)) else list(delta = number("delta", delta))
  found <- calc(c(list(fn = "tradeoff.estEpsdelta", digits = number("dp", dp)), target, estimated(x)))[[1]]
  epsdelta(as_number(found$epsilon), as_number(found$delta))
}

# A function of alpha; without one it gives its skeleton, as in fdp.
tradeoff <- function(definition, class) {
  shown <- calc(
    list(fn = "tradeoff.print", curve = definition),
    list(fn = "tradeoff.label", curve = definition),
    list(fn = "tradeoff.vertices", curve = definition)
  )
  skeleton <- points_frame(shown[[3]])
  evaluate <- function(alpha) {
    if (missing(alpha)) return(skeleton)
    if (!is.numeric(alpha) || length(alpha) == 0 || anyNA(alpha) || any(alpha < 0 | alpha > 1))
      invalid("alpha", alpha, "numbers in [0, 1]")
    beta <- calc(list(fn = "tradeoff.beta", curve = definition, alpha = as.list(alpha)))[[1]]
    data.frame(alpha = alpha, beta = vapply(beta, as_number, numeric(1)))
  }
  structure(evaluate, class = c(class, "fdp_tradeoff", "function"), definition = definition, label = shown[[2]], printed = shown[[1]])
}

print.fdp_tradeoff <- function(x, ...) {
  writeLines(attr(x, "printed"))
  invisible(x)
}

fdp <- function(..., .legend = NULL, .tol = sqrt(.Machine$double.eps)) {
  items <- list(...)
  if (length(items) == 0) invalid("...", NULL, "at least one trade-off function, data frame or vector")
  given <- if (is.null(names(items))) rep("", length(items)) else names(items)
  drawn <- lapply(items, function(item) drawn_points(item, .tol))
  labels <- make.unique(ifelse(nzchar(given), given, vapply(seq_along(items), function(i) label_of(items[[i]], i), "")), " ")
  colours <- rep_len(grDevices::palette.colors(), length(items))
  plot(c(0, 1), c(0, 1), type = "n", xlab = "Type I error", ylab = "Type II error", asp = 1)
  graphics::abline(1, -1, col = "grey", lty = 3)
  for (i in seq_along(items)) {
    graphics::lines(drawn[[i]], col = colours[i], lty = 1 + (i - 1) %% 6, lwd = 2)
    if (!is.function(items[[i]])) graphics::points(item_points(items[[i]]), col = colours[i])
  }
  graphics::legend("topright", labels, col = colours, lty = 1 + (seq_along(items) - 1) %% 6, lwd = 2, title = .legend, bty = "n")
  out <- do.call(rbind, Map(function(points, name) cbind(name = name, points), drawn, labels))
  rownames(out) <- NULL
  invisible(out)
}

drawn_points <- function(item, tolerance) {
  if (inherits(item, "fdp_tradeoff")) return(item())
  points <- item_points(item)
  # Points of an attack: what mixing them reaches is their lower hull.
  if (any(points$beta > 1 - points$alpha + tolerance)) invalid("beta", NULL, "at most 1 - alpha: guessing does as well")
  hull <- calc(list(fn = "tradeoff.vertices", curve = list(points = as_pairs(points))))[[1]]
  points_frame(hull)
}

label_of <- function(item, place) {
  if (inherits(item, "fdp_tradeoff")) attr(item, "label") else paste("Item", place)
}

item_points <- function(x) {
  grid <- seq(0, 1, 0.01)
  if (is.function(x)) x <- x(grid)
  if (is.data.frame(x)) {
    if (!all(c("alpha", "beta") %in% names(x))) invalid("x", names(x), "a data frame with the columns alpha and beta")
    return(x[c("alpha", "beta")])
  }
  if (!is.numeric(x) || length(x) != length(grid)) invalid("x", NULL, "a trade-off function, a data frame, or 101 numbers")
  data.frame(alpha = grid, beta = as.numeric(x))
}

estimated <- function(x) {
  if (inherits(x, "fdp_tradeoff")) list(curve = attr(x, "definition")) else list(points = as_pairs(item_points(x)))
}

as_pairs <- function(points) unname(Map(list, points$alpha, points$beta))

points_frame <- function(pairs) {
  data.frame(
    alpha = vapply(pairs, function(pair) as_number(pair[[1]]), numeric(1)),
    beta = vapply(pairs, function(pair) as_number(pair[[2]]), numeric(1))
  )
}

as_number <- function(value) switch(as.character(value), Infinity = Inf, `-Infinity` = -Inf, as.numeric(value))

# Infinity is a word in JSON.
number <- function(name, value) {
  if (!is.numeric(value) || length(value) != 1 || is.na(value)) invalid(name, value, "one number")
  if (is.infinite(value)) if (value > 0) "Infinity" else "-Infinity" else value
}
