"""Writes model folders as people's tools write them, with the attention that transformers computes for each.

    venv5/bin/pip install torch==2.15.0 transformers==5.24.0 peft==0.21.2
    venv4/bin/pip install torch==2.15.0 transformers==4.57.6
    venv5/bin/python tests/golden/make_folders.py && venv4/bin/python tests/golden/make_folders.py

Each run writes the folders of its own major version of transformers and leaves the other's as they are. README.md beside this
file says what is in folders/. Weights come from a seeded generator; attention may differ in its last bits between machines.
"""

import json
import os
import pathlib
import shutil
import struct
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import safetensors.torch
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
MAJOR = transformers.__version__.split(".")[0]
FOLDERS = pathlib.Path(__file__).parent / "folders"
MAX_FOLDER_BYTES = 80_000
WORDS = "the old captain saw a small ship and the old crew saw the captain of a ship near the shore".split()
TEXT = "the old captain saw the ship"


def config_of(model_type, **changes):
    sizes = dict(vocab_size=48, max_position_embeddings=40, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
                 num_attention_heads=2, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    if model_type in ("bart", "marian"):
        sizes = dict(vocab_size=48, max_position_embeddings=40, d_model=16, encoder_layers=2, decoder_layers=2,
                     encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=20, decoder_ffn_dim=20,
                     bos_token_id=1, eos_token_id=2, pad_token_id=0, decoder_start_token_id=2, forced_eos_token_id=2)
    if model_type == "t5":
        sizes = dict(vocab_size=48, d_model=16, d_kv=8, d_ff=20, num_layers=2, num_heads=2, eos_token_id=2, pad_token_id=0,
                     decoder_start_token_id=0, relative_attention_num_buckets=8)
    if model_type == "distilbert":
        sizes = dict(vocab_size=48, max_position_embeddings=40, dim=16, hidden_dim=20, n_layers=2, n_heads=2, pad_token_id=0)
    if model_type == "opt":
        sizes["ffn_dim"] = sizes.pop("intermediate_size")
        sizes["word_embed_proj_dim"] = 16
    if "gemma" in model_type or model_type.startswith("qwen3"):
        sizes["head_dim"] = 8
    if model_type in ("mistral", "qwen2", "qwen3", "smollm3", "gemma", "gemma2", "llama"):
        sizes["num_key_value_heads"] = 1
    sizes.update(changes)
    return AutoConfig.for_model(model_type, **sizes)


def kind_of(model_type):
    if model_type in ("bert", "distilbert", "roberta", "xlm-roberta", "camembert"):
        return AutoModelForMaskedLM
    return AutoModelForSeq2SeqLM if model_type in ("t5", "bart", "marian") else AutoModelForCausalLM


def made(model_type, seed, tie=True, **changes):
    """A model of random weights with enough spread that attention is far from uniform."""
    model = kind_of(model_type).from_config(config_of(model_type, tie_word_embeddings=tie, **changes), attn_implementation="eager")
    random = np.random.default_rng(seed)
    seen = set()
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            if value.data_ptr() in seen:
                continue
            seen.add(value.data_ptr())
            draw = random.standard_normal(tuple(value.shape))
            if value.dim() == 1:
                is_norm = "norm" in name.lower() or "ln_" in name
                draw = (1.0 if is_norm and name.endswith("weight") and "gemma" not in model_type else 0.0) + 0.2 * draw
            else:
                draw = draw / np.sqrt(value.shape[1]) * (1.6 if min(value.shape) >= 8 else 1.0)
            value.copy_(torch.from_numpy(draw))
    return model.eval()


def write_tokenizer(folder, with_unknown=True):
    """A word-level tokenizer of our own words, saved by transformers."""
    import tokenizers
    from tokenizers import models, pre_tokenizers
    pieces = ["<pad>", "<s>", "</s>", "<unk>"] + sorted(set(WORDS))
    tokenizer = tokenizers.Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>",
                                                unk_token="<unk>", pad_token="<pad>")
    fast.save_pretrained(folder)


# How a model goes to its folder.
def pretrained(model, folder, **options):
    model.save_pretrained(folder, **options)


def tied_file(model, folder):
    """safetensors.torch.save_model keeps one of two tied names."""
    model.config.save_pretrained(folder)
    safetensors.torch.save_model(model, str(folder / "model.safetensors"))


