"""What help says of options, in Chinese: by the English text beside the option."""

from collections.abc import Mapping
from typing import Final

OPTIONS: Final[Mapping[str, str]] = {
    # of alerts
    "A rule of the whole cluster, also if it is about jobs.": "属于整个集群的规则，即使是关于任务的。",
    "A setting of its kind: url=https://…": "此类型的一项设置：url=https://…",
    "About one alert.": "关于某条告警的。",
    "After so long tell these, too: 30m=boss.": "过了这么久再通知这些渠道：30m=boss。",
    "All alerts there, when nothing is named.": "未指明时表示其中的全部告警。",
    "Also what is over, and what has not lasted long enough to be told.": "也包括已恢复的，以及持续时间还不够通知的。",
    "Also while rules name it.": "即使有规则使用它。",
    "Any field of a rule: hours.timezone=UTC.": "规则的任意字段：hours.timezone=UTC。",
    "Ask this rule, which is not saved: YAML, TOML or JSON.": "用这条未保存的规则：YAML、TOML 或 JSON。",
    'At most so many messages: "30 in 1m"; more go into one.': "最多发送这么多消息：“30 in 1m”；更多的合并为一条。",
    "Change nothing; exit code 7 when something would change.": "不做改变；会有改变时退出码为 7。",
    "Collect so long, then tell all at once; critical ones at once.": "收集这么久后一次通知；严重的立即通知。",
    "For the others who look at it.": "写给其他查看的人。",
    "For the whole cluster, not for one namespace.": "对整个集群，而不是一个命名空间。",
    "For those who wonder why nobody was told.": "写给想知道为什么没有通知的人。",
    "How it is told; foliot alert channel kinds lists them.": "通知的方式；foliot alert channel kinds 列出全部类型。",
    "How long: 30m, 2h, 1d.": "多久：30m、2h、1d。",
    'It must be seen so often: 3, or "2 in 24h".': "须出现这么多次：3，或“2 in 24h”。",
    "It must be so for this long.": "须持续这么久。",
    "Less grave alerts are not told here.": "级别更低的告警不通知到这里。",
    "Look for it, or not for now.": "启用，或暂时停用。",
    "Of its messages.": "消息所用的语言。",
    "Of jobs of this group.": "此分组的任务的。",
    "Of jobs whose name fits: settle, 'etl_*'.": "名称相符的任务的：settle、'etl_*'。",
    "Of nodes whose name fits.": "名称相符的节点的。",
    "Of one rule.": "某条规则的。",
    "Of rules whose name fits.": "名称相符的规则的。",
    "Of what: job=, group=, node=, or a tag of a job.": "限于什么：job=、group=、node=，或任务的标记。",
    "Rules that name nobody tell it.": "没有写明渠道的规则通知到这里。",
    "Tell also when it is over.": "恢复时也通知。",
    "Tell it again so often, until somebody looks after it.": "每隔这么久再次通知，直到有人处理。",
    "Tell so often that the cluster lives, for a dead man's switch.": "每隔这么久告知集群仍在运行，供失联检测使用。",
    "What is told.": "消息的种类。",
    "In this language alone.": "仅用这种语言。",
    "What would go over the line, as JSON.": "实际会发送的内容，JSON 格式。",
    "About this alert.": "针对这条告警。",
    "As if this run had caused it.": "假定由这次执行引起。",
    "By this rule; else by what a job itself asks for.": "按这条规则；否则按任务自身的告警设置。",
    "That touch this job.": "涉及此任务的。",
    "That touch this node.": "涉及此节点的。",
    "That touched this job.": "涉及过此任务的。",
    "The channel alone, as a file has it.": "只显示渠道，按文件的写法。",
    "The channel as a whole: YAML, TOML, JSON; - is standard input.": "整个渠道：YAML、TOML、JSON；- 表示标准输入。",
    "The cluster's rule, where the namespace has one of that name, too.": "命名空间也有同名规则时，指集群的那条。",
    "The rule alone, as a file has it.": "只显示规则，按文件的写法。",
    "The rule as a whole: YAML, TOML, JSON; - is standard input.": "整条规则：YAML、TOML、JSON；- 表示标准输入。",
    "The run that the rule is asked of.": "要判断的执行。",
    "This alert alone.": "只限这条告警。",
    "Those that were not over by then; of a week when nothing is said.": "到那时尚未恢复的；不写则为最近一周。",
    "To one channel.": "发往某个渠道的。",
    "Use it, or not for now.": "启用，或暂时停用。",
    "What Foliot does by itself: retry=1, pause=true, trigger=JOB.": "自动做什么：retry=1、pause=true、trigger=任务。",
    'What to look for: failed, "failed 2 of 3", "late 10m", "node dead".': (
        "发现什么：failed、“failed 2 of 3”、“late 10m”、“node dead”。"
    ),
    "When it ends, in the place of --for.": "何时结束，代替 --for。",
    'When people work: "mon-fri 09:00-18:00 Asia/Shanghai"; else only critical ones.': (
        "工作时间：“mon-fri 09:00-18:00 Asia/Shanghai”；此外只通知严重的。"
    ),
    "Whom to tell; the default channels when nobody is named.": "通知谁；不写则通知默认渠道。",
    "YAML, TOML, JSON; - is standard input.": "YAML、TOML、JSON；- 表示标准输入。",
    "critical, warning, info; several with commas.": (
        "critical（严重）、warning（警告）、info（提示）；多个用逗号分隔。"
    ),
    "firing, acknowledged, pending, resolved; several with commas.": (
        "firing（告警中）、acknowledged（处理中）、pending（未到时间）、resolved（已恢复）；多个用逗号分隔。"
    ),
    # of locks
    "Of the hold that is to end; foliot lock show has it.": "要结束的那次持有的令牌；可用 foliot lock show 查看。",
    "Yes, take it away: its code may still be at work.": "不再询问，直接收回：持有者的代码可能仍在执行。",
    # of every command
    "Global options, before or behind a command that asks a server": "全局选项，写在访问服务器的命令之前或之后均可",
    "Show the version and exit.": "显示版本后退出。",
    "Show this message and exit.": "显示此帮助后退出。",
    "Another context than the one in use.": "使用另一个上下文。",
    "The cluster to ask.": "要访问的集群。",
    "A file with the token.": "存放令牌的文件。",
    "Certificates of who signs the cluster's.": "签发集群证书的机构的证书。",
    "Send tokens unencrypted over a network.": "允许令牌以明文经过网络。",
    "Where names are looked up.": "在哪个命名空间查找名称。",
    "Form of the data.": "数据的格式。",
    "Ids only.": "只输出编号。",
    "Tell more when something fails.": "出错时显示更多信息。",
    "No colour.": "不使用颜色。",
    "Zone of the times.": "时间所用的时区。",
    "en or zh-CN.": "语言：en 或 zh-CN。",
    "Do not ask back.": "不再询问确认。",
    "How long to try.": "最多尝试多久。",
    "Go on behind a page.": "从上一页之后继续。",
    "How long to wait.": "最多等待多久。",
    "Start it again when it crashes or stands still.": "崩溃或停滞时重新启动。",
    "With --supervise: how long its loop may stand still.": "与 --supervise 同用：主循环最多可停滞多久。",
    # times
    "2h is two hours ago, +2h ahead; 16:45 is today's.": "2h 表示两小时前，+2h 表示两小时后；16:45 指今天的。",
    "2h is two hours ahead, -2h ago; 16:45 is the next one.": "2h 表示两小时后，-2h 表示两小时前；16:45 指下一个。",
    "From then on.": "从此时刻起。",
    "Until then.": "到此时刻为止。",
    "Created since then.": "此后创建的。",
    "Created before then.": "此前创建的。",
    "With --job: those created since then.": "与 --job 同用：此后创建的。",
    "Lines written since then.": "此后写下的行。",
    "One instant.": "一个时刻。",
    "All instants since then.": "此后的所有触发点。",
    "Look from then on instead of now.": "从此时刻算起，而不是从现在。",
    "Not included; now when nothing is said.": "不含此时刻；未指定时为现在。",
    # calendar
    "A field: country=CN, exclude='[\"2026-12-31\"]'.": "一个字段：country=CN、exclude='[\"2026-12-31\"]'。",
    "An earlier version.": "较早的版本。",
    # cluster
    "jobs, runs, nodes, cluster; several with commas.": "jobs、runs、nodes、cluster；多个用逗号分隔。",
    "About one job, run or node.": "只看某个任务、执行或节点。",
    "End it by itself; unless said, off ends it.": "到时自动结束；未指定时由 off 结束。",
    "Of one type; foliot cluster policy names them.": "只看一种类型；foliot cluster policy 列出所有类型。",
    "Those that were not over by then.": "到此时刻尚未结束的。",
    "Those that were seen then or later.": "此时刻或之后仍出现的。",
    "Of one kind.": "只看一种类型。",
    "Only what is not over.": "只看尚未结束的。",
    "A failure that lasts longer needs a person.": "故障持续更久就需要人来处理。",
    "A TOML file about channels of alerts: [notify], [secrets.NAME] and own [channels.NAME].": (
        "告警通道的 TOML 文件：[notify]、[secrets.NAME] 与服务器自己的 [channels.NAME]。"
    ),
    "A replica of the store's database: it answers reads while the store is away.": (
        "存储数据库的副本：存储无响应时由它回答读取。"
    ),
    "While fewer servers are active, a standby is promoted.": "活动服务器少于此数时，提升一个备用服务器。",
    "While fewer standbys live, the doctor warns.": "备用服务器少于此数时，检查会发出警告。",
    "Serve users, but fire and lease nothing until this server is promoted.": (
        "为用户服务，但在被提升之前不触发任务，也不分发执行。"
    ),
    "One that needs its action more often, too.": "需要采取措施的次数更多时也是如此。",
    "How urgent that is.": "有多紧急。",
    "The channel that is told; - for none, then the default ones are.": "通知的渠道；- 表示不设，此时通知默认渠道。",
    "Go on with what happens.": "持续显示新发生的事。",
    "Do the repairs that are safe, then look again.": "执行安全的修复，然后重新检查。",
    "Which server is to lead; unless said, the oldest.": "由哪个服务器担任主节点；未指定时为最早启动的。",
    # drill
    "Admins may break this process on purpose: foliot drill.": "管理员可以故意让此进程出故障：foliot drill。",
    "The node that is broken.": "出故障的节点。",
    "How long; at most 10m.": "持续多久；最多 10m。",
    "Also when no other node can do its work.": "即使没有其他节点能接替它。",
    "Say what would be broken, and break nothing.": "只说明会发生什么，不真正执行。",
    "Do not wait for the end; foliot drill show tells it.": "不等结束；foliot drill show 会显示结果。",
    "How far the clock is ahead (clock_step; -1h: back), or what each transaction takes longer (slow_store).": (
        "时钟快多少（clock_step；-1h 表示慢），或每个事务多用多长时间（slow_store）。"
    ),
    "Of one type; foliot drill list names them.": "只看一种类型；foliot drill list 列出所有类型。",
    # context, login
    "The cluster's address; several with commas.": "集群的地址；多个用逗号分隔。",
    "A file with its token, which is copied.": "存放其令牌的文件，内容会被复制。",
    "Do not use it yet.": "暂不使用它。",
    "Name of the context (default: the host).": "上下文的名称（默认为主机名）。",
    # cron
    "The dialect wanted.": "要转换成的方言。",
    "The one it is in, if not evident.": "表达式本身的方言，无法看出时指定。",
    "Form of the answer.": "输出的格式。",
    "en or zh-CN; else as your locale says.": "en 或 zh-CN；未指定时按系统的语言设置。",
    "Time zone of the wall clock.": "本地时钟的时区。",
    "Else told by its fields.": "未指定时由字段判断。",
    "Days that count: weekdays, cn-workdays, us-ny-holidays …": "计入的日子：weekdays、cn-workdays、us-ny-holidays 等",
    "For hours that are skipped.": "夏令时跳过的小时怎样处理。",
    "For repeated hours.": "夏令时重复的小时怎样处理。",
    "Name of the job, which places H.": "任务的名称，决定 H 的取值。",
    "How many fires.": "显示多少次触发。",
    "The keys and workers that are full of a job's runs.": "任务的哪些键和工作节点已满。",
    "The limit of the whole cluster, though the namespace has its own.": "全集群的限额，即使命名空间有自己的。",
    "The limit of a group of workers.": "工作节点分组的限额。",
    "So many starts in a time: 100/m, 5/s; none: any number.": "一段时间内最多开始多少个：100/m、5/s。",
    "So many starts at once after a quiet time.": "空闲之后一次最多开始多少个。",
    # db
    "Say what it would do, and do nothing.": "只说明会做什么，不执行。",
    "Also while servers are live; each must be restarted then.": "即使有服务器在线也执行；之后须逐一重启。",
    "The store: sqlite:///FILE, postgresql://USER@HOST/DB or mariadb://USER@HOST/DB.": (
        "存储：sqlite:///FILE、postgresql://USER@HOST/DB 或 mariadb://USER@HOST/DB。"
    ),
    "A file with the store's URL, so that a password stands in no command line.": (
        "存放存储地址的文件，使密码不出现在命令行中。"
    ),
    "Print the SQL and run none of it.": "只打印 SQL，不执行。",
    # job
    "Included.": "包含此时刻。",
    "Not included.": "不含此时刻。",
    "Wait until it is done.": "等待完成。",
    "Only show what it would do.": "只显示会做什么。",
    "Of one job.": "只看某个任务的。",
    "Make no further runs for now.": "暂时不再创建执行。",
    "Go on.": "继续。",
    "Make no further runs at all.": "不再创建任何执行。",
    "A field of the new job.": "新任务的一个字段。",
    "When: a cron expression.": "何时：cron 表达式。",
    "When: every so often.": "何时：每隔一段时间。",
    "When: so long after the end of the last run.": "何时：上次执行结束之后多久。",
    "When: once.": "何时：一次。",
    "The zone of --cron.": "--cron 的时区。",
    "What: a function that a worker offers.": "执行什么：工作节点提供的函数。",
    "What: a URL to call.": "执行什么：要调用的 URL。",
    "Of --http (default: POST with a body, else GET).": "用于 --http（默认：有请求体时为 `POST`，否则为 `GET`）。",
    "Of --http: a header.": "用于 --http：一个请求头。",
    "Of --http: JSON or text to send; @FILE reads it.": "用于 --http：要发送的 JSON 或文本；@文件 表示从文件读取。",
    "What: a command and its arguments; no shell reads it.": "执行什么：命令及其参数；不经由命令解释器。",
    "What: the text of a script.": "执行什么：脚本的文本。",
    "Of --script (default: by the file's name).": "用于 --script（默认：由文件名得知）。",
    "What: an SQL statement; @FILE reads it.": "执行什么：一条 SQL 语句；@文件 表示从文件读取。",
    "Of --sql: a connection that workers know.": "用于 --sql：工作节点知道的连接。",
    "What: another kind of handler, with --option; foliot handler show lists its options.": (
        "执行什么：其他处理器类型，与 --option 一同使用；foliot handler show 列出它的选项。"
    ),
    "An option of the kind of handler.": "处理器类型的一个选项。",
    "Only check, and print the definition.": "只检查，并输出任务定义。",
    "A parameter.": "一个参数。",
    "How long a run may take.": "一次执行的时限。",
    "Any field of a definition: place.priority=7.": "任务定义的任一字段：place.priority=7。",
    "Which of the fitting workers gets a run: round, least_load ...": (
        "由哪个合适的工作节点执行：round、least_load 等。"
    ),
    "A label that a worker must have.": "工作节点必须具有的标签。",
    "A label of workers that are preferred.": "优先选择的工作节点的标签。",
    "A label of workers that get a run only when no other can.": "仅在别无选择时才使用的工作节点的标签。",
    "A label over whose values its runs are spread.": "执行按该标签的值分散。",
    "Only say what it would mean.": "只说明其含义，不创建。",
    "A field: timeout=45m, place.priority=7.": "一个字段：timeout=45m、place.priority=7。",
    "A field to take away.": "要去掉的字段。",
    "Included; a day ago when nothing is said.": "包含此时刻；未指定时为一天前。",
    "Only jobs with this tag.": "只列出带此标记的任务。",
    "active, paused, retired, done; several with commas.": "active、paused、retired、done；多个用逗号分隔。",
    "Whose last run failed.": "最近一次执行失败的。",
    "Due for a minute and not decided.": "到期已一分钟而尚未决定的。",
    "The same as --state paused.": "与 --state paused 相同。",
    "In name, description or owner.": "在名称、说明或负责人中查找。",
    "fails and p95: of the latest runs of the cluster, the worst first.": (
        "fails 和 p95：按集群最近的执行统计，最差的在前。"
    ),
    "Again every two seconds, until Ctrl-C.": "每两秒刷新，直到 Ctrl-C。",
    "Every job with this tag.": "带此标记的所有任务。",
    "Every job of this group.": "该组的所有任务。",
    "Every job of this owner.": "该负责人的所有任务。",
    "Every job with this in its name, description or owner.": "名称、说明或负责人中含此文字的所有任务。",
    "Every job whose last run failed.": "最近一次执行失败的所有任务。",
    "How many days.": "多少天。",
    "How long one point is.": "一个数据点的时长。",
    "A week before --to, unless said.": "默认为 --to 之前一周。",
    "Now, unless said.": "默认为现在。",
    "The last of them; today, unless said.": "其中最后一天；未指定则为今天。",
    "How far to look.": "看多远。",
    "How many lines.": "多少行。",
    "The lines in front of this one.": "此行之前的行。",
    "The lines behind this one.": "此行之后的行。",
    "Lines that hold this text.": "包含此文字的行。",
    "Every job of the namespace that stands ahead of its schedule.": "命名空间中所有超前于调度计划的任务。",
    "Only say what would be done.": "只说明会做什么。",
    "Paused time follows the misfire policy instead of being left out.": "暂停期间按错过策略补跑，而不是略过。",
    "The version to go back to.": "要回到的版本。",
    "Instants to come.": "显示多少个将来的触发点。",
    "Every version with who, when and why.": "每个版本及其修改人、时间和原因。",
    "Its definition alone, as YAML.": "只以 YAML 显示任务定义。",
    "Parameters as JSON; - is stdin.": "JSON 格式的参数；- 表示标准输入。",
    "Test the definition in this file, as JSON; - is stdin.": "测试此文件中 JSON 格式的定义；- 表示标准输入。",
    "Not before then.": "不早于此时刻。",
    "Not before so long.": "至少延后这么久。",
    "Run beside an open run.": "与未结束的执行并行。",
    "The same key means the same run.": "键相同即为同一次执行。",
    "Wait for the end, print the result; exit code 6 unless it succeeded.": (
        "等待结束并打印结果；未成功时退出码为 6。"
    ),
    "Show its log while waiting.": "等待时显示其日志。",
    "Only check.": "只做检查。",
    # node
    "The worker on this machine.": "本机上的工作节点。",
    "Do not wait for its runs.": "不等待其执行结束。",
    # run
    "Every live run of a job.": "某任务所有未结束的执行。",
    "Every live run of jobs with this tag.": "带此标记的任务所有未结束的执行。",
    "Do not ask running ones to stop: end them at once.": "不请求停止，立即结束进行中的执行。",
    "As they are shown: failed, held, retrying …; several with commas.": (
        "所显示的状态：failed、held、retrying 等；多个用逗号分隔。"
    ),
    "Of failures: error, timeout, lost, rejected, poison.": "失败的类型：error、timeout、lost、rejected、poison。",
    "Of jobs with this tag.": "带此标记的任务的执行。",
    "Also shards.": "也列出分片。",
    "Only tests of jobs, or all but those.": "只列出任务的测试，或排除测试。",
    "The newest run of a job.": "某任务最新的执行。",
    "As it comes; with --job, run after run.": "持续跟踪；与 --job 同用时逐次跟踪各个执行。",
    "Of one shard.": "只看某个分片的。",
    "Of one try.": "只看某次尝试的。",
    "Lines that match this expression.": "只看匹配此正则表达式的行。",
    "The last lines only.": "只看最后若干行。",
    "As it is kept: times in UTC, and control characters in a pipe.": (
        "按保存的原样：时间用 UTC；输出到管道时保留控制字符。"
    ),
    "Only the shards that did not succeed; the others keep their results.": "只重新执行未成功的分片；其余保留结果。",
    "Every failed run of a job that is no test.": "某任务所有失败的执行（不含测试）。",
    # server
    "The store: postgresql://USER@HOST/DB, several hosts with commas.": (
        "存储：postgresql://USER@HOST/DB，多个主机用逗号分隔。"
    ),
    "A file with the store's URL.": "存放存储地址的文件。",
    "HOST:PORT; port 0 picks a free one.": "HOST:PORT；端口 0 表示任选一个空闲端口。",
    "This server's name (default: host and port).": "此服务器的名称（默认为主机名和端口）。",
    "A proxy in front speaks TLS: listening beyond this machine is allowed.": (
        "前面的代理负责 TLS：允许监听本机以外的地址。"
    ),
    (
        "Where systems that jobs wait for reach the servers (callbacks); default: where the worker reaches them."
    ): "任务所等待的系统访问服务器的地址（回调）；默认为工作节点访问服务器的地址。",
    "Where workers reach this server; every worker is told, and goes on here when its own server is gone.": (
        "工作节点访问此服务器的地址；所有工作节点都会得知，自己的服务器离去后会转到这里。"
    ),
    "When nodes get less work or none, and how much less: warning_after=7s,warning_share=0.5.": (
        "节点何时少得或不得工作，以及少多少：`warning_after=7s,warning_share=0.5`。"
    ),
    "How much each figure counts in a node's score: cpu=0.4,memory=0.3,connections=0.2,running=0.1.": (
        "各项指标在节点评分中的权重：`cpu=0.4,memory=0.3,connections=0.2,running=0.1`。"
    ),
    "Runs that wait for other systems without a slot.": "不占槽位、等待其他系统的执行数。",
    "Take tokens unencrypted over a network.": "允许令牌以明文经网络到达。",
    "The certificate and its chain (PEM); read again when it is renewed.": "证书及其证书链（PEM）；更新后会重新读取。",
    "The certificate's private key (PEM, without a password).": "证书的私钥（PEM，不带密码）。",
    "The first admin token of an empty store.": "空存储的第一个管理员令牌。",
    # token
    "read, run, write, admin, worker, script.": "read、run、write、admin、worker、script。",
    "Nothing outside this namespace exists for it.": "令牌只能看到此命名空间。",
    "It acts on the jobs of this group only.": "令牌只能操作此分组的任务。",
    "Write it to a file that only you can read, not to the screen.": "写入只有你能读取的文件，不显示在屏幕上。",
    "Also those that are over.": "也列出已失效的。",
    "How long the old secret goes on.": "旧密钥继续有效多久。",
    "What chooses the leader: the store, redis://, etcd://, zookeeper://, file://, or one of a package.": (
        "由谁选出主节点：存储本身、redis://、etcd://、zookeeper://、file://，或软件包提供的协调后端。"
    ),
    # up, worker
    "Another port than that of --listen; 0 picks a free one.": "代替 --listen 的端口；0 表示任选空闲端口。",
    "Where everything is kept.": "所有数据存放的位置。",
    "Look at this store alone, and ask no server.": "只查看此存储，不询问服务器。",
    "Its share of work beside other workers.": "与其他工作节点相比所得的份额。",
    "Who else drains as many, on PostgreSQL and where it is installed.": (
        "还有谁处理同样多的执行；在 PostgreSQL 上，且已安装时。"
    ),
    "Jobs with this route beside jobs without one, on two workers.": (
        "使用此路由的任务与不用路由的任务对比，在两个工作节点上。"
    ),
    "Again: several.": "可重复给出。",
    "Runs at one time.": "同时进行的执行数。",
    "Runs at one time; http=2000: slots for one kind of handler.": "同时进行的执行数；http=2000：某种处理器的槽位。",
    "Variables that jobs do not get: SMTP_PASSWORD,VAULT_*.": "不传给任务的环境变量：SMTP_PASSWORD,VAULT_*。",
    "Variables that jobs get in any case: FOLIOT_SERVER,AWS_*.": "总是传给任务的环境变量：FOLIOT_SERVER,AWS_*。",
    "Jobs get only PATH, HOME, TZ and the like, and what is kept.": "只传给任务 PATH、HOME、TZ 等，以及要保留的变量。",
    "Do not load changed files again.": "文件改变后不重新加载。",
    "The metrics show N jobs one by one, at most 1000, and all others added up.": (
        "指标逐个显示 N 个任务（最多 1000 个），其余任务合并显示。"
    ),
    "How often to look, from 500ms to 1h.": "多久刷新一次，从 500ms 到 1h。",
    "Jobs that no code declares any more go on.": "不再被任何代码声明的任务继续运行。",
    "Jobs that no code declares any more go on; give it to every server.": (
        "不再被任何代码声明的任务继续运行；每个服务器都要设置。"
    ),
    "Take jobs over that live workers of another module declare.": "接管由另一模块的在线工作节点声明的任务。",
    "URL of a server, several with commas.": "服务器的地址，多个用逗号分隔。",
    "Certificates of who signs the servers'.": "签发服务器证书的机构的证书。",
    "Send the token unencrypted over a network.": "允许令牌以明文经过网络。",
    "This worker's name (default: host and pid).": "此工作节点的名称（默认为主机名和进程号）。",
    "The pool of workers this one belongs to.": "此工作节点所属的分组。",
    "What this worker has: gpu=yes,zone=cn-east.": "此工作节点具备的标签：gpu=yes,zone=cn-east。",
    "What one run in a process may use: memory=1G,cpu=10m,files=1024.": (
        "进程中的一次执行可用的资源：memory=1G,cpu=10m,files=1024。"
    ),
    "Kinds of handlers to execute beside Python: http,sql,shell.": "除 Python 外还执行的处理器类型：http,sql,shell。",
    "A TOML file with a table for each kind of handler, [handlers.KIND], and each secret, [secrets.NAME].": (
        "TOML 文件，每种处理器类型一个表：[handlers.类型]；每个密钥一个表：[secrets.名称]。"
    ),
    "One setting of a kind of handler; it wins over the file.": "某种处理器类型的一项设置，优先于文件。",
    "How long runs may go on after a stop.": "停止之后，执行还可继续多久。",
    "Where results wait for a server (default: the user's state folder).": (
        "结果等待上报时的存放位置（默认为用户的状态目录）。"
    ),
    # why
    "One instant of a job.": "任务的一个触发点。",
    "All instants of a job since then.": "任务此后的所有触发点。",
    # bench
    "Finished ones.": "已结束的执行数。",
    "Jobs fired in each round.": "每轮触发的任务数。",
    "How often, each time beside the twin.": "重复多少次，每次都与裸 SQL 对照。",
    "An empty database; left out: SQLite files.": "空的数据库；未指定时用 SQLite 文件。",
    "A file with its URL, so that a password stands in no command line.": "存放其地址的文件，使密码不出现在命令行中。",
    "Another empty one for the twin; left out: made beside --db.": (
        "供裸 SQL 使用的另一个空库；未指定时建在 --db 旁边。"
    ),
    "One JSON document.": "输出一个 JSON 文档。",
    "No progress.": "不显示进度。",
    "Seconds from kill to kill.": "两次终止之间的秒数。",
    "How many jobs memory is compared with.": "与多少个任务时的内存比较。",
    "Seconds after a start that do not count.": "启动后不计入的秒数。",
    "One of the two shapes.": "只测两种形态之一。",
}

