"""Human annotation: sets of stored outputs, pages to rate them on, what came of it. Pages are in `routes`."""
