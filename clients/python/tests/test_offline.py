"""What needs no server: amounts, plans, errors, tables, where a server is found."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
import unittest
import warnings
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

import dosimeter
from dosimeter.amounts import amount_text
from dosimeter.errors import DosimeterError, Internal, InvalidParameter, RateLimited, Unreachable, error_of
from dosimeter.http import Http, pause_after, segment, written
from dosimeter.login import _beginning, find_token, find_url
from dosimeter.plan import canonical, key_of, plan_of
from dosimeter.table import Table, cells_table

HAVE = {}
for name in ("pandas", "polars"):
    try:
        HAVE[name] = __import__(name)
    except ImportError:
        pass


class Amounts(unittest.TestCase):
    def test_an_amount_is_its_exact_decimal(self) -> None:
        for given, text in (("0.1", "0.1"), (0.1, "0.1"), (1e-7, "0.0000001"), (Decimal("1E-9"), "0.000000001"), (3, "3")):
            self.assertEqual(amount_text("epsilon", given), text)

    def test_what_is_no_amount_is_refused_with_its_name(self) -> None:
        for given in (True, None, float("nan"), float("inf"), Decimal("NaN"), [1]):
            with self.assertRaisesRegex(InvalidParameter, "^epsilon is .*, must be a"):
                amount_text("epsilon", given)  # type: ignore[arg-type]


class Plans(unittest.TestCase):
    def test_a_row_has_the_names_of_the_wire(self) -> None:
        row = dosimeter.statistic("distinctValues", "kind", by="sex", values_per_unit=2, epsilon=0.1, with_="age")
        self.assertEqual(
            row,
            {"statistic": "distinctValues", "column": "kind", "groupBy": ["sex"], "valuesPerUnit": 2, "epsilon": "0.1", "with": "age"},
        )
        self.assertEqual(plan_of(row), {"statistics": [row]})
        self.assertEqual(plan_of([row]), {"statistics": [row]})
        self.assertEqual(plan_of({"statistics": [row]}), {"statistics": [row]})

    def test_each_statistic_has_a_function_with_its_settings(self) -> None:
        mean = dosimeter.mean("income", by="sex", epsilon=0.1, keys_from="s1", lower=0)
        asked = dict(by="sex", epsilon=0.1, keys_from="s1", lower=0)
        self.assertEqual(mean, dosimeter.statistic("mean", "income", **asked))  # type: ignore[arg-type]
        self.assertEqual(dosimeter.count(), {"statistic": "count"})
        self.assertEqual(dosimeter.tables(tables="2-way", rho=1), {"statistic": "tables", "tables": "2-way", "rho": "1"})
        self.assertEqual(dosimeter.regression("pay", with_=["age"])["with"], ["age"])
        self.assertEqual(len(dosimeter.statistics.__all__), len({getattr(dosimeter, name) for name in dosimeter.statistics.__all__}))

    def test_a_setting_that_it_does_not_take_is_refused_with_the_one_that_was_meant(self) -> None:
        for wrong, meant in (("eps", "epsilon"), ("epsilom", "epsilon"), ("group_by", "by"), ("filter", "where"), ("at_lest", "at_least")):
            with self.assertRaisesRegex(InvalidParameter, rf"^{wrong} is 0.1, must be absent: mean takes .*\(did you mean {meant}\?\)$"):
                dosimeter.mean("income", **{wrong: 0.1})  # type: ignore[arg-type]
        with self.assertRaisesRegex(InvalidParameter, "^k is 3, must be absent: mean takes column, by, [a-z_, ]*noise$"):
            dosimeter.mean("income", k=3)  # type: ignore[arg-type]
        for wrong, meant in (("average", "mean"), ("medain", "median"), ("conect", "connect")):
            with self.assertRaisesRegex(AttributeError, rf"did you mean {meant}\?"):
                getattr(dosimeter, wrong)
        self.assertFalse(hasattr(dosimeter, "xyz"))

    def test_what_is_no_plan_is_refused(self) -> None:
        for plan in ("SELECT 1", ["count"]):
            with self.assertRaisesRegex(InvalidParameter, "^plan is"):
                plan_of(plan)  # type: ignore[arg-type]

    def test_the_same_question_has_the_same_key_and_new_rows_have_another(self) -> None:
        body = {"account": "a", "plan": plan_of(dosimeter.statistic("count", epsilon="0.1"))}
        self.assertEqual(key_of("releases", body, 1), key_of("releases", dict(body), 1))
        self.assertEqual(len({key_of("releases", body, 1), key_of("releases", body, 2), key_of("sql", body, 1)}), 3)

    def test_a_question_written_in_another_way_is_the_same(self) -> None:
        ways = (
            {"statistic": "count", "groupBy": ["sex"], "epsilon": "0.02", "top": 2},
            {"top": 2.0, "epsilon": 0.02, "groupBy": ("sex",), "statistic": "count"},
            {"statistic": "count", "epsilon": Decimal("0.0200"), "top": 2, "groupBy": ["sex"]},
            {"statistic": "count", "epsilon": "2e-2", "groupBy": ["sex"], "top": 2},
        )
        sent = [written(canonical({"plan": plan_of(way), "epsilon": None})) for way in ways]
        self.assertEqual(len(set(sent)), 1, sent)
        self.assertEqual(len({key_of("releases", canonical({"plan": plan_of(way)}), 1) for way in ways}), 1)
        row = canonical({"epsilon": "1/3", "rho": 100, "delta": "0.12345678901234567890123456789012", "label": "0.10"})
        self.assertEqual(row, {"epsilon": "1/3", "rho": "100", "delta": "0.12345678901234567890123456789012", "label": "0.10"})
        with self.assertRaisesRegex(InvalidParameter, "^epsilon is True"):
            canonical({"epsilon": True})

    def test_decimals_leave_as_text_and_what_json_cannot_say_is_refused(self) -> None:
        self.assertEqual(json.loads(written({"epsilon": Decimal("1E-9")})), {"epsilon": "0.000000001"})
        for value in (float("nan"), object(), Decimal("Infinity")):
            with self.assertRaisesRegex(InvalidParameter, "^body is"):
                written({"lower": value})

    def test_an_id_cannot_lead_to_another_route(self) -> None:
        self.assertEqual(segment("release", "a/b?c"), "a%2Fb%3Fc")
        for value in ("", ".", ".."):
            with self.assertRaises(InvalidParameter):
                segment("release", value)


class Errors(unittest.TestCase):
    def test_a_refusal_is_typed_and_keeps_its_facts(self) -> None:
        error = error_of(
            {"code": "UNKNOWN_COLUMN", "detail": "line 2, column 5: …", "status": 422, "line": 2, "column": 5}, 422
        )
        self.assertIs(type(error), dosimeter.errors.UnknownColumn)
        self.assertEqual((error.code, error.position, error.status), ("UNKNOWN_COLUMN", (2, 5), 422))
        full = error_of({"code": "QUOTA_EXHAUSTED", "detail": "…", "largestEpsilon": "0.3"}, 409)
        self.assertEqual(full.largest_epsilon, Decimal("0.3"))

    def test_a_code_of_a_newer_server_and_no_code_at_all(self) -> None:
        newer = error_of({"code": "TOO_LATE", "detail": "too late"}, 409)
        self.assertEqual((type(newer), newer.code), (DosimeterError, "TOO_LATE"))
        for body in (None, [], {"code": 3}, {"code": "CONFLICT"}):
            self.assertIs(type(error_of(body, 502)), Internal)

    def test_only_what_was_not_decided_is_tried_again(self) -> None:
        self.assertEqual(pause_after(Unreachable("gone"), 0), 1.0)
        self.assertEqual(pause_after(RateLimited("slow", {"seconds": 7}), 0), 7.0)
        self.assertIsNone(pause_after(RateLimited("slow", {"seconds": 3600}), 0))
        self.assertEqual(pause_after(error_of({"code": "NOT_READY", "detail": "…"}, 503), 2), 4.0)
        self.assertIsNone(pause_after(error_of({"code": "CONFLICT", "detail": "…"}, 409), 0))
        with self.assertRaisesRegex(Internal, "asks to wait -3 seconds"):
            pause_after(RateLimited("slow", {"seconds": -3}), 0)


class Slow(BaseHTTPRequestHandler):
    """Sends a byte every 50 ms for a minute; a body without an end; or empty pages, one after another."""

    def do_GET(self) -> None:
        if self.path.startswith("/header"):
            self.drip()
        self.send_response(200)
        if self.path.startswith("/pages"):
            same = "cursor" in self.path and "same" in self.path
            content = json.dumps({"items": [], "next": "1" if same else str(time.monotonic())}).encode()
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            return
        self.end_headers()
        self.drip()

    def drip(self) -> None:
        try:
            for _ in range(1200):
                self.wfile.write(b" " * (100_000 if self.path == "/large" else 1))
                self.wfile.flush()
                time.sleep(0 if self.path == "/large" else 0.05)
        except OSError:
            pass

    def log_message(self, *_: object) -> None:
        pass


class Waits(unittest.TestCase):
    def setUp(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.http = Http(f"http://127.0.0.1:{server.server_address[1]}", "token")

    def test_an_answer_byte_by_byte_ends_at_its_deadline(self) -> None:
        for path in ("/body", "/header"):
            with mock.patch.multiple("dosimeter.http", ANSWER_SECONDS=0.4, TRIES=1), self.assertRaises(Unreachable):
                self.http.get(path)

    def test_an_answer_that_is_too_large_is_refused(self) -> None:
        with mock.patch("dosimeter.http.MAX_ANSWER_BYTES", 1_000_000), self.assertRaisesRegex(Internal, "more than 1000000 bytes"):
            self.http.get("/large")

    def test_pages_have_an_end(self) -> None:
        with self.assertRaisesRegex(Internal, "the same page again"):
            list(self.http.items("/pages/same"))
        with mock.patch("dosimeter.http.MAX_PAGES", 5), self.assertRaisesRegex(Internal, "more than 5 pages"):
            list(self.http.items("/pages/other"))


class Tables(unittest.TestCase):
    answer = {
        "id": "s1",
        "statistic": "mean",
        "label": "mean",
        "column": "income",
        "groupBy": ["value"],
        "confidence": Decimal("0.95"),
        "notes": ["<b>clamped</b>"],
        "cells": [
            {"group": {"value": "<script>"}, "value": 3, "interval": [Decimal("1.5"), 4]},
            {"group": {"value": None}, "value": Decimal("0.1"), "interval": [0, 1], "unreliable": True},
        ],
    }

    def test_a_cell_is_a_row_and_a_group_cannot_take_the_name_of_a_column(self) -> None:
        table = cells_table([self.answer])
        self.assertEqual(table.columns[4:], ("group.value", "bin", "value", "low", "high", "rows_off", "confidence", "unreliable"))
        self.assertEqual(table.rows[0][4:9], ("<script>", None, 3, Decimal("1.5"), 4))
        self.assertEqual(table.records()[1]["unreliable"], True)

    def test_html_shows_the_texts_of_other_people_as_text(self) -> None:
        html = cells_table([self.answer])._repr_html_()
        self.assertIn("<td>&lt;script&gt;</td>", html)
        self.assertIn("&lt;b&gt;clamped", html)
        self.assertNotIn("<script>", html)

    def test_text_is_aligned(self) -> None:
        self.assertEqual(str(Table(["sex", "n"], [["female", 1], ["m", Decimal("2.5")]])), "sex     n\nfemale  1\nm       2.5")

    @unittest.skipUnless("pandas" in HAVE, "pandas is not here")
    def test_pandas_has_the_doubles_of_the_server(self) -> None:
        frame = cells_table([self.answer]).to_pandas()
        self.assertEqual((str(frame["value"].dtype), frame["value"][1], frame["low"][0]), ("float64", 0.1, 1.5))

    @unittest.skipUnless("polars" in HAVE, "polars is not here")
    def test_polars_has_the_doubles_of_the_server(self) -> None:
        frame = cells_table([self.answer]).to_polars()
        self.assertEqual((str(frame["value"].dtype), frame["value"][1], frame["low"][0]), ("Float64", 0.1, 1.5))

    @unittest.skipIf("polars" in HAVE, "polars is here")
    def test_a_missing_library_says_what_to_do(self) -> None:
        with self.assertRaisesRegex(ImportError, "records\\(\\) needs nothing"):
            cells_table([self.answer]).to_polars()


class Login(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def hold(self, **holder: object) -> None:
        text = json.dumps({"pid": os.getpid(), "began": _beginning(os.getpid()), **holder})
        (self.folder / "lock.json").write_text(text, encoding="utf-8")

    def test_what_is_given_comes_before_the_environment_and_that_before_the_data_folder(self) -> None:
        self.hold(url="http://localhost:3")
        env = {"DOSIMETER_URL": "http://localhost:2", "DOSIMETER_DATA": str(self.folder)}
        self.assertEqual(find_url("http://localhost:1", None, env), "http://localhost:1")
        self.assertEqual(find_url(None, None, env), "http://localhost:2")
        self.assertEqual(find_url(None, self.folder, {}), "http://localhost:3")

    def test_a_server_that_has_ended_is_not_found(self) -> None:
        self.hold(url="http://localhost:3", began="1")
        with self.assertRaisesRegex(Unreachable, "no server runs on the data folder"):
            find_url(None, self.folder, {})

    def test_the_operators_token_never_leaves_this_machine(self) -> None:
        (self.folder / "operator.token").write_text("secret\n", encoding="utf-8")
        self.hold()
        self.assertEqual(find_token(None, "http://localhost:1", self.folder, {}), "secret")
        self.assertIsNone(find_token(None, "https://example.org", self.folder, {}))
        self.assertIsNone(find_token(None, "http://localhost.example.org", self.folder, {}))

    def test_a_folder_from_elsewhere_names_no_other_address(self) -> None:
        for url in ("http://192.0.2.2:9", "https://localhost", "http://localhost@192.0.2.2", "http://192.0.2.2\\@localhost", "localhost"):
            self.hold(url=url)
            with self.assertRaisesRegex(InvalidParameter, "^url in lock.json is .*loopback"):
                find_url(None, self.folder, {})

    def test_a_folder_from_elsewhere_names_no_process_of_others(self) -> None:
        if _beginning(os.getpid()) is not None:
            self.hold(pid=1, began=None, url="http://localhost:3")
            with self.assertRaisesRegex(InvalidParameter, "^(began|pid) in lock.json is"):
                find_url(None, self.folder, {})
        self.hold(url="http://localhost:3")
        with mock.patch("os.kill", side_effect=PermissionError), self.assertRaisesRegex(InvalidParameter, "a process of yours"):
            find_url(None, self.folder, {})

    def test_a_folder_from_elsewhere_names_no_token_of_another_installation(self) -> None:
        here, files, other = (self.folder / name for name in ("here", "files", "other"))
        for each in (here, files, other):
            each.mkdir()
            (each / "operator.token").write_text(each.name, encoding="utf-8")
        env = {"DOSIMETER_FILES": str(files)}

        def found(said: Path, env: dict[str, str]) -> str | None:
            self.hold(operator=str(said))
            (self.folder / "lock.json").replace(here / "lock.json")
            return find_token(None, "http://localhost:1", here, env)

        self.assertEqual(found(here / "operator.token", {}), "here")
        self.assertEqual(found(files / "operator.token", env), "files")
        for said in (other / "operator.token", files / "operator.token", here / ".." / "other" / "operator.token", here / "lock.json"):
            with self.assertRaisesRegex(InvalidParameter, "^operator in lock.json is .*must be operator.token in the data folder"):
                found(said, {})
        (here / "operator.token").unlink()
        (here / "operator.token").symlink_to(other / "operator.token")
        with self.assertRaises(InvalidParameter):
            found(here / "operator.token", {})

    def test_tokens_come_from_the_environment_or_its_file(self) -> None:
        path = self.folder / "token"
        path.write_text("from-file\n", encoding="utf-8")
        self.assertEqual(find_token(None, "https://a", None, {"DOSIMETER_TOKEN": "named"}), "named")
        self.assertEqual(find_token(None, "https://a", None, {"DOSIMETER_TOKEN_FILE": str(path)}), "from-file")
        with self.assertRaisesRegex(InvalidParameter, "must not be set"):
            find_token(None, "https://a", None, {"DOSIMETER_TOKEN": "x", "DOSIMETER_TOKEN_FILE": str(path)})
        with self.assertRaises(InvalidParameter) as refused:
            find_token("two\nlines", "https://a", None, {})
        self.assertNotIn("lines", str(refused.exception))

    def test_an_address_is_one(self) -> None:
        with self.assertRaisesRegex(InvalidParameter, "^url is"):
            Http("http://a:b:c", None).get("/v1/health")
        for url in ("localhost:8080", "ftp://a", "http://", ""):
            with self.assertRaisesRegex(InvalidParameter, "^url is"):
                Http(url, None)

    def test_a_password_in_an_address_is_refused_and_never_shown(self) -> None:
        for url in ("https://ana:hunter2@a", "ftp://ana:hunter2@a", "https://ana:hunter2@a:b:c", "https://ana:hun@ter2@[a", "ana:hunter2@a"):
            with self.assertRaisesRegex(InvalidParameter, "^url is") as refused:
                Http(url, "token")
            self.assertNotRegex(f"{refused.exception} {refused.exception.facts}", "hunter2|ter2@")

    def test_a_token_over_plain_http_to_another_machine_is_warned_of(self) -> None:
        with self.assertWarnsRegex(UserWarning, "unencrypted"):
            Http("http://example.org", "token")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for url in ("http://localhost:1", "http://127.0.0.1", "http://[::1]:8080", "https://example.org"):
                Http(url, "token")
            Http("http://example.org", None)


if __name__ == "__main__":
    unittest.main()
