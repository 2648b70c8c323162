"""Saved views: one for each owner and name, at most so many for each owner."""

from tests.conformance.world import World


async def test_a_view_is_kept_replaced_and_forgotten(world: World) -> None:
    views = world.store.views
    first = await views.save("anne", "late", "/jobs?late=true", by="anne", most=2)
    await views.save("", "late", "/jobs", by="root", most=2)
    await views.save("bob", "late", "/runs", by="bob", most=2)
    again = await views.save("anne", "late", "/jobs?failing=true", by="anne", most=2)
    assert first is not None
    assert again is not None
    assert again.saved_at >= first.saved_at
    found = await views.list(["anne", ""])
    assert [(view.owner, view.name, view.path, view.saved_by) for view in found] == [
        ("", "late", "/jobs", "root"),
        ("anne", "late", "/jobs?failing=true", "anne"),
    ]
    assert (await views.remove("anne", "late"), await views.remove("anne", "late")) == (True, False)
    assert [view.owner for view in await views.list(["anne", "bob"])] == ["bob"]


async def test_an_owner_has_at_most_so_many_and_may_still_replace_one(world: World) -> None:
    views = world.store.views
    for name in ("a", "b"):
        assert await views.save("anne", name, "/jobs", by="anne", most=2) is not None
    assert await views.save("anne", "c", "/jobs", by="anne", most=2) is None
    assert await views.save("anne", "b", "/runs", by="anne", most=2) is not None
    assert await views.save("bob", "c", "/jobs", by="bob", most=2) is not None
    assert [(view.name, view.path) for view in await views.list(["anne"])] == [("a", "/jobs"), ("b", "/runs")]
