"""A local model on many GPUs or machines: requests spread over the actors of a Ray cluster."""

from jatdae.models.ray.backend import RayBackend
from jatdae.models.ray.opening import open_ray_backend

__all__ = ["RayBackend", "open_ray_backend"]
