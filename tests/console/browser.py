"""The browser of the tests: Debian's Chromium, installed by `make services`."""

PACKAGES = ("chromium",)
