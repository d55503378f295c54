"""Asks the server of DOSIMETER_URL, a fresh demo, as DOSIMETER_TOKEN; half of it over a connection that breaks."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
import unittest
from collections.abc import Callable
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import dosimeter
from dosimeter import errors, statistic

URL = os.environ.get("DOSIMETER_URL", "")
MEANS = statistic("mean", "income", by="sex", epsilon="0.01")


class Awaited(unittest.IsolatedAsyncioTestCase):
    async def test_questions_are_asked_at_once_and_answer_what_the_others_do(self) -> None:
        server = dosimeter.async_connect()
        adults = await server.dataset("adults")
        self.assertEqual([each.name for each in await server.datasets()], [each.name for each in server.sync.datasets()])
        self.assertIn("income", await adults.columns())
        quotes = await asyncio.gather(*(adults.quote(MEANS) for _ in range(12)))
        self.assertEqual({quote.cost.epsilon for quote in quotes if quote.cost}, {Decimal("0.01")})
        one, other = await asyncio.gather(adults.release(MEANS), adults.release(MEANS))
        self.assertEqual(one.records(), other.records())
        self.assertEqual((await server.release(one.id)).records(), adults.sync.release(MEANS).records())
        with self.assertRaises(errors.NotFound):
            await server.dataset("adult")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(adults.budget(), 0)

    async def test_what_i_released_asked_for_and_keep_is_listed(self) -> None:
        server = dosimeter.async_connect()
        adults = await server.dataset("adults")
        release = await adults.release(MEANS)
        releases, requests, drafts = await asyncio.gather(server.releases(), server.requests(), adults.drafts())
        mine = next(row for row in releases.records() if row["id"] == release.id)
        self.assertEqual((mine["dataset"], mine["state"], mine["epsilon"]), ("adults", "released", Decimal("0.01")))
        self.assertEqual(requests.columns, ("id", "dataset", "status", "epsilon", "granted", "note", "created_at"))
        self.assertTrue(all(row["epsilon"] is not None for row in requests.records()))
        self.assertEqual(drafts.columns[:2], ("id", "name"))
        self.assertEqual(server.sync.requests(received=True).columns, requests.columns)


class Local(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("DOSIMETER_COMMAND"), "DOSIMETER_COMMAND is not set")
    def test_a_server_of_ones_own_starts_and_stops(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with dosimeter.open(folder) as server:
                self.assertEqual(server.datasets(), [])
                url = server.url
                with self.assertRaisesRegex(errors.AlreadyRunning, url):
                    dosimeter.open(folder)
            with mock.patch("time.sleep"), self.assertRaises(errors.Unreachable):
                dosimeter.connect(url).datasets()


class Handler(BaseHTTPRequestHandler):
    """Passes a request on, unless the fault of its server answers first."""

    body: bytes
    server: Broken

    def do_GET(self) -> None:
        self.server.seen.append((f"{self.command} {self.path.split('?')[0]}", self.headers["Idempotency-Key"]))
        self.body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not (self.command == "POST" and self.server.fault(self, len(self.server.seen))):
            self.answer(*self.forward())

    do_POST = do_GET

    def forward(self) -> tuple[int, bytes]:
        headers = {name: value for name, value in self.headers.items() if name not in ("Host", "Accept-Encoding")}
        try:
            with urlopen(Request(URL + self.path, self.body or None, headers, method=self.command), timeout=60) as answer:
                return answer.status, answer.read()
        except HTTPError as error:
            return error.code, error.read()

    def answer(self, status: int, content: bytes = b"", **headers: str) -> bool:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return True

    def refuse(self, status: int, code: str) -> bool:
        return self.answer(status, json.dumps({"code": code, "detail": "later", "seconds": 3}).encode())

    def log_message(self, *_: object) -> None:
        pass


Fault = Callable[[Handler, int], bool]


class Broken(ThreadingHTTPServer):
    """A way to the server with a fault: it returns True where it has answered a POST by itself."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.fault = fault
        self.seen: list[tuple[str, str | None]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()


@unittest.skipUnless(URL, "DOSIMETER_URL is not set")
class Server(unittest.TestCase):
    def setUp(self) -> None:
        self.client = dosimeter.connect()
        self.ds = self.client.dataset("adults")

    def left(self) -> Decimal:
        left = self.ds.budget().epsilon.left
        assert left is not None
        return left

    def through(self, fault: Fault) -> tuple[Broken, dosimeter.Dataset]:
        way = Broken(fault)
        self.addCleanup(way.close)
        found = dosimeter.connect(way.url).dataset("adults").refresh()
        way.seen.clear()
        pauses = mock.patch("dosimeter.http.time.sleep")
        pauses.start()
        self.addCleanup(pauses.stop)
        return way, found

    def test_datasets_and_columns(self) -> None:
        self.assertLessEqual({"adults", "visits"}, {each.name for each in self.client.datasets()})
        self.assertEqual(self.ds.columns["sex"]["categories"], ["female", "male"])
        self.assertEqual(self.client.dataset(self.ds.id).name, "adults")
        self.assertEqual(self.client.budget()[0].path, "Public health/Ana Silva")
        with self.assertRaisesRegex(errors.NotFound, "not found, or not visible"):
            self.client.dataset("elsewhere")

    def test_a_quote_is_free_and_exact(self) -> None:
        before = self.left()
        quote = self.ds.quote(MEANS)
        assert quote.cost is not None
        self.assertEqual((quote.admitted, quote.cost.epsilon, quote.left), (True, Decimal("0.01"), before - Decimal("0.01")))
        self.assertRegex(quote.statistics[0].sentence, "within")
        self.assertIn("Cost: ε = 0.01", quote._repr_html_())
        self.assertEqual(self.left(), before)

    def test_what_does_not_fit_says_what_would(self) -> None:
        quote = self.ds.quote(statistic("count", epsilon=100))
        self.assertEqual((quote.admitted, quote.largest_epsilon), (False, self.left()))
        with self.assertRaises(dosimeter.BudgetExhausted) as refused:
            self.ds.release(statistic("count", epsilon=100))
        self.assertEqual(refused.exception.largest_epsilon, self.left())
        self.assertEqual(len(refused.exception.refusals), 3)

    def test_a_release_is_charged_once_and_read_again_for_nothing(self) -> None:
        before, stages = self.left(), []
        release = self.ds.release(MEANS, key="py-means", progress=lambda stage, _: stages.append(stage))
        self.assertEqual((stages[-1], release.cost.epsilon), ("done", Decimal("0.01")))
        self.assertEqual(self.left(), before - Decimal("0.01"))
        again = self.ds.release(MEANS, key="py-means")
        self.assertEqual((again.id, again.records()), (release.id, release.records()))
        self.assertEqual(self.client.release(release.id).records(), release.records())
        self.assertEqual(self.left(), before - Decimal("0.01"))
        for cell in release["s1"].cells:
            self.assertTrue(cell.low <= cell.value <= cell.high and cell.low < cell.high)
            self.assertIsInstance(cell.value, (int, Decimal))
        with self.assertRaises(errors.IdempotencyConflict):
            self.ds.release(statistic("count", epsilon="0.01"), key="py-means")

    def test_without_a_key_the_question_is_the_key(self) -> None:
        before = self.left()
        first, second = (self.ds.release(statistic("count", epsilon="0.01")) for _ in range(2))
        again = self.ds.release({"epsilon": 0.01, "statistic": "count"})
        self.assertEqual((first.id, first.id), (second.id, again.id))
        self.assertEqual(self.left(), before - Decimal("0.01"))
        self.assertIsInstance(first[0].value, int)
        self.assertRegex(str(first), "Count")

    def test_the_error_of_a_median_is_in_rows(self) -> None:
        median = self.ds.release(statistic("median", "age", epsilon="0.01"))[0].cells[0]
        self.assertEqual((median.low, median.high), (18, 93))
        self.assertGreater(median.rows_off or 0, 0)

    def test_sql_answers_with_a_table_and_every_interval(self) -> None:
        query = "SELECT sex, COUNT(*) AS n FROM adults GROUP BY sex ORDER BY sex DESC"
        quote = self.ds.sql_quote(query, epsilon=0.02)
        assert quote.plan is not None and quote.cost is not None
        self.assertEqual((quote.cost.epsilon, quote.plan["statistics"][0]["statistic"]), (Decimal("0.02"), "count"))
        result = self.ds.sql(query, epsilon=0.02)
        self.assertEqual([row["sex"] for row in result.records()], ["male", "female"])
        self.assertIsInstance(result.records()[0]["n"], int)
        self.assertEqual(result.release.table.columns[-5:-2], ("low", "high", "rows_off"))
        self.assertEqual(self.ds.sql(query, epsilon=0.02).release.id, result.release.id)
        self.assertIn("<td>male</td>", result._repr_html_())

    def test_sql_is_refused_at_its_place(self) -> None:
        with self.assertRaises(errors.UnknownColumn) as refused:
            self.ds.sql("SELECT sex,\n AVG(agee) FROM adults", epsilon="0.1")
        self.assertEqual(refused.exception.position, (2, 6))
        with self.assertRaisesRegex(errors.InvalidParameter, "epsilon is missing"):
            self.ds.sql("SELECT COUNT(*) FROM adults")

    def test_bad_input_is_refused_here(self) -> None:
        for wrong, said in (
            (lambda: self.ds.release(MEANS, key=""), "^key is"),
            (lambda: self.ds.release(MEANS, key="é"), "^key is"),
            (lambda: self.ds.release(MEANS, timeout=float("inf")), "^timeout is"),
            (lambda: self.ds.quote(MEANS, account="Eve"), "^account is 'Eve', must be one of those"),
            (lambda: statistic("count", epsilon=float("nan")), "^epsilon is nan"),
        ):
            with self.assertRaisesRegex(errors.InvalidParameter, said):
                wrong()

    def test_a_purpose_is_sent_and_only_an_agent_states_one(self) -> None:
        left = self.left()
        with self.assertRaisesRegex(errors.InvalidParameter, "only an AI agent"):
            self.ds.release(statistic("count", epsilon="0.01"), purpose="why")
        with self.assertRaisesRegex(errors.InvalidParameter, "only an AI agent"):
            self.ds.sql("SELECT COUNT(*) FROM adults", epsilon="0.01", purpose="why")
        self.assertEqual(left, self.left())

    def test_a_query_about_another_dataset_is_refused(self) -> None:
        for ask in (self.ds.sql_quote, self.ds.sql):
            with self.assertRaisesRegex(errors.Conflict, "FROM names"):
                ask("SELECT COUNT(*) FROM visits", epsilon="0.01")

    def test_an_address_that_speaks_no_tls_is_not_tried_again(self) -> None:
        with mock.patch("dosimeter.http.time.sleep") as pause, self.assertRaisesRegex(errors.InvalidParameter, "TLS"):
            dosimeter.connect(URL.replace("http:", "https:"), "token").datasets()
        self.assertEqual(pause.call_count, 0)

    def test_a_wrong_token_and_an_address_without_a_server(self) -> None:
        with self.assertRaises(errors.Unauthenticated):
            dosimeter.connect(URL, "dst_wrong").datasets()
        with mock.patch("dosimeter.http.time.sleep") as pause, self.assertRaisesRegex(dosimeter.Unreachable, "no server"):
            dosimeter.connect("http://127.0.0.1:9", "token").datasets()
        self.assertEqual(pause.call_count, 4)

    def test_a_lost_answer_is_asked_for_again_under_the_same_key_and_charged_once(self) -> None:
        def lose(handler: Handler, count: int) -> bool:
            if count == 1:
                handler.forward()
                handler.connection.close()
            return count == 1

        before = self.left()
        way, ds = self.through(lose)
        release = ds.release(statistic("count", by="sex", epsilon="0.01"))
        keys = [key for asked, key in way.seen if asked == "POST /v1/releases"]
        self.assertEqual((len(keys), len(set(keys))), (2, 1))
        self.assertEqual((self.left(), release.cost.epsilon), (before - Decimal("0.01"), Decimal("0.01")))

    def test_a_busy_server_is_asked_again_and_another_refusal_is_not(self) -> None:
        faults = {1: (429, "RATE_LIMITED"), 2: (503, "NOT_READY")}
        way, ds = self.through(lambda handler, count: count in faults and handler.refuse(*faults[count]))
        self.assertTrue(ds.quote(MEANS).admitted)
        self.assertEqual(len(way.seen), 3)
        way, ds = self.through(lambda handler, _: handler.refuse(409, "CONFLICT"))
        with self.assertRaises(errors.Conflict):
            ds.quote(MEANS)
        self.assertEqual(len(way.seen), 1)

    def test_a_redirect_is_not_followed(self) -> None:
        _, ds = self.through(lambda handler, _: handler.answer(302, Location="http://127.0.0.1:9/"))
        with self.assertRaisesRegex(errors.InvalidParameter, "leads to http://127.0.0.1:9/"):
            ds.quote(MEANS)

    def test_waiting_has_an_end_and_the_same_call_waits_on(self) -> None:
        def slow(handler: Handler, _: int) -> bool:
            status, text = handler.forward()
            return handler.answer(status, text.replace(b'"stage":"done"', b'"stage":"measuring"'))

        plan = statistic("count", by="education", epsilon="0.01")
        before = self.left()
        _, ds = self.through(slow)
        with self.assertRaisesRegex(dosimeter.StillRunning, "at no cost") as running:
            ds.release(plan, timeout=0)
        release = self.ds.release(plan)
        self.assertEqual(running.exception.facts["release"], release.id)
        self.assertEqual(self.left(), before - Decimal("0.01"))

    def test_a_report_is_a_pdf(self) -> None:
        release = self.ds.release(MEANS, key="py-means")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(release.save_report(f"{folder}/report.pdf").read_bytes()[:5], b"%PDF-")

    def test_a_synthetic_table_is_charged_once_and_its_rows_are_free(self) -> None:
        before = self.left()
        plan = statistic("syntheticTable", epsilon="0.03", with_=["sex", "married"])
        release = self.ds.release(plan, key="py-table")
        self.assertEqual(self.left(), before - Decimal("0.03"))
        self.assertIn("Do not use made-up rows", " ".join(release.raw["answers"][0]["notes"]))
        with tempfile.TemporaryDirectory() as folder:
            lines = release.save_rows(f"{folder}/people.csv", rows=50, seed=7).read_text("utf-8").splitlines()
            self.assertEqual((lines[0], len(lines)), ("sex,married", 51))
            again = release.save_rows(f"{folder}/again.csv", rows=50, seed=7).read_text("utf-8").splitlines()
            self.assertEqual(again, lines)
            self.assertEqual(release.save_rows(f"{folder}/people.parquet", rows=50).read_bytes()[:4], b"PAR1")
            with self.assertRaisesRegex(errors.InvalidParameter, "rows"):
                release.save_rows(f"{folder}/none.csv", rows=0)
        women = release.ask_rows("sex = 'female'", mean="married")
        # Noise decides whether the pair is measured, so both are right.
        self.assertIn(women["basis"], ("measured", "independent"))
        # Noise of scale 334 empties one of the two cells of 10,000 people in one of 10¹² runs.
        self.assertTrue(0 <= women["mean"] <= 1 and 0 < women["count"] < women["rows"])
        self.assertEqual(release.ask_rows("sex = 'female'", mean="married"), women)
        with self.assertRaises(errors.UnknownColumn):
            release.ask_rows("height > 3")
        self.assertEqual(self.left(), before - Decimal("0.03"))


if __name__ == "__main__":
    unittest.main()
