"""A model with an adapter: how it is named, what its key is, and what is said when the two do not fit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("peft")

from sft_models import QUICK, tuned
from tiny_model import build_tiny_model

from jatdae.errors import ModelError, RequestError
from jatdae.models.base import ModelReference, parse_reference
from jatdae.models.hf import HfBackend
from jatdae.models.hf.loading import find_source
from jatdae.models.options import ModelOptions
from jatdae.types import Score, Scores

OPTIONS = ModelOptions(device="cpu", offline=True)
ADAPTER = "adapter_config.json"


@pytest.fixture(scope="module")
def adapter(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    tuned(tiny_model, folder, **{**QUICK, "lr": "1e-1"})
    return folder / "adapter"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def load(name: str) -> HfBackend:
    return HfBackend.load(parse_reference(name), OPTIONS)


def scores(name: str) -> list[float]:
    [[(_, answer)]] = list(load(name).answer([Score("봄 다음은", (" 여름", " 겨울"))]))
    assert isinstance(answer, Scores)
    return [option.log_likelihood for option in answer.options]


# Names


def test_base_and_adapter_are_joined_by_a_plus(tmp_path):
    (tmp_path / "a").mkdir()
    folder = str(tmp_path / "a")
    assert parse_reference(f"hf:owner/model+{folder}") == ModelReference("hf", "owner/model", None, folder)
    assert parse_reference(f"owner/model@main+{folder}") == ModelReference("hf", "owner/model", "main", folder)
    reference = parse_reference(f"hf:owner/model@main+{folder}")
    assert str(reference) == f"hf:owner/model@main+{folder}"
    assert parse_reference(str(reference)) == reference


def test_a_path_that_exists_is_a_name_as_a_whole_and_signs_in_paths_are_kept(tmp_path):
    base, other = tmp_path / "c++", tmp_path / "c++@2"
    tuned_on = tmp_path / "c++@2+lora"
    for folder in (base, other, tuned_on):
        folder.mkdir()
    assert parse_reference(f"hf:{tuned_on}") == ModelReference("hf", str(tuned_on))
    assert parse_reference(f"hf:{other}") == ModelReference("hf", str(other))
    assert parse_reference(f"hf:{other}+{base}") == ModelReference("hf", str(other), None, str(base))
    assert parse_reference(f"hf:{base}+{tuned_on}") == ModelReference("hf", str(base), None, str(tuned_on))
    assert parse_reference(f"hf:owner/model+{tuned_on}") == ModelReference("hf", "owner/model", None, str(tuned_on))


@pytest.mark.parametrize("text", ["hf:+adapter", "hf:model+", "+"])
def test_half_a_reference_is_refused(text):
    with pytest.raises(RequestError, match="joined by \\+, such as hf:BASE"):
        parse_reference(text)


def test_an_adapter_of_a_model_elsewhere_is_refused(adapter):
    with pytest.raises(RequestError, match="an adapter needs a model that is run here; write hf:BASE"):
        parse_reference(f"openai:some-model+{adapter}")
    assert parse_reference("openai:model+more").name == "model+more"


def test_an_adapter_that_is_not_there_is_named(tiny_model, tmp_path):
    with pytest.raises(ModelError, match=r"no adapter at .*nowhere") as caught:
        find_source(parse_reference(f"hf:{tiny_model}+{tmp_path / 'nowhere'}"))
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match=r"is no adapter: it has no adapter_config\.json"):
        find_source(parse_reference(f"hf:{tiny_model}+{tmp_path}"))


# Keys and answers


def test_an_adapter_alone_and_over_its_base_are_one_model(tiny_model, adapter):
    alone, over, bare = load(str(adapter)), load(f"{tiny_model}+{adapter}"), load(str(tiny_model))
    assert alone.identity.key == over.identity.key != bare.identity.key
    assert scores(str(adapter)) == scores(f"{tiny_model}+{adapter}")
    assert scores(str(tiny_model)) != pytest.approx(scores(str(adapter)), abs=1e-3)


def test_the_base_that_is_given_counts_and_not_the_one_that_the_adapter_names(tiny_model, adapter, tmp_path):
    # given another base of the same shape, and an adapter that names a base that is gone
    other = build_tiny_model(tmp_path / "other", bos=True, seed=9)
    orphan = shutil.copytree(adapter, tmp_path / "orphan")
    config = json.loads((orphan / ADAPTER).read_text(encoding="utf-8"))
    (orphan / ADAPTER).write_text(json.dumps({**config, "base_model_name_or_path": None}), encoding="utf-8")
    # then each pair has its own key and answers, and the same pair the same ones
    keys = [load(f"{base}+{folder}").identity.key for base in (tiny_model, other) for folder in (adapter, orphan)]
    assert keys[0] == keys[1] != keys[2] == keys[3]
    assert scores(f"{other}+{orphan}") != pytest.approx(scores(f"{tiny_model}+{orphan}"), abs=1e-3)
    with pytest.raises(ModelError, match="names no base model"):
        load(str(orphan))


def test_other_weights_of_an_adapter_give_another_key(tiny_model, adapter):
    keys = {load(f"{tiny_model}+{folder}").identity.key for folder in (adapter, adapter / "epoch0", adapter / "epoch1")}
    assert len(keys) == 2  # the last epoch is the result


@pytest.mark.parametrize("change", ["wider", "shallower"])
def test_an_adapter_of_another_model_is_refused_in_one_line(adapter, tmp_path, change):
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    base = build_tiny_model(tmp_path / "base", bos=True)
    config = AutoConfig.from_pretrained(base)
    if change == "wider":
        config.hidden_size = 128
    else:
        config.num_hidden_layers = 1
        config.layer_types = None
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path / "changed")
    AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path / "changed")
    with pytest.raises(ModelError, match="does not fit") as caught:
        scores(f"{tmp_path / 'changed'}+{adapter}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_an_adapter_over_an_adapter_is_refused(adapter, tmp_path):
    with pytest.raises(ModelError, match="is an adapter over another adapter"):
        load(f"{adapter}+{adapter}")
    with pytest.raises(ModelError, match="carries an adapter already; name the model under it"):
        tuned(adapter, tmp_path)


def test_the_revision_that_an_adapter_names_is_its_bases(adapter, tmp_path):
    copy = shutil.copytree(adapter, tmp_path / "copy")
    config = json.loads((copy / ADAPTER).read_text(encoding="utf-8"))
    changed = {**config, "base_model_name_or_path": "owner/model", "revision": "v2"}
    (copy / ADAPTER).write_text(json.dumps(changed), encoding="utf-8")
    source = find_source(parse_reference(str(copy)))
    assert (source.name, source.revision) == ("owner/model", "v2")


def test_an_encoder_with_an_adapter_is_refused_and_not_read_without_it(adapter):
    from jatdae.finetune.encoder import Encoder

    with pytest.raises(ModelError, match="adapters cannot be fine-tuned"):
        Encoder.open(parse_reference(f"hf:owner/encoder+{adapter}"), OPTIONS)
