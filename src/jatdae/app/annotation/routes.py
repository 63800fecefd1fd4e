"""The pages of human annotation, mounted at /annotate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from jatdae.app.annotation.loading import LoadedSet
from jatdae.app.annotation.measuring import criteria_report, judge_report, overall_report
from jatdae.app.annotation.rating import Rating
from jatdae.app.annotation.requests import language, sent_form, sent_object
from jatdae.app.annotation.words import Words, annotation_words
from jatdae.app.context import AppContext
from jatdae.app.pages import render
from jatdae.errors import RequestError
from jatdae.judging.annotation.agreement import FEWEST_ITEMS, RaterAgreement
from jatdae.judging.annotation.shown import rater_name
from jatdae.store.annotations import Annotations, AnnotationSet

RATER = "jatdae-rater"
"""The cookie that holds a rater's name until the browser is closed."""
HOME = "/annotate"


def routes(context: AppContext) -> list[Route]:
    """All routes under /annotate."""
    pages = AnnotationPages(context)
    return [
        Route("/", pages.index),
        Route("/rater", pages.choose_rater, methods=["POST"]),
        Route("/{name}", pages.resume),
        Route("/{name}/answer", pages.answer, methods=["POST"]),
        Route("/{name}/agreement", pages.agreement),
        Route("/{name}/agreement/criteria", pages.criteria),
        Route("/{name}/agreement/judges", pages.judges),
        Route("/{name}/{place:int}", pages.unit),
    ]


@dataclass
class AnnotationPages:
    """Handlers. Those that read or write the store are plain functions, which run in threads of their own."""

    context: AppContext

    @property
    def tables(self) -> Annotations:
        return Annotations(self.context.store)

    def index(self, request: Request) -> Response:
        """The sets, and who is rating."""
        rater = _rater_of(request)
        tables = self.tables
        sets = [_listed(tables, one, rater) for one in tables.sets()]
        known = [name for name in tables.raters() if name != rater]
        return self._page(request, "index", sets=sets, known=known)

    async def choose_rater(self, request: Request) -> Response:
        """Keep a rater's name in a cookie of this browser session."""
        form = await sent_form(request)
        try:
            name = rater_name(form.get("rater", ""))
        except RequestError:
            return RedirectResponse(HOME, 303)
        reply = RedirectResponse(HOME, 303)
        reply.set_cookie(RATER, quote(name), path=HOME, httponly=True, samesite="strict")
        return reply

    def resume(self, request: Request) -> Response:
        """Where this rater goes on: the first unit without an answer."""
        rating = self._rating(request)
        if rating is None:
            return RedirectResponse(HOME, 303)
        place = rating.next_place()
        if place is not None:
            return RedirectResponse(_place_url(rating.set.name, place), 303)
        total = len(rating.order)
        urls = {"first": _place_url(rating.set.name, 1), "last": _place_url(rating.set.name, total)}
        return self._page(request, "done", done=total, total=total, **urls)

    def unit(self, request: Request) -> Response:
        """One unit at its place in this rater's order."""
        rating = self._rating(request)
        if rating is None:
            return RedirectResponse(HOME, 303)
        place, total = request.path_params["place"], len(rating.order)
        unit = rating.unit_at(place)
        url = _set_url(rating.set.name)
        return self._page(
            request,
            "rubric" if rating.set.kind == "rubric" else "pairs",
            set=rating.set,
            place=place,
            total=total,
            done=len(rating.answers),
            unit=unit,
            save=f"{url}/answer",
            key=f"annotate:{rating.set.name}:{unit}:{rating.rater}",
            back=_place_url(rating.set.name, place - 1) if place > 1 else "",
            skip=_place_url(rating.set.name, place % total + 1),
            answer=rating.given(unit),
            **rating.shown(unit),
        )

    async def answer(self, request: Request) -> Response:
        """Store one answer; says where to go on."""
        sent = await sent_object(request)
        try:
            return JSONResponse({"next": await run_in_threadpool(self._say, request.path_params["name"], sent)})
        except RequestError as error:
            return JSONResponse({"error": str(error)}, 400)

    def _say(self, name: str, sent: Mapping[str, Any]) -> str:
        """The answer counts for the rater whose page it was, whoever the cookie names by now."""
        rating = Rating(self.tables, self.tables.set(name), rater_name(str(sent.get("rater", ""))))
        unit = str(sent.get("unit", ""))
        rating.say(unit, sent)
        place = rating.next_place(rating.order.index(unit) + 1)
        return _set_url(name) if place is None else _place_url(name, place)

    def agreement(self, request: Request) -> Response:
        """How raters agree; criteria and judges come in requests of their own, since they take longer."""
        loaded = LoadedSet.open(self.context.store, request.path_params["name"])
        overall = overall_report(loaded)
        told = _warnings(overall, annotation_words(language(request)))
        return self._page(request, "agreement", set=loaded.set, overall=overall, warnings=told)

    def criteria(self, request: Request) -> Response:
        """Each criterion, as a piece of the agreement page."""
        loaded = LoadedSet.open(self.context.store, request.path_params["name"])
        return self._page(request, "criteria", set=loaded.set, raters=criteria_report(loaded))

    def judges(self, request: Request) -> Response:
        """The judges beside people, as a piece of the agreement page."""
        loaded = LoadedSet.open(self.context.store, request.path_params["name"])
        return self._page(request, "judges", set=loaded.set, report=judge_report(loaded))

    def _rating(self, request: Request) -> Rating | None:
        rater = _rater_of(request)
        if rater is None:
            return None
        tables = self.tables
        return Rating(tables, tables.set(request.path_params["name"]), rater)

    def _page(self, request: Request, template: str, **values: Any) -> Response:
        shown = {
            "say": annotation_words(language(request)),
            "rater": _rater_of(request),
        }
        return render(request, f"annotation/{template}.html", **{**shown, **values})


def _rater_of(request: Request) -> str | None:
    try:
        return rater_name(unquote(request.cookies.get(RATER, "")))
    except RequestError:
        return None


def _listed(tables: Annotations, one: AnnotationSet, rater: str | None) -> dict[str, Any]:
    """A set as the list shows it."""
    raters = tables.done_by_rater(one.id)
    total = len(tables.unit_names(one.id))
    return {"name": one.name, "kind": one.kind, "total": total, "raters": raters, "done": raters.get(rater or "", 0)}


def _set_url(name: str) -> str:
    return f"{HOME}/{quote(name, safe='')}"


def _place_url(name: str, place: int) -> str:
    return f"{_set_url(name)}/{place}"


def _warnings(overall: RaterAgreement, say: Words) -> list[str]:
    if not overall.raters:
        return [say["no_answers"]]
    few = [say["few_units"].format(count=overall.units)] if overall.units < FEWEST_ITEMS else []
    return [*([say["one_rater"]] if len(overall.raters) < 2 else []), *few]
