"""The door to Ray: join the cluster that RAY_ADDRESS names, or start one on this machine."""

from __future__ import annotations

import logging
import os
from importlib.util import find_spec

from jatdae.errors import JatdaeError, RequestError


def need_ray(what: str) -> None:
    """Raises RequestError, with how to install it, where Ray is not there. `what` is what was asked for."""
    if find_spec("ray") is None:
        raise RequestError(f"{what} needs a package: pip install 'jatdae[ray]'")


def connect(cpus: int | None = None) -> bool:
    """Join or start a cluster; whether this call did, so that its caller ends it. `cpus` bounds one that is started.

    Raises JatdaeError where Ray does not start or the cluster cannot be reached.
    """
    import ray

    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if os.environ.get("RAY_ADDRESS"):
            ray.init(**quiet)
        else:
            ray.init(num_cpus=cpus, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
    except (OSError, RuntimeError, ValueError, ConnectionError) as error:
        raise JatdaeError(f"Ray does not start: {str(error).strip().splitlines()[0]}") from None
    return True
