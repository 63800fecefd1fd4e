"""Networks that stand on an encoder where transformers has none: a parser, a tracker of dialogue states."""