def compiled(model, folder):
    model.config.save_pretrained(folder)
    safetensors.torch.save_model(torch.compile(model), str(folder / "model.safetensors"))


def parallel(model, folder):
    model.config.save_pretrained(folder)
    safetensors.torch.save_model(torch.nn.DataParallel(model), str(folder / "model.safetensors"))


def compiled_parallel(model, folder):
    model.config.save_pretrained(folder)
    safetensors.torch.save_model(torch.compile(torch.nn.DataParallel(model)), str(folder / "model.safetensors"))


def shards(model, folder):
    model.save_pretrained(folder, max_shard_size="8KB")
    assert (folder / "model.safetensors.index.json").exists()


def base_only(model, folder):
    model.base_model.save_pretrained(folder)


# What is changed in a folder afterwards.
def edit_json(folder, name, change):
    path = folder / name
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=2) + "\n")


def edit_tensors(folder, change):
    path = folder / "model.safetensors"
    with safetensors.safe_open(path, "pt") as file:
        metadata = file.metadata() or {}
    safetensors.torch.save_file(change(safetensors.torch.load_file(path)), path, metadata=metadata or {"format": "pt"})


def renamed(prefix, strip=""):
    def change(folder):
        edit_tensors(folder, lambda tensors: {prefix + name.removeprefix(strip): value.clone() for name, value in tensors.items()})
    return change


def added(**tensors):
    def change(folder):
        edit_tensors(folder, lambda old: {**old, **{name.replace("__", "."): torch.full(shape, 0.5)
                                                    for name, shape in tensors.items()}})
    return change


def config_says(**values):
    return lambda folder: edit_json(folder, "config.json", lambda config: config.update(values))


def python_numbers(folder):
    """What json.dumps of Python writes, in every file a tokenizer or a model has."""
    config_says(some_limit=float("inf"), other=[float("-inf"), float("nan")], whole=10 ** 30, negative=-(2 ** 64))(folder)
    write_tokenizer(folder)
    edit_json(folder, "tokenizer_config.json",
              lambda config: config.update(model_max_length=1000000000000000019884624838656, weight=float("nan")))
    (folder / "generation_config.json").write_text(json.dumps({"temperature": float("inf"), "max_length": 10 ** 25, "eos_token_id": 2}))


def hole_in_index(folder):
    edit_json(folder, "model.safetensors.index.json",
              lambda index: index["weight_map"].pop(sorted(index["weight_map"])[3]))


def odd_index(folder):
    edit_json(folder, "model.safetensors.index.json",
              lambda index: index["metadata"].update(total_size=10 ** 30, note=float("nan")))


TIED = ("gpt2", "llama", "mistral", "qwen2", "qwen3", "smollm3", "gemma", "gemma2", "opt", "gpt_neox", "phi", "bert", "distilbert",
        "roberta", "xlm-roberta", "camembert", "t5", "bart", "marian")

SAVED = ("gpt2", "llama", "gpt_neox", "phi", "bert", "roberta", "t5")


def differs_in_4(name, case):
    """What transformers 4 writes in another way, or reads so."""
    return case[-1] is None and (name.endswith("_saved") or case[0] in ("gpt_neox", "gemma2", "phi") or case[3] is not tied_file)


