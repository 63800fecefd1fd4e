"""Loading: what a checkpoint must be, what is said when it is not, and what its identity holds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiny_model import CHAT_TEMPLATE, build_tiny_model

from jatdae.errors import ModelError, RequestError
from jatdae.models.base import ModelReference, parse_reference
from jatdae.models.hf import HfBackend
from jatdae.models.hf.checkpoint import file_hash
from jatdae.models.options import ModelOptions
from jatdae.types import Completion, Generate, Message, Sampling, Score, Scores

OFFLINE = ModelOptions(device="cpu", offline=True)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_model(tmp_path_factory.mktemp("model"), bos=False, chat_template=CHAT_TEMPLATE)


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "copy")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def load(path: Path | str, options: ModelOptions = OFFLINE) -> HfBackend:
    return HfBackend.load(ModelReference("hf", str(path)), options)


def first_scores(backend: HfBackend) -> Scores:
    [[(_, answer)]] = list(backend.answer([Score("봄 다음은", (" 여름", " 겨울"))]))
    assert isinstance(answer, Scores)
    return answer


def test_a_folder_answers_and_stdout_stays_clean(original: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stages: list[str] = []
    backend = HfBackend.load(parse_reference(str(original)), OFFLINE, stages.append)
    assert backend.capabilities.log_likelihoods and backend.capabilities.chat
    backend.preview(Score("봄", (" 여름",)))
    assert "weights" not in stages  # they are loaded at the first answer
    assert len(first_scores(backend).options) == 2
    prompt = Generate((Message("user", "봄 다음은?"),), Sampling(max_tokens=4))
    [[(_, text)]] = list(backend.answer([prompt]))
    assert isinstance(text, Completion)
    assert stages == ["config", "tokenizer", "fingerprint", "weights", "first pass", "ready"]
    assert capfd.readouterr() == ("", "")


def test_the_identity_knows_contents_and_not_places(original: Path, copy: Path) -> None:
    same = load(copy).identity
    assert same.key == load(original).identity.key
    assert same.reference != load(original).identity.reference
    assert str(original) not in json.dumps(dict(same.facts))


def retrain(folder: Path) -> None:
    """Other weights under the same name and of the same size."""
    build_tiny_model(folder, bos=False, chat_template=CHAT_TEMPLATE, seed=8)


def change_template(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{{ messages[0]['content'] }}", encoding="utf-8")


def change_config(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["rms_norm_eps"] = 1e-3
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def end_elsewhere(folder: Path) -> None:
    settings = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    settings["eos_token_id"] = [1, 2]
    (folder / "generation_config.json").write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.parametrize("change", [retrain, change_template, change_config, end_elsewhere])
def test_whatever_changes_answers_changes_the_key(original: Path, copy: Path, change: Callable[[Path], None]) -> None:
    before = load(copy).identity.key
    change(copy)
    assert load(copy).identity.key != before == load(original).identity.key


def test_texts_end_at_the_tokens_that_the_identity_names(original: Path, copy: Path) -> None:
    """The weights are not loaded for it; without generation settings, config and tokenizer say where a text ends."""
    (copy / "generation_config.json").unlink()
    assert load(copy).identity.key == load(original).identity.key
    change_template(copy)
    (copy / "generation_config.json").write_text('{"eos_token_id": 2}', encoding="utf-8")
    stages: list[str] = []
    backend = HfBackend.load(ModelReference("hf", str(copy)), OFFLINE, stages.append)
    assert backend.identity.facts["end_tokens"] == "1,2" and "weights" not in stages
    free = Generate("봄 다음은", Sampling(max_tokens=6))
    [[(_, before)]] = list(load(original).answer([free]))
    assert isinstance(before, Completion) and before.completion_tokens == 6
    first = backend.tokenizer.encode(before.text, add_special_tokens=False)[0]
    (copy / "generation_config.json").write_text(json.dumps({"eos_token_id": first}), encoding="utf-8")
    [[(_, after)]] = list(load(copy).answer([free]))
    assert isinstance(after, Completion) and (after.text, after.finish) == ("", "stop")


def test_damaged_generation_settings_are_named(copy: Path) -> None:
    (copy / "generation_config.json").write_text('{"eos_token_id": ', encoding="utf-8")
    with pytest.raises(ModelError, match=r"generation_config\.json, line 1"):
        load(copy)


def test_code_that_is_trusted_is_part_of_the_identity(copy: Path) -> None:
    trusting = ModelOptions(device="cpu", offline=True, trust_remote_code=True)
    keys = [load(copy).identity.key, load(copy, trusting).identity.key]
    (copy / "parts").mkdir()
    for text in ("limit = 1\n", "limit = 2\n"):
        (copy / "parts" / "own.py").write_text(text, encoding="utf-8")
        keys.append(load(copy, trusting).identity.key)
    assert len(set(keys)) == 4
    assert load(copy).identity.key == keys[0]


def test_code_in_another_repository_must_be_found(copy: Path) -> None:
    """Given a tokenizer whose code lies on the hub, when it cannot be fetched, then nothing is left unnamed."""
    path = copy / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["auto_map"] = {"AutoModelForSequenceClassification": "nobody/nothing--own.Own"}
    path.write_text(json.dumps(config), encoding="utf-8")
    load(copy)
    with pytest.raises(ModelError, match=r"nobody/nothing--own\.Own"):
        load(copy, ModelOptions(device="cpu", offline=True, trust_remote_code=True))


def test_options_that_change_answers_change_the_key(original: Path) -> None:
    options = [
        OFFLINE,
        ModelOptions(device="cpu", offline=True, dtype="bfloat16"),
        ModelOptions(device="cpu", offline=True, truncate="left"),
    ]
    assert len({load(original, chosen).identity.key for chosen in options}) == 3
    speed = ModelOptions(device="cpu", offline=True, batch_tokens=64, threads=1)
    assert load(original, speed).identity.key == load(original).identity.key


def test_a_hash_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    file, memory = tmp_path / "weights", tmp_path / "memory" / "hashes.json"
    file.write_bytes(b"one")
    first = file_hash(file, memory)
    assert first == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"  # sha256sum of "one"
    assert file_hash(file, memory) == first
    memory.write_text("damaged", encoding="utf-8")
    assert file_hash(file, memory) == first
    file.write_bytes(b"other")
    assert file_hash(file, memory) != first


def remove_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def pickle_weights(folder: Path) -> None:
    remove_weights(folder)
    torch.save({"a": torch.zeros(2)}, folder / "pytorch_model.bin")


def cut_weights(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def empty_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"")


def break_config(folder: Path) -> None:
    (folder / "config.json").write_text('{\n"model_type": "llama",\n', encoding="utf-8")


def unknown_kind(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "없는종류"}', encoding="utf-8")


def break_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text('{"version": "1.0"}', encoding="utf-8")


def cut_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text('{"version": ', encoding="utf-8")


def two_ggufs(folder: Path) -> None:
    remove_weights(folder)
    (folder / "a.gguf").write_bytes(b"GGUF")
    (folder / "b.gguf").write_bytes(b"GGUF")


def broken_gguf(folder: Path) -> None:
    remove_weights(folder)
    (folder / "a.gguf").write_bytes(b"GGUF")


def missing_part(folder: Path) -> None:
    remove_weights(folder)
    index = {"weight_map": {"lm_head.weight": "model-00001-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (remove_weights, "holds no weights"),
        (pickle_weights, "pickled weights only.*save_pretrained"),
        (cut_weights, "bytes and should have"),
        (empty_weights, "no safetensors file or was cut off"),
        (break_config, "config.json, line"),
        (unknown_kind, "config of"),
        (break_tokenizer, "tokenizer of"),
        (cut_tokenizer, "tokenizer.json, line 1"),
        (two_ggufs, "2 GGUF files; name one"),
        (broken_gguf, "cannot be loaded"),
        (missing_part, "model-00001-of-00002.safetensors is missing"),
    ],
)
def test_a_bad_checkpoint_is_named_in_one_line(copy: Path, damage: Callable[[Path], None], said: str) -> None:
    damage(copy)
    with pytest.raises(ModelError, match=said) as caught:
        load(copy)
    assert "\n" not in str(caught.value)
    assert str(copy) in str(caught.value)


def test_a_checkpoint_that_lacks_weights_is_not_filled_at_random(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    del tensors["model.layers.1.mlp.up_proj.weight"]
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="1 weights are missing, such as model"):
        first_scores(load(copy))


def test_a_missing_path_and_an_absent_hub_model_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no model at"):
        load(tmp_path / "없음")
    with pytest.raises(ModelError, match="hf download nobody/nothing") as caught:
        load("nobody/nothing")
    assert "\n" not in str(caught.value)


def test_a_local_model_has_no_revisions(original: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no revisions; give"):
        HfBackend.load(parse_reference(f"hf:{original}@main"), OFFLINE)
    with pytest.raises(ModelError, match=r"no model at .*없음@main"):
        HfBackend.load(parse_reference(f"{tmp_path / '없음'}@main"), OFFLINE)


@pytest.mark.parametrize("prefix", ["", "hf:"])
def test_a_path_may_hold_the_sign_of_a_revision(original: Path, tmp_path: Path, prefix: str) -> None:
    folder = shutil.copytree(original, tmp_path / "model@v2" / "step@100")
    reference = parse_reference(f"{prefix}{folder}")
    assert reference == ModelReference("hf", str(folder)) == parse_reference(str(reference))
    assert HfBackend.load(reference, OFFLINE).identity.key == load(original).identity.key
    assert parse_reference("hf:nobody/nothing@main") == ModelReference("hf", "nobody/nothing", "main")


def test_how_a_model_would_be_run_is_known_before_it_is(original: Path) -> None:
    """Answers may all come from the store; device and batch are told all the same."""
    backend = load(original)
    before = backend.settings
    assert (before["device"], before["batch_tokens"], before["dtype"]) == ("cpu", "1024", "float32")
    first_scores(backend)
    assert backend.settings == {**before, "path": "tree", "kernel": "torch"}
    assert load(original, ModelOptions(device="cpu", batch_tokens=64, offline=True)).settings["batch_tokens"] == "64"
    floor = backend.random_like(1)
    assert (floor.settings["device"], floor.settings["batch_tokens"]) == ("cpu", "1024")


def test_a_file_that_is_no_gguf_is_refused(original: Path) -> None:
    with pytest.raises(ModelError, match="no GGUF"):
        load(original / "config.json")


def test_code_of_a_checkpoint_runs_only_when_allowed(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.Own"}}
    (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (copy / "own.py").write_text(f"open({str(copy / 'ran')!r}, 'w').close()\nclass OwnConfig: ...\n", encoding="utf-8")
    with pytest.raises(ModelError, match="use --trust-remote-code"):
        load(copy)
    assert not (copy / "ran").exists()


def test_unknown_and_absent_devices_are_refused(original: Path) -> None:
    with pytest.raises(RequestError, match="--device abacus: unknown"):
        load(original, ModelOptions(device="abacus", offline=True))
    if not torch.cuda.is_available():
        with pytest.raises(RequestError, match="not available here"):
            load(original, ModelOptions(device="cuda", offline=True))


def test_an_adapter_is_laid_over_its_base_and_has_its_own_key(original: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(original)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        lora = peft.get_peft_model(model, peft.LoraConfig(target_modules=["q_proj"], init_lora_weights=False))
    lora.save_pretrained(tmp_path / "adapter")
    base, tuned = load(original), load(tmp_path / "adapter")
    assert first_scores(base) != first_scores(tuned)
    assert base.identity.key != tuned.identity.key
    assert base.identity.facts["weights"] == tuned.identity.facts["weights"]
    assert base.identity.facts["adapter"] == "none" != tuned.identity.facts["adapter"]
