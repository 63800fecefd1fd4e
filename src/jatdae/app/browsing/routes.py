"""The pages that show runs, results, samples, and two results beside one another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from jatdae.app.browsing.exchanges import Shown, shown_sample
from jatdae.app.context import AppContext
from jatdae.app.pages import render
from jatdae.errors import RequestError
from jatdae.evaluate.comparing import Difference, compare_results, verdict
from jatdae.store import StoredResult, StoredRun
from jatdae.store.paging import SampleFilter, SamplePage, find_sample, neighbours, outcome_counts, sample_page
from jatdae.store.progress import ProgressState, progress_of_runs
from jatdae.types import Outcome

PAGE = 50
FLIPS = 100
"""So many changed items the page of a difference lists each way."""
SILENCE = timedelta(minutes=3)
"""A run that says nothing for so long has probably been killed. Loading a model takes less, as a rule."""


def routes(context: AppContext) -> list[Route]:
    """All routes of browsing."""
    pages = Browsing(context)
    return [
        Route("/", pages.overview),
        Route("/progress", pages.progress),
        Route("/run/{run:int}", pages.run),
        Route("/result/{result:int}", pages.result),
        Route("/samples/{result:int}", pages.samples),
        Route("/sample/{result:int}", pages.sample),
        Route("/side", pages.side),
        Route("/diff", pages.diff),
    ]


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run, its results, and how far it is; `silent_since` where it has said nothing for long."""

    run: StoredRun
    results: tuple[StoredResult, ...]
    progress: ProgressState | None
    silent_since: str | None


@dataclass(frozen=True, slots=True)
class Browsing:
    """Handlers; plain functions, so that they run in threads and a slow one holds no other up."""

    context: AppContext

    def overview(self, request: Request) -> Response:
        """All runs, newest first, with what they measured."""
        chosen = {name: request.query_params.get(name, "") for name in ("model", "task")}
        results = self.context.store.results()
        kept = [one for one in results if _is_chosen(one, chosen)]
        lives = [life for life in self._lives(kept) if life.results or not any(chosen.values())]
        return render(
            request,
            "overview.html",
            lives=lives,
            chosen=chosen,
            models=sorted({one.model_reference for one in results}),
            tasks=sorted({one.task for one in results}),
        )

    def progress(self, request: Request) -> Response:
        """How far the running runs are, for a page that asks again and again."""
        lives = [life for life in self._lives([]) if life.run.status == "running"]
        return JSONResponse({str(life.run.id): _told(life) for life in lives})

    def run(self, request: Request) -> Response:
        """One run with the figures of its results."""
        number = request.path_params["run"]
        results = self.context.store.results(run=number)
        life = next((life for life in self._lives(results) if life.run.id == number), None)
        if life is None:
            raise HTTPException(404)
        return render(request, "run.html", life=life)

    def result(self, request: Request) -> Response:
        """One result: figures, protocol, notes, and who else was asked the same."""
        stored = self._result(request)
        store = self.context.store
        others = [
            one
            for one in store.results(task=stored.task)
            if one.fingerprint == stored.fingerprint and one.id != stored.id and one.result
        ]
        return render(
            request,
            "result.html",
            stored=stored,
            protocol=store.protocol(stored.id),
            facts=store.model_facts(stored.model_key),
            counts=outcome_counts(store, stored.id),
            outcomes=[outcome.value for outcome in Outcome],
            others=others,
        )

    def samples(self, request: Request) -> Response:
        """Samples of a result, chosen by outcome, group and text."""
        stored, params = self._result(request), request.query_params
        chosen = SampleFilter(_outcomes(request), params.get("group", ""), params.get("q", ""))
        after = (params["after"], params.get("seed", "")) if "after" in params else None
        page = sample_page(self.context.store, stored.id, chosen, after=after, size=PAGE)
        return render(
            request,
            "samples.html",
            stored=stored,
            page=page,
            chosen=chosen,
            counts=outcome_counts(self.context.store, stored.id),
            outcomes=[outcome.value for outcome in Outcome],
            groups=_groups(stored),
            following=_following(request, page),
            kinds=urlencode([("outcome", kind) for kind in chosen.outcomes]),
        )

    def sample(self, request: Request) -> Response:
        """One sample with what was asked and answered."""
        stored, (item, seed) = self._result(request), _key(request)
        store = self.context.store
        sample = find_sample(store, stored.id, item, seed)
        if sample is None:
            raise HTTPException(404)
        own = "" if sample.seed is None else str(sample.seed)
        before, following = neighbours(store, stored.id, _outcomes(request), item, own)
        return render(
            request,
            "sample.html",
            stored=stored,
            shown=shown_sample(store, sample),
            before=before,
            following=following,
            kinds=urlencode([("outcome", kind) for kind in _outcomes(request)]),
        )

    def side(self, request: Request) -> Response:
        """One item as every model answered it, the latest result of each model and way of asking."""
        task, item = request.query_params.get("task", ""), request.query_params.get("item", "")
        latest: dict[tuple[str, str, int], StoredResult] = {}
        for stored in self.context.store.results(task=task):
            shots = self.context.store.protocol(stored.id).shots
            latest.setdefault((stored.model_reference, stored.mode, shots), stored)
        found: list[tuple[StoredResult, Shown]] = []
        for stored in latest.values():
            sample = find_sample(self.context.store, stored.id, item)
            if sample is not None:
                found.append((stored, shown_sample(self.context.store, sample)))
        if not found:
            raise HTTPException(404)
        return render(request, "side.html", task=task, item=item, found=found)

    def diff(self, request: Request) -> Response:
        """What one result gains over another, with the items that changed."""
        names = [request.query_params.get(name, "") for name in ("first", "second")]
        runs = [self._find(name) for name in names]
        try:
            found = compare_results(self.context.store, *runs)
        except RequestError as error:
            return render(request, "refused.html", message=str(error))
        rows = [(found, verdict(found, request.state.lang), _flips(found))]
        return render(request, "diff.html", rows=rows, runs=runs, most=FLIPS)

    def _find(self, text: str) -> StoredResult:
        if not text.isdecimal():
            raise HTTPException(404)
        try:
            return self.context.store.result(int(text))
        except RequestError as error:
            raise HTTPException(404) from error

    def _result(self, request: Request) -> StoredResult:
        return self._find(str(request.path_params["result"]))

    def _lives(self, results: list[StoredResult]) -> list[LiveRun]:
        progress = progress_of_runs(self.context.store)
        now = datetime.now(UTC)
        own: dict[int, list[StoredResult]] = {}
        for one in results:
            own.setdefault(one.run_id, []).append(one)
        return [
            LiveRun(run, tuple(own.get(run.id, ())), progress.get(run.id), _silence(run, progress.get(run.id), now))
            for run in self.context.store.runs()
        ]


