"""Writes the golden models that have an encoder: BERT and its kin, T5, BART, Marian.

    venv/bin/python tests/golden/make_encoder_golden.py            # or: make_encoder_golden.py CASE...

As make_golden.py beside it, with what these need more: segment ids, targets, maps of three parts, text that is
generated greedily. Lists what it made in data/encoders.json and data/encoder_decoders.json.
"""

import json
import sys

import numpy as np
import torch
import transformers
from transformers import (BartConfig, BartForCausalLM, BartForConditionalGeneration, BartModel, BertConfig, BertForMaskedLM,
                          BertModel, DistilBertConfig, DistilBertForMaskedLM, LlamaConfig, LlamaForQuestionAnswering,
                          MarianConfig, MarianForCausalLM, MarianMTModel, RobertaConfig, RobertaForMaskedLM, T5Config,
                          T5EncoderModel, T5ForConditionalGeneration, XLMRobertaConfig, XLMRobertaForMaskedLM)

from make_golden import DATA, MAX_FILE_BYTES, MAX_MODEL_BYTES, save_in_order, save_model

TOLERANCE = 1e-5
GENERATED_TOKENS = 12


def bert(**changes):
    config = dict(vocab_size=47, hidden_size=20, num_hidden_layers=2, num_attention_heads=4, intermediate_size=34,
                  max_position_embeddings=32, type_vocab_size=2)
    config.update(changes)
    return BertForMaskedLM, BertConfig(**config)


def bert_base(**changes):
    return BertModel, bert(**changes)[1]


def roberta(**changes):
    config = dict(vocab_size=47, hidden_size=20, num_hidden_layers=2, num_attention_heads=4, intermediate_size=34,
                  max_position_embeddings=34, type_vocab_size=1)
    config.update(changes)
    return RobertaForMaskedLM, RobertaConfig(**config)


def distilbert(**changes):
    config = dict(vocab_size=47, dim=20, n_layers=2, n_heads=4, hidden_dim=34, max_position_embeddings=32)
    config.update(changes)
    return DistilBertForMaskedLM, DistilBertConfig(**config)


def t5(**changes):
    config = dict(vocab_size=41, d_model=18, d_kv=6, d_ff=30, num_layers=2, num_heads=3, decoder_start_token_id=0,
                  relative_attention_num_buckets=32, relative_attention_max_distance=128, tie_word_embeddings=True)
    config.update(changes)
    return T5ForConditionalGeneration, T5Config(**config)


def t5_encoder(**changes):
    return T5EncoderModel, t5(**changes)[1]


def llama_answers():
    return LlamaForQuestionAnswering, LlamaConfig(vocab_size=31, max_position_embeddings=32, hidden_size=16, intermediate_size=22,
                                                  num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1)


def bart(**changes):
    config = dict(vocab_size=41, d_model=20, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                  decoder_attention_heads=4, encoder_ffn_dim=26, decoder_ffn_dim=26, max_position_embeddings=40)
    config.update(changes)
    return BartForConditionalGeneration, BartConfig(**config)


def bart_base(**changes):
    return BartModel, bart(**changes)[1]


def marian(**changes):
    config = dict(vocab_size=41, d_model=20, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                  decoder_attention_heads=4, encoder_ffn_dim=26, decoder_ffn_dim=26, max_position_embeddings=40,
                  pad_token_id=40, decoder_start_token_id=40, eos_token_id=0, forced_eos_token_id=None,
                  scale_embedding=True, activation_function="swish")
    config.update(changes)
    return MarianMTModel, MarianConfig(**config)


