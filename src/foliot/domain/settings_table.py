"""Every setting that a user can say in more than one way, and every variable of the environment that Foliot reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ClientSetting:
    """A setting of whatever asks a server: a flag, a variable, a line of a project's foliot.toml or of a context."""

    name: str
    meaning: str
    is_for_projects: bool = True  # a project's file may say it; what decides over tokens is the user's alone
    is_of_contexts: bool = True

    @property
    def variable(self) -> str:
        """Its variable of the environment."""
        return f"FOLIOT_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """Its option of the command line."""
        return f"--{self.name.replace('_', '-')}"


CLIENT_SETTINGS: Final = (
    ClientSetting("server", "the cluster to ask: the address of a server, or of several with commas"),
    ClientSetting("token_file", "a file with the token", is_for_projects=False),
    ClientSetting("ca_file", "certificates of the authority that signed those of the servers"),
    ClientSetting("insecure_http", "`yes`: send the token unencrypted over a network", is_for_projects=False),
    ClientSetting("namespace", "where names are looked up"),
    ClientSetting("tz", "the zone in which times are read and shown", is_of_contexts=False),
    ClientSetting("lang", "the language of what is said: `en` or `zh-CN`", is_of_contexts=False),
)

OTHER_VARIABLES: Final[Mapping[str, str]] = {
    "FOLIOT_CONTEXT": "the context that commands use, in the place of the one in use",
    "FOLIOT_CONFIG": "the folder of `contexts.toml` and of the tokens beside it; usually `~/.config/foliot`",
    "FOLIOT_DB": "the store's address",
    "FOLIOT_COORD": "the coordination backend by which servers elect their leader",
    "FOLIOT_REPLICA": "a replica of the store's database, which answers reads while the store is away",
    "FOLIOT_NOTIFY": "a TOML file about channels of alerts: `[notify]`, `[secrets.NAME]` and own `[channels.NAME]`",
    "FOLIOT_ENABLE": "kinds of handlers to execute beside Python, several with commas",
    "FOLIOT_HANDLER_SETTINGS": "a TOML file with a table for each kind of handler: `[handlers.KIND]`",
    "FOLIOT_ADVERTISE": "where workers reach this server: every worker is told",
    "FOLIOT_STANDBY": "`yes`: this server fires and leases nothing until it is promoted",
    "FOLIOT_SUPERVISE": "`yes`: a supervisor starts the process again when it crashes or stands still",
    "FOLIOT_ALLOW_DRILLS": "`yes`: this node takes part in drills",
    "FOLIOT_HEALTH": "when nodes are in WARNING or OFFLINE: `warning_after=7s,offline_after=11s,warning_share=0.5`",
    "FOLIOT_LOAD_WEIGHTS": "what counts how much in a node's score: `cpu=0.4,memory=0.3,connections=0.2,running=0.1`",
    "FOLIOT_KEEP_REMOVED_JOBS": "`yes`: the servers go on firing jobs that no code declares any more",
    "FOLIOT_METRICS_PER_JOB": "of how many jobs the metrics of a server have series of their own, from 0 to 1000",
    "FOLIOT_WEIGHT": "a worker's share of work beside other workers, from 1 to 100",
    "FOLIOT_SLOTS": "runs that a worker executes at one time: `8`, or `8,http=2000`",
    "FOLIOT_PUBLIC_URL": "where systems that jobs wait for reach the servers, for callbacks",
    "FOLIOT_FAULT_POINT": "for drills: where the server kills or stops itself, such as `kill:PLACE:COUNT`",
}
"""Variables that are no client's settings, and what they say."""

VARIABLES: Final = frozenset({*(one.variable for one in CLIENT_SETTINGS), *OTHER_VARIABLES})
