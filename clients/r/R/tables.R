# Answers as data frames: one row a cell, the interval as the columns low and high.

quote_of <- function(raw, plan = NULL) {
  column <- function(read, kind) vapply(raw$statistics, read, kind)
  statistics <- data.frame(
    id = column(function(row) row$id, character(1)),
    label = column(function(row) row$label, character(1)),
    half_width = column(function(row) number_or_na(row$accuracy$halfWidth), numeric(1)),
    useless = column(function(row) row$accuracy$useless, logical(1)),
    sentence = column(function(row) row$sentence, character(1)),
    key = column(function(row) row$reuse$key, character(1))
  )
  structure(
    list(
      admitted = raw$admitted, cost = raw$cost, statistics = statistics, refusal = raw$refusal$detail,
      largest_epsilon = raw$refusal$largestEpsilon, plan = plan
    ),
    class = "dm_quote"
  )
}

print.dm_quote <- function(x, ...) {
  writeLines(x$statistics$sentence)
  paid <- if (is.null(x$cost$epsilon)) "Gaussian noise" else paste("\u03b5 =", x$cost$epsilon)
  writeLines(if (x$admitted) paste("Cost:", paid) else paste("It does not fit:", x$refusal))
  invisible(x)
}

cells_of <- function(release) {
  groups <- unique(unlist(lapply(release$answers, function(answer) unlist(answer$groupBy))))
  rows <- lapply(release$answers, function(answer) lapply(answer$cells, function(cell) list(answer = answer, cell = cell)))
  rows <- unlist(rows, recursive = FALSE)
  read <- function(reader, kind) vapply(rows, function(row) reader(row$answer, row$cell), kind)
  before <- data.frame(
    id = read(function(answer, cell) answer$id, character(1)),
    statistic = read(function(answer, cell) answer$statistic, character(1)),
    label = read(function(answer, cell) answer$label, character(1)),
    column = read(function(answer, cell) or_na(answer$column), character(1))
  )
  after <- data.frame(
    bin = read(function(answer, cell) or_na(cell$bin$label), character(1)),
    value = read(function(answer, cell) as.numeric(cell$value), numeric(1)),
    low = read(function(answer, cell) as.numeric(cell$interval[[1]]), numeric(1)),
    high = read(function(answer, cell) as.numeric(cell$interval[[2]]), numeric(1)),
    rows_off = read(function(answer, cell) number_or_na(cell$rank), numeric(1)),
    confidence = read(function(answer, cell) as.numeric(answer$confidence), numeric(1)),
    unreliable = read(function(answer, cell) isTRUE(cell$unreliable), logical(1))
  )
  out <- before
  for (name in groups) {
    # A group may be called as one of our columns.
    own <- if (name %in% c(names(before), names(after))) paste0("group.", name) else name
    out[[own]] <- simplified(lapply(rows, function(row) row$cell$group[[name]]))
  }
  out <- cbind(out, after)
  attr(out, "release_id") <- release$id
  attr(out, "cost") <- release$epsilon
  attr(out, "plan") <- release$plan
  attr(out, "receipt") <- release$receipt
  out
}

sql_table <- function(table) {
  columns <- lapply(seq_along(table$columns), function(place) simplified(lapply(table$rows, function(row) row[[place]])))
  names(columns) <- unlist(table$columns)
  out <- as.data.frame(columns[!duplicated(names(columns))], check.names = FALSE)
  attr(out, "notes") <- unlist(table$notes)
  out
}

# A column of one kind; what is absent is NA. Lists of quantiles stay lists.
simplified <- function(values) {
  if (any(vapply(values, is.list, logical(1)))) return(I(values))
  unlist(lapply(values, function(value) if (is.null(value)) NA else value))
}

number_or_na <- function(value) if (is.null(value)) NA_real_ else as.numeric(value)
