"""Applications in Flask and FastAPI, which are needed only by the function that is used."""
from __future__ import annotations

from typing import Any

from .application import MOST_BYTES, Application


def blueprint(application: Application) -> Any:
    """Blueprint of Flask: flask_app.register_blueprint(blueprint(application), url_prefix="/telephone")."""
    from flask import Blueprint, Response, request

    part = Blueprint("pbxd", __name__)
    for page in application.pages:

        def handle(page: str = page) -> Any:
            if (request.content_length or 0) > MOST_BYTES:
                return Response(status=413)
            mount = request.root_url.rstrip("/") + request.path.removesuffix(page)
            status, body = application.answer(page, request.headers, request.get_data(), mount)
            return Response(body, status, content_type="application/json")

        part.add_url_rule(page, f"page{page.replace('/', '_')}", handle, methods=["POST"])
    return part


def router(application: Application) -> Any:
    """Router of FastAPI: fastapi_app.include_router(router(application), prefix="/telephone")."""
    from fastapi import APIRouter
    from starlette.requests import Request
    from starlette.responses import Response

    part = APIRouter()

    def add(page: str) -> None:
        async def handle(request: Request) -> Response:
            if int(request.headers.get("content-length", 0)) > MOST_BYTES:
                return Response(status_code=413)
            scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
            mount = f"{scheme}://{request.url.netloc}{request.url.path.removesuffix(page)}"
            status, body = await application.answer_later(page, request.headers, await request.body(), mount)
            return Response(body, status, media_type="application/json")

        # The annotation is looked up among the names of the module unless it is the class itself.
        handle.__annotations__["request"] = Request
        part.add_api_route(page, handle, methods=["POST"], include_in_schema=False, response_class=Response, response_model=None)

    for page in application.pages:
        add(page)
    return part
