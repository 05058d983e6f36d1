"""The one gate that every request passes: whether it may be asked here, and what is written down of it.

What a client sees by a resource, a completion or a prompt, it could see by a tool. So each stands for tools,
and is there where those are: `Offer` decides for all of them. A method that is in no table below can't be
served at all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from muxpilot.config import Tier
from muxpilot.errors import MuxpilotError
from muxpilot.mcp import completion, visible
from muxpilot.mcp.audit import Audit, Call
from muxpilot.mcp.offer import Offer
from muxpilot.mcp.requests import Answer, Handler, Request, refusals
from muxpilot.mcp.resources import KINDS
from muxpilot.mcp.subscriptions import uris_in
from muxpilot.mcp.uris import parse

Admit = Callable[[Request, Offer], Request]
"""The request as far as it may be answered; raises where nothing of it may."""


def gated(handlers: Mapping[str, Handler], offer: Offer, audit: Audit) -> dict[str, Handler]:
    """The handlers behind the gate. Raises `KeyError` for a method that has no rule."""
    return {method: _gated(method, handler, offer, audit) for method, handler in handlers.items()}


def _gated(method: str, handler: Handler, offer: Offer, audit: Audit) -> Handler:
    admit = RULES[method]

    async def admitted(request: Request) -> Answer:
        answer = await handler(admit(request, offer))
        return answer if method in WITH_TOOLS else visible.facts(answer)

    async def recorded(request: Request) -> Answer:
        return await audit.recorded(_call(request, offer), admitted(request))

    return recorded if audit.is_kept and method not in SILENT else admitted


def _anything(request: Request, _: Offer) -> Request:
    return request


def _listing(request: Request, _: Offer) -> Request:
    """Every list is whole, so a cursor means nothing; one that can be none is an error all the same."""
    if request.params.get("cursor") is not None:
        request.given("cursor", str)
    return request


def _by_uri(request: Request, offer: Offer) -> Request:
    uri = request.given("uri", str)
    with refusals(request, uri=uri):
        check_uri(uri, offer)
    return request


def _by_uris(request: Request, offer: Offer) -> Request:
    """What is withheld is left out; where nothing else is wanted, that is an error."""
    wanted = request.given("notifications", dict)
    with refusals(request):
        uris = uris_in(wanted)
        problems = {uri: problem for uri in uris if (problem := _problem(uri, offer))}
        if problems and len(problems) == len(uris) and len(wanted) == 1:
            raise next(iter(problems.values()))
    left = {**wanted, "resourceSubscriptions": [uri for uri in uris if uri not in problems]}
    return dataclasses.replace(request, params={**request.params, "notifications": left})


def _by_argument(request: Request, offer: Offer) -> Request:
    what, needs = completion.needs_of(request)
    with refusals(request):
        offer.require(f"completion for {what}", needs)
    return request


def check_uri(uri: str, offer: Offer) -> None:
    """Raises `MuxpilotError` for a URI that can be none, or that shows what is withheld."""
    kind = parse(uri).kind
    offer.require(f"the resource {kind}", KINDS[kind].needs)


def _problem(uri: str, offer: Offer) -> MuxpilotError | None:
    """Only of what is withheld: what can't be read at all is for the handler to say."""
    try:
        kind = parse(uri).kind
    except MuxpilotError:
        return None
    return offer.objection(f"the resource {kind}", KINDS[kind].needs)


RULES: dict[str, Admit] = {
    "ping": _anything,
    "server/discover": _anything,
    "tools/list": _listing,  # Of what is offered.
    "tools/call": _anything,  # `Offer.find` decides; only tools can report that inside their result.
    "prompts/list": _listing,  # Of those whose tools are offered.
    "prompts/get": _anything,  # Likewise.
    "completion/complete": _by_argument,
    "resources/list": _listing,  # Of the kinds that are offered.
    "resources/templates/list": _listing,  # Likewise.
    "resources/read": _by_uri,
    "resources/subscribe": _by_uri,
    "resources/unsubscribe": _by_uri,
    "subscriptions/listen": _by_uris,
}
SILENT = frozenset({"ping", "server/discover", "tools/list", "prompts/list", "resources/templates/list"})
"""What says nothing of tmux, and is not written down."""
WITH_TOOLS = frozenset({"tools/list", "tools/call"})
"""Whose answers have been made visible already: by the tools, which know what is a pane's text."""


def _call(request: Request, offer: Offer) -> Call:
    """What is written down of a request, however malformed it is."""
    number, client = request.number, request.speaker.client
    if request.method == "tools/call":
        name, arguments = request.params.get("name"), request.params.get("arguments")
        named = name if isinstance(name, str) else ""
        given = arguments if isinstance(arguments, dict) else {}
        return Call(named, offer.tier_of(named), given, number, client)
    given = {name: value for name, value in request.params.items() if name != "_meta"}
    return Call(request.method, Tier.READONLY.name.lower(), given, number, client, "method")