def _silence(run: StoredRun, progress: ProgressState | None, now: datetime) -> str | None:
    last = progress.updated if progress else run.started
    quiet = now - datetime.fromisoformat(last)
    return last if run.status == "running" and quiet > SILENCE else None


def _told(life: LiveRun) -> dict[str, Any]:
    state = life.progress
    counted = {"label": state.label, "done": state.done, "total": state.total} if state else {}
    return {**counted, "silent": life.silent_since}


def _is_chosen(stored: StoredResult, chosen: dict[str, str]) -> bool:
    return chosen["model"] in ("", stored.model_reference) and chosen["task"] in ("", stored.task)


def _outcomes(request: Request) -> tuple[str, ...]:
    known = [outcome.value for outcome in Outcome]
    return tuple(kind for kind in request.query_params.getlist("outcome") if kind in known)


def _key(request: Request) -> tuple[str, str]:
    return request.query_params.get("item", ""), request.query_params.get("seed", "")


def _groups(stored: StoredResult) -> list[str]:
    """The strata that the result's figures are broken down by."""
    breakdown = stored.result.breakdown if stored.result else {}
    return max((list(own) for own in breakdown.values()), key=len, default=[])


def _following(request: Request, page: SamplePage) -> str:
    """The address of the next page; empty at the end."""
    if page.next is None:
        return ""
    params = request.query_params.multi_items()
    kept = [(name, value) for name, value in params if name not in ("after", "seed", "lang")]
    return f"{request.url.path}?{urlencode([*kept, ('after', page.next[0]), ('seed', page.next[1])])}"


def _flips(one: Difference) -> dict[str, Any]:
    return {
        "gained": list(one.gained[:FLIPS]),
        "lost": list(one.lost[:FLIPS]),
        "gained_count": len(one.gained),
        "lost_count": len(one.lost),
    }
