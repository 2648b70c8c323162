"""Advice on the order of locks, in the reader's language."""

from foliot.domain.lock_order import OrderAdvice
from foliot.words.language import Language
from foliot.words.phrases import phrase


def order_words(advice: OrderAdvice, language: Language) -> str:
    """`acct:7, acct:9: 2 deadlocks were ended. Take them in one order everywhere, such as acct:7, acct:9.`"""
    if advice.seen is not None:
        seen = advice.seen
        return phrase("lock_order_seen", {"owner": seen.owner, "first": seen.first, "then": seen.then}, language)
    values: dict[str, object] = {"order": advice.order, "deadlocks": advice.deadlocks or None}
    if advice.opposed is not None:
        one, other = advice.opposed
        values |= {"one": one.owner, "other": other.owner, "first": one.first, "then": one.then}
    return phrase("lock_order", values, language)
