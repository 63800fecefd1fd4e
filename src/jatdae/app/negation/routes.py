"""The forms of a negation project, mounted at /negation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from jatdae.app.annotation.requests import language, sent_form, sent_object
from jatdae.app.context import AppContext
from jatdae.app.negation.words import Words, negation_words, remark
from jatdae.app.negation.work import NegationWork
from jatdae.app.pages import render
from jatdae.errors import DataError, RequestError
from jatdae.negation.construction.author_sheet import DECISION
from jatdae.negation.construction.item import ANSWER, CONTENT, LABELS, LOCAL, ORIGINAL, SENTENCES, Item
from jatdae.negation.construction.sheets import FORM
from jatdae.negation.construction.states import IN_WORK
from jatdae.negation.construction.verification import LETTERS, NONE, shown_options

PERSON = "jatdae-author"
"""The cookie that holds an author's name until the browser is closed."""
HOME = "/negation"


def routes(context: AppContext) -> list[Route]:
    """All routes under /negation; one page that says how to open a project, where there is none."""
    if context.negation_project is None:
        return [Route("/", Absent(context).page)]
    pages = NegationPages(context, NegationWork(context.negation_project))
    return [
        Route("/", pages.home),
        Route("/person", pages.choose_person, methods=["POST"]),
        Route("/author", pages.author_list),
        Route("/author/{idx}", pages.author),
        Route("/author/{idx}", pages.save, methods=["POST"]),
        Route("/author/{idx}/remarks", pages.remarks, methods=["POST"]),
        Route("/verify", pages.verify_next),
        Route("/verify/{idx}", pages.verify),
        Route("/verify/{idx}", pages.answer, methods=["POST"]),
        Route("/review", pages.review_next),
        Route("/review/{idx}", pages.review),
        Route("/review/{idx}", pages.judge, methods=["POST"]),
    ]


@dataclass
class Absent:
    """What /negation says without a project."""

    context: AppContext

    def page(self, request: Request) -> Response:
        return render(request, "negation/absent.html", say=negation_words(language(request)))


