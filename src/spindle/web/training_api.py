"""`/api/trainings`: training a model from annotated sentences."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from spindle.training.run import check_output
from spindle.trees import Tree
from spindle.web.annotation_api import work_folder
from spindle.web.answers import JSONResponse
from spindle.web.reading import Fields, Refusal, read_fields
from spindle.web.service import Service
from spindle.web.trainings import Order
from spindle.web.work_folder import CHECKPOINT, MODEL

FEW, FEW_BITS = 1_000, 20
"""For this many trees smaller weight tables do: the model and its checkpoints take a quarter of the space."""
ENGINES = ("linear", "neural")
ORDERS = ("basic", "standard", "full")


async def list_trainings(request: Request) -> Response:
    """Return the trainings, the newest first, and the names of those that were interrupted."""
    service = Service.of(request)
    if service.work is None:
        return JSONResponse({"trainings": [], "interrupted": []})
    shown = [training.to_dict() for training in service.trainings]
    running = {one["name"] for one in shown if one["status"] == "running"}
    names = await service.run(service.work.names, CHECKPOINT)
    return JSONResponse({"trainings": shown, "interrupted": [name for name in names if name not in running]})


async def start(request: Request) -> Response:
    """Train a model from the sentences of an annotation that are done."""
    service = Service.of(request)
    work = work_folder(service)
    fields = await read_fields(request, service.limits)
    name = fields.text("name")
    path = work.path(name, MODEL)
    service.models.check_new(name, await service.run(work.names, MODEL))
    annotation = await service.run(work.__getitem__, fields.text("annotation"))
    trees: list[Tree] = list(annotation.trees("done"))
    source = annotation.name
    if "treebank" in fields:
        more = service.treebanks[fields.text("treebank")]
        trees += more.trees
        source += f" and {more.name}"
    dev_percent = fields.number("dev_percent", 0, 50, default=10)
    options = _options(fields)
    fields.finish()
    if not trees:
        raise Refusal(400, "no sentence is done yet: correct some, and save them as done")
    check_output(path)
    work.check_room()
    if options["parser"] == "linear" and len(trees) < FEW:
        options["parser_options"] = {"bits": FEW_BITS}
    if service.models.threads:
        options["threads"] = service.models.threads
    order = Order(name, path, trees, source, dev_percent, options)
    training = await service.run(service.trainings.start, order)
    return JSONResponse(training.to_dict())


def _options(fields: Fields) -> dict[str, Any]:
    """Return the options of the training: the parser, its order, the number of epochs, the seed."""
    parser = fields.choice("parser", ENGINES, default="linear")
    options: dict[str, Any] = {"parser": parser, "seed": fields.number("seed", 0, 1 << 30, default=1)}
    if "order" in fields:
        options["order"] = fields.choice("order", ORDERS)
    if "epochs" in fields:
        options["epochs"] = fields.number("epochs", 1, 1000, default=1)
    return options


async def get_training(request: Request) -> Response:
    """Return how far a training is."""
    return JSONResponse(Service.of(request).trainings[request.path_params["id"]].to_dict())


async def cancel(request: Request) -> Response:
    """Stop a training."""
    service = Service.of(request)
    training = await service.run(service.trainings.cancel, request.path_params["id"])
    return JSONResponse(training.to_dict())
