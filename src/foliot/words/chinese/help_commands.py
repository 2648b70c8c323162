"""What help says of commands, in Chinese: by the English paragraph beside the command."""

# ruff: noqa: E501 (a key is a whole text, and a Chinese letter counts twice)

from collections.abc import Mapping
from typing import Final

COMMANDS: Final[Mapping[str, str]] = {
    # checks of jobs outside
    "Checks of jobs outside of Foliot: list, make, ping.": "Foliot 之外任务的检查项：列出、新建、报到。",
    "Checks of jobs outside of Foliot: they are to be heard of by a rhythm, and people are told when they are not.": "Foliot 之外任务的检查项：它们应按节奏报到，未报到时通知人。",
    "Something outside pings its check: start, ok or fail.": "外部任务向其检查项报到：`start`、`ok` 或 `fail`。",
    "That needs a token with the scope ping, and no more.": "只需要权限为 `ping` 的令牌。",
    "List checks: how each is, and when it is to be heard of next.": "列出检查项：各自的状态，以及下一次应在何时报到。",
    "Show a check: how it is, what is waited for, and its last pings.": "显示检查项：状态、等待什么，以及最近的报到。",
    "Make a check.": "新建检查项。",
    "Nobody waits for it until its first ping.": "首次报到之前不等待它。",
    "Change a check: some fields with --set, or all of it in your editor.": "修改检查项：用 --set 改某些字段，或在编辑器中修改全部。",
    "Its rhythm counts from its last ping.": "节奏从最近一次报到算起。",
    "Do not wait for a check.": "不再等待检查项报到。",
    "Its alert is over; its pings are kept all the same.": "其告警随之结束；报到仍会记录。",
    "Wait for a check again.": "重新等待检查项报到。",
    "Its rhythm counts from now on.": "节奏从现在算起。",
    "Take a check away, with its pings.": "删除检查项及其报到记录。",
    "Its alert is over.": "其告警随之结束。",
    "Let a check be heard of: start, ok or fail.": "向检查项报到：`start`、`ok` 或 `fail`。",
    "Run a command and let its check be heard of: start before it, ok or fail after it.": "运行命令并向其检查项报到：之前报 `start`，之后报 `ok` 或 `fail`。",
    "The exit code is that of the command.": "退出码即命令的退出码。",
    "When no server can be reached, the command runs all the same.": "连不到服务器时，命令照常运行。",
    # reports
    "Schedules of reports: which report is sent when, and to which channels.": "报告计划：何时发送哪种报告，发到哪些渠道。",
    "Without -n its reports are about the whole cluster, and an admin's token is needed.": "不写 -n 时报告涵盖整个集群，并需要管理员的令牌。",
    "List the schedules of reports, and when each is due next.": "列出报告计划及各自的下一次发送时间。",
    "Show a schedule of reports.": "显示一个报告计划。",
    "Save a schedule of reports; of one that is there, what is left out stays.": "保存报告计划；已存在的计划，未写的保持不变。",
    "Its days and its clock are those of --tz.": "日期和时刻按 --tz 的时区计算。",
    "Send the report of a schedule now: of the last day or week that is over.": "立即发送计划的报告：最近结束的一天或一周。",
    "Take a schedule of reports away.": "删除一个报告计划。",
    "Reports: how the runs of a day or a week went.": "报告：一天或一周的执行情况。",
    "Reports: how the runs of a day or a week went, beside the period before.": "报告：一天或一周的执行情况，并与之前的时段比较。",
    "Days are those of --tz. Without -n it is about every namespace.": "日期按 --tz 的时区计算。不写 -n 时包括所有命名空间。",
    "Show how the runs of yesterday, or of another day, went.": "显示昨天或另一天的执行情况。",
    "Show how the runs of last week, or of the week of a date, went. A week is from Monday to Sunday.": "显示上周或某日所在一周的执行情况。一周从星期一到星期日。",
    # alerts
    "Alerts: what needs somebody, rules, channels, silences.": "告警：需要人处理的问题、规则、渠道和静默。",
    "Alerts: what needs somebody, which rules look for it, and which channels tell it.": "告警：需要人处理的问题，哪些规则发现它，哪些渠道通知它。",
    "A channel names its secrets, ${secret:NAME}; servers have the values.": "渠道只写密钥的引用 ${secret:NAME}；值保存在服务器上。",
    "A file has the sections channels, rules, checks and reports, by name.": "文件有 `channels`、`rules`、`checks` 和 `reports` 四节，按名称列出。",
    "A repeat changes nothing.": "重复执行不会改变任何东西。",
    "A rule about jobs belongs to a namespace.": "关于任务的规则属于一个命名空间。",
    "Alert rules: what to look for, how grave it is, and whom to tell.": "告警规则：发现什么，有多严重，通知谁。",
    "Change what is said of a channel; what is left out stays.": "修改渠道；未写的保持不变。",
    "Channels: where alerts are told.": "渠道：告警通知到哪里。",
    "End a silence before its time: what goes on is told again.": "提前结束静默：仍在持续的会再次通知。",
    "It holds no secrets.": "其中没有密钥。",
    "Its alerts are over.": "其告警随之结束。",
    "Let nobody be told of some alerts for some time.": "在一段时间内不通知某些告警。",
    "List alerts that are over, newest first.": "列出已恢复的告警，最新的在前。",
    "List silences: what nobody is told of, until when, and why.": "列出静默：不通知什么，到何时，为什么。",
    "List the channels, and how each did lately.": "列出渠道及其近况。",
    "List the kinds of channels, or show the settings of one.": "列出渠道类型，或显示一种类型的设置。",
    "List the messages to channels, newest first: which arrived, which wait, and why one did not arrive.": "列出发往渠道的消息，最新的在前：哪些已送达，哪些在等待，未送达的原因。",
    "List the rules of the cluster and of namespaces, with those that come with Foliot.": "列出集群和命名空间的规则，包括 Foliot 自带的。",
    "A rule that comes with Foliot is switched off or changed by its name: foliot alert rule set NAME --off.": "Foliot 自带的规则按名称停用或修改：foliot alert rule set 名称 --off。",
    "A rule that comes with Foliot cannot be taken away; one that was changed is then as it came.": "Foliot 自带的规则不能删除；修改过的会恢复原样。",
    "Show what a channel would be told, in every language.": "显示某个渠道会收到的消息，两种语言都有。",
    "Show what the channels of a rule would be told, in every language.": "显示某条规则的渠道会收到的消息，两种语言都有。",
    "Nothing is sent.": "不会发送任何消息。",
    "Without an alert and a run it is a made up trouble.": "未指定告警和执行时，用虚构的例子。",
    "List what fires and what somebody looks after, newest first.": "列出告警中和处理中的告警，最新的在前。",
    "Make a channel.": "新建渠道。",
    "Make a rule, or change what is said of it; what is left out stays.": "新建或修改规则；未写的保持不变。",
    "Nothing is told, and nothing changes.": "不会发出通知，也不会改变任何东西。",
    "One about nodes, the leader or the store belongs to the whole cluster and needs an admin's token.": "关于节点、主节点或存储的规则属于整个集群，需要管理员的令牌。",
    "Print every channel, rule, check and schedule of reports as a file that can be applied.": "把全部渠道、规则、检查项和报告计划输出为可以应用的文件。",
    "Rules and checks belong to the namespace, rules about nodes, the leader or the store to the whole cluster; channels are for every namespace, and need an admin's token, as reports without -n do, which are about the whole cluster.": "规则和检查项属于命名空间，关于节点、主节点或存储的规则属于整个集群；渠道供全部命名空间使用，需要管理员的令牌；不写 -n 的报告涵盖整个集群，同样需要管理员的令牌。",
    "Save the channels, rules, checks and reports of files.": "保存文件中的渠道、规则、检查项和报告计划。",
    "Say that alerts are over.": "把告警标为已恢复。",
    "Say that you look after alerts: nobody is reminded, and nothing is escalated.": "表示你在处理这些告警：不再提醒，也不再升级。",
    "Say whether a rule would fire for a run, and why.": "说明某条规则对某次执行是否会告警，以及为什么。",
    "Send a test message to a channel, and say whether it arrived.": "向渠道发送测试消息，并说明是否送达。",
    "Show a channel, and how it did lately.": "显示渠道及其近况。",
    "Show a rule, and what it does in words.": "显示规则，并用一句话说明它做什么。",
    "Show an alert: what it is, since when, whom it told, and what it touches.": "显示告警：是什么，何时开始，通知了谁，涉及什么。",
    "Show what applying files would change; exit code 7 when something would.": "显示应用文件会改变什么；有改变时退出码为 7。",
    "Take a channel away, once no rule names it.": "删除没有规则使用的渠道。",
    "Take a rule away.": "删除规则。",
    "They stand in the list all the same.": "它们仍会列出。",
    "To make and to change one needs an admin's token.": "新建和修改需要管理员的令牌。",
    "What waits for it is dropped.": "等待发往它的消息会被丢弃。",
    "When the trouble is seen again, that is another alert.": "问题再次出现时，会是另一条告警。",
    "Without -n every namespace may use it.": "不写 -n 时，全部命名空间都可使用。",
    "Foliot: every due fire exactly once, from a laptop to a cluster.": (
        "Foliot：每个到期的触发点恰好触发一次，从笔记本电脑到集群都是如此。"
    ),
    # the list of commands
    "Everything in one process: server, worker and store in this folder.": (
        "一个进程包办一切：服务器、工作节点和本目录中的存储。"
    ),
    "A server of a cluster.": "集群的一个服务器。",
    "A worker that runs the jobs of your modules.": "工作节点，执行你的模块中的任务。",
    "Sample jobs to start from.": "示例任务，供起步使用。",
    "Why a job did or did not run, or what a run waits for.": "任务为什么执行了或没有执行，执行在等什么。",
    "Find jobs, runs and nodes.": "查找任务、执行和节点。",
    "Calendars: which days count.": "日历：哪些日子计入。",
    "Kinds of handlers: who offers them, and their options.": "处理器类型：由谁提供，有哪些选项。",
    "Watch the cluster live in the terminal.": "在终端中实时观察集群。",
    "Watch the cluster in the terminal: what runs, what comes next, what fails, how the nodes are.": (
        "在终端中观察集群：什么在执行，接下来触发什么，什么在失败，节点状况如何。"
    ),
    "Servers and workers.": "服务器和工作节点。",
    "Tokens: list, create, rotate, revoke.": "令牌：列出、创建、轮换、吊销。",
    "Which cluster commands ask, and as whom.": "命令访问哪个集群，以谁的身份。",
    "Log in with a one-time code.": "用一次性登录码登录。",
    "A link for one login in a browser.": "供浏览器登录一次的链接。",
    "Whose token is used, and what it may do.": "正在使用谁的令牌，它有哪些权限。",
    "The completion script of a shell.": "命令行补全脚本。",
    "What a message's code means.": "消息编号的含义。",
    "Explain, preview and convert schedules.": "解释、预览和转换调度计划。",
    "The store's schema: status and upgrade.": "存储的结构：状态与升级。",
    # up, server, worker, new
    "Run everything in one process: server, worker and a SQLite store in ./.foliot.": (
        "在一个进程中运行一切：服务器、工作节点和 ./.foliot 中的 SQLite 存储。"
    ),
    "FILES are Python files or modules that declare jobs (default: jobs.py); a folder means every .py file in it.": (
        "“文件”是声明任务的 Python 文件或模块（默认 jobs.py）；目录表示其中的每个 .py 文件。"
    ),
    "Run one server of a cluster. Start as many as you like on the same store; kill any of them.": (
        "运行集群的一个服务器。同一存储上可启动任意多个；其中任何一个都可以随时终止。"
    ),
    (
        "Run the jobs that MODULES (Python modules or files) declare, and those of the kinds of handlers installed here."
    ): "执行“模块”（Python 模块或文件）中声明的任务，以及此处安装的处理器类型的任务。",
    "Without MODULES the worker executes the installed kinds alone.": "不给出“模块”时，工作节点只执行已安装的处理器类型。",
    "It works for the cluster of the context in use.": "它为当前上下文的集群工作。",
    "Put sample jobs into FOLDER (here by default).": "把示例任务放入“目录”（默认为当前目录）。",
    # calendar
    "Calendars: which days count. Built-in ones (weekdays, cn-workdays, us-ny-holidays …) need no saving.": (
        "日历：哪些日子计入。内置日历（weekdays、cn-workdays、us-ny-holidays 等）无需保存。"
    ),
    "Take a calendar away that no job uses.": "删除没有任务使用的日历。",
    "Save a calendar from an iCalendar file: the only days that count, or the days that do not.": (
        "用 iCalendar 文件保存日历：文件中的日子是唯一计入的，或是不计入的。"
    ),
    "List calendars: those that were saved, and some of the built-in ones.": "列出日历：已保存的，以及部分内置的。",
    "Save a calendar: a new version, which the jobs that use it take over from now on.": (
        "保存日历：成为新版本，使用它的任务从现在起采用。"
    ),
    "Show a calendar, the next days that stand out, and the jobs that use it.": (
        "显示日历、接下来的特殊日子，以及使用它的任务。"
    ),
    # cluster
    "The cluster: status, leader, events, health.": "集群：状态、主节点、事件、健康。",
    "Stop deciding, keep serving: no job fires and no run starts until it is off.": (
        "停止决定，继续服务：在关闭之前不触发任务，不开始执行。"
    ),
    "Running runs go on to their end. What was due meanwhile is decided afterwards, by each job's misfire policy.": (
        "正在运行的执行继续到结束。其间到期的触发点在此之后按各任务的错过策略决定。"
    ),
    "Examine the database, the machines, the coordination service and the jobs, and say the next step of each.": (
        "检查数据库、机器、协调后端和任务，并逐项给出下一步。"
    ),
    "When no server answers, the store alone is examined: that of FOLIOT_DB, or of the foliot up of this folder.": (
        "没有服务器响应时，只检查存储：FOLIOT_DB 的存储，或此文件夹中 foliot up 的存储。"
    ),
    "Exit codes: 0 all is well or a notice, 1 a warning, 2 something critical.": (
        "退出码：0 一切正常或仅有提示，1 有警告，2 有严重问题。"
    ),
    "Show what happened: changes of jobs, nodes that came and went, elections, tokens.": (
        "显示发生过的事：任务的修改、节点的加入和离开、选举、令牌。"
    ),
    "Show what failed: when, what was affected, what was done, how long it took.": (
        "显示发生过的故障：何时、影响了什么、采取了什么措施、持续多久。"
    ),
    "Show what is done about each type of failure and when it needs a person; or set the latter, as an admin.": (
        "显示每类故障的措施，以及何时需要人来处理；管理员可以设置后者。"
    ),
    "Show who does the cluster's housekeeping.": "显示由谁负责集群的内务。",
    "Show leader, term, queue, lag and every node.": "显示主节点、任期、队列、延迟和每个节点。",
    "Hand the cluster's housekeeping to another server. Jobs fire and run meanwhile.": (
        "把集群的内务移交给另一个服务器。其间任务照常触发和执行。"
    ),
    # context, login
    "Contexts: the clusters you know. Flags > FOLIOT_* > foliot.toml > ./.foliot > the context in use.": (
        "上下文：你使用的各个集群。优先次序：选项 > FOLIOT_* > foliot.toml > ./.foliot > 正在使用的上下文。"
    ),
    "Add a context, or replace one.": "添加或替换上下文。",
    "List contexts.": "列出上下文。",
    "Forget a context and its token.": "删除上下文及其令牌。",
    "Show what commands work with here, and who said it.": "显示命令在此处使用的设置，以及各自的来源。",
    "Use a context from now on.": "从现在起使用某个上下文。",
    "Log in with a one-time code; `foliot up` and `foliot login-link` give one.": (
        "用一次性登录码登录；`foliot up` 和 `foliot login-link` 会给出登录码。"
    ),
    "Make a link for one login in a browser, good for 15 minutes.": "生成供浏览器登录一次的链接，15 分钟内有效。",
    "End the token in use.": "作废正在使用的令牌。",
    "Show whose token is used, and what it may do.": "显示正在使用谁的令牌，它有哪些权限。",
    # cron
    "Explain, preview and convert cron expressions.": "解释、预览和转换 cron 表达式。",
    "5 fields are Unix cron; 6 or 7 begin with seconds (Quartz, Spring).": (
        "5 个字段是 Unix cron；6 或 7 个字段以秒开头（Quartz、Spring）。"
    ),
    "Write an expression in another dialect, weekdays by name.": "用另一种方言书写表达式，星期用名称表示。",
    "Say what an expression means, when it fires next, and what to look out for.": (
        "说明表达式的含义、接下来的触发时间，以及需要注意的地方。"
    ),
    "List the next fires.": "列出接下来的触发。",
    # db
    "The store's schema: where it stands, and bringing it up to date.": "存储的结构：当前状态，以及升级到最新。",
    "Say that the database was restored from a backup or a snapshot, by its own tools, before servers start again.": (
        "声明数据库已用其自身的工具从备份或快照恢复；在服务器重新启动之前执行。"
    ),
    (
        "Raises the epoch, takes every run from whoever had it before, ends sessions and terms, lets ids go on beyond "
        "those the backup does not know of, and tells how much will be decided again."
    ): "提升纪元，收回所有交出去的执行，终止会话和任期，让编号越过备份之后用过的编号，并说明有多少触发点将重新决定。",
    "Say which schema the store has, whether this Foliot can use it (exit 7: an upgrade is pending), and its epoch.": (
        "说明存储的结构版本、此版本的 Foliot 能否使用它（退出码 7：有待升级），以及它的纪元。"
    ),
    '"lossy" means that a failover of the database may forget what it acknowledged last.': (
        "“可能丢失”表示数据库故障切换时，最后已确认的内容可能丢失。"
    ),
    "Say that the store's clock is right, after servers saw it jump and judged due by their own reckoning.": (
        "声明存储的时钟正确；用于服务器发现时钟跳变、改按自己的推算判断到期之后。"
    ),
    (
        "Bring the store's schema up to date, in one transaction. Several at once wait for each other; repeats do "
        "nothing."
    ): "在一个事务中把存储的结构升级到最新。同时执行的多个会相互等待；重复执行没有影响。",
    # job
    "Jobs: list, look at, create, change, pause, run.": "任务：列出、查看、创建、修改、暂停、执行。",
    "Give instants of the past their runs. Shows which, asks, then makes a few at a time.": (
        "为过去的触发点补上执行。先列出是哪些，询问后每次创建几个。"
    ),
    "List backfills, or pause, resume, end one.": "列出补数，或暂停、恢复、终止其中一个。",
    "Make a new job from another.": "由另一个任务创建新任务。",
    "Create a job.": "创建任务。",
    "Execute a job once, now, and show its log and what came of it.": "立即执行任务一次，并显示其日志和结果。",
    (
        "A test has one attempt, runs beside open runs of the job, and counts in no statistics; no fire is skipped for it. "
        "With --file it executes a definition that is not saved. Exit code 6 unless it succeeded."
    ): (
        "测试只尝试一次，与任务未结束的执行并行，不计入统计，也不会使触发被跳过。"
        "使用 --file 时执行尚未保存的定义。未成功则退出码为 6。"
    ),
    "Delete jobs. Their history stays, their names are free again.": "删除任务。历史保留，名称可以重新使用。",
    "Compare two versions of a job, field by field. Exit code 7: they differ.": (
        "逐字段比较任务的两个版本。退出码 7：两者不同。"
    ),
    "Change a job: some fields with --set, or all of it in your editor.": (
        "修改任务：用 --set 修改部分字段，或在编辑器中修改全部。"
    ),
    "Past and future fires of a job.": "任务过去和将来的触发。",
    "List what was due and did not run, of all jobs, the newest first.": "列出所有任务已到期但未执行的触发点，最新的在前。",
    "List jobs.": "列出任务。",
    "Pause the schedules of jobs. Triggers go on working.": "暂停任务的调度计划。手动触发仍然有效。",
    "Set schedules right that stand too far ahead.": "纠正过于超前的调度计划。",
    (
        "While the store's clock is ahead, servers decide instants that have not come. Once it is right again, such a "
        "job would be silent until then. This decides what is due now and lets the job go on at its first instant to "
        "come."
    ): (
        "存储的时钟超前时，服务器会提前决定尚未到来的触发点。时钟恢复正确后，这样的任务会一直静默到那时。"
        "此命令决定现在已到期的触发点，并让任务从下一个触发点起继续。"
    ),
    "Let the schedules of jobs go on.": "恢复任务的调度计划。",
    "Go back to an earlier version: a new version with its content.": "回到较早的版本：以其内容创建新版本。",
    "Show a job.": "显示任务。",
    "Run a job now or later; or all jobs that a filter chooses, once each and now.": (
        "现在或稍后执行任务；或将筛选出的每个任务立即执行一次。"
    ),
    "Show the settings of the server that answers: each value, and whether a flag, the environment or a file gave it.": (
        "显示应答服务器的设置：每个值，以及它来自选项、环境变量还是文件。"
    ),
    "Show what comes: how many instants are due in each of the next minutes, of which jobs, on how many slots.": (
        "显示接下来每分钟有多少触发点、属于哪些任务、占用多少槽位。"
    ),
    (
        "How long runs take is known from the last week; runs that were triggered are not foreseen. A group that would "
        "have less than three tenths of its slots free has a line of its own."
    ): "执行时长取自最近一周；手动触发的执行无法预见。空闲槽位将不足三成的分组单独列出一行。",
    "Show a window of a run's log: the last lines, or those in front of a line or behind it.": (
        "显示执行日志的一段：最后若干行，或某一行之前或之后的行。"
    ),
    "Show how a job's runs of each day ended.": "显示任务每天的执行结果。",
    "Days on which nothing was due are left out.": "没有触发点的日子略去。",
    "Show how a job's runs went: how many, how long, how long they waited, and on which nodes.": (
        "显示任务的执行情况：次数、用时、等待多久、在哪些节点上。"
    ),
    "Tests do not count.": "测试不计入。",
    "Show how the runs of a node went and how loaded it was, up to a minute ago; also of a node that left.": (
        "显示某个节点上的执行情况和节点的负载，截至一分钟前；已离开的节点也可以查看。"
    ),
    "A job that differs from what is usual for it has a line for each anomaly.": "与平时不同的任务，每个异常占一行。",
    "Show in what a job, or every job, differs from what is usual for it at this hour of the week.": (
        "显示某个任务或所有任务与其每周同一时间的平时情况有何不同。"
    ),
    "Show how all runs of the cluster went, what was scheduled and skipped, and how loaded its nodes were.": (
        "显示集群的全部执行情况、已调度和跳过的数量，以及各节点的负载。"
    ),
    "Say why a job did or did not run.": "说明任务为什么执行了或没有执行。",
    # limit
    "Limits: how many runs hold a resource, how many of a group or namespace execute or start.": (
        "限额：一个资源可被多少个执行占用，一个分组或命名空间可有多少个执行运行或开始。"
    ),
    "Limits: how many runs may hold a resource at once, and how many of a group or namespace execute or start.": (
        "限额：一个资源可同时被多少个执行占用，一个分组或命名空间可有多少个执行同时运行或开始。"
    ),
    "A job brings the limits of its namespace along (place.concurrency); an admin makes those of the whole cluster. "
    "Every run of a group or namespace that an admin limits counts in that limit, without its job naming it.": (
        "任务自带其命名空间的限额（place.concurrency）；全集群的限额由管理员设置。"
        "管理员限制了分组或命名空间时，其中每个执行都计入，任务无需点名。"
    ),
    "Take a limit of the whole cluster, of a group or of a namespace away. Needs an admin's token.": (
        "删除全集群、分组或命名空间的限额。需要管理员的令牌。"
    ),
    "A named one goes only when no job counts in it and no run holds it.": (
        "命名的限额只有在没有任务计入、没有执行占用时才能删除。"
    ),
    "List the limits of the cluster and of the namespace, and how many runs hold each.": (
        "列出集群和命名空间的限额，以及各被多少个执行占用。"
    ),
    "Show a limit: which runs hold it since when, how many wait for it, and which jobs count in it.": (
        "显示限额：哪些执行自何时起占用它、多少执行在等待它、哪些任务计入其中。"
    ),
    "It is the namespace's own limit, or else one of the whole cluster. Without a name: the limit of a group (--group) "
    "or of a whole namespace (--namespace). Of a job (--job): which values of its parameter (max_per_key, rate_by) and "
    "which workers (max_per_worker) are full.": (
        "先找命名空间自己的限额，没有则找全集群的。不写名称：分组（--group）或整个命名空间（--namespace）的限额。"
        "任务（--job）：哪些参数值（max_per_key、rate_by）和哪些工作节点（max_per_worker）已满。"
    ),
    "Change a limit, or make one of the whole cluster, of a group or of a namespace. These need an admin's token.": (
        "修改限额，或设置全集群、分组或命名空间的限额。后者需要管理员的令牌。"
    ),
    "With a name, it is the limit that foliot limit show NAME shows: the namespace's own, which its jobs count in, or "
    "else one of the whole cluster, which is made if there is none. Jobs that are saved with its name count in it from "
    "then on. Without a name, every run of the group (--group) or of the namespace (--namespace) counts in it. What you "
    "leave out, MAX or --rate, stays as it is; none instead of one of them takes it away.": (
        "写了名称：即 foliot limit show 名称 所显示的限额：命名空间自己的（其任务计入其中），没有则为全集群的，"
        "全集群的也没有则新建。之后以此名称保存的任务计入其中。不写名称：分组（--group）或命名空间（--namespace）"
        "的每个执行都计入。没有写的数值或 --rate 保持不变；写 none 则取消该项限制。"
    ),
    # lock
    "Locks: who holds one, who waits for it.": "锁：谁持有，谁在等待。",
    "Locks that runs and programs hold: one owner, several, or any number of readers.": (
        "执行和程序持有的锁：一个持有者、若干个，或任意多个读者。"
    ),
    "Each grant has a token that only rises. What a lock protects should refuse a token lower than one it has seen.": (
        "每次授予都有一个只增不减的令牌。受锁保护的资源应拒绝比已见过的更小的令牌。"
    ),
    "List the locks that somebody holds or waits for.": "列出有人持有或等待的锁。",
    "Show a lock: who holds it, under which token and how long, and who waits for it in which order.": (
        "显示一个锁：谁持有、令牌是多少、持有多久，谁按什么顺序等待。"
    ),
    "Where owners took it and other locks in different orders, it says in which order to take them.": (
        "若持有者以不同顺序取此锁和其他锁，会说明应按什么顺序取。"
    ),
    "List who waits for which lock, and who holds it.": "列出谁在等待哪个锁，锁由谁持有。",
    "Take a lock away from its holder. The journal keeps who did it.": "从持有者手中收回锁。事件记录会记下操作者。",
    "The code that held it learns of it within seconds and may write meanwhile: only what refuses old tokens is safe.": (
        "原持有的代码数秒内得知，其间仍可能写入：只有拒绝旧令牌的资源才安全。"
    ),
    # drill
    "Drills: break a node on purpose, and see what the cluster does.": "故障演练：故意让一个节点出故障，看集群如何应对。",
    "Drills: break a node on purpose for a short time, and see what the cluster does.": (
        "故障演练：故意让一个节点短时间出故障，看集群如何应对。"
    ),
    "Only nodes that were started with --allow-drills take part. At most one drill is under way.": (
        "只有启动时加了 --allow-drills 的节点参加。同一时间最多进行一次演练。"
    ),
    "List what can be broken, and the nodes that take part.": "列出可以演练的故障和参加的节点。",
    "Break a node: say what will be broken, ask, break it, wait, and tell how the cluster took it.": (
        "让节点出故障：先说明会发生什么，询问，执行，等待，再报告集群如何应对。"
    ),
    "The drill fails (exit code 1) when a fire was lost, doubled or early.": (
        "有触发丢失、重复或提前时，演练失败（退出码 1）。"
    ),
    "Show a drill: how far it is, or what the cluster did, compared with earlier drills of its type.": (
        "显示一次演练：进度，或集群的应对，并与以往同类演练比较。"
    ),
    "End a drill early. A node that is killed, stopped or cut off cannot hear of it: then the drill ends by itself.": (
        "提前结束演练。被杀死、暂停或隔离的节点收不到消息：那时演练自行结束。"
    ),
    "List the drills there were, with their times, newest first.": "列出以往的演练及其用时，最新的在前。",
    # node
    "Nodes: servers and workers, how they are, taking one out of service.": (
        "节点：服务器和工作节点，它们的状态，以及让其中一个停止服务。"
    ),
    "Take a node out of service: it takes no more work, what it runs goes on to its end.": (
        "让节点停止服务：不再接收新的执行，正在进行的执行继续到结束。"
    ),
    "A server fires, leases and leads no more, sends its workers to other servers, and goes on to answer users.": (
        "服务器不再触发、分发执行或担任主节点，让工作节点转到其他服务器，并继续应答用户。"
    ),
    "Kinds of handlers: what jobs can execute, the workers that offer it, and the options of a job.": (
        "处理器类型：任务能执行什么，由哪些工作节点提供，任务有哪些选项。"
    ),
    "List kinds of handlers, and the nodes that offer them.": "列出处理器类型，以及提供它们的节点。",
    "Show a kind of handler: its versions, the nodes that offer it, and the options of a job.": (
        "显示一个处理器类型：它的版本、提供它的节点，以及任务的选项。"
    ),
    "List nodes.": "列出节点。",
    "Show a node and what runs on it.": "显示节点，以及正在其上进行的执行。",
    "Take a drained node back into service.": "让已排空的节点恢复服务。",
    "Make a standby active: it fires, leases and may lead from its next beat on.": (
        "让备用服务器成为活动服务器：从下一次心跳起，它触发任务、分发执行，并可成为主节点。"
    ),
    "Make a server a standby: it serves users, and fires and leases nothing.": (
        "让服务器成为备用服务器：它为用户服务，但不触发任务，也不分发执行。"
    ),
    "It also holds how many servers are to be active and how many standbys there are to be.": (
        "它也保存应有多少个活动服务器和多少个备用服务器。"
    ),
    # run
    "Runs: list, look at, follow, cancel, run again.": "执行：列出、查看、跟踪、取消、重新执行。",
    "Cancel runs: waiting ones end at once, running ones are asked to stop.": (
        "取消执行：等待中的立即结束，进行中的被请求停止。"
    ),
    "List runs, newest first.": "列出执行，最新的在前。",
    "Show a run's log.": "显示执行的日志。",
    "Print what a run returned. Exit code 6: it has not succeeded; 1: what it returned was not kept.": (
        "打印执行返回的结果。退出码 6：尚未成功；1：结果未保存。"
    ),
    "Run finished runs again, with the same parameters and due instant.": ("重新执行已结束的执行，参数和触发点不变。"),
    "Show a run: state, times, tries, parameters, result.": "显示执行：状态、时间、尝试、参数、结果。",
    "Wait for a run's end. Exit code 6: it did not succeed; 9: it took too long.": (
        "等待执行结束。退出码 6：未成功；9：等待超时。"
    ),
    "Say where runs stand and what they wait for; of several, at most 50, those that are there.": (
        "说明各执行的进展，以及它们在等什么；多个时最多 50 个，只说存在的。"
    ),
    # token
    "Tokens: list, create, rotate, revoke. A token is shown once, when it is made.": (
        "令牌：列出、创建、轮换、吊销。令牌只在创建时显示一次。"
    ),
    "Make a token.": "创建令牌。",
    "List tokens, without their secrets.": "列出令牌，不显示其密钥。",
    "End a token at once, on every server.": "立即作废令牌，在所有服务器上生效。",
    "Make a new secret for a token; the old one goes on for a while.": "为令牌生成新密钥；旧密钥还会有效一段时间。",
    # others
    "Find jobs, runs and nodes by what you remember of them.": "凭记得的内容查找任务、执行和节点。",
    "Say why a job did or did not run, or what a run waits for.": "说明任务为什么执行了或没有执行，或执行在等什么。",
    "Print the completion script of a shell.": "打印命令行补全脚本。",
    "Say what a message's code means, why it happens and what to do next.": "说明消息编号的含义、原因和处理办法。",
    "Print the version.": "打印版本。",
    # bench
    "Measure Foliot on this machine, beside the raw limit of the database.": (
        "在本机上测量 Foliot，并与数据库的裸极限对照。"
    ),
    (
        "Each benchmark starts servers and a worker as processes of its own, works on an empty database, verifies "
        "every row, and sets its figure beside a raw twin: the same row work as bare set-based SQL in the same run. "
        "What it wrote is removed after. Ratios travel between machines; seconds do not."
    ): (
        "每项基准测试都启动自己的服务器和工作节点进程，在空数据库上工作，核对每一行，并把结果与裸 SQL 对照："
        "在同一轮中以集合式 SQL 完成同样的行操作。写入的内容事后清除。比值可以在机器之间比较，秒数不可以。"
    ),
    "Firing and leasing with a long history, beside an empty database.": "历史很长时的触发和租约，与空数据库对照。",
    "A long queue of triggered runs: leased over HTTP, executed, recorded.": (
        "一长队手动触发的执行：经 HTTP 租出、执行、记录。"
    ),
    "Kill servers (SIGKILL) one after the other under load: what it delays. Needs PostgreSQL or MariaDB.": (
        "在负载下逐个强行终止服务器（SIGKILL）：看造成多少延迟。需要 PostgreSQL 或 MariaDB。"
    ),
    "Many jobs of which none is due: statements, CPU and memory of a leader and of a follower.": (
        "许多任务，无一到期：主节点和从节点的语句数、CPU 和内存。"
    ),
    "Many jobs, each every second: all in phase, then spread over the second. None may be missed.": (
        "许多任务，每秒一次：先全部同相，再在一秒内错开。一次都不能漏。"
    ),
    "Many jobs due at one instant: fired, leased over HTTP, executed, recorded.": (
        "许多任务在同一时刻到期：触发、经 HTTP 租出、执行、记录。"
    ),
}

