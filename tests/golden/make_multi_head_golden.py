"""Writes what torch.nn.MultiheadAttention gives in float64 for other numbers of heads: maps, outputs and the shapes it prints.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 safetensors numpy
    venv/bin/python tests/golden/make_multi_head_golden.py

Weights and inputs are numbers that tests/support/counted_numbers.h makes, too; only results are kept. README.md says more.
"""

import json
import pathlib

import numpy as np
import torch

DATA = pathlib.Path(__file__).parent / "multi_head"
TOKENS = 12
EVERY = {512: 4, 48: 1}  # which columns of the output are kept

# d: head counts
CASES = {512: (1, 2, 4, 8), 48: (1, 2, 3, 4, 6)}


def counted(seed, count, scale):
    """CountedNumbers of tests/support/counted_numbers.h."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return scale * ((z >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0)


def scales(width):
    """Of the projections in and out, biases and inputs: powers of two, so that no product rounds."""
    return {512: 2.0**-2, 48: 1.0}[width], {512: 2.0**-4, 48: 2.0**-2}[width], 2.0**-3, 1.0


def save(tensors, path, metadata):
    """Safetensors in float64, in a fixed order."""
    header, body = {"__metadata__": metadata}, b""
    for name, value in sorted(tensors.items()):
        data = value.to(torch.float64).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F64", "shape": list(value.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def main():
    torch.set_num_threads(1)
    DATA.mkdir(exist_ok=True)
    manifest = {"torch": torch.__version__.split("+")[0], "numpy": np.__version__, "tokens": TOKENS, "cases": []}
    for width, counts in CASES.items():
        into, out, bias, source = scales(width)
        inputs = torch.from_numpy(counted(width, TOKENS * width, source).astype(np.float32).astype(np.float64))
        inputs = inputs.reshape(1, TOKENS, width)
        tensors = {}
        for heads in counts:
            module = torch.nn.MultiheadAttention(width, heads, batch_first=True, dtype=torch.float64).eval()
            with torch.no_grad():
                for seed, (tensor, shape, scale) in enumerate([
                        (module.in_proj_weight, (3 * width, width), into), (module.in_proj_bias, (3 * width,), bias),
                        (module.out_proj.weight, (width, width), out), (module.out_proj.bias, (width,), bias)]):
                    assert tuple(tensor.shape) == shape
                    tensor.copy_(torch.from_numpy(counted(1000 + seed, int(np.prod(shape)), scale)).reshape(shape))
                output, maps = module(inputs, inputs, inputs, average_attn_weights=False)
                q, k, _ = (inputs[0] @ module.in_proj_weight.T + module.in_proj_bias).split(width, dim=1)
                scores = [(q[:, i:i + width // heads] @ k[:, i:i + width // heads].T) / (width // heads) ** 0.5
                          for i in range(0, width, width // heads)]
            largest = max(score.abs().max().item() for score in scores)
            assert largest < 30.0, f"d {width}, h {heads}: a score of {largest}"
            assert tuple(maps.shape) == (1, heads, TOKENS, TOKENS)
            tensors[f"maps_{heads}"] = maps[0].contiguous()
            tensors[f"output_{heads}"] = output[0, :, ::EVERY[width]].contiguous()
            split = q.view(TOKENS, heads, width // heads).transpose(0, 1)
            manifest["cases"].append({
                "width": width, "heads": heads, "every": EVERY[width], "largest_score": round(largest, 3),
                "in_scale": into, "out_scale": out, "bias_scale": bias, "largest_weight": round(maps.max().item(), 4),
                "shapes": [list(inputs.shape), list(split.shape), [TOKENS, width], list(output.shape)],
                "parameters": [list(tensor.shape) for tensor in
                               (module.in_proj_weight, module.in_proj_bias, module.out_proj.weight, module.out_proj.bias)]})
            print(f"d {width:4} h {heads}: scores to {largest:6.2f}, weights to {maps.max().item():.3f}, "
                  f"outputs to {output.abs().max().item():.2f}")
        save(tensors, DATA / f"width_{width}.safetensors", {"torch": manifest["torch"]})
    (DATA / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
