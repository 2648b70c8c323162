"""What is wrong with the words of a command line, in Chinese: by the English sentence, with holes for its values."""

from collections.abc import Mapping
from typing import Final

USAGE: Final[Mapping[str, str]] = {
    "Write --job alone.": "--job 请单独使用。",
    "Write a name or --group, not both.": "名称和 --group 只写一个。",
    "Write the name of a limit, --group NAME, or --namespace NAME.": (
        "请写限额的名称，或 --group 名称，或 --namespace 名称。"
    ),
    "A rate is of a group, of a namespace, or of a job (place.rate).": "速率属于分组、命名空间或任务（place.rate）。",
    "Write how many runs may hold it: foliot limit set NAME MAX.": "请写可同时占用的数量：foliot limit set 名称 数值。",
    "Write at most a name and a number.": "最多写一个名称和一个数值。",
    'There is no kind of channel "{kind}". Known are: {known}.': "没有渠道类型“{kind}”。已有的是：{known}。",
    "Say of which kind it is: --kind webhook; foliot alert channel kinds lists them.": (
        "请指明类型：--kind webhook；foliot alert channel kinds 列出全部类型。"
    ),
    "Say which channel gets it, with --to; foliot alert channel list shows them.": (
        "请用 --to 说明由哪个渠道接收；foliot alert channel list 可列出渠道。"
    ),
    'The file has no channel "{name}".': "文件中没有渠道“{name}”。",
    'The file has no check "{name}".': "文件中没有检查项“{name}”。",
    'A check needs a rhythm: --every 1d, or --cron "0 2 * * *".': (
        "检查项需要节奏：--every 1d，或 --cron “0 2 * * *”。"
    ),
    'The file has no rule "{name}".': "文件中没有规则“{name}”。",
    '{file}: "{name}" is no section of such a file; they are channels, rules, checks and reports.': (
        "{file}：“{name}”不是此类文件的一节；可用的是 channels、rules、`checks` 和 `reports`。"
    ),
    "{file}: {section} is no mapping of names.": "{file}：{section} 不是按名称列出的。",
    '{file}: "{name}" comes twice.': "{file}：“{name}”出现了两次。",
    "Say how long: --for 2h, or --until 06:00.": "请指明多久：--for 2h，或 --until 06:00。",
    'A new rule needs to know what to look for: --when "failed 2 of 3".': (
        "新规则须指明发现什么：--when “failed 2 of 3”。"
    ),
    '"{step}" is not DURATION=CHANNELS: write 30m=boss.': "“{step}”不是“时长=渠道”：请写 30m=boss。",
    '"{hours}" are no hours: write "mon-fri 09:00-18:00 Asia/Shanghai".': (
        "“{hours}”不是时段：请写 “mon-fri 09:00-18:00 Asia/Shanghai”。"
    ),
    'No command "{name}".': "没有命令“{name}”。",
    'No command "{name}". Did you mean {nearest}?': "没有命令“{name}”。是否想写 {nearest}？",
    'No command "{name}". See foliot --help.': "没有命令“{name}”。见 foliot --help。",
    'No command "{name}". Did you mean {nearest}? See foliot --help.': (
        "没有命令“{name}”。是否想写 {nearest}？见 foliot --help。"
    ),
    'No command "{name}". It comes with another package: pip install {package}. See foliot --help.': (
        "没有命令“{name}”。它由另一个软件包提供：pip install {package}。见 foliot --help。"
    ),
    'The package of "{name}" cannot be loaded: {why}.': "无法加载提供“{name}”的软件包：{why}。",
    "Say which server: foliot login {server} ({file} names it).": (
        "请指明服务器：foliot login {server}（由 {file} 给出）。"
    ),
    "Say what runs with --py, --http, --run, --script, --sql or --handler.": (
        "请用 --py、--http、--run、--script、--sql 或 --handler 指明执行什么。"
    ),
    "Say what runs with one of --py, --http, --run, --script, --sql, --handler.": (
        "--py、--http、--run、--script、--sql、--handler 只能用一个来指明执行什么。"
    ),
    "--for belongs to on.": "--for 须与 on 一同使用。",
    "--method goes with --http.": "--method 须与 --http 一同使用。",
    "--header goes with --http.": "--header 须与 --http 一同使用。",
    "--body goes with --http.": "--body 须与 --http 一同使用。",
    "--language goes with --script.": "--language 须与 --script 一同使用。",
    "--connection goes with --sql.": "--connection 须与 --sql 一同使用。",
    "--option goes with --http, --run, --script, --sql or --handler.": (
        "--option 须与 --http、--run、--script、--sql 或 --handler 一同使用。"
    ),
    "--run has a quote that does not end.": "--run 中有未结束的引号。",
    "--run starts a command without a shell: {sign} needs --script FILE.": (
        "--run 不经由命令解释器启动命令：{sign} 须用 --script 文件。"
    ),
    "Say the language of {file} with --language.": "请用 --language 指明 {file} 的语言。",
    "--sql needs --connection NAME.": "--sql 需要 --connection 名称。",
    "Say when with one of --cron, --every, --after-end, --at.": (
        "请用 --cron、--every、--after-end、--at 之一指明何时执行。"
    ),
    "Without a terminal there is no editor: use --set.": "没有终端就没有编辑器：请用 --set。",
    "Say which job.": "请指明任务。",
    "Say which job: its name, or --file FILE.": "请指明任务：名称，或 --file 文件。",
    "Say which jobs: names, or -l K=V.": "请指明任务：名称，或 -l 键=值。",
    "Name one job, or leave everything but the filter and --reason away.": (
        "请只指明一个任务，或除筛选条件和 --reason 外不带其他选项。"
    ),
    "Give either --before or --after.": "--before 与 --after 只能用一个。",
    "Say which jobs: names, or --all.": "请指明任务：名称，或 --all。",
    "Say which runs: ids, --job NAME or -l KEY=VALUE.": "请指明执行：编号、--job 名称，或 -l 键=值。",
    "Say which runs: ids, or --job NAME.": "请指明执行：编号，或 --job 名称。",
    "Say which run: an id, or --job NAME.": "请指明执行：编号，或 --job 名称。",
    "Say which node: a name, or --self.": "请指明节点：名称，或 --self。",
    "Exactly one worker must run on {host} for --self; none is.": (
        "使用 --self 时，{host} 上须恰好有一个工作节点；现在没有。"
    ),
    "Exactly one worker must run on {host} for --self; these are: {names}.": (
        "使用 --self 时，{host} 上须恰好有一个工作节点；现在有：{names}。"
    ),
    "A run takes no --at and no --since: foliot why {run}": "执行不用 --at 和 --since：foliot why {run}",
    "This needs a confirmation: repeat it with --yes.": "此操作需要确认：请加 --yes 重新执行。",
    '"{written}" is not K=V.': "“{written}”不是“键=值”。",
    '"{written}" is not a time of day.': "“{written}”不是一天中的时间。",
    '"{written}" is not a time. Write 14:02, 2026-03-02 14:02, 2026-03-02T06:02:00Z or 2h.': (
        "“{written}”不是时间。请写 14:02、2026-03-02 14:02、2026-03-02T06:02:00Z 或 2h。"
    ),
    '"{written}" is not a regular expression: {why}.': "“{written}”不是正则表达式：{why}。",
    '"{written}" is not a version. Write v7 or 7.': "“{written}”不是版本。请写 v7 或 7。",
    'Foliot speaks en and zh-CN, not "{written}".': "Foliot 使用 en 和 zh-CN，没有“{written}”。",
    "Option '{name}' requires an argument.": "选项 '{name}' 需要一个值。",
    "{file} is not JSON: {why}.": "{file} 不是 JSON：{why}。",
    "{file} is not an object of parameters.": "{file} 不是由参数组成的对象。",
    "{file} is not a definition.": "{file} 不是任务定义。",
    "{file} is no plain file. Name a file that can be replaced.": "{file} 不是普通文件。请指明可以替换的文件。",
    "Say which policy is to change: foliot cluster policy worker_crash --escalate-after 45s": (
        "请指明要修改哪个策略：foliot cluster policy worker_crash --escalate-after 45s"
    ),
    "Numbers of servers belong to no type: foliot cluster policy --active-min 2": (
        "服务器数量不属于任何类型：foliot cluster policy --active-min 2"
    ),
    "Only a server repairs: leave out --db and --db-file, or --fix.": (
        "只有服务器能修复：请去掉 --db 和 --db-file，或去掉 --fix。"
    ),
    "{folder} is no folder.": "{folder} 不是目录。",
    "{file} cannot be read: {why}.": "无法读取 {file}：{why}。",
    "{file} cannot be written: {why}.": "无法写入 {file}：{why}。",
}