def cases():
    """name: (model, how it is saved, what is changed then, words that a refusal must hold or None)"""
    seed = 900
    for model_type in TIED:
        seed += 1
        if model_type in SAVED:
            yield f"{model_type}_saved", (model_type, seed, {}, pretrained, None, None)
        if model_type not in ("gpt_neox", "phi"):  # these tie nothing by default, the file is the same
            yield f"{model_type}_tied_file", (model_type, seed, {}, tied_file, None, None)
    yield "llama_untied_file", ("llama", 930, {"tie": False}, tied_file, None, None)
    yield "gpt2_compiled", ("gpt2", 931, {}, compiled, None, None)
    yield "llama_compiled_parallel", ("llama", 932, {}, compiled_parallel, None, None)
    yield "bert_parallel", ("bert", 933, {}, parallel, None, None)
    yield "roberta_compiled", ("roberta", 934, {}, compiled, None, None)
    yield "t5_parallel", ("t5", 935, {}, parallel, None, None)
    yield "qwen3_shards", ("qwen3", 936, {}, shards, None, None)
    yield "llama_shards_hole", ("llama", 937, {"tie": False}, shards, hole_in_index, None)
    yield "gpt2_shards_odd_index", ("gpt2", 938, {}, shards, odd_index, None)
    yield "gpt2_base", ("gpt2", 939, {}, base_only, None, None)
    yield "llama_python_numbers", ("llama", 940, {}, pretrained, python_numbers, None)
    yield "bert_python_numbers", ("bert", 941, {}, pretrained, python_numbers, None)
    yield "llama_language_model", ("llama", 942, {"tie": False}, pretrained, renamed("language_model."), None)
    yield "qwen2_model_language_model", ("qwen2", 943, {}, base_only, renamed("model.language_model."), None)
    yield "gpt_neox_two_bases", ("gpt_neox", 944, {"tie": False}, pretrained, config_says(rotary_emb_base=500, rope_theta=90.0), None)
    yield "llama_dynamic_bases", ("llama", 945, {"max_position_embeddings": 32}, pretrained, None, None)
    # What is refused, and what the sentence names.
    layer = "model__layers__0__self_attn__"
    yield "llama_inner_norm", ("llama", 950, {}, pretrained, added(**{layer + "inner_attn_ln__weight": (16,)}),
                               ["model.layers.0.self_attn.inner_attn_ln.weight"])
    yield "llama_query_norm", ("llama", 951, {}, pretrained, added(**{layer + "q_norm__weight": (8,)}), ["self_attn.q_norm.weight"])
    yield "llama_sinks", ("llama", 952, {}, pretrained, added(**{layer + "sinks": (2,)}), ["self_attn.sinks"])
    yield "llama_query_bias", ("llama", 953, {}, pretrained, added(**{layer + "q_proj__bias": (16,)}), ["self_attn.q_proj.bias"])
    yield "llama_fewer_layers", ("llama", 954, {}, pretrained, config_says(num_hidden_layers=1), ["model.layers.1."])
    yield "bert_alibi", ("bert", 955, {}, pretrained, config_says(
        position_embedding_type="alibi", auto_map={"AutoModel": "modeling_own.OwnBert"}), ["alibi"])
    yield "llama_gptq", ("llama", 956, {}, pretrained, config_says(quantization_config={"quant_method": "gptq", "bits": 4}), ["GPTQ"])
    yield "llama_awq", ("llama", 957, {}, pretrained, config_says(quantization_config={"quant_method": "awq", "bits": 4}), ["AWQ"])
    yield "llama_bitsandbytes", ("llama", 958, {}, pretrained, config_says(
        quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True}), ["bitsandbytes"])
    yield "llama_fp8", ("llama", 959, {}, pretrained, config_says(quantization_config={"quant_method": "fp8"}), ["FP8"])
    yield "llama_compressed", ("llama", 960, {}, pretrained, config_says(
        quantization_config={"quant_method": "compressed-tensors"}), ["compressed-tensors"])
    yield "llama_mlx", ("llama", 961, {}, pretrained, config_says(quantization={"group_size": 64, "bits": 4}), ["MLX"])


