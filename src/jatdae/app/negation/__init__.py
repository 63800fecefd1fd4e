"""The author's and the verifier's sheets of a negation project as forms. Pages are in `routes`."""
