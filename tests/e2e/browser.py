"""Drives a headless Chromium over a pipe, with the network off, and counts what a page asks for."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """One page. Use it in a with statement."""

    def __init__(self, width=1400, height=1000):
        self.folder = tempfile.mkdtemp(prefix="headscope_browser_")
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "sh", "chromium", "--headless=new", "--no-sandbox",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run", "--disable-gpu",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder})
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.requests, self.faults, self.session = 0, b"", [], [], None
        pages = [one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        self.session = self.ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        while b"\0" not in self.rest:
            part = os.read(self.source, 1 << 16)
            if not part:
                raise RuntimeError("Chromium ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        said = json.loads(message)
        if said.get("method") == "Network.requestWillBeSent":
            self.requests.append(said["params"]["request"]["url"])
        if said.get("method") == "Runtime.exceptionThrown":
            self.faults.append(said["params"]["exceptionDetails"])
        if said.get("method") == "Log.entryAdded" and said["params"]["entry"]["level"] == "error":
            self.faults.append(said["params"]["entry"]["text"])
        return said

    def ask(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            said = self.read()
            if said.get("id") == self.number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                return said["result"]

    def open(self, path):
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while self.read().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def box(self, selector, at=0):
        return self.value(f"(() => {{ const b = document.querySelectorAll({json.dumps(selector)})[{at}]"
                          ".getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")

    def mouse(self, kind, x, y):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                 clickCount=0 if kind == "mouseMoved" else 1)

    def point(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y):
        self.point(x, y)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def press(self, key, shift=False):
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
