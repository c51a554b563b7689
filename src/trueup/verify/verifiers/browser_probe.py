"""Run while a program answers: what does its page do in a browser? One JSON object says what was seen.

Arguments: the address, and a JSON object with `program`, `profile`, `screenshot` and `wait` (seconds).
"""

# ruff: noqa: T201
from __future__ import annotations

import json
import sys
from typing import Any
from urllib.parse import urlsplit

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_BAD = 400
_LOOK = """() => ({
    text: document.body ? document.body.innerText.trim().slice(0, 20000) : "",
    shapes: document.querySelectorAll("img,svg,canvas,video,input,button,iframe,object").length,
    title: document.title,
})"""


def main() -> None:
    address, told = sys.argv[1], json.loads(sys.argv[2])
    from playwright.sync_api import Error, sync_playwright  # type: ignore[import-not-found, unused-ignore]

    with sync_playwright() as tool:
        context = tool.chromium.launch_persistent_context(
            told["profile"], executable_path=told["program"], headless=True, args=list(ARGUMENTS)
        )
        try:
            print(json.dumps(visit(context, address + told["path"], told, Error)))
        finally:
            context.close()


def visit(context: Any, url: str, told: dict[str, Any], error: type[Exception]) -> dict[str, Any]:
    seen: dict[str, Any] = {"console": [], "errors": [], "failed": [], "elsewhere": [], "status": None, "crash": ""}
    own = urlsplit(url).netloc
    page = context.new_page()

    def failed(address: str, why: str) -> None:
        parts = urlsplit(address)
        if parts.path != "/favicon.ico":
            seen["failed" if parts.netloc == own else "elsewhere"].append(f"{parts.path or address}: {why}")

    page.on("console", lambda m: seen["console"].append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: seen["errors"].append(str(e)))
    page.on("requestfailed", lambda r: failed(r.url, str(r.failure)))
    page.on("response", lambda r: failed(r.url, f"answered {r.status}") if r.status >= _BAD else None)
    try:
        answer = page.goto(url, wait_until="load", timeout=told["wait"] * 1000)
        seen["status"] = answer.status if answer else None
        page.wait_for_timeout(min(1.0, told["wait"]) * 1000)  # scripts that begin after the page was loaded
        seen.update(page.evaluate(_LOOK))
        page.screenshot(path=told["screenshot"])
    except error as problem:
        seen["crash"] = str(problem).splitlines()[0]
    return seen


if __name__ == "__main__":
    main()
