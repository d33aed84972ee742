"""The rule books as pages, 404 as a page, and the files that every site is asked for."""

from __future__ import annotations

import re
import struct
import zlib
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from tablecall.http import layout, rule_pages
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Rule
from tests.support.client import problem

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
EMPTY = {"meta", "link", "br"}
PAGES = [
    "/systems",
    *(f"/systems/{name}{path}" for name in SYSTEMS for path in ("", "/rules", "/tables")),
    *(f"/systems/{name}/rules/{rule.id}" for name, system in SYSTEMS.items() for rule in system.rules[::9]),
    "/nowhere",
]


class Reader(HTMLParser):
    """The ids and the text of a page. Refuses tags that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self._open += [] if tag in EMPTY else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("path", PAGES)
def test_browser_gets_a_page_and_a_program_gets_json(client: TestClient, path: str) -> None:
    page, document = client.get(path, headers=BROWSER), client.get(path)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert document.headers["content-type"] in ("application/json; charset=utf-8", "application/problem+json; charset=utf-8")
    assert page.status_code == document.status_code
    assert re.findall(r"<script[^>]*>[^<]*</script>", page.text) == re.findall(
        r'<script type="module" src="[./]*static/rules.js"></script>', page.text
    )
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "sandbox" not in page.headers["content-security-policy"]
    for answer in (page, document):
        assert "Accept" in answer.headers["vary"].split(", ")
    reader = Reader(page.text)
    assert len(set(reader.ids)) == len(reader.ids)


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_rules_have_anchors_readings_options_and_uses(client: TestClient, name: str) -> None:
    reader = Reader(client.get(f"/systems/{name}/rules", headers=BROWSER).text)
    assert set(reader.ids) == {rule.id for rule in SYSTEMS[name].rules}
    for rule in SYSTEMS[name].rules:
        alone = Reader(client.get(f"/systems/{name}/rules/{rule.id}", headers=BROWSER).text)
        assert alone.ids == [rule.id]
        for text in (rule.text, rule.reading, *(f"{field}: {', '.join(words)}" for field, words in rule.options)):
            assert text.replace("`", "") in alone.text
            assert text.replace("`", "") in reader.text
    assert any(f"{name}.check" in tags for tags in rule_pages.cited_by(name).values())


def test_page_has_a_tag(client: TestClient) -> None:
    page = client.get("/systems/jazz/rules", headers=BROWSER)
    again = client.get("/systems/jazz/rules", headers={**BROWSER, "if-none-match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/systems/jazz/rules", headers={"if-none-match": page.headers["etag"]}).status_code == 200


@pytest.mark.parametrize("path", ["/nowhere", "/systems/nobody", "/resolve/jazz/chek"])
def test_unknown_path_is_a_page_for_browsers_only(client: TestClient, path: str) -> None:
    page = client.get(path, headers={**BROWSER, "accept-language": "de"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<html lang="de">' in page.text
    problem(client.get(path), 404, "not-found")
    problem(client.get(path, headers={"accept": "application/json"}), 404, "not-found")
    assert client.post(path, headers=BROWSER).headers["content-type"] == "application/problem+json; charset=utf-8"
    assert (
        client.get("/resolve/jazz/check?x=1", headers={"accept": "text/html,*/*"}).headers["content-type"]
        == "application/problem+json; charset=utf-8"
    )


def test_words_of_a_request_are_escaped(client: TestClient) -> None:
    assert "<img" not in client.get("/systems/jazz/rules/<img>", headers=BROWSER).text


def test_values_of_any_shape_are_shown() -> None:
    rows = [{"a": 1, "b": ["x", "<y>"]}, {"a": True, "c": {"d": None}}]
    assert layout.value(rows) == (
        '<div class=scroll tabindex=0><table><thead><tr><th scope="col">a</th><th scope="col">b</th><th scope="col">c</th></tr></thead>'
        "<tbody>"
        "<tr><td>1</td><td>x, &lt;y&gt;</td><td></td></tr>"
        "<tr><td>true</td><td></td><td><dl><dt>d</dt><dd></dd></dl></td></tr></tbody></table></div>"
    )
    assert layout.inline("`a` and `b") == "`a` and `b"
    assert layout.inline("`<a>` & b") == "<code>&lt;a&gt;</code> &amp; b"


def test_option_of_no_action_is_that_of_participants() -> None:
    system = SYSTEMS["jazz"]
    page = rule_pages.rule(system, Rule("jazz.x", "X", "Text.", options=(("nothing", ("a", "b")),), title="A title"), "./").decode()
    assert "<h1>A title</h1>" in page
    assert "the participants or the house rules of a request" in page


# ── Rule books as data ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_rules_have_titles_and_groups(client: TestClient, name: str) -> None:
    document = client.get(f"/systems/{name}/rules").json()
    assert all(rule["title"] for rule in document["rules"])
    assert sorted(id_ for group in document["groups"] for id_ in group["rules"]) == sorted(rule["id"] for rule in document["rules"])
    headings = {rule["id"]: rule["heading"] for rule in document["rules"]}
    assert all(headings[id_] == group["heading"] for group in document["groups"] for id_ in group["rules"])


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_every_step_names_a_published_template(client: TestClient, name: str) -> None:
    templates = client.get(f"/systems/{name}/templates").json()["templates"]
    assert templates["en"].keys() <= templates["de"].keys()
    assert not [key for key in templates["en"] for other in SYSTEMS if other != name and key.startswith(f"{other}.")]
    system = SYSTEMS[name]
    for action in system.actions:
        for example in action.examples.values():
            ruling = client.post(f"/resolve/{name}/{action.name}", json={"seed": "1", **example}).json()
            keys = {step["key"] for step in [*ruling["steps"], *ruling["notes"]]}
            assert keys <= templates["en"].keys()


# ── The icon and robots.txt ──────────────────────────────────────────────────────────────────────────────────────────


def test_icon_is_a_readable_image(client: TestClient) -> None:
    answer = client.get("/favicon.ico")
    assert answer.headers["content-type"] == "image/x-icon"
    assert struct.unpack("<HHH", answer.content[:6]) == (0, 1, 1)
    size, offset = struct.unpack("<II", answer.content[14:22])
    png = answer.content[offset:]
    assert (len(png), png[:8]) == (size, b"\x89PNG\r\n\x1a\n")
    start, name = struct.unpack(">I4s", png[33:41])
    assert name == b"IDAT"
    assert len(zlib.decompress(png[41 : 41 + start])) == 32 * (32 * 4 + 1)


def test_crawlers_keep_off_what_rolls_dice(client: TestClient) -> None:
    answer = client.get("/robots.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert {f"Disallow: /{path}" for path in ("resolve", "odds", "graphql")} < set(answer.text.splitlines())
