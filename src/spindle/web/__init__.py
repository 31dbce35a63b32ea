"""The server of `spindle serve`: a JSON API with the verbs of Spindle, and a page that uses it."""

from spindle.web.app import create_app
from spindle.web.limits import Limits
from spindle.web.models import ServedModels
from spindle.web.server import Address, serve
from spindle.web.service import Service
from spindle.web.work_folder import WorkFolder

__all__ = ["Address", "Limits", "ServedModels", "Service", "WorkFolder", "create_app", "serve"]
