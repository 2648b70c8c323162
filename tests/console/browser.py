"""The browser of the tests: Debian's Chromium, installed by `make services`."""

PACKAGES = ("chromium", "fonts-wqy-microhei")  # the font: Chinese pages are looked at, too