# name: (seed, model, lengths of the inputs, gain of queries and keys, what it tests)
ENCODERS = {
    "bert_plain": (301, bert(num_hidden_layers=3), (17, 1, 2, 32), 2.5,
                   "the plain layout; one text fills every position; two segments"),
    "bert_relu": (302, bert(hidden_act="relu", layer_norm_eps=0.2, type_vocab_size=3), (14, 1, 2), 2.5,
                  "relu in the MLP, a large epsilon, three segments"),
    "bert_gelu_new": (303, bert(hidden_act="gelu_new", hidden_size=21, num_attention_heads=3), (15, 1, 2), 2.5,
                      "the tanh form of gelu; d_k = 7"),
    "bert_no_prefix": (304, bert_base(), (13, 1, 2), 2.5, "tensor names without 'bert.', as older files spell the norms"),
    "bert_decoder": (305, bert(is_decoder=True), (12, 1, 2), 2.5, "a BERT that is causal"),
    "distilbert_plain": (311, distilbert(), (16, 1, 2, 32), 2.5, "the plain layout"),
    "distilbert_sinusoidal": (312, distilbert(sinusoidal_pos_embds=True, activation="relu"), (16, 1, 2), 2.5,
                              "sinusoidal positions; relu in the MLP"),
    "roberta_plain": (321, roberta(), (17, 1, 2, 32), 2.5,
                      "positions from pad_token_id + 1; padding within the text has none of its own"),
    "roberta_padding": (322, roberta(pad_token_id=4, max_position_embeddings=25), (14, 1, 2, 20), 2.5,
                        "another padding token"),
    "xlm_roberta_plain": (323, (XLMRobertaForMaskedLM, XLMRobertaConfig(**{
        k: v for k, v in roberta()[1].to_dict().items() if k not in ("model_type", "architectures")})),
        (13, 1, 2), 2.5, "the same layout under another name"),
    "t5_encoder": (331, t5_encoder(num_layers=3), (17, 1, 2), 0.8, "an encoder that was saved without a decoder"),
    "bart_decoder": (332, (BartForCausalLM, bart()[1]), (15, 1, 2, 40), 1.8,
                     "a decoder that was saved as a language model of its own"),
    "marian_decoder": (333, (MarianForCausalLM, marian()[1]), (15, 1, 2), 1.2, "the same of Marian"),
    "llama_answers": (334, llama_answers(), (14, 1, 2), 1.5, "tensor names that begin with 'transformer.'"),
}

# Classes that AutoModel does not stand for.
OWN_CLASS = ("t5_encoder", "bart_decoder", "marian_decoder", "llama_answers")


# name: (seed, model, lengths of text and target, gain of queries and keys, what it tests)
PAIRS = {
    "t5_plain": (401, t5(), ((17, 9), (1, 1), (2, 5)), 0.8, "relu, tied embeddings, scores not scaled"),
    "t5_gated": (402, t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False, num_decoder_layers=1, num_layers=3),
                 ((14, 11), (2, 1)), 0.8, "as version 1.1: gated gelu, an output layer of its own; one decoder layer"),
    "t5_far": (403, t5(num_layers=1, num_heads=2, d_kv=8, relative_attention_max_distance=40), ((90, 70),), 1.3,
               "distances past the last bucket in both directions"),
    "t5_few_buckets": (404, t5(relative_attention_num_buckets=9, relative_attention_max_distance=13,
                               feed_forward_proj="gated-silu"), ((30, 25),), 0.8, "an odd number of buckets"),
    "t5_large_scores": (405, t5(), ((20, 12),), 6.0, "scores so large that float32 itself is far off"),
    "bart_plain": (411, bart(), ((17, 9), (1, 1), (40, 3)), 1.8, "the plain layout; one text fills every position"),
    "bart_scaled": (412, bart(scale_embedding=True, activation_function="relu", decoder_attention_heads=2,
                              decoder_layers=1, decoder_ffn_dim=15), ((13, 8),), 2.0,
                    "embeddings times sqrt(d); a decoder of other sizes"),
    "bart_no_prefix": (413, bart_base(forced_bos_token_id=5), ((12, 7),), 1.8,
                       "tensor names without 'model.', no output layer"),
    "marian_plain": (421, marian(), ((17, 9), (1, 1), (3, 40)), 1.2,
                     "sinusoidal positions, embeddings times sqrt(d), starts with the padding token"),
    "marian_unshared": (422, marian(share_encoder_decoder_embeddings=False, decoder_vocab_size=37, pad_token_id=36,
                                    decoder_start_token_id=36, tie_word_embeddings=False, d_model=22,
                                    encoder_attention_heads=2, decoder_attention_heads=2), ((11, 10),), 1.2,
                        "two vocabularies; positions of a width that halves to an odd number"),
    "bart_untied": (414, bart(tie_word_embeddings=False), ((13, 8),), 1.8,
                    "embeddings of their own for encoder, decoder and output layer beside the shared ones"),
    "marian_untied": (423, marian(tie_word_embeddings=False), ((13, 8),), 1.2, "the same of Marian"),
    "marian_positions": (424, marian(), ((13, 8),), 2.6, "stored positions that are no sines"),
    "t5_apart": (406, t5(num_layers=1), ((13, 8),), 0.8, "tied by its config, and yet with tensors that differ"),
}


