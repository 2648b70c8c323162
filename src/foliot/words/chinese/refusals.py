"""Sentences and next steps of errors that keep no values, in Chinese: by the English, with holes for what it holds."""

# ruff: noqa: E501 (a key is a whole text, and a Chinese letter counts twice)

from collections.abc import Mapping
from typing import Final

REFUSALS: Final[Mapping[str, str]] = {
    "PgQueuer's worker said {said}, and not {word}.": "对照队列的工作进程说的是 {said}，而不是 {word}。",
    "PgQueuer's worker did not empty its queue.": "对照队列的工作进程没有清空它的队列。",
    "PgQueuer executed {ended} of {entries} entries.": "对照的队列只执行了 {entries} 项中的 {ended} 项。",
    "Something went wrong inside Foliot.": "Foliot 内部出错。",
    # settings and words of a command line (FOL-1000, 1020, 1030, 1095)
    "No store was given.": "未指定存储。",
    '{option}: "{name}" is not the name of a variable.': "{option}：“{name}”不是环境变量的名称。",
    '{name}: "{value}" cannot be a limit.': "{name}：“{value}”不能作为限额。",
    '"{pair}" is not a limit.': "“{pair}”不是限额。",
    "A certificate and its key belong together.": "证书与私钥须一同给出。",
    '"{written}" is not an address that other systems can call.': "“{written}”不是其他系统可以访问的地址。",
    '"{written}" is not an address to listen on.': "“{written}”不是可监听的地址。",
    "{modules} declares no jobs.": "{modules} 没有声明任务。",
    '"{pair}" is not a label.': "“{pair}”不是标签。",
    'Workers cannot reach this server at "{written}": it speaks {scheme}.': (
        "工作节点无法通过“{written}”访问此服务器：它使用 {scheme}。"
    ),
    'There is no "{name}" to set.': "没有可设置的“{name}”。",
    '{name}: "{value}" is not a number.': "{name}：“{value}”不是数字。",
    "The weight of {name} is not from 0 to 1.": "{name} 的权重不在 0 到 1 之间。",
    "The weights of a node's load do not add up to 1.": "节点负载的权重之和不是 1。",
    "calm must be below score, and both are above 0 and at most 1.": "`calm` 须低于 `score`，两者都大于 0 且不超过 1。",
    "The thresholds of health are for another session ttl.": "健康阈值对应的是另一个会话时限（ttl）。",
    "memory_calm must be below memory, and both are above 0 and at most 1.": "`memory_calm` 须低于 `memory`，两者都大于 0 且不超过 1。",
    "beats must be from 1 to {BEATS_MAX}.": "`beats` 须为 1 到 {BEATS_MAX}。",
    "warning_share must be from 0 to 1.": "warning_share 须为 0 到 1。",
    "connections_max must be at least 1.": "connections_max 至少为 1。",
    "warning_after must be longer than a beat and shorter than offline_after; offline_after is at most the time of a session.": "warning_after 须长于心跳间隔且短于 offline_after；offline_after 不超过会话时长。",
    "SQLite has one server: there is nothing to fail over to.": "SQLite 只有一个服务器：没有可切换的对象。",
    '"{url}" has no server to ask.': "“{url}”没有可访问的服务器。",
    '"{url}" is not a store Foliot can use: {why}.': "“{url}”不是 Foliot 可用的存储：{why}。",
    "{address} cannot be listened on: {why}.": "无法监听 {address}：{why}。",
    "A beat must come at least three times per session ttl.": "每个会话时限（ttl）内至少须有三次心跳。",
    "The margin must be at least a tenth of the session ttl.": "余量（margin）至少须为会话时限（ttl）的十分之一。",
    "leader_ttl + 4 ticks must fit in half a session ttl, or amnesty comes too late.": (
        "leader_ttl 加 4 次节拍须在会话时限（ttl）的一半之内，否则宽限来得太晚。"
    ),
    "The certificate {certificate} with the key {key} cannot be used: {why}.": "证书 {certificate} 与私钥 {key} 无法使用：{why}。",
    '"{written}" is not a fault point.': "“{written}”不是故障点。",
    "Listening on {host} would let others read the traffic: it is not encrypted.": "监听 {host} 会让他人读到通信内容：它未加密。",
    'role="{role}" is not available inside an application here.': "在应用程序内不能使用 role=“{role}”。",
    # files
    "{file} cannot be read: {why}.": "无法读取 {file}：{why}。",
    '"{written}" (from {source}) is not the address of a server.': "“{written}”（来自 {source}）不是服务器地址。",
    "{place} cannot be loaded: {why}.": "无法加载 {place}：{why}。",
    "{place} cannot be loaded: {why}. The previous version ({count} job) keeps running.": (
        "无法加载 {place}：{why}。上一版本（{count} 个任务）继续运行。"
    ),
    "{place} cannot be loaded: {why}. The previous version ({count} jobs) keeps running.": (
        "无法加载 {place}：{why}。上一版本（{count} 个任务）继续运行。"
    ),
    # values
    "{what} is not JSON: {why}.": "{what}不是 JSON：{why}。",
    "{what} is not JSON at {path}: {why}.": "{what}在 {path} 处不是 JSON：{why}。",
    '"{written}" cannot be the name of a {kind}: {why}.': "“{written}”不能作为{kind}的名称：{why}。",
    '"{written}" is not a backoff: {why}.': "“{written}”不是退避写法：{why}。",
    "The given token cannot be used: {why}.": "给出的令牌不能使用：{why}。",
    # code of users
    "{function}: parameter {parameter} ({annotation}) cannot be filled from JSON.": (
        "{function}：参数 {parameter}（{annotation}）无法由 JSON 填写。"
    ),
    'A "{type}" has no stable value to choose its shard by.': "“{type}”没有稳定的值，无法据以选择分片。",
    "The checkpoint was not saved: {why}.": "检查点未保存：{why}。",
    "ctx.sleep blocks, and this is an async function: every other run of the worker would wait.": (
        "ctx.sleep 会阻塞，而这是 async 函数：此工作节点的其他执行都要等待。"
    ),
    "{function} is a generator (it contains yield): calling it would do nothing.": "{function} 是生成器（含有 yield）：调用它什么也不会做。",
    "foliot.ctx() was called outside of a run.": "在执行之外调用了 foliot.ctx()。",
    "{job} failed: {error}": "{job} 失败：{error}",
    # requests
    "The store cannot take what was sent.": "存储无法保存所发送的内容。",
    "The Content-Length is not a number.": "Content-Length 不是数字。",
    "If-Match is not an ETag of a job.": "If-Match 不是任务的 ETag。",
    '"{name}" is not a parameter of this address.': "此地址没有参数“{name}”。",
    "The query of the address is longer than {most} bytes.": "地址的查询部分超过 {most} 字节。",
    "The address holds the character NUL, which no name has.": "地址含有 NUL 字符，名称中不会有它。",
    "The body is not JSON.": "请求体不是 JSON。",
    "An Idempotency-Key has 1 to {most} characters.": "Idempotency-Key 应为 1 到 {most} 个字符。",
    '"{name}" holds the character NUL.': "“{name}”含有 NUL 字符。",
    "Give either at or since.": "at 和 since 只能给出一个。",
    '"{written}" is not a level.': "“{written}”不是日志级别。",
    "Give either before or after.": "前后两个位置只能给出一个。",
    "This position is not one of this log.": "此位置不属于这份日志。",
    "Give either ids or a job.": "编号和任务只能给出一个。",
    "Give either jobs or a filter.": "任务和筛选条件只能给出一个。",
    "A filter needs expected: how many jobs you saw.": "筛选条件需要 expected：你看到多少个任务。",
    "A bulk action on a job needs expected: how many runs you saw.": "对任务的批量操作需要 expected：你看到多少个执行。",
    "The body has {count} fields, more than anything here takes.": "请求体有 {count} 个字段，超过此处所能接受的。",
    "{field}: is not known here.": "{field}：此处没有这个字段。",
    "The message is not in the worker protocol: {why}.": "消息不符合工作节点协议：{why}。",
    # nodes and the cluster
    "{name} has foliot {version}, which knows no drain of a server.": "{name} 的版本是 foliot {version}，不支持排空服务器。",
    "{name} is stopping by itself and takes no more work.": "{name} 正在自行停止，不再接收执行。",
    "{name} is not draining.": "{name} 没有在排空。",
    "{name} is gone already.": "{name} 已经离开。",
    "{name} is active already.": "{name} 已是活动服务器。",
    "{name} is a standby already.": "{name} 已是备用服务器。",
    "{name} is a worker: only servers have roles.": "{name} 是工作节点：只有服务器才有角色。",
    "{name} changed meanwhile, or it drains.": "{name} 已有变化，或正在排空。",
    "The token is not accepted.": "令牌未被接受。",
    "The store has {name} = {found}; Foliot needs {good}.": "存储的 {name} 为 {found}；Foliot 需要 {good}。",
    "Worker {name} speaks protocol {spoken}; this cluster needs at least {least}.": (
        "工作节点 {name} 使用协议 {spoken}；此集群至少需要 {least}。"
    ),
    "The store takes no such data: {why}.": "存储不接受这样的数据：{why}。",
    "There is no store at {path}.": "{path} 处没有存储。",
    # the benchmark
    "{ended} of {due} runs were leased and ended.": "{due} 个执行中只有 {ended} 个租出并结束。",
    "Not every end was recorded: {found}.": "并非每次结束都有记录：{found}。",
    "{runs} runs could not be loaded within {within} s.": "{runs} 个执行未能在 {within} 秒内装入。",
    "Not {runs} runs of {jobs} jobs that succeeded at once: {counts}.": "{jobs} 个任务的 {runs} 个执行并非都一次成功：{counts}。",
    "There should be no attempts ({attempts}) and no skips ({skips}) beside the runs.": (
        "除执行外，不应有失败的尝试（{attempts}）和跳过（{skips}）。"
    ),
    "{name} did not become leader within {within} s.": "{name} 未能在 {within} 秒内成为主节点。",
    "{name} did not answer within {within} s:\n{tail}": "{name} 未能在 {within} 秒内应答：\n{tail}",
    "{name} did not register within {within} s:\n{tail}": "{name} 未能在 {within} 秒内登记：\n{tail}",
    "{name} ended by itself:\n{tail}": "{name} 自行结束：\n{tail}",
    "{what} is not over after {within} s: {counts}.": "{what} 在 {within} 秒后仍未结束：{counts}。",
    "{count} of {all} runs did not succeed at once.": "{all} 个执行中有 {count} 个未一次成功。",
    "{left} runs are still live {within} s after the last of them was due.": "最后一个到期 {within} 秒后，仍有 {left} 个执行未结束。",
}

