"""A tiny encoder made on the spot: random weights, and a vocabulary counted from given texts. For demo and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def build_tiny_encoder(
    folder: Path,
    texts: Iterable[str],
    *,
    vocabulary: int = 2_000,
    hidden: int = 64,
    layers: int = 2,
    positions: int = 512,
    seed: int = 7,
) -> Path:
    """Write config, WordPiece tokenizer and random weights of a small BERT to `folder`; returns `folder`."""
    import torch
    from transformers import BertConfig, BertModel

    from jatdae.models.hf.loading import silent_transformers

    tokenizer = _wordpiece(texts, vocabulary, positions)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=max(1, hidden // 32),
        max_position_embeddings=positions,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertModel(config)
    folder.mkdir(parents=True, exist_ok=True)
    with silent_transformers():
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _wordpiece(texts: Iterable[str], vocabulary: int, positions: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    padding, unknown, first, last, mask = SPECIAL
    pieces = _pieces(texts, vocabulary - len(SPECIAL))
    places = {piece: place for place, piece in enumerate((*SPECIAL, *pieces))}
    core = Tokenizer(models.WordPiece(places, unk_token=unknown))  # type: ignore[call-arg]
    core.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece()
    core.post_processor = processors.BertProcessing((last, places[last]), (first, places[first]))
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=padding,
        unk_token=unknown,
        cls_token=first,
        sep_token=last,
        mask_token=mask,
        model_max_length=positions,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _pieces(texts: Iterable[str], most: int) -> list[str]:
    """All characters, alone and continuing a word, then the most frequent beginnings and insides of words.

    Counted here, since the library's trainer breaks ties at random: the same texts always give the same tokens.
    """
    words = Counter(word for text in texts for word in text.split())
    characters = sorted({character for word in words for character in word})
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word) - 1):
            for end in range(start + 2, min(len(word), start + 4) + 1):
                counts["##" * (start > 0) + word[start:end]] += count
    frequent = sorted(counts, key=lambda piece: (-counts[piece], piece))
    known = [*characters, *(f"##{character}" for character in characters)]
    return [*known, *frequent[: max(0, most - len(known))]]