def refusals():
    """name: (what writes the folder, words of the sentence)"""

    def lfs(folder):
        saved = made("llama", 970)
        saved.save_pretrained(folder)
        size = (folder / "model.safetensors").stat().st_size
        (folder / "model.safetensors").write_text(
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize {size}\n")

    def adapter(folder):
        import peft
        peft.get_peft_model(made("llama", 971), peft.LoraConfig(r=2, target_modules=["q_proj"])).save_pretrained(folder)
        (folder / "README.md").unlink()  # peft's own words
        edit_json(folder, "adapter_config.json", lambda config: config.update(base_model_name_or_path="our/base"))

    def trainer(folder):
        for step in (5, 10):
            made("gpt2", 972, n_layer=1).save_pretrained(folder / f"checkpoint-{step}")

    def mamba(folder):
        AutoConfig.for_model("mamba", vocab_size=20, hidden_size=8, num_hidden_layers=1, state_size=2).save_pretrained(folder)
        safetensors.torch.save_file({"backbone.embeddings.weight": torch.zeros(20, 8)}, folder / "model.safetensors")

    def bare_pickle(folder):
        model = made("gpt2", 973, n_layer=1)
        model.config.save_pretrained(folder)
        torch.save({"wte.weight": torch.zeros(2, 2)}, folder / "pytorch_model.bin")

    yield "lfs_pointer", lfs, ["Git LFS"]
    yield "lora_adapter", adapter, ["LoRA", "our/base"]
    yield "trainer_output", trainer, ["checkpoint-10"]
    yield "mamba", mamba, ["mamba", "attention"]
    yield "pickle", bare_pickle, ['"wte.weight" is [2,2]']


def run(model, ids, target):
    """The maps of every part."""
    with torch.no_grad():
        if target:
            result = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([target]), output_attentions=True)
            parts = {"encoder": result.encoder_attentions, "decoder": result.decoder_attentions, "cross": result.cross_attentions}
        else:
            parts = {"attention": model(input_ids=torch.tensor([ids]), output_attentions=True).attentions}
    return {part: torch.cat(layers) for part, layers in parts.items()}


def opened(model_type, folder):
    return kind_of(model_type).from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()


def save_in_order(tensors, path, metadata):
    header, body = {"__metadata__": dict(sorted(metadata.items()))}, b""
    for name, value in sorted(tensors.items()):
        data = value.to(torch.float32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def write_case(name, case):
    model_type, seed, changes, save, change, refusal = case
    folder = FOLDERS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = made(model_type, seed, **changes)
    ids = np.random.default_rng(seed).integers(4, 18, 11).tolist()
    target = ids[:5] if model_type in ("t5", "bart", "marian") else None
    maps = run(model, ids, target)
    save(model, folder)
    if change:
        change(folder)
    entry = {"name": name, "family": model_type, "transformers": transformers.__version__}
    if refusal:
        entry["refused"] = refusal
        return finish(entry, folder)
    if "two_bases" in name:
        maps = run(opened(model_type, folder), ids, target)  # what the config means is what transformers reads in it
    else:
        entry["transformers_opens"] = same_maps(model_type, folder, ids, target, maps)
    metadata = {"token_ids": json.dumps(ids)}
    if target:
        metadata["target_ids"] = json.dumps(target)
    save_in_order(maps, folder / "attention.safetensors", metadata)
    spread = max(float(part[..., -1, :].max()) for part in maps.values())
    assert spread > 0.2, f"{name}: attention is close to uniform ({spread})"
    if (folder / "tokenizer.json").exists():
        entry["text"] = TEXT
        entry["ids"] = transformers.AutoTokenizer.from_pretrained(folder)(TEXT)["input_ids"]
    return finish(entry, folder)


def same_maps(model_type, folder, ids, target, maps):
    """Whether transformers gives them when it opens the folder; it does not know every prefix."""
    try:
        again = run(opened(model_type, folder), ids, target)
    except Exception:  # noqa: BLE001: what it says of the folder does not matter here
        return False
    return all(bool((again[part] - maps[part]).abs().max() < 1e-6) for part in maps)


def finish(entry, folder):
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert size <= MAX_FOLDER_BYTES, f"{entry['name']}: {size} bytes"
    print(f"{entry['name']:34} {size:6} bytes", entry.get("transformers_opens", ""), *entry.get("refused", []))
    return entry


def write_refusal(name, write, words):
    folder = FOLDERS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write(folder)
    return finish({"name": name, "transformers": transformers.__version__, "refused": words}, folder)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    manifest = FOLDERS / "manifest.json"
    known = json.loads(manifest.read_text())["cases"] if manifest.exists() else []
    fresh = [write_case(f"v{MAJOR}_{name}", case) for name, case in cases() if MAJOR == "5" or differs_in_4(name, case)]
    if MAJOR == "5":
        fresh += [write_refusal(name, write, words) for name, write, words in refusals()]
    names = {entry["name"] for entry in fresh}
    kept = [entry for entry in known if entry["name"] not in names and not entry["name"].startswith(f"v{MAJOR}_")]
    manifest.write_text(json.dumps({"cases": sorted(kept + fresh, key=lambda entry: entry["name"])}, indent=1) + "\n")


if __name__ == "__main__":
    main()
