"""The documentation site is built without a warning, and has what is generated."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spindle import __all__ as public_names
from spindle.cli import VERBS

pytest.importorskip("mkdocs", reason="the site needs the extra `docs`")
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


def text_of(page: Path) -> str:
    """Return the text of a page without tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_the_command_reference_has_every_verb_and_option(site: Path) -> None:
    page = text_of(site / "commands" / "index.html")
    for verb in VERBS:
        assert f"spindle {verb}" in page
    assert "--k-best N" in page
    assert "-o, --output OUT" in page
    assert "spindle heads induce" in page


def test_the_python_reference_has_every_public_name(site: Path) -> None:
    page = (site / "api" / "index.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="spindle\.([\w.]+)"', page))
    for name in public_names:
        wanted = {"models": "list_models", "search": "search_trees"}.get(name, name)
        assert any(anchor.rpartition(".")[2] == wanted for anchor in anchors), name


def test_the_gallery_shows_its_drawings(site: Path) -> None:
    page = (site / "gallery" / "index.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<img[^>]* src="([^"]+\.svg)"', page)
    assert len(pictures) >= 10
    for picture in pictures:
        assert (site / "gallery" / picture).resolve().read_text(encoding="utf-8").startswith("<svg")


def test_the_home_page_is_the_readme(site: Path) -> None:
    page = text_of(site / "index.html")
    assert "Parsing as Reduction" in page
    assert (site / "dtree.svg").exists()


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loaded = re.compile(
        r'<(?:script|img|iframe)[^>]* src="https?:|<link[^>]* rel="(?:stylesheet|preload)"[^>]* href="https?:'
    )
    for page in site.rglob("*.html"):
        assert loaded.search(page.read_text(encoding="utf-8")) is None, page
