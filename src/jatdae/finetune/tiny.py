"""A tiny encoder made on the spot: random weights, and a tokenizer trained on the given texts. For demo and tests."""

from __future__ import annotations

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
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _wordpiece(texts: Iterable[str], vocabulary: int, positions: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    padding, unknown, first, last, mask = SPECIAL
    core = Tokenizer(models.WordPiece(unk_token=unknown))  # type: ignore[call-arg]
    core.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False)
    core.train_from_iterator(texts, trainer)
    core.post_processor = processors.BertProcessing((last, SPECIAL.index(last)), (first, SPECIAL.index(first)))
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