@dataclass
class NegationPages:
    """Handlers. Those that touch the project are plain functions, which run in threads of their own."""

    context: AppContext
    work: NegationWork

    def home(self, request: Request) -> Response:
        """Who is working, and what waits."""
        person = self._person(request)
        waiting = {"author": len(self.work.in_work())}
        if person:
            waiting |= {"verify": len(self.work.waiting(person)), "review": len(self.work.answered(person))}
        return self._page(
            request,
            "home",
            name=self.work.name(),
            authors=self.work.authors(),
            states=self.work.states(),
            waiting=waiting,
        )

    async def choose_person(self, request: Request) -> Response:
        """Keep an author's name in a cookie of this browser session."""
        form = await sent_form(request)
        reply = RedirectResponse(HOME, 303)
        reply.set_cookie(PERSON, quote(form.get("person", "")), path=HOME, httponly=True, samesite="strict")
        return reply

    # The author

    def author_list(self, request: Request) -> Response:
        """The items in work."""
        person = self._person(request)
        if person is None:
            return RedirectResponse(HOME, 303)
        rows = [(item, self.work.is_blind_for(item, person)) for item in self.work.in_work()]
        return self._page(request, "author_list", rows=rows)

    def author(self, request: Request) -> Response:
        """One item to edit and decide on. One that waits for the person's blind answer is not opened unasked."""
        person = self._person(request)
        if person is None:
            return RedirectResponse(HOME, 303)
        opened = self.work.opened(request.path_params["idx"])
        if self.work.is_blind_for(opened.item, person) and request.query_params.get("open") != "yes":
            return self._page(request, "guard", item=opened.item)
        return self._page(
            request,
            "author",
            opened=opened,
            item=opened.item,
            content=CONTENT,
            sentences=SENTENCES,
            labels=LABELS,
            is_in_work=opened.item.state in IN_WORK,
            local=LOCAL,
        )

    async def remarks(self, request: Request) -> Response:
        """What the checks say of the text as it is typed."""
        return await run_in_threadpool(self._remarks, request, await sent_object(request))

    def _remarks(self, request: Request, sent: Mapping[str, Any]) -> Response:
        lang = language(request)
        say = negation_words(lang)
        try:
            found = self.work.remarks(request.path_params["idx"], _texts(sent))
        except RequestError as error:
            return JSONResponse({"error": str(error)}, 422)
        told = [
            {
                "field": one.field,
                "label": say.get(one.field, one.field),
                "text": remark(one.text, lang),
                "is_error": one.is_error,
            }
            for one in found
        ]
        return JSONResponse({"remarks": told})

    async def save(self, request: Request) -> Response:
        """Take over an author's form; a form that was opened before somebody else's change is refused with both."""
        return await run_in_threadpool(self._save, request, await sent_object(request))

    def _save(self, request: Request, sent: Mapping[str, Any]) -> Response:
        idx, cells, lang = request.path_params["idx"], _texts(sent), language(request)
        try:
            read = self.work.save({**cells, "id": idx}, _sender(sent))
        except DataError as error:
            if error.field in ("version", "id"):
                return self._conflict(idx, cells, lang)
            return _refused(error, lang)
        except RequestError as error:
            return JSONResponse({"error": str(error)}, 422)
        opened = self.work.opened(idx)
        if cells.get(DECISION) and not read.states:
            return self._conflict(idx, cells, lang)
        if read.states:
            after = [item.idx for item in self.work.in_work() if item.order > opened.item.order]
            return JSONResponse({"next": f"{HOME}/author/{after[0]}" if after else f"{HOME}/author"})
        return JSONResponse({"version": opened.version})

    def _conflict(self, idx: str, cells: Mapping[str, str], lang: str) -> Response:
        """What is stored by now, beside what was typed. The page keeps its text."""
        opened, say = self.work.opened(idx), negation_words(lang)
        state = say[opened.item.state.value]
        can_save = opened.item.state in IN_WORK
        told = say["conflict"].format(by=opened.by) if can_save else say["conflict_gone"].format(state=state)
        now = {name: opened.item[name] for name in CONTENT if opened.item[name] != cells.get(name, "")}
        return JSONResponse({"conflict": told, "now": now, "version": opened.version if can_save else ""}, 409)

    # The verifier

    def verify_next(self, request: Request) -> Response:
        """The first item that waits for the person's blind answer."""
        person = self._person(request)
        return self._first(request, "verify", self.work.waiting(person) if person else None)

    def review_next(self, request: Request) -> Response:
        """The first item that the person has answered and not reviewed."""
        person = self._person(request)
        return self._first(request, "review", self.work.answered(person) if person else None)

    def _first(self, request: Request, step: str, items: list[Item] | None) -> Response:
        if items is None:
            return RedirectResponse(HOME, 303)
        if not items:
            return self._page(request, "nothing", step=step)
        return RedirectResponse(f"{HOME}/{step}/{items[0].idx}", 303)

    def verify(self, request: Request) -> Response:
        """The original and the options in this person's order; nothing tells which is which."""
        person, idx = self._person(request), request.path_params["idx"]
        if person is None or idx not in {item.idx for item in self.work.waiting(person)}:
            return RedirectResponse(f"{HOME}/verify" if person else HOME, 303)
        row = dict(self.work.blind(idx, person))
        options = [(letter, row[letter]) for letter in LETTERS if row.get(letter)]
        return self._page(request, "verify", idx=idx, original=row[ORIGINAL], options=options, row=row, none=NONE)

    async def answer(self, request: Request) -> Response:
        """Take over a blind answer."""
        sent = await sent_object(request)
        return await run_in_threadpool(self._taken, request, "verify", sent)

    def review(self, request: Request) -> Response:
        """The whole item, with the person's answer."""
        person, idx = self._person(request), request.path_params["idx"]
        found = [item for item in self.work.answered(person) if item.idx == idx] if person else []
        if person is None or not found:
            return RedirectResponse(f"{HOME}/review" if person else HOME, 303)
        item = found[0]
        letters = {name: letter for letter, (name, _) in zip(LETTERS, shown_options(item, person), strict=False)}
        row = {name: item[name] for name in CONTENT}
        return self._page(
            request, "review", item=item, content=CONTENT, letters=letters, given=item[ANSWER], row=row, none=NONE
        )

    async def judge(self, request: Request) -> Response:
        """Take over a review."""
        sent = await sent_object(request)
        return await run_in_threadpool(self._taken, request, "review", sent)

    def _taken(self, request: Request, step: str, sent: Mapping[str, Any]) -> Response:
        take = self.work.answer if step == "verify" else self.work.review
        blank = dict.fromkeys((*LETTERS, ANSWER), "") if step == "verify" else {}
        try:
            take({**blank, **_texts(sent), "id": request.path_params["idx"]}, _sender(sent))
        except DataError as error:
            return _refused(error, language(request))
        except RequestError as error:
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"next": f"{HOME}/{step}"})

    def _person(self, request: Request) -> str | None:
        name = unquote(request.cookies.get(PERSON, ""))
        return name if name in self.work.authors() else None

    def _page(self, request: Request, template: str, **values: Any) -> Response:
        say: Words = negation_words(language(request))
        shown = {"say": say, "person": self._person(request), **values}
        return render(request, f"negation/{template}.html", **shown)


def _texts(sent: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form. Anything that is no text is left out, and missed later."""
    cells = sent.get("cells")
    return {str(name): text for name, text in cells.items() if isinstance(text, str)} if isinstance(cells, dict) else {}


def _sender(sent: Mapping[str, Any]) -> str:
    """Whose page it was: it counts, whoever the cookie names by now."""
    return str(sent.get("person", ""))


def _refused(error: DataError, lang: str) -> Response:
    """What is wrong with which field, without the words for a file."""
    text = str(error).removeprefix(f"{FORM}, field {error.field!r}: ")
    label = negation_words(lang).get(error.field or "", error.field or "")
    return JSONResponse({"field": error.field, "error": f"{label}: {remark(text, lang)}"}, 422)
