"""Chromium without a window, driven by its DevTools protocol over a pipe. Python's standard library only."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]


def find():
    """The browser's program; None where there is none."""
    return os.environ.get("SORTILE_BROWSER") or next((shutil.which(name) for name in NAMES if shutil.which(name)), None)


class Failure(Exception):
    pass


class Browser:
    """One browser; open() gives a page."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="sortile-browser-")
        to_browser, self.writes = os.pipe()
        self.reads, from_browser = os.pipe()
        # The browser reads commands from 3 and writes to 4.
        options = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={self.profile.name}", "about:blank"]

        def hand_over():
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, *options], preexec_fn=hand_over, close_fds=False, pass_fds=(),
                                        stdout=subprocess.DEVNULL, stderr=self.log)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.heard = []

    def call(self, method, parameters=None, session=None, timeout=120):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        number = self.number
        until = time.monotonic() + timeout
        while True:
            said = self.read(until, method)
            if said.get("id") == number:
                if "error" in said:
                    raise Failure(f"{method}: {said['error']}")
                return said["result"]
            self.heard.append(said)

    def read(self, until, waiting_for):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reads], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise Failure(f"the browser does not answer {waiting_for}")
            piece = os.read(self.reads, 1 << 20)
            if not piece:
                self.log.seek(0)
                raise Failure("the browser has gone: " + self.log.read()[-2000:].decode(errors="replace"))
            self.buffer += piece
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path, width=1280, height=900, dark=False):
        return Page(self, path, width, height, dark)

    def close(self):
        try:
            self.call("Browser.close")
        except (Failure, OSError):
            self.process.kill()
        self.process.wait()
        os.close(self.writes)
        os.close(self.reads)
        self.log.close()
        for _ in range(20):
            try:
                self.profile.cleanup()
                return
            except OSError:
                time.sleep(0.1)


class Page:
    def __init__(self, browser, path, width, height, dark):
        self.browser = browser
        self.target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.go(path)

    def go(self, path):
        """Another file in the same window, which is half as dear as a window of its own; nothing of the one before is left."""
        self.browser.heard.clear()
        said = self.call("Page.navigate", {"url": "file://" + os.path.abspath(path)})
        if "errorText" in said:
            raise Failure(f"{path}: {said['errorText']}")
        self.wait_for("document.readyState === 'complete'")

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.session)

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        said = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in said:
            raise Failure(f"{expression}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def wait_for(self, expression, timeout=60):
        until = time.monotonic() + timeout
        while not self.evaluate(expression):
            if time.monotonic() > until:
                raise Failure(f"never true: {expression}")
            time.sleep(0.02)

    def press(self, key, times=1):
        """A key as a keyboard sends it."""
        code = {" ": "Space"}.get(key, key if len(key) > 1 else f"Digit{key}" if key.isdigit() else f"Key{key.upper()}")
        number = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9, " ": 32, "Enter": 13}.get(key, ord(key[0]))
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for _ in range(times):
            for kind, more in [("keyDown" if text else "rawKeyDown", text), ("keyUp", {})]:
                self.call("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, **more})

    def complaints(self):
        """What the page's console says of errors and warnings, and what it asked the network for."""
        found = []
        for said in self.browser.heard:
            if said.get("sessionId") != self.session:
                continue
            if said["method"] == "Runtime.exceptionThrown":
                found.append(str(said["params"]["exceptionDetails"]))
            if said["method"] == "Runtime.consoleAPICalled" and said["params"]["type"] in ("error", "warning", "assert"):
                found.append(str(said["params"]["args"]))
            if said["method"] == "Log.entryAdded" and said["params"]["entry"]["level"] in ("error", "warning"):
                found.append(said["params"]["entry"]["text"])
            if said["method"] == "Network.requestWillBeSent" and not said["params"]["request"]["url"].startswith(("file:", "data:")):
                found.append("asked the network for " + said["params"]["request"]["url"])
        return found

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        """May be called again."""
        if self.target:
            self.browser.call("Target.closeTarget", {"targetId": self.target})
        self.target = None