NEXT_STEPS: Final[Mapping[str, str]] = {
    'write "08:00"': '请写 "08:00"',
    "write to: [mail]": "请写 to: [mail]",
    "one of {days}": "可用：{days}",
    "leave it out for the last one that is over": "不写则为最近结束的时段",
    "write it as 2026-03-29": "请写成 2026-03-29",
    "from 1970-02-01 to 2198-12-31": "从 1970-02-01 到 2198-12-31",
    "look at the list of schedules": "请查看报告计划列表",
    "apply them in several files": "请分成几个文件应用",
    "say for how long (for: 2h), or until when": "请指明多久（for: 2h），或到何时",
    "write ${secret:NAME}": "例如 ${secret:NAME}",
    "write url, or secret_url": "写 `url` 或 `secret_url`",
    # channels of alerts
    "write 30 in 1m, at most {most}": "例如 30 in 1m，最多 {most}",
    "name a kind of channel, and its settings": "请写明通道的类型及其设置",
    "known: {fields}": "可用：{fields}",
    "write one of the two": "两者只写一个",
    "write 1 or more; pause the job to stop it": "请写 1 或更大；要停止任务请暂停它",
    "write both, or none": "两者都写，或都不写",
    "write 100/m, 5/s, or 1/10s": "请写 100/m、5/s 或 1/10s",
    "{most}/s at most": "最多 {most}/s",
    "give max, rate, or both": "请给出数量、速率或两者",
    "give the rate, too: 100/m": "请同时给出速率：100/m",
    "take one of them out": "请去掉其中一个",
    "take it out of place.{field} or of place.require": "请从 place.{field} 或 place.require 中去掉它",
    "spread over another label, or take it out of place.{field}": "请按另一个标签分散，或从 place.{field} 中去掉它",
    "write debounce: 10s, or {quiet: 10s, by: customer}": "请写 debounce: 10s，或 {quiet: 10s, by: customer}",
    "write throttle: 1/10s, or {rate: 1/10s, by: customer}": "请写 throttle: 1/10s，或 {rate: 1/10s, by: customer}",
    "write 1/10s, or 5/1h": "请写 1/10s 或 5/1h",
    "the server's log tells more, by trace_id": "服务器日志中有更多信息，按 trace_id 查找",
    "did you mean {nearest}?": "是否想写 {nearest}？",
    "known here: {known}": "可用：{known}",
    "leave it out, and it lasts until somebody ends it": "省略它，则持续到有人结束为止",
    # SQL jobs
    "leave it out; mode says whether all statements are one transaction": "请去掉它；mode 决定所有语句是否为一个事务",
    "write it without read_only": "请去掉 read_only",
    "add it to properties of parameters": "请把它加入 `parameters` 的 `properties`",
    # jobs that call URLs
    "write them out": "请直接写出",
    # locks
    "leave out shared, or slots": "请去掉 `shared` 或 `slots`",
    "write 30s, 5m or 1h": "请写 30s、5m 或 1h 的形式",
    "write https://example.org/path": "请写成 https://example.org/path 的形式",
    "write ${secret:NAME}: options are kept in plain text": "请写 ${secret:NAME}：选项以明文保存",
    "write $${ for ${ itself": "要写 ${ 本身，请写 $${",
    "write 2xx, 200 or [200, 204]": "请写 2xx、200 或 [200, 204]",
    # command line and settings
    "--db postgresql://… or mariadb://…": "--db postgresql://… 或 mariadb://…",
    "--db URL, --db-file FILE, or FOLIOT_DB in the environment": "--db URL、--db-file 文件，或环境变量 FOLIOT_DB",
    "--db postgresql://USER@HOST/DB, or --db-file FILE": "--db postgresql://USER@HOST/DB，或 --db-file 文件",
    "write {option} SMTP_PASSWORD,VAULT_* and give the values in the environment": "请写 {option} SMTP_PASSWORD,VAULT_*，值放在环境变量中",
    "write --limits memory=1G,cpu=10m,files=1024,processes=200": "请写 --limits memory=1G,cpu=10m,files=1024,processes=200",
    "give both --tls-cert and --tls-key": "同时给出 --tls-cert 和 --tls-key",
    "write HOST:PORT, such as 127.0.0.1:7171": "请写 HOST:PORT，例如 127.0.0.1:7171",
    "decorate functions with @job; see foliot new": "用 @job 装饰函数；见 foliot new",
    "write --labels gpu=yes,zone=cn-east": "请写 --labels gpu=yes,zone=cn-east",
    "sqlite:///FILE, postgresql://USER@HOST/DB or mariadb://USER@HOST/DB": (
        "sqlite:///FILE、postgresql://USER@HOST/DB 或 mariadb://USER@HOST/DB"
    ),
    "name an address of this machine": "请指定本机的地址",
    "lower beat or raise ttl": "减小 beat 或增大 ttl",
    "raise margin": "增大 margin",
    "make them for this ttl": "请按该会话时限（ttl）设置",
    "write --load-weights cpu=0.4,memory=0.3,connections=0.2,running=0.1": (
        "请写 --load-weights cpu=0.4,memory=0.3,connections=0.2,running=0.1"
    ),
    "write --health warning_after=7s,offline_after=11s,warning_share=0.5,score=0.9,calm=0.8,beats=3": (
        "请写 --health warning_after=7s,offline_after=11s,warning_share=0.5,score=0.9,calm=0.8,beats=3"
    ),
    "write --health memory=0.95,memory_calm=0.9": "请写 --health memory=0.95,memory_calm=0.9",
    "write --advertise {scheme}://HOST:PORT": "请写 --advertise {scheme}://HOST:PORT",
    "a beat is {beat}, the time of a session {ttl}": "心跳间隔为 {beat}，会话时长为 {ttl}",
    "lower leader_ttl or raise session ttl": "减小 leader_ttl 或增大会话的 ttl",
    "both are PEM files that this user may read; the certificate comes first in its chain": (
        "两者都应是此用户可读的 PEM 文件；证书排在证书链的最前面"
    ),
    "write kill:PLACE:COUNT, stop:PLACE:COUNT or @FILE": "请写 kill:位置:次数、stop:位置:次数 或 @文件",
    "write https://HOST, with a port if any": "请写 https://HOST，需要时加端口",
    (
        "give --tls-cert and --tls-key, or say --behind-proxy with TLS in front, or listen on 127.0.0.1; if you do want "
        "this: --insecure-http"
    ): "给出 --tls-cert 和 --tls-key；或前面有 TLS 时用 --behind-proxy；或监听 127.0.0.1；确实需要时：--insecure-http",
    'keep role="client" and run {command} beside it': "保留 role=“client”，并在旁边运行 {command}",
    "foliot up writes it anew": "foliot up 会重新写入",
    "name a file that this user may read": "请指定此用户可读的文件",
    "mend it, or remove it": "请修正或删除它",
    "write http://host:7171, several with commas between": "请写 http://host:7171，多个用逗号分隔",
    "foliot db upgrade makes one": "foliot db upgrade 会创建它",
    # loading
    "saving the file reloads it": "保存文件即会重新加载",
    "pip install {package}": "pip install {package}",
    "pip install {package}; saving the file reloads it": "pip install {package}；保存文件即会重新加载",
    'put what is a script under if __name__ == "__main__"': '把脚本部分放在 if __name__ == "__main__" 之下',
    'put what is a script under if __name__ == "__main__"; saving the file reloads it': (
        '把脚本部分放在 if __name__ == "__main__" 之下；保存文件即会重新加载'
    ),
    # values
    "letters of any language, digits, _ - and . are fine": "可用任何语言的文字、数字以及 _ - .",
    'write "30s..10m", "30s" or ["10s", "1m", "5m"]': '请写 "30s..10m"、"30s" 或 ["10s", "1m", "5m"]',
    "use 32 or more random characters, or leave the file away and one is made for you": (
        "请用 32 个以上的随机字符；不给文件则会自动生成"
    ),
    "use builtins, dates, enums, dataclasses, TypedDicts or Pydantic models": (
        "请用内置类型、日期、枚举、dataclass、TypedDict 或 Pydantic 模型"
    ),
    "say what identifies an item: ctx.shard.mine(items, key=lambda item: item.id)": (
        "指明每一项的标识：ctx.shard.mine(items, key=lambda item: item.id)"
    ),
    "save where the data lies, not the data": "保存数据的位置，而不是数据本身",
    "await ctx.sleep_async({duration})": "await ctx.sleep_async({duration})",
    "return a list, or go through the items with ctx.track": "返回列表，或用 ctx.track 逐项处理",
    "call it from code that a job calls; in tests go through foliot.testing.run_inline": (
        "请在任务调用的代码中使用；测试中用 foliot.testing.run_inline"
    ),
    "the job's own error is the cause of this one": "任务自身的错误是此错误的起因",
    'write null, or the word as text: "NaN"': '请写 null，或写成文本："NaN"',
    "write it as text": "请写成文本",
    "add callback or poll": "请加上 callback 或 poll",
    "the headers and auth of the job are sent": "会一并发送任务的请求头和 auth",
    "keep one of them": "只保留一个",
    "use str(key)": "请用 str(key)",
    "use str(value), or a dataclass": "请用 str(value)，或 dataclass",
    "use None where there is none": "没有值时请用 None",
    "flatten it": "请减少嵌套",
    "send less at once": "请一次少发送一些",
    "remove it": "请去掉它",
    "leave it out": "请去掉它",
    "leave them out": "请去掉它们",
    "put it in quotes": "请加引号",
    "up to {number} bytes, all of them visible": "最多 {number} 字节，且全部可见",
    "these do: {names}": "按参数分配的有：{names}",
    "say it once": "只写一次",
    "write 90s, 15m, 1h30m or 2d": "请写 90s、15m、1h30m 或 2d",
    "from {low} to {high}": "从 {low} 到 {high}",
    "from {low}": "从 {low} 起",
    "90d is usual": "通常用 90d",
    # fields of jobs and schedules
    "leave it away": "请去掉它",
    "write a shorter schema": "请写更短的参数说明",
    "write a shorter schema, or fewer values into its defaults and into params": "请写更短的参数说明，或减少默认值和 params 中的值",
    'write a list: ["pg_dump", "sales_2"]': '请写成列表：["pg_dump", "sales_2"]',
    "leave at and delay away": "请去掉 at 和 delay",
    "give it a value": "请给它一个值",
    "write {type: string}": "请写 {type: string}",
    "known are: {known}": "可用：{known}",
    "write misfire: skip, or a longer time": "请写 misfire: skip，或更长的时间",
    "add shards: 16, or leave merge out": "加上 shards: 16，或去掉 merge",
    "leave it out, or write shards: 16": "去掉它，或写 shards: 16",
    "write overlap: queue": "请写 overlap: queue",
    "write isolation: process": "请写 isolation: process",
    'write run: {python: "billing.jobs:settle"}': '请写 run: {python: "billing.jobs:settle"}',
    "write 2 in 24h, or just 2": "请写 2 in 24h，或只写 2",
    "write p95*2; known are {known}": "请写 p95*2；可用：{known}",
    "write {latest: 6h}, {all: 1d, limit: 100} or skip": "请写 {latest: 6h}、{all: 1d, limit: 100} 或 skip",
    'write cron: "0 2 * * *" or every: 15m': '请写 cron: "0 2 * * *" 或 every: 15m',
    'write cron: "0 2 * * *"': '请写 cron: "0 2 * * *"',
    "write a list to have several": "多个请写成列表",
    "exchange start and end": "请交换 start 和 end",
    "add calendar: weekdays, or cn-workdays": "加上 calendar: weekdays，或 cn-workdays",
    "leave shift out, or use cron, daily or weekly": "去掉 shift，或用 cron、daily、weekly",
    "leave jitter out": "去掉 jitter",
    "leave from_end out of the list": "从列表中去掉 from_end",
    "give every entry the same count, or none": "各项写相同的 count，或都不写",
    "the shortest interval is 1s": "最短间隔为 1s",
    "write at: 2026-01-31T17:00:00Z": "请写 at: 2026-01-31T17:00:00Z",
    'write weekly: MON-FRI, time: "09:00"': '请写 weekly: MON-FRI, time: "09:00"',
    'write daily: "09:00"': '请写 daily: "09:00"',
    "write {key}: {value}": "请写 {key}: {value}",
    'write async def, or "process", "thread"': '请写 async def，或用 "process"、"thread"',
    '@job(every("15m")), @job(cron("0 2 * * *"))': '@job(every("15m"))、@job(cron("0 2 * * *"))',
    # requests
    'it looks like "v3"': '形如 "v3"',
    "ask for less at once": "请一次少要一些",
    "leave out %00": "请去掉 %00",
    "send Content-Type: application/json": "请发送 Content-Type: application/json",
    "?at=2026-03-02T02:00:00Z": "?at=2026-03-02T02:00:00Z",
    "levels: {known}": "级别：{known}",
    "a filter needs expected: how many jobs you saw": "给出筛选条件时需要 expected：你看到多少个任务",
    "a job needs expected: how many runs you saw": "给出任务时需要 expected：你看到多少个执行",
    "without both: the last lines": "两者都不给出：最后几行",
    "take the position of a line that it has": "请使用其中某一行的位置",
    "worker and server versions may differ": "工作节点与服务器的版本可能不同",
    "upgrade foliot on that worker": "请升级该工作节点上的 foliot",
    "fill it in smaller pieces": "请分成较小的几段补数",
    "ask for a shorter range, or a longer step": "请选择更短的范围，或更长的步长",
    "its parameters: {names}": "它的参数：{names}",
    "from is included, to is not": "含 from，不含 to",
    "a backfill is about the past": "补数只针对过去",
    "give a time that is still to come": "请给出将来的时间",
    "such as /jobs?failing=true": "例如 /jobs?failing=true",
    "foliot job trigger {job}": "foliot job trigger {job}",
    # nodes and the cluster
    "see who is there: foliot node list": "查看现有节点：foliot node list",
    "foliot node promote {name}": "foliot node promote {name}",
    "see how it is: foliot node show {name}": "查看其状态：foliot node show {name}",
    "start it again": "请重新启动它",
    "stop it: the other servers go on": "直接停止它：其他服务器会继续",
    "look again: foliot cluster leader": "再看一次：foliot cluster leader",
    "start one: foliot server --db URL": "启动一个：foliot server --db URL",
    "foliot token create NAME --scope worker": "foliot token create 名称 --scope worker",
    "change it in the database's configuration": "请在数据库的配置中修改",
    # commands and scripts
    "write argv: [pg_dump, billing], or script and language": "请写 argv: [pg_dump, billing]，或写 script 与 language",
    "name it in env, and read the variable": "请在 env 中指定它，再读取该变量",
    "remove {name}, or write script": "请去掉 {name}，或改写 script",
    "write its name or its absolute path; no parameter chooses it": "请写名称或绝对路径；不能由参数选择命令",
    "name the secret in env, files or stdin": "请在 env、files 或 stdin 中指定密钥",
    "write ${{params.file}} as an element of its own": "请把 ${{params.file}} 单独写成一项",
    "write params_as: argv": "请写 params_as: argv",
    "let the code read the parameter": "请让代码自己读取参数",
    "letters, digits, _, - and . without folders": "字母、数字、_、- 和 .，不含目录",
    "remove stdin, or write params_as: env": "请去掉 stdin，或写 params_as: env",
    "give it when the job is triggered, or in its params": "请在手动触发时给出，或写入任务的 params",
    'write "--" before it in argv': "请在 argv 中把“--”写在它前面",
    "rename it, or use stdin": "请改名，或使用 stdin",
    "use params_as: stdin": "请用 params_as: stdin",
    'write an object: {{"file": "a.csv"}}': '请写对象：{{"file": "a.csv"}}',
    "write failed 3 of 5, up to {most}": "请写 failed 3 of 5，最多 {most}",
    "write slower p95*2; known are {known}": "请写 slower p95*2；可用 {known}",
    "write node {bands}": "请写 node {bands}",
    "write check any, or check database.clock {grades}; the doctor names them": (
        "请写 check any，或 check database.clock {grades}；名称见 foliot cluster doctor"
    ),
    "write drift, or check system.clocks critical": "请写 drift，或 check system.clocks critical",
    'write every: 1d, or cron: "0 2 * * *"': '请写 every: 1d，或 cron: "0 2 * * *"',
    "leave it out, or write cron": "去掉它，或写 cron",
    "write heartbeat, or heartbeat {kinds}": "请写 heartbeat，或 heartbeat {kinds}",
    "write anomaly, or anomaly {kinds}": "请写 anomaly，或 anomaly {kinds}",
    "write {word} 10m or {other}": "请写 {word} 10m 或 {other}",
    "write {word} 10m": "请写 {word} 10m",
    'write {node="w-1", group="etl"}': '请写 {node="w-1", group="etl"}',
    "did you mean {meant}? See Metrics of rules": "是否想写 {meant}？见“规则可用的指标”",
    "it has these labels: {labels}": "它的标签有：{labels}",
    "write {label} and its value in braces": "请在大括号中写出 {label} 及其值",
    "did you mean {meant}? {hint}": "是否想写 {meant}？{hint}",
    'write {days: mon-fri, from: "09:00", to: "18:00", timezone: Asia/Shanghai}': (
        '请写 {days: mon-fri, from: "09:00", to: "18:00", timezone: Asia/Shanghai}'
    ),
    "write what to look for, such as when: failed 3 of 5": "请写要关注什么，例如 when: failed 3 of 5",
    "leave job and tags out": "请去掉 job 和 tags",
    "save the rule without a namespace": "请在命名空间之外保存该规则",
    "when: failed": "when: failed",
    "when: node warning": "when: node warning",
    "at most {most} letters; * and ? are known": "最多 {most} 个字符；可用 * 和 ?",
    "* and ? are known": "可用 * 和 ?",
    "write the steps in the order of their time": "请按时间先后写各步",
    "write {after: 30m, to: [boss]}": "请写 {after: 30m, to: [boss]}",
    "write {retry: 1}, {pause: true}, {drain: true}, {trigger: JOB} or {webhook: CHANNEL}": (
        "请写 {retry: 1}、{pause: true}、{drain: true}、{trigger: 任务} 或 {webhook: 渠道}"
    ),
    "say why, for those who wonder at 3 a.m.": "请说明原因，方便凌晨三点看到的人",
    "write failed, failed 3 of 5, late 10m, slower p95*2, silent 2h, queue 5m, node dead, leader 30s, store 30s, "
    'check any critical, drift, certificate 14d, failover, anomaly, heartbeat, channel or metric{label="x"} > 0.9': (
        "请写 failed、failed 3 of 5、late 10m、slower p95*2、silent 2h、queue 5m、node dead、leader 30s、store 30s、"
        'check any critical、drift、certificate 14d、failover、anomaly、heartbeat、channel 或 metric{label="x"} > 0.9'
    ),
}