EXAMPLES: Final[Mapping[str, str]] = {
    "Examples:": "示例：",
    "everything in one process, data in ./.foliot": "一个进程包办一切，数据在 ./.foliot",
    "sample jobs in this folder": "在本目录生成示例任务",
    "what a schedule means": "调度计划的含义",
    "10 000 jobs due at once, on SQLite": "10 000 个任务同时到期，在 SQLite 上",
    "the same on your database": "同上，在你的数据库上",
    "the SQL, without running it": "只显示 SQL，不执行",
    "after a backup was put back": "恢复备份之后",
}
"""The heading of examples, and what stands behind some of them."""

BLOCKS: Final[Mapping[str, str]] = {
    (
        "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 login or permission, 5 conflict, "
        "6 the watched run did not succeed, 7 changes pending, 8 server unreachable, "
        "9 waiting timed out, 130 interrupted."
    ): (
        "退出码：0 正常，1 失败，2 用法错误，3 未找到，4 登录或权限，5 冲突，\n"
        "6 所等待的执行未成功，7 有待处理的变化，8 无法连接服务器，\n"
        "9 等待超时，130 被中断。"
    ),
    (
        "Keys: j k move, tab next pane, / filter, enter details, l log, w why, r retry, c cancel, p pause or resume, "
        "d drain or undrain, ? keys, q quit."
    ): (
        "按键：j k 移动，Tab 下一个窗格，/ 筛选，回车 详情，l 日志，w 原因，\n"
        "r 重新执行，c 取消，p 暂停或恢复，d 排空或取消排空，? 按键，q 退出。"
    ),
}
"""Blocks whose lines are kept as they are."""
