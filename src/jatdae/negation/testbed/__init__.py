"""How well negation is found, classified and made: scores against the labels of KoNUBench."""
