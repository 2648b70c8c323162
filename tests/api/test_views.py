"""Saved views: a person's own, and shared ones, which need the right to write."""

from tests.api.asking import Api


async def names(api: Api) -> list[tuple[str, bool]]:
    return [(view["name"], view["shared"]) for view in (await api.get("/views")).json()["items"]]


async def test_a_person_sees_the_own_views_and_the_shared_ones(api: Api) -> None:
    anne, bob = await api.with_scopes("read"), await api.with_scopes("read", "write")
    saved = await anne.ask("PUT", "/views/late", {"path": "/jobs?late=true"})
    assert (saved.status_code, saved.json()["path"], saved.json()["shared"]) == (200, "/jobs?late=true", False)
    assert (await bob.ask("PUT", "/views/late", {"path": "/jobs", "shared": True})).status_code == 200
    assert await names(anne) == [("late", True), ("late", False)]
    assert await names(bob) == [("late", True)]
    limited = await api.with_scopes("read", namespace="shop")
    assert await names(limited) == []
    assert (await anne.ask("DELETE", "/views/late")).status_code == 204
    assert (await anne.ask("DELETE", "/views/late")).json()["code"] == "FOL-2030"
    assert await names(anne) == [("late", True)]


async def test_a_shared_view_needs_the_right_to_write_everywhere(api: Api) -> None:
    anne = await api.with_scopes("read")
    limited = await api.with_scopes("read", "write", namespace="shop")
    for who in (anne, limited):
        assert (await who.ask("PUT", "/views/late", {"path": "/jobs", "shared": True})).status_code == 403
        assert (await who.ask("DELETE", "/views/late", shared=True)).status_code == 403


async def test_only_addresses_of_the_console_are_kept_and_not_too_many(api: Api) -> None:
    for path in ("", "jobs", "//other.example/jobs", "https://other.example"):
        refused = await api.ask("PUT", "/views/odd", {"path": path})
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "path")
    for number in range(100):
        assert (await api.ask("PUT", f"/views/v{number}", {"path": "/jobs"})).status_code == 200
    refused = await api.ask("PUT", "/views/one-more", {"path": "/jobs"})
    assert (refused.status_code, refused.json()["code"]) == (409, "FOL-3070")
    assert (await api.ask("PUT", "/views/v7", {"path": "/runs"})).status_code == 200
