"""What each code means, for `foliot docs`: when it happens, and what the user does next."""

from collections.abc import Mapping
from typing import Final

EXPLANATIONS: Final[Mapping[str, tuple[str, str]]] = {
    "FOL-1390": (
        "A silence without a job, group, node, tag, rule or alert holds back every alert of its namespace or cluster.",
        "Name what is to be silent, or say --everything (in the API: everything).",
    ),
    "FOL-1391": (
        "A job or a rule names a channel that does not exist. It is saved, but nobody is told there.",
        "Correct the name, or make the channel: foliot alert channel add NAME --kind KIND.",
    ),
    "FOL-1392": (
        "The file is not what its name says, or holds no mapping of names to values.",
        "Write YAML, TOML (.toml) or JSON (.json). A key must not come twice, and YAML aliases are not read.",
    ),
    "FOL-1393": (
        "Everybody who may look at a channel sees its settings, so a secret must not stand in them.",
        "Write ${secret:NAME} and give the value of NAME to every server.",
    ),
    "FOL-1394": (
        "A channel names a secret that this server does not have. While it leads, nobody is told there.",
        "Write [secrets.NAME] into the file of its --notify, with env, file or command, and start it again.",
    ),
    "FOL-1395": (
        "A preview shows the message of one alert, or the message that one run would cause.",
        "Leave out the alert or the run.",
    ),
    "FOL-3113": (
        "Some rules come with Foliot, so that a new cluster tells of dead nodes. They can be changed, not taken away.",
        "Switch it off: foliot alert rule set NAME --off.",
    ),
    "FOL-3120": (
        "Rules, checks or reports name the channel. If it were gone, they would tell nobody there.",
        "Take it out of these first, or delete it with --force.",
    ),
    "FOL-0000": (
        "A server met a mistake in Foliot itself. Its log has the details under the trace id of the answer.",
        "Look for the trace id in the server's log, and report what you find.",
    ),
    "FOL-1000": ("A value cannot be read, or is not allowed here.", "Read the message: it quotes the value."),
    "FOL-1001": (
        "The expression has a wrong number of fields, or a field has a value beyond its range.",
        "Try it: foliot cron explain EXPRESSION. Five fields are minute, hour, day, month and weekday.",
    ),
    "FOL-1002": (
        "With a seconds field the number could be meant as in Quartz (1 is Sunday) or as in Spring (1 is Monday).",
        "Write the day as MON to SUN, or set dialect: quartz.",
    ),
    "FOL-1003": (
        "Day of the month and weekday are both limited. Cron fires on days that fit either of them.",
        "If you mean one day only, write it so: MON#1 is the first Monday. Else ignore the warning.",
    ),
    "FOL-1004": (
        "The name is not in the IANA time zone database.",
        "Write a name like UTC, Asia/Shanghai or Europe/Berlin.",
    ),
    "FOL-1005": (
        "When clocks are set forward, this time does not exist on one day; set back, it comes twice.",
        "Choose a time outside of that hour, or write tz: UTC.",
    ),
    "FOL-1006": (
        "A parameter is unknown, is missing, or has a value of another type.",
        "See the parameters with their types: foliot job show NAME.",
    ),
    "FOL-1007": (
        "The function returned more than 65 536 bytes of JSON. The run succeeded; only its result is not kept.",
        "Store the data elsewhere, and return where it is.",
    ),
    "FOL-1008": (
        "The function returned something that JSON has no form for. The run succeeded; its result is not kept.",
        "Return text, numbers, lists, dicts or a dataclass.",
    ),
    "FOL-1009": (
        "Python could not import the file: a mistake in it, or a package that is missing. The last good code goes on.",
        "Mend the line that the message names, or install the package. Saving the file loads it again.",
    ),
    "FOL-1010": ("The text is not a number with a unit.", "Write 90s, 15m, 1h30m or 2d."),
    "FOL-1011": ("Run ids begin with r-.", "Copy the id from foliot run list."),
    "FOL-1020": (
        "The URL has an unknown beginning, lacks the database, or cannot be read.",
        "Write sqlite:///FILE, postgresql://USER@HOST/DB or mariadb://USER@HOST/DB.",
    ),
    "FOL-1021": (
        "The trigger asks for something that the job does not allow, for example a second run of an exclusive job.",
        "Follow the hint of the message, or change the job: foliot job edit NAME.",
    ),
    "FOL-1030": (
        "Two options exclude each other, or one lacks the other that it needs.",
        "Leave away the option that the message names; --help of the command explains both.",
    ),
    "FOL-1031": (
        "The text is neither an instant nor a date nor a time of day.",
        "Write 2026-01-31T17:00:00Z, 2026-01-31 17:00, 09:00 or now; 2h is two hours ago, +2h in two hours.",
    ),
    "FOL-1032": (
        "The calendar's definition or its iCalendar file has a mistake.",
        "Mend what the message quotes, then foliot calendar show NAME.",
    ),
    "FOL-1033": (
        "The other dialect has no seconds, no years, or joins day and weekday in another way.",
        "Keep the dialect, or write the schedule in the form that the hint shows.",
    ),
    "FOL-1034": ("No instant fits all its parts, for example 30 February.", "Look at it: foliot cron next EXPRESSION."),
    "FOL-1035": (
        "Cron steps begin anew in each range: */7 of minutes leaves 4 minutes at the end of an hour.",
        "If the distance must stay the same, write every: 7m.",
    ),
    "FOL-1036": (
        "A month without this day has no fire.",
        "Write L for the last day of the month, if you mean that.",
    ),
    "FOL-1037": (
        "Governments publish holidays a year ahead or less. Later days count as in an ordinary week.",
        "Update Foliot when the days are published, or import a calendar: foliot calendar import NAME FILE.",
    ),
    "FOL-1038": ("Parts of the schedule contradict each other.", "Take away the part that the message names."),
    "FOL-1039": (
        "A step of weekdays counts from Monday in Spring and from Sunday in Quartz.",
        "List the days: MON,WED,FRI.",
    ),
    "FOL-1040": (
        "The worker and the server are of versions that do not fit, or another program speaks to the worker's port.",
        "Use the same Foliot on both.",
    ),
    "FOL-1041": (
        "The server failed while it looked for runs for this worker. Other workers are served.",
        "See poll.refused in the server's log. Worker and server may be of different versions.",
    ),
    "FOL-1042": (
        "since only says from where intervals are counted; it does not delay the first fire.",
        "Write start for the first instant that counts.",
    ),
    "FOL-1048": (
        "Code has declared as many jobs in this namespace as it may.",
        "Delete jobs that no code declares any more, or use another namespace.",
    ),
    "FOL-1051": (
        "Parameters, a result or a checkpoint has more bytes than the store keeps.",
        "Store the data elsewhere, and pass where it is.",
    ),
    "FOL-1052": ("The value has a part that JSON has no form for.", "Use text, numbers, lists, dicts or dataclasses."),
    "FOL-1053": (
        "Databases keep whole UTF-8 characters, and no NUL.",
        "Encode bytes as base64, or take the character out.",
    ),
    "FOL-1054": (
        "JSON has no NaN and no infinity, and integers must fit into 64 bits.",
        "Write it as text, or use null.",
    ),
    "FOL-1055": ("Lists and dicts are nested too deeply.", "Make the value flatter, or keep it elsewhere."),
    "FOL-1056": (
        "Names have letters of any language, digits, _ - and . and are not too long.",
        "Choose another name.",
    ),
    "FOL-1057": ("The field is misspelt, or is not one of a job.", "See the fields: docs/reference/policies.md."),
    "FOL-1058": ("The value is of another type, or beyond its bounds.", "The message says what is allowed."),
    "FOL-1059": (
        "The backoff is neither a range nor a duration nor a list of them.",
        'Write "30s..10m", "30s" or ["10s", "1m", "5m"].',
    ),
    "FOL-1060": ("The word is not one of the scopes.", "The scopes are read, run, write, script, admin and worker."),
    "FOL-1061": (
        "The token has fewer than 32 characters, or is one that everybody knows.",
        "Leave the file away, and Foliot makes a good token.",
    ),
    "FOL-1062": ("The cursor came from another list, or from another filter.", "Begin again without a cursor."),
    "FOL-1070": (
        "Parameters come as JSON, and this annotation has no JSON form.",
        "Use builtins, dates, enums, dataclasses, TypedDicts or Pydantic models.",
    ),
    "FOL-1071": (
        "Every worker must find the same shard for an item, and this type has no value that is the same everywhere.",
        "Say what identifies an item: ctx.shard.mine(items, key=lambda item: item.id).",
    ),
    "FOL-1072": (
        "The checkpoint is not JSON, or is too large. The one before it stays.",
        "Keep a position in it, not the data.",
    ),
    "FOL-1073": (
        "ctx.sleep blocks, and an async function shares its loop with the other runs of the worker.",
        "Write await ctx.sleep_async(...).",
    ),
    "FOL-1074": (
        "The function contains yield: calling it only makes a generator.",
        "Return a list, or go through the items with ctx.track.",
    ),
    "FOL-1075": ("The text has no http:// or https://, or no host.", "Write http://HOST:7171."),
    "FOL-1076": (
        "The file that says how to reach the server is damaged, or of another form.",
        "Delete the file; foliot up writes it anew.",
    ),
    "FOL-1080": ("The request does not fit the API.", "Compare it with /api/v1/openapi.json, or look at /api/docs."),
    "FOL-1081": ("The body has more bytes than the server reads.", "Send less at once."),
    "FOL-1082": (
        "A key stands for one request: this one was used with another body in the last 24 hours.",
        "Use a new key for a new request.",
    ),
    "FOL-1084": ("The file with contexts is damaged.", "Mend it or delete it, then foliot login URL."),
    "FOL-1085": (
        "A field of the body or a parameter is missing, unknown, or of another type.",
        "The answer names each of them under errors.",
    ),
    "FOL-1086": (
        "The connection is too slow, or the client stopped in the middle.",
        "Send the request again. If it happens often, look at the network and at proxies.",
    ),
    "FOL-1087": (
        "One message of a worker has more than a server looks at.",
        "Divide the code among several workers.",
    ),
    "FOL-1091": (
        "Tokens and results are kept here, and other users of the machine could read or replace them.",
        "Delete it, or name a new folder that only your user can write.",
    ),
    "FOL-1092": (
        "Results that no server has yet must wait in a folder, and this user has none.",
        "Name one: foliot worker --spool DIR.",
    ),
    "FOL-1093": (
        "A project's file may come from somebody else: it must not choose your token, nor how it is sent.",
        "Take the setting out. Give your own token by foliot login URL, or by --token-file with --server.",
    ),
    "FOL-1094": (
        "A token was given, but only the project's file says to which server it would go.",
        "Name the server yourself: --server URL or FOLIOT_SERVER; or foliot login URL.",
    ),
    "FOL-1095": ("The fault point has a form that is not known.", "The message shows the form; it is for tests only."),
    "FOL-1096": (
        "No module with jobs was named, and no kind of handler is enabled.",
        "Name a module: foliot worker billing.jobs; or enable a kind: --enable http.",
    ),
    "FOL-1097": (
        "The address begins with http:// and is not on this machine.",
        "Use https://. If the network is safe: --insecure-http.",
    ),
    "FOL-1098": (
        "The name is misspelt, or the package that brings it is not installed.",
        "The message lists the known names. Install the package that brings another.",
    ),
    "FOL-1099": (
        "The job is saved. No live worker of its namespace, group and labels offers the kind, so its runs wait.",
        "Start a worker that offers it, or correct the kind. foliot handler list shows the kinds.",
    ),
    "FOL-1230": (
        "The word of the route is misspelt, or the package that brings it is not installed beside the servers.",
        "The message names the routes. docs/reference/routes.md says what each does.",
    ),
    "FOL-1240": (
        "A live server is of an older version. It cannot read such a job, and would put off its runs.",
        "Upgrade or stop that server first; foliot node list shows versions.",
    ),
    "FOL-1242": (
        "place.takes says how much of a limit each run takes, and the limit has less. Somebody may have lowered it.",
        "Take less, or raise the limit: in place.concurrency, or foliot limit set NAME MAX.",
    ),
    "FOL-1243": (
        "A job was saved with a limit that is smaller than what running runs hold. No run is stopped.",
        "None starts until fewer are taken. Wait, or raise the limit; foliot limit show NAME says which runs hold it.",
    ),
    "FOL-1244": (
        "A job was saved with a limit that is smaller than what each run of another job takes of it (place.takes).",
        "Runs of that job wait for ever. Raise the limit, or let its runs take less.",
    ),
    "FOL-1245": (
        "A job was saved with a max_waiting that is smaller than what waits already. The waiting runs stay.",
        "Triggers are refused until fewer wait. Cancel runs that nobody needs, or raise max_waiting.",
    ),
    "FOL-1300": (
        "A live server is of an older version. It would not count its runs in a limit of a group or namespace.",
        "Upgrade or stop that server first; foliot node list shows versions.",
    ),
    "FOL-1100": ("The text in the editor is not JSON.", "Mend the line that the message names; your text is kept."),
    "FOL-1152": (
        "Runs of an exclusive job go one after another. A definition that is not saved has no line to wait in.",
        "Save the job and test it then, or test it with exclusive: false.",
    ),
    "FOL-1111": (
        "The worker's settings have a key that this kind does not know, or a value that it cannot use.",
        "Correct it in the settings of the worker; the message lists the keys.",
    ),
    "FOL-1112": ("The file is not TOML, or not of the form that handlers need.", "Write [handlers.http] and so on."),
    "FOL-1113": (
        "The option is not KIND.KEY=VALUE.",
        'Write --handler-option http.allow=["api.example.com"], for example.',
    ),
    "FOL-1114": (
        "Live workers state which options their version of the kind takes, and none takes these.",
        "foliot handler show KIND lists the options with their types.",
    ),
    "FOL-1115": (
        "The package's entry point has one name, and the attribute kind of its class another.",
        "The package's author makes both the same word.",
    ),
    "FOL-1120": (
        "A parameter of the run makes the URL, a header or the body impossible. Nothing was sent.",
        "Change the job, the parameters, or the worker's settings.",
    ),
    "FOL-1121": (
        "The address is inside of a private network, or on no list of the worker.",
        "The user who runs the worker can allow it: handlers.http.allow.",
    ),
    "FOL-1127": (
        "The parameter has a value that would be read as an option or as code.",
        "See docs/how-to/run-a-command-or-script.md for ways to hand it over.",
    ),
    "FOL-1128": (
        "The user who runs the worker did not allow this command or language.",
        "That user decides by [handlers.shell] in the worker's settings.",
    ),
    "FOL-1133": ("The URL or an option of the connection has a mistake.", "See docs/how-to/run-sql.md."),
    "FOL-1134": ("The driver of this database is not installed beside the worker.", "Run the pip install of the hint."),
    "FOL-1135": (
        "A :name in the statement has no parameter, or one whose value the database does not take.",
        "Give the run this parameter; run_id, due, attempt and fence are there already.",
    ),
    "FOL-1136": (
        "The worker's settings limit the connection to other namespaces, or to reading.",
        "Use another connection, or have the worker's settings changed.",
    ),
    "FOL-1139": (
        "A secret needs one source and the namespaces that may use it.",
        "See docs/how-to/give-secrets-to-jobs.md.",
    ),
    "FOL-1140": (
        "The job uses a parameter that its schema does not require and gives no default: a run without it fails.",
        "Make it required, give it a default, or use another name. Else ignore the warning.",
    ),
    "FOL-1141": (
        "A run of the job waits for another system, and nothing in the job says for how long at most.",
        "Give the job a timeout.",
    ),
    "FOL-1142": (
        "The job sends a secret to an address that begins with http://: others on the way could read it.",
        "Use https://.",
    ),
    "FOL-1145": ("A number of slots was expected.", "Write --slots 8, or --slots http=200 for one kind of handler."),
    "FOL-1146": ("The number of slots is 0, or beyond what a worker can have.", "Choose another number."),
    "FOL-1147": ("The same slots are given by two options.", "Leave one of them away."),
    "FOL-1148": (
        "Slots were given for a kind of handler that this worker does not execute.",
        "Correct the kind, or enable it: foliot worker --enable http.",
    ),
    "FOL-1150": (
        "A signature counts for five minutes, and this one is older or of the future.",
        "Set the clock of the machine that signs, and sign the message anew.",
    ),
    "FOL-1151": (
        "Only a run in the worker's loop can wait without a slot.",
        "Let the job name no isolation.",
    ),
    "FOL-1160": (
        "The URL of the coordinator lacks a part, or has one that this backend does not know.",
        "The message shows the form; without --coord the store itself elects the leader.",
    ),
    "FOL-1165": (
        "A blocking with in a coroutine would stop every other run of the worker while it waits.",
        "Write async with ctx.lock(NAME).",
    ),
    "FOL-1166": (
        "The code runs where no worker executes it, so nobody can ask a server for the lock.",
        "Run it as a job, or in a test through foliot.testing.run_inline.",
    ),
    "FOL-1170": (
        "A blocking with in a coroutine would stop everything else that its event loop serves while it waits.",
        "Write async with locks.lock(NAME).",
    ),
    "FOL-1171": (
        "A thread or task took a lock as shared or with slots, and takes it again inside of that for itself alone.",
        "Take it in the stronger way first, or give it back before.",
    ),
    "FOL-1175": (
        "What Foliot does about a failure is part of its protocol: a policy only says when a person is needed.",
        "Set the timeout, the level or the channel instead.",
    ),
    "FOL-1176": (
        "The servers see a dead node only after its session is over; a shorter timeout would escalate each failover.",
        "Choose a timeout that is at least as long as the error says.",
    ),
    "FOL-1225": (
        "A shard that succeeded belongs to the version that executed it: another version may split the work otherwise.",
        "Leave out the version, or run all of it again.",
    ),
    "FOL-1210": (
        "A replica is another host of the same kind of database, and SQLite has none.",
        "Name a replica of the store's database, or leave --replica out.",
    ),
    "FOL-1320": (
        "foliot top draws its panes with Textual, which comes with the extra `top`.",
        "Run pip install 'foliot[top]', or look once: foliot cluster status.",
    ),
    "FOL-1321": (
        "foliot top reads keys and draws on a terminal; its input or its output is something else.",
        "Start it in a terminal. For a program: foliot cluster status -o json.",
    ),
    "FOL-1322": (
        "Each look asks the server, so foliot top looks from twice a second to once an hour.",
        "Write a time in these bounds: --every 2s.",
    ),
    "FOL-1200": (
        "At least one server must be active, and a cluster has at most 100 servers.",
        "Choose a number that the message allows.",
    ),
    "FOL-1177": (
        "Levels are a closed list, attempts and timeouts have bounds, and a channel is a short name.",
        "Choose a value that the error allows.",
    ),
    "FOL-1370": (
        "The file of --notify is not TOML, or a table of it does not fit.",
        "The sentence says what is wrong. Mend the file and start the server again.",
    ),
    "FOL-2000": ("The name or the id is misspelt, or the thing was deleted.", "Look at the list of its kind."),
    "FOL-1185": (
        "A server weighs CPU, memory, connections and runs of a node. Each weight is from 0 to 1, and their sum is 1.",
        "Write all that differ from the usual ones: --load-weights cpu=0.4,memory=0.3,connections=0.2,running=0.1.",
    ),
    "FOL-1187": (
        "The address is no plain URL, or has another scheme than the server speaks: https with TLS or behind a proxy.",
        "Write --advertise with the scheme, the host as it stands in the certificate, and the port.",
    ),
    "FOL-1186": (
        "The thresholds that put nodes into bands contradict each other, or do not fit to the time of a session.",
        "Keep calm below score, and the time of a beat < warning_after < offline_after <= the time of a session.",
    ),
    "FOL-2001": (
        "The name is misspelt, the job is in another namespace, or it was deleted.",
        "foliot job list shows all; -n NAMESPACE looks into another namespace.",
    ),
    "FOL-2002": (
        "No live worker has loaded the function, or offers the kind, that the job names.",
        "Start a worker with that module, or correct the job. foliot job why NAME says who offers what.",
    ),
    "FOL-2003": (
        "The id is misspelt, or the run ended so long ago that its history was deleted.",
        "foliot run list shows those that are kept.",
    ),
    "FOL-2004": ("Versions are numbered from 1.", "foliot job show NAME --versions lists them."),
    "FOL-2005": ("The number is wrong, or the backfill ended long ago.", "foliot job backfills lists them."),
    "FOL-2006": ("The name is misspelt, or the token was revoked.", "foliot token list shows all."),
    "FOL-2007": (
        "The name is misspelt, or the node has left long ago.",
        "foliot node list shows all.",
    ),
    "FOL-2008": ("The path or the method is wrong.", "See /api/v1/openapi.json."),
    "FOL-2009": ("No context has this name on this machine.", "foliot context list shows all."),
    "FOL-2010": (
        "The calendar was not imported into this namespace, or is misspelt.",
        "foliot calendar list shows all; weekdays and cn-workdays are always there.",
    ),
    "FOL-2011": (
        "The session ended because no beat arrived in time, or it was begun with another token.",
        "Nothing: the worker registers anew by itself.",
    ),
    "FOL-2012": (
        "The address is wrong, or the token or signature is. Both get the same answer, so that nobody can guess.",
        "Send Authorization: Bearer TOKEN with the token of this callback.",
    ),
    "FOL-2015": ("No limit of the namespace or of the whole cluster has this name.", "foliot limit list shows all."),
    "FOL-2041": (
        "Nobody limits this group or namespace as a whole. Limits that jobs name are shown by their own names.",
        "Set one: foliot limit set --group NAME MAX. foliot limit list shows all.",
    ),
    "FOL-2020": (
        "Neither Foliot nor a live worker has a kind of handler of this name.",
        "foliot handler list shows all. A kind of another package is known while a worker with it lives.",
    ),
    "FOL-1207": (
        "A drill breaks a node for one second to ten minutes, so that it is surely over. Its size has bounds, too.",
        "Choose a value that the error allows.",
    ),
    "FOL-1208": (
        "Some drills break what only a server or only a worker has: a worker has no connection to the store.",
        "foliot drill list says which drill is for which kind of node.",
    ),
    "FOL-2040": (
        "The id is misspelt, or the drill is so old that it was forgotten.",
        "foliot drill history lists those that are kept.",
    ),
    "FOL-2059": (
        "No schedule of reports of the namespace, or of the whole cluster, has this name.",
        "Look at the list: foliot report schedule list.",
    ),
    "FOL-2055": (
        "No channel of the namespace or of the whole cluster has this name.",
        "Look at the list of channels.",
    ),
    "FOL-3065": (
        "A node breaks itself on purpose only when the person who started it allowed that.",
        "Start the node with --allow-drills, or choose another node: foliot drill list names those that take part.",
    ),
    "FOL-3066": (
        "Two drills at the same time would spoil each other's report, and perhaps the cluster.",
        "Wait until it is over: foliot drill show tells how far it is.",
    ),
    "FOL-3067": (
        "It is the only server, or no other worker of its group offers all that this one does.",
        "Start another node, or give --alone when you want to see just that.",
    ),
    "FOL-3068": (
        "The node is whole again, and the drill was judged.",
        "foliot drill show tells how it went.",
    ),
    "FOL-3069": (
        "A node that is killed, stopped or cut off hears of no wish. Its own clock ends the drill.",
        "Wait until the time of the drill is over.",
    ),
    "FOL-3085": (
        "An older Foliot knows drills of one size: the clock an hour ahead, each transaction half a second longer.",
        "Leave the size out, or upgrade the node.",
    ),
    "FOL-3075": (
        "Without this server fewer than active_min servers would fire jobs and hand out runs.",
        "Start another server or promote a standby first; or lower the number: foliot cluster policy --active-min 1.",
    ),
    "FOL-3115": (
        "Another user changed the channel after you looked at it, and your change would undo theirs.",
        "Look at the channel again, then change it.",
    ),
    "FOL-3116": ("A new channel has the name of another.", "Choose another name, or change the channel that is there."),
    "FOL-5060": (
        "The node is still broken, or the cluster has not recovered from it.",
        "foliot drill show tells how far it is; foliot cluster failovers --open what is not over.",
    ),
    "FOL-2030": (
        "The view was forgotten, belongs to another person, or is a shared one and was asked for as your own.",
        "The menu Saved views of the console lists yours and the shared ones.",
    ),
    "FOL-3070": (
        "Each person keeps at most 100 views, and so do all together; this one would be one more.",
        "Forget one that nobody needs, or save under the name of an old one.",
    ),
    "FOL-2050": (
        "The id is misspelt, the alert is another namespace's, or it is so old that it was forgotten.",
        "foliot alert list --all shows those that are kept.",
    ),
    "FOL-2051": (
        "The name is misspelt, or the rule is another namespace's.",
        "foliot alert rule list shows every rule, also those that come with Foliot.",
    ),
    "FOL-2052": (
        "The id is misspelt, the silence is another namespace's, or it is so old that it was forgotten.",
        "foliot alert silences --all shows those that are kept.",
    ),
    "FOL-3110": (
        "Another user changed the rule after you looked at it, so your change would undo theirs.",
        "Look at the rule again and repeat the change.",
    ),
    "FOL-3111": (
        "The trouble ended, or another user resolved the alert, before it was acknowledged.",
        "Nothing is to be done. If the trouble comes again, it is a new alert.",
    ),
    "FOL-3112": (
        "The leader asks every rule in each round, so their number is bounded.",
        "Remove rules that nobody needs, or ask one rule of several jobs by a pattern.",
    ),
    "FOL-2060": (
        "The name is misspelt, or the check is another namespace's.",
        "foliot check list shows every check; a token limited to a namespace sees that one alone.",
    ),
    "FOL-3130": (
        "Another user changed the check after you looked at it, so your change would undo theirs.",
        "Look at the check again and repeat the change.",
    ),
    "FOL-3131": (
        "A check has this name in this namespace already.",
        "Choose another name, or change the one that is there.",
    ),
    "FOL-3132": (
        "A cluster keeps at most 5000 checks.",
        "Remove checks that nobody needs.",
    ),
    "FOL-2021": (
        "The id is misspelt, or the failure is so old that it was forgotten.",
        "foliot cluster failovers lists those that are kept.",
    ),
    "FOL-2016": (
        "No run and no program has a claim on this lock now, or the name is another namespace's.",
        "See which locks are held: foliot lock list.",
    ),
    "FOL-3000": ("Somebody else was quicker, or two things have one name.", "Look at it again, and try once more."),
    "FOL-3001": (
        "Somebody saved another version after you read the job. Nothing was changed.",
        "Look at the difference: foliot job diff NAME vA vB. Then make your change again.",
    ),
    "FOL-3003": (
        "Two functions, or live workers of two modules, declare a job of the same name.",
        'Give one name="...". Or stop the other workers, or take the job over: foliot worker --take-over.',
    ),
    "FOL-3010": ("A token of this name is valid.", "Choose another name, or foliot token rotate NAME."),
    "FOL-3011": ("A job of this name is in the namespace.", "Change it: foliot job edit NAME; or choose another name."),
    "FOL-3012": (
        "Only a run that has ended can be executed again.",
        "Wait: foliot run watch ID; or end it: foliot run cancel ID.",
    ),
    "FOL-3013": ("The job of this run was deleted.", "Create the job again, then foliot job trigger NAME."),
    "FOL-3091": (
        "The job says how many of its runs may wait (place.max_waiting), and so many do. The trigger made no run.",
        "Ask again when some have started, or raise the number: foliot job edit NAME.",
    ),
    "FOL-3080": (
        "Every shard of the run succeeded, or it has no shards.",
        "Run it again as a whole: foliot run retry ID.",
    ),
    "FOL-3081": (
        "Each shard of a broadcast is one worker's own. Of the workers whose shards failed none is live and fits now.",
        "Start such a worker under its name, or run it again as a whole: each worker that is live now gets a shard.",
    ),
    "FOL-3014": (
        "Between preview and start the job or its history changed. Nothing was started.",
        "Look at the preview again: foliot job backfill NAME --dry-run.",
    ),
    "FOL-3015": (
        "A change must say which version it was made for.",
        "Read the thing, and send its ETag as If-Match.",
    ),
    "FOL-3016": (
        "The same request is being answered at this moment.",
        "Send it again with the same key, a little later.",
    ),
    "FOL-3017": (
        "The list changed after you looked at it. Nothing was changed.",
        "Look at the list again, then repeat the command.",
    ),
    "FOL-3018": ("A calendar cannot be deleted while jobs use it.", "Change these jobs first."),
    "FOL-3019": (
        "The server that should lead is not there or drains, or leads already.",
        "foliot node list shows the servers.",
    ),
    "FOL-3020": (
        "The node has left, drains by itself, or is a server of a version that knows no drain.",
        "foliot node show NAME says which.",
    ),
    "FOL-3021": (
        "Code declares the job, but a user changed it since, and that counts.",
        "Make both the same. Or foliot job delete NAME and restart the worker: then code leads again.",
    ),
    "FOL-3022": (
        "The request was answered before. The answer had a secret, which Foliot gives once and does not keep.",
        "Ask again with a new key, or foliot token rotate NAME.",
    ),
    "FOL-3024": (
        "A limit cannot be deleted while jobs name it.",
        "Take it out of place.concurrency of these jobs first.",
    ),
    "FOL-3025": ("Runs that execute now count in this limit.", "Delete it when they have ended: foliot limit list."),
    "FOL-3026": (
        "One token has as many live workers as it may.",
        "Stop workers, or give some of them another token.",
    ),
    "FOL-3027": (
        "Every server keeps in memory what workers say of their handlers, and this token's workers say too much.",
        "Give each worker only the modules it needs, or give some of them another token.",
    ),
    "FOL-3030": (
        "The command changes what servers rely on, and some still work on this store.",
        "Stop them first. With --force go on, and restart each of them afterwards.",
    ),
    "FOL-3031": (
        "Two installed packages bring a part of the same name.",
        "Uninstall one of them, or ask its author for another name.",
    ),
    "FOL-3032": (
        "The run was cancelled, timed out, or is being tried again. Nothing was changed.",
        "A later attempt has an address of its own.",
    ),
    "FOL-3033": ("The first message ended the attempt, and it counts.", "Look at the run: foliot run show ID."),
    "FOL-3034": (
        "A message with this time stamp or a later one came before: this could be a copy of it.",
        "Give each message a later time stamp.",
    ),
    "FOL-3035": (
        "The worker asked its server for a callback address, and got none. The other system was not called.",
        "See the reason in the message; the run can be tried again.",
    ),
    "FOL-3040": (
        "Somebody else holds the lock, and the caller said that it does not wait.",
        "Wait for it, or see who holds it: foliot lock show NAME.",
    ),
    "FOL-3041": (
        "Others held the lock, or were before this claim in its line, for the whole time to wait.",
        "See who holds it (foliot lock show NAME), or wait longer.",
    ),
    "FOL-3042": (
        "Owners of locks waited for each other, so none of them could go on. The wait that came last was ended.",
        "Try again; take several locks in the same order everywhere, then it cannot happen.",
    ),
    "FOL-3043": (
        "The time of the lock passed without a renewal, or a person took it away. Another may hold it by now.",
        "Stop what the lock protects and take the lock anew; let what it protects refuse old tokens.",
    ),
    "FOL-3044": (
        "So many claims hold this lock or wait for it that no more are taken on.",
        "Wait until some have given it back: foliot lock waits.",
    ),
    "FOL-3045": (
        "No server answered the worker in time, or the attempt is over by now.",
        "The run can be tried again; look at the worker's log when it happens often.",
    ),
    "FOL-3048": (
        "All programs with one token, or all runs of one worker, may have a bounded number of locks, waits counted.",
        "Give locks back that are not needed, or give programs tokens of their own.",
    ),
    "FOL-3060": (
        "The node is a worker, is gone, drains, or has that role already.",
        "foliot node list shows the servers and their roles.",
    ),
    "FOL-3061": (
        "Another user changed the numbers of servers after you looked, and your change would undo theirs.",
        "Look again with foliot cluster policy, and change them again.",
    ),
    "FOL-3055": (
        "Another user changed the policy after you looked at it, so your change would undo theirs.",
        "Look at the policy again and repeat the change.",
    ),
    "FOL-3056": (
        "A live server is of a version from before maintenance: it would go on to fire jobs and to start runs.",
        "Upgrade or stop that server first; foliot node list shows versions.",
    ),
    "FOL-4000": ("The request needs a login or another right.", "foliot whoami says who you are."),
    "FOL-4001": (
        "The token was made without this right, or for another namespace or group.",
        "Ask for another token: foliot token create NAME --scope SCOPE. foliot whoami shows what yours may do.",
    ),
    "FOL-4002": (
        "No token was sent, or it has expired or was revoked.",
        "Log in: foliot login URL (foliot login-link makes a code), or name a token: --token-file FILE.",
    ),
    "FOL-4003": ("A login code counts once, and for 15 minutes.", "Make another: foliot login-link."),
    "FOL-4004": ("Wrong codes came too often.", "Wait as long as the message says, then foliot login-link."),
    "FOL-4005": (
        "A browser sends the cookie also when another site asks it to. The header shows that you meant it.",
        "Send X-Foliot-Csrf: 1.",
    ),
    "FOL-4006": (
        "The server bounds how many requests it answers at once, in all and for each token and address.",
        "Wait as long as Retry-After says, and send fewer at once.",
    ),
    "FOL-4007": (
        "The worker's token was made for another namespace or group.",
        "Make a token for this one: foliot token create NAME --scope worker --for-group GROUP.",
    ),
    "FOL-4008": ("Another token began this session.", "Restart the worker: it begins a session of its own."),
    "FOL-4011": (
        "The limit belongs to the namespace or to the cluster, and the token is limited to a part of it.",
        "Write the number that the limit has, or ask an admin: foliot limit set NAME MAX.",
    ),
    "FOL-4020": (
        "The token crossed a network unencrypted, and others may have read it.",
        "Use https://, and make the token anew: foliot token rotate NAME --grace 0s.",
    ),
    "FOL-4030": (
        "A worker shows a token to its server, and none was found for this address.",
        "Make one: foliot token create NAME --scope worker --write FILE; then --token-file FILE.",
    ),
    "FOL-4031": (
        "The worker that got the run has no secret of this name.",
        "Write [secrets.NAME] into that worker's handler settings, or let the job run on another group.",
    ),
    "FOL-4032": (
        "The settings of the secret do not allow this namespace, host or kind.",
        "If it may go there, add it to [secrets.NAME] in the worker's handler settings.",
    ),
    "FOL-4033": (
        "The file, the variable or the command that has the secret failed on the worker.",
        "Look at the worker's machine; the run can be tried again.",
    ),
    "FOL-4034": (
        "Shell and SQL jobs execute text on workers, so the right to define them is a scope of its own.",
        "foliot token create NAME --scope write --scope script.",
    ),
    "FOL-4035": (
        "The address begins with http://, and the settings of the secret do not allow that. Nothing was sent.",
        "Use https://. The settings [secrets.NAME] of the worker can allow plain http.",
    ),
    "FOL-5000": ("A part of the cluster is away, or does not fit.", "foliot cluster status shows the parts."),
    "FOL-5001": (
        "Nothing listens at the address, a firewall is between, or the database behind the server is away.",
        "Start it: foliot up. Another server: --server URL. Your addresses: foliot context list.",
    ),
    "FOL-5002": (
        "The leader left a moment ago, and no server has taken its place. Jobs fire and run meanwhile.",
        "Wait some seconds. If it stays so: foliot cluster events --topic cluster.",
    ),
    "FOL-5003": (
        "Another program, often another foliot up, listens on this port.",
        "Choose another: foliot up --port PORT, or foliot server --listen HOST:PORT.",
    ),
    "FOL-5004": (
        "The wall clock of this machine differs from the store's. Only times in its logs are wrong.",
        "Check time synchronisation on that machine.",
    ),
    "FOL-5005": (
        "The job's place.require asks for labels that no live worker has.",
        "Start a worker with --labels KEY=VALUE, or edit the job.",
    ),
    "FOL-5006": (
        "The store's clock was ahead for a time, and jobs were planned by it.",
        "foliot job reschedule --all --dry-run shows what would be planned anew.",
    ),
    "FOL-5011": ("Locks or connections were not free in time. Nothing was changed.", "Try again a little later."),
    "FOL-5012": (
        "The connection broke while the database committed: the change may be there or not.",
        "Repeat the request with the same Idempotency-Key. That is safe.",
    ),
    "FOL-5013": (
        "The database has settings with which a fire could be lost or made twice.",
        "Change the setting that the message names; docs/reference/database.md says why.",
    ),
    "FOL-5020": ("The worker's Foliot is too old for this cluster.", "Upgrade foliot on that worker."),
    "FOL-5021": (
        "The server said no, or a proxy in front of it did.",
        "Read the quoted answer. A proxy may bound the size of requests.",
    ),
    "FOL-5022": (
        "Another foliot up works in this data folder.",
        "Stop that one, or choose another folder: foliot up --data DIR.",
    ),
    "FOL-5023": (
        "The address can be reached from other machines, and nothing would encrypt tokens.",
        "Give --tls-cert and --tls-key, or --behind-proxy where a proxy speaks TLS, or listen on 127.0.0.1.",
    ),
    "FOL-5024": (
        "A package that the chosen part needs is missing or broken.",
        "Install what the message names, or choose another part.",
    ),
    "FOL-5030": (
        "No option, no variable, no context and no foliot up in this folder names a server.",
        "Start one in this folder: foliot up; or name one: --server URL, or foliot login URL.",
    ),
    "FOL-5031": ("This role needs a process of its own here.", 'Keep role="client" and run the command beside it.'),
    "FOL-5032": (
        "The page of a proxy, or another program, answered at this address.",
        "Check the address: foliot context list.",
    ),
    "FOL-5033": ("Foliot installs only the drivers that you ask for.", "Run the pip install of the hint."),
    "FOL-5034": (
        "Foliot met a case that nobody thought of.",
        "Look through the saved report, and send it to us. It has no passwords and no tokens.",
    ),
    "FOL-5035": (
        "The certificate is of an unknown authority, of another name, or out of date.",
        "Name the authority's file: --ca-file FILE; or use the name in the certificate; or renew it.",
    ),
    "FOL-5036": ("The address begins with http:// where https:// is spoken, or the other way round.", "Change it."),
    "FOL-5040": ("The server was asked to stop.", "Nothing: the worker asks the next server of its list."),
    "FOL-5041": (
        "The file counts only when the store has no token yet.",
        "Use a token of the store. A server that started without the option has printed one.",
    ),
    "FOL-5055": (
        "The server was started with --standby or demoted, so it hands out no runs.",
        "Nothing: the worker asks the next server. Name active servers to it: foliot worker --server URL.",
    ),
    "FOL-5056": (
        "Servers died or were stopped, and there was no standby to promote, or not yet.",
        "Start a server, or lower active_min: foliot cluster policy --active-min N.",
    ),
    "FOL-5057": (
        "A failure lasted longer, or needed its action more often, than its policy allows.",
        "foliot cluster failovers shows it; foliot cluster policy shows when a failure needs a person.",
    ),
    "FOL-5043": (
        "A package beside the worker brings a kind of handler that cannot be imported or used. All else works there.",
        "foliot node show NAME says why. Mend or remove the package, and start the worker again.",
    ),
    "FOL-5046": (
        "The Python client of this coordinator is not installed beside the server.",
        "Run the pip install of the hint.",
    ),
    "FOL-5047": (
        "The coordinator is down, or a firewall is between. Jobs fire and run all the same.",
        "See whether it runs, and whether the address in --coord is right.",
    ),
    "FOL-5070": (
        "The replica is away, has fallen behind, or follows another store. Everything else works.",
        "See whether it runs and follows, and whether the address in --replica is right; the server's log says why.",
    ),
    "FOL-5065": (
        "A process under --supervise crashed or stood still several times in a few minutes.",
        "See the log for the reason of each end, mend it, and start the process again.",
    ),
    "FOL-5080": (
        "A user drained this server, so it hands out no runs until it is taken back.",
        "Nothing: the worker asks the next server. foliot node undrain NAME takes the server back.",
    ),
    "FOL-5081": (
        "A server of an old version was started after the maintenance began; it does not read the store's word for it.",
        "Stop it or upgrade it; what it decided meanwhile is as right as ever.",
    ),
    "FOL-6000": ("A run ended without success.", "foliot run show ID, foliot run logs ID."),
    "FOL-6001": (
        "The worker's machine died, the process was killed (often: out of memory), or the network was cut.",
        "Read its last lines: foliot run logs ID --attempt N. By default the run is executed again elsewhere.",
    ),
    "FOL-6002": (
        "Python cannot end a thread from outside, and the function did not look at ctx.cancelled.",
        'Use isolation="process", or look at ctx.cancelled in loops.',
    ),
    "FOL-6010": (
        "ctx() finds the run that calls it, and nothing runs here.",
        "Call it from code that a job calls. In tests go through foliot.testing.run_inline.",
    ),
    "FOL-6011": ("The run failed or was cancelled, so there is no result.", "foliot run logs ID."),
    "FOL-6012": ("The caller stopped waiting. The run goes on.", "foliot run watch ID."),
    "FOL-6013": ("The function raised in run_inline.", "The function's own error is the cause of this one."),
    "FOL-6020": ("The benchmark lost its servers or its time.", "The message says which step failed."),
    "FOL-6030": (
        "No connection came about. Nothing was sent, so another try is safe.",
        "See whether the server runs, and whether the worker may reach it.",
    ),
    "FOL-6031": (
        "The connection ended before the answer. The other system may have done the work.",
        "Ask that system by the run's Idempotency-Key before you repeat it.",
    ),
    "FOL-6032": (
        "The status is not one that the job expects.",
        "foliot run logs ID shows the answer; expect in the job says what counts as success.",
    ),
    "FOL-6033": (
        "A check of the job failed, or the answer was larger than is read.",
        "foliot run logs ID shows the answer.",
    ),
    "FOL-6035": (
        "The command ended with another status than 0, or by a signal.",
        "foliot run logs ID shows what it wrote.",
    ),
    "FOL-6036": (
        "The program is not there, may not be executed, or the sandbox could not be made.",
        "Look at the program on the worker's machine, and at the worker's settings.",
    ),
    "FOL-6040": (
        "The database is down, or does not let this worker in. Nothing was changed.",
        "See whether it runs; retries of the job try it again.",
    ),
    "FOL-6041": ("The database did not accept the statement.", "The quoted text is the database's own."),
    "FOL-6042": (
        "The statement took longer than its timeout, and the database ended it.",
        "Raise timeout, at most to timeout_max of the connection, or make the statement smaller.",
    ),
    "FOL-6043": (
        "The connection broke during the commit: the change may be there or not.",
        "Look at the data first. :run_id and :fence make a statement repeatable.",
    ),
    "FOL-6044": (
        "A statement such as COMMIT ended the transaction that Foliot had begun.",
        "Leave BEGIN and COMMIT to Foliot, or write mode: autocommit.",
    ),
    "FOL-7000": ("The schema, an import or a backup does not fit.", "The message says which."),
    "FOL-7001": (
        "The store is empty, or was made by an older or newer Foliot, or belongs to another program.",
        "foliot db status says which; foliot db upgrade makes or upgrades the tables.",
    ),
    "FOL-7002": (
        "A SQLite file is safe on one machine only.",
        "Use PostgreSQL or MariaDB for servers on several machines.",
    ),
    "FOL-7010": ("A benchmark fills and empties its database.", "Give it an empty one of its own."),
    "FOL-7011": ("The database user may not create databases.", "Name an empty one: --twin-db URL."),
    "FOL-7012": (
        "Another program lives in this database, with tables of the same names.",
        "Give Foliot a database of its own; on PostgreSQL a schema will do: ?schema=NAME behind the URL.",
    ),
    "FOL-7013": (
        "The disk is full, the folder is read-only, or belongs to another user.",
        "Name another file or folder, or make room.",
    ),
    "FOL-7014": (
        "The database user may not create or change tables.",
        "Use a user that owns the database or the schema.",
    ),
}
