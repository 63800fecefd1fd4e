"""Pages that show what the store holds."""

from jatdae.app.browsing.routes import routes

__all__ = ["routes"]
