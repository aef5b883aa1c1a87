"""Of the questions that wait on one line of the page only the newest is begun."""
import asyncio
import threading

from mnemos_mcp.web.lines import Lines


async def here():
    return False


async def left():
    return True


async def queued(lines, line, begun, names, gone=here, may_end=None):
    """Calls that stand on the line in this order; the first, where `may_end` is given, is at work until that is set."""
    started, tasks = threading.Event(), []

    def work(name):
        begun.append(name)
        started.set()
        assert may_end is None or may_end.wait(30)
        return name

    for name in names:
        tasks.append(asyncio.ensure_future(lines.call(line, gone, lambda name=name: work(name))))
        if name == names[0] and may_end:
            await asyncio.to_thread(started.wait, 30)
    return tasks


def test_what_was_overtaken_is_not_begun_and_the_newest_is_answered():
    async def scenario():
        lines, begun, may_end = Lines(), [], threading.Event()
        tasks = await queued(lines, "search", begun, ["g", "gl", "gla", "glacier"], may_end=may_end)
        await asyncio.wait_for(lines.call("another line", here, lambda: begun.append("another")), 30)
        may_end.set()
        assert await asyncio.gather(*tasks) == ["g", None, None, "glacier"]
        assert begun == ["g", "another", "glacier"] and not lines._newest and not lines._turns
    asyncio.run(scenario())


def test_what_its_page_has_given_up_is_not_begun():
    async def scenario():
        lines, begun = Lines(), []
        assert await (await queued(lines, "search", begun, ["glacier"], gone=left))[0] is None and begun == []
        assert await (await queued(lines, "", begun, ["glacier"], gone=left))[0] == "glacier"
    asyncio.run(scenario())


def test_a_call_that_fails_leaves_the_line_free():
    async def scenario():
        lines = Lines()
        failed = asyncio.ensure_future(lines.call("search", here, lambda: 1 / 0))
        assert isinstance((await asyncio.gather(failed, return_exceptions=True))[0], ZeroDivisionError)
        assert await lines.call("search", here, lambda: "next") == "next"
    asyncio.run(scenario())