def fill(model, seed, gain):
    """Random weights with enough spread that attention is far from uniform."""
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            draw = random.standard_normal(tuple(value.shape))
            if not value.requires_grad:  # sinusoidal positions
                continue
            if value.dim() == 1:
                is_norm = "norm" in name.lower()
                draw = 1.0 + 0.2 * draw if is_norm and name.endswith("weight") else 0.2 * draw
            elif "relative_attention_bias" in name:
                draw *= 2.0
            elif "embed" in name or "shared" in name:
                draw *= 0.7
            else:
                draw /= np.sqrt(value.shape[1])
                if any(part in name for part in (".query.", ".key.", "q_lin", "k_lin", "q_proj", "k_proj",
                                                 "Attention.q.", "Attention.k.")):
                    draw *= gain
            value.copy_(torch.from_numpy(draw))


def set_apart(name, model):
    """What config classes do not ask for: tensors that differ though they could be one, positions that were trained."""
    random = np.random.default_rng(5000)
    draw = lambda like: torch.nn.Parameter(torch.from_numpy(random.standard_normal(tuple(like.shape)) * 0.7).float())
    if name == "t5_apart":
        for module in (model.encoder.embed_tokens, model.decoder.embed_tokens, model.lm_head):
            module.weight = draw(module.weight)
    if name == "marian_positions":
        for stack in (model.model.encoder, model.model.decoder):
            stack.embed_positions.weight = draw(stack.embed_positions.weight)
        model._keys_to_ignore_on_save = None


def old_names(folder):
    """LayerNorm.gamma and .beta, as checkpoints converted from TensorFlow have them."""
    tensors = safetensors_load(folder)
    tensors = {name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
               for name, value in tensors.items()}
    import safetensors.torch
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def safetensors_load(folder):
    import safetensors.torch
    return safetensors.torch.load_file(folder / "model.safetensors")


def open_as(model_class, folder, dtype):
    return model_class.from_pretrained(folder, attn_implementation="eager", dtype=dtype).eval()


def check(name, folder, maps, difference):
    model_bytes = (folder / "model.safetensors").stat().st_size
    assert model_bytes <= MAX_MODEL_BYTES, f"{name}: {model_bytes} bytes"
    assert (folder / "attention.safetensors").stat().st_size <= MAX_FILE_BYTES
    entropy = torch.special.entr(maps).sum(-1)
    visible = (maps > 0).sum(-1)
    share = (entropy[visible > 1] / visible[visible > 1].log()).mean().item()
    assert share < 0.85, f"{name}: attention is close to uniform ({share})"
    print(f"{name:28} {model_bytes:7} bytes, entropy {share:.2f} of uniform, float32 against float64 {difference:.1e}")
    return round(share, 2)


def write_encoder(name):
    seed, (model_class, config), lengths, gain, shows = ENCODERS[name]
    folder = DATA / name
    folder.mkdir(parents=True, exist_ok=True)
    model = model_class(config)
    fill(model, seed, gain)
    save_model(name, model, folder)
    opened = model_class if name in OWN_CLASS else transformers.AutoModel
    single, double = (open_as(opened, folder, dtype) for dtype in (torch.float32, torch.float64))
    if name == "bert_no_prefix":
        old_names(folder)
    random = np.random.default_rng(seed + 1000)
    tensors, metadata, difference = {}, {"transformers": transformers.__version__}, 0.0
    for index, length in enumerate(lengths):
        suffix = f"_{index}" if index else ""
        ids = random.integers(0, config.vocab_size, length)
        if "roberta" in name and length > 6:
            ids[[3, 4]] = config.pad_token_id
        inputs = {"input_ids": torch.tensor(ids)[None]}
        metadata["token_ids" + suffix] = json.dumps(ids.tolist())
        if length > 2 and getattr(config, "type_vocab_size", 1) > 1:
            segments = (np.arange(length) * config.type_vocab_size // length).tolist()
            inputs["token_type_ids"] = torch.tensor([segments])
            metadata["segment_ids" + suffix] = json.dumps(segments)
        with torch.no_grad():
            maps = [torch.cat(m(**inputs, output_attentions=True).attentions) for m in (single, double)]
        difference = max(difference, (maps[0] - maps[1]).abs().max().item())
        tensors["attention" + suffix] = maps[0]
    save_in_order(tensors, folder / "attention.safetensors", metadata)
    share = check(name, folder, tensors["attention"], difference)
    assert difference < 3e-6, f"{name}: float32 itself is off by {difference}"
    family = {"xlm-roberta": "roberta"}.get(config.model_type, config.model_type)
    return {"name": name, "family": family, "seed": seed, "inputs": list(lengths), "shows": shows,
            "float64_difference": float(f"{difference:.1e}"), "entropy_of_uniform": share}


def run_pair(model, ids, target):
    with torch.no_grad():
        result = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([target]), output_attentions=True,
                       use_cache=False)
    return {"encoder": torch.cat(result.encoder_attentions), "decoder": torch.cat(result.decoder_attentions),
            "cross": torch.cat(result.cross_attentions)}


