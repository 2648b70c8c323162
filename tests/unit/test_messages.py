"""Messages by code: every code has a title in both languages; sentences of errors that keep their values are whole."""

import pytest

from foliot.domain.access import BadLoginCode, BadScope, NotLoggedIn, Principal, Scope, ScopeMissing, TokenNotFound
from foliot.domain.errors import BadDuration, FoliotError, JobNotFound, RunNotFound, VersionConflict
from foliot.words.errors import tell, title_of
from foliot.words.language import Language

READER = Principal(name="x", scopes=frozenset({Scope.READ}))


@pytest.mark.parametrize(
    ("error", "sentence", "hint"),
    [
        (
            JobNotFound("gret", nearest="greet"),
            "命名空间“default”中没有任务“gret”。",
            "是否想写 greet？",
        ),
        (RunNotFound("r-1"), "没有执行“r-1”。", "已结束的执行只保留一段时间；见 foliot run list"),
        (
            VersionConflict("settle", expected=8, found=9),
            "settle 现在是 v9；你的修改基于 v8。未做任何修改。",
            "比较差异后重试：foliot job diff settle v8 v9",
        ),
        (BadDuration("soon"), "“soon”不是时长。", "例如 90s、15m、1h30m、2d"),
        (
            ScopeMissing(READER, Scope.RUN, group="billing"),
            "此令牌的权限范围为 read，不含 run（需要权限范围 run，分组 billing）。",
            "foliot token create 名称 --scope run",
        ),
        (
            NotLoggedIn(),
            "未登录：没有有效的令牌。",
            "登录：foliot login URL（登录码由 foliot login-link 生成），或指定令牌：--token-file 文件",
        ),
        (BadLoginCode(), "登录码错误、已使用过，或已超过 15 分钟。", "再要一个：foliot login-link"),
        (BadScope("Read"), "“Read”不是权限范围。", "可用：read、run、write、admin、worker"),
        (TokenNotFound("ci"), "没有令牌“ci”。", "查看全部：foliot token list"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, FoliotError) else "",
)
def test_sentences_in_chinese(error: FoliotError, sentence: str, hint: str) -> None:
    assert tell(error, Language.CHINESE) == (sentence, hint)
    assert tell(error)[0] == error.sentence
    assert tell(error)[1]


def test_what_has_no_sentence_is_told_by_its_title() -> None:
    class Strange(FoliotError):
        """Something strange."""

        code = "FOL-1000"

    assert tell(Strange("Odd."), Language.CHINESE) == ("输入有误：Odd.", None)
    assert title_of("FOL-1000", Language.CHINESE) == "输入有误"


def test_a_servers_answer_is_not_translated_again() -> None:
    error = JobNotFound("x")
    error.data["status"] = 404
    assert tell(error, Language.CHINESE)[0] == error.sentence


def test_a_hostile_name_cannot_break_the_line() -> None:
    sentence, _ = tell(JobNotFound("a\nb\x1b[31m"), Language.CHINESE)
    assert sentence.isprintable()