METAVARS: Final[Mapping[str, str]] = {
    "CHANNEL": "渠道",
    "CONDITION": "条件",
    "DURATION=CHANNELS": "时长=渠道",
    "HOURS": "时段",
    "ID..": "编号..",
    "JOB": "任务",
    "K=PATTERN": "键=模式",
    "LEVELS": "级别",
    "PATTERN": "模式",
    "RULE": "规则",
    "RUN": "执行",
    "TIMES": "次数",
    "AFTER": "新版本",
    "RATE": "速率",
    "NAME_MAX": "名称与数值",
    "BEFORE": "旧版本",
    "BOOLEAN": "是否",
    "CONTEXT": "上下文",
    "CURSOR": "游标",
    "DATE": "日期",
    "POSITION": "位置",
    "DIRECTORY": "目录",
    "DURATION": "时长",
    "EXPR": "表达式",
    "QUERY": "语句",
    "METHOD": "方法",
    "KIND": "类型",
    "LANGUAGE": "语言",
    "LEVEL": "级别",
    "CMD": "命令",
    "EXPRESSION": "表达式",
    "FILE": "文件",
    "FILES": "文件",
    "FOLDER": "目录",
    "GROUP": "分组",
    "ID": "编号",
    "INTEGER RANGE": "整数",
    "JOB|RUN": "任务|执行",
    "K=V": "键=值",
    "KEY": "键",
    "KIND.KEY=VALUE": "类型.键=值",
    "N,KIND=N": "个数,类型=个数",
    "NAME=VALUE,..": "名称=值,..",
    "KINDS": "类型",
    "LANG": "语言",
    "M:F": "模块:函数",
    "MODULES": "模块",
    "N": "行数",
    "ROUTE": "路由",
    "LABEL": "标签",
    "NAME": "名称",
    "NAMES": "名称",
    "NEW": "新名称",
    "NODE": "节点",
    "NS": "命名空间",
    "PATH": "路径",
    "PATH=V": "字段=值",
    "RE": "正则",
    "STATES": "状态",
    "TEXT": "文本",
    "TIME": "时间",
    "TOPICS": "主题",
    "WHO": "负责人",
    "ZONE": "时区",
}
"""What stands for the value of an option or argument."""

METAVARS_AS_THEY_ARE: Final = frozenset({"FOL-nnnn", "URL", "vN"})
"""What stands for a value and is no word."""