def write_pair(name):
    seed, (model_class, config), lengths, gain, shows = PAIRS[name]
    folder = DATA / name
    folder.mkdir(parents=True, exist_ok=True)
    model = model_class(config)
    fill(model, seed, gain)
    if hasattr(model, "final_logits_bias"):
        draw = np.random.default_rng(seed + 500).standard_normal(tuple(model.final_logits_bias.shape))
        model.final_logits_bias.copy_(torch.from_numpy(draw))
    set_apart(name, model)
    save_model(name, model, folder)
    single, double = (open_as(model_class, folder, dtype) for dtype in (torch.float32, torch.float64))
    random = np.random.default_rng(seed + 1000)
    tensors, metadata, difference = {}, {"transformers": transformers.__version__}, 0.0
    # Float32 that is itself far off proves nothing: the double forward does.
    is_large = name == "t5_large_scores"
    for index, (length, target_length) in enumerate(lengths):
        suffix = f"_{index}" if index else ""
        ids = random.integers(0, config.vocab_size, length).tolist()
        decoder_ids = getattr(config, "decoder_vocab_size", None) or config.vocab_size
        target = [config.decoder_start_token_id] + random.integers(0, decoder_ids, target_length - 1).tolist()
        maps, exact = run_pair(single, ids, target), run_pair(double, ids, target)
        for part in maps:
            difference = max(difference, (maps[part] - exact[part]).abs().max().item())
            tensors[part + suffix] = (exact if is_large else maps)[part]
        metadata["token_ids" + suffix] = json.dumps(ids)
        metadata["target_ids" + suffix] = json.dumps(target)
        if model_class is not BartModel:
            with torch.no_grad():
                made = double.generate(torch.tensor([ids]), max_new_tokens=GENERATED_TOKENS, do_sample=False,
                                       num_beams=1, forced_eos_token_id=None)[0].tolist()
            end = config.eos_token_id
            metadata["generated_ids" + suffix] = json.dumps(made[:-1] if made[-1] == end and len(made) > 1 else made)
    save_in_order(tensors, folder / "attention.safetensors", metadata)
    share = check(name, folder, tensors["cross"].to(torch.float32), difference)
    assert is_large or difference < 3e-6, f"{name}: float32 itself is off by {difference}"
    return {"name": name, "family": config.model_type, "seed": seed, "inputs": [list(pair) for pair in lengths],
            "shows": shows, "float64_difference": float(f"{difference:.1e}"), "entropy_of_uniform": share,
            "tolerance": float(f"{3 * difference:.1e}") if is_large else TOLERANCE}


def write_manifest(path, kinds, write, chosen):
    """Keeps what the manifest says of cases that are not written again."""
    known = {case["name"]: case for case in json.loads(path.read_text())["cases"]} if path.exists() else {}
    cases = [write(name) if not chosen or name in chosen else known[name] for name in kinds]
    manifest = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
                "numpy": np.__version__, "tolerance": TOLERANCE, "cases": cases}
    path.write_text(json.dumps(manifest, indent=1) + "\n")


def main():
    torch.set_num_threads(1)
    write_manifest(DATA / "encoders.json", ENCODERS, write_encoder, sys.argv[1:])
    write_manifest(DATA / "encoder_decoders.json", PAIRS, write_pair, sys.argv[1:])


if __name__ == "__main__":
    main()
