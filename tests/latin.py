"""Latin words in a Chinese text that are neither code nor names which every reader of Chinese knows."""

import re

CODE = re.compile(
    r"""
      \w+://[!-~]*                              # addresses
    | \bfoliot(?:\ [a-z][a-z-]*){0,3}\b          # commands
    | (?<![\w-])--?[A-Za-z][\w-]*=?              # options
    | \bFOLIOT_\w*\*? | \b[A-Z]+_[A-Z_*]+        # variables
    | \bFOL-\w+                                  # codes
    | [\w.-]*[./][\w./*-]*\w                     # files, folders, fields with a point
    | \b\w+=\S+                                  # k=v
    | \b[a-z]\w*:\s                              # fields of a document
    | \b\w*\d\w*\b | \br-\w+                     # figures with a unit, ids
    | \{[^{}]*\} | \[[a-z_|0-9]+\]                  # values, choices
    | `[^`]*` | pip\ install
    | \b[a-z]+(?:[_-][A-Za-z]+)+\b               # names of fields, calendars, languages
    | \b[A-Z][a-z]*(?:-[A-Z][a-z]+)+\b           # headers
    | \w+\([a-z]*\)                              # calls
    """,
    re.VERBOSE,
)
WORD = re.compile(r"[A-Za-z]{2,}")
KNOWN = frozenset((
    "API", "ASCII", "CPU", "CSRF", "Cookie", "Ctrl", "DST", "ETag", "ETL", "Foliot", "Galera", "HOME", "HOST", "HTTP",
    "HTTPS", "ID", "JSON", "KiB", "MariaDB", "MiB", "MySQL", "NUL", "NaN", "PATH", "PEM", "PORT", "PostgreSQL",
    "Python", "Quartz", "RRULE", "SIGKILL", "SQL", "SQLite", "Spring", "TLS", "TOML", "TZ", "URL", "UTC", "UTF", "UUID",
    "Tab", "Textual", "InnoDB", "GiB", "VACUUM", "ANALYZE", "LimitNOFILE", "ulimit",
    "Unix", "YAML", "async", "cron", "iCalendar", "gpu", "pid", "stdin", "vN",
))  # fmt: skip
"""Names of products, standards and units."""
WORDS_OF_THE_COMMAND_LINE = frozenset((
    "active", "admin", "all", "allow", "cluster", "done", "en", "error", "errors", "except", "failed", "fails",
    "held", "jobs", "lost", "missing", "nodes", "none", "off", "ok", "on", "only", "paused", "poison", "queue", "read",
    "rejected", "replace",
    "retired",
    "round",
    "retrying", "run", "runs", "script", "skip", "timeout", "weekdays", "worker", "write", "zh", "CN", "cn", "us", "ny",
    "workdays", "holidays",
))  # fmt: skip
"""Values that people type as they are."""

FIELDS = frozenset((
    "DTSTART", "blackout", "country", "daily", "dataclass", "end", "exclude", "include", "fail", "from", "ics", "mode",
    "now",
    "quartz", "since", "start", "to", "tz", "tick", "greet", "anchor", "at", "beat", "contexts", "count", "delay",
    "every", "expected", "jitter", "margin", "merge", "phase", "process", "shift", "thread", "ttl", "weekly", "MON",
    "FRI",
    "kill", "stop", "key", "value", "items", "http", "shell", "sql", "json", "form", "text", "basic", "bearer", "hmac",
    "Authorization", "loop", "auth", "callback", "poll",
    "url", "query", "statements", "due", "attempt", "fence", "password", "sslmode",
    "argv", "billing", "csv", "env", "file", "files", "language", "params", "pg_dump", "params_as", "root",
    "script", "stdin",
))  # fmt: skip
"""Fields of documents and their values, and names in examples."""

ALERTS = frozenset((
    "acknowledged", "boss", "channels", "etl", "firing", "fri", "hours", "in", "info", "kinds", "mon", "pending",
    "resolved", "rules", "settle", "Shanghai", "silences", "warning", "webhook",
))  # fmt: skip
"""Words of commands about alerts, and names in their examples."""

CONDITIONS = frozenset((
    "after", "any", "anomaly", "certificate", "channel", "check", "critical", "dead", "drift", "failover", "heartbeat",
    "late", "leader", "metric", "node", "of", "silent", "slower", "store", "tags",
))  # fmt: skip
"""Words of alert rules."""

PYTHON = frozenset(
    ("None", "Pydantic", "TypedDict", "def", "false", "if", "in", "job", "main", "name", "null", "true", "yield")
)
"""Words of code in which jobs are written."""


ALL_KNOWN = KNOWN | WORDS_OF_THE_COMMAND_LINE | FIELDS | CONDITIONS | ALERTS | PYTHON


def latin_words(text: str, *, known: frozenset[str] = ALL_KNOWN) -> set[str]:
    """The Latin words of a text that should have been said in Chinese."""
    return set(WORD.findall(CODE.sub(" ", text))) - known
