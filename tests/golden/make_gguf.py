"""Writes gguf/types.gguf: a tensor of every GGUF type that opens, and gguf/types.safetensors: the numbers they stand for.

The judge is the gguf package: its dequantize gives the numbers. Codes are random bytes, so that every bit of a block
counts; scales are ordinary halves, one of them negative and one subnormal.

Usage: make_gguf.py OUT_FOLDER
"""
import pathlib
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Type, GGUFWriter
from gguf.quants import dequantize
from safetensors.numpy import save_file

ROWS, COLUMNS = 2, 512
# Where a block keeps its half-precision scales.
SCALES_AT = {Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0], Type.Q4_K: [0, 2],
             Type.Q5_K: [0, 2], Type.Q6_K: [208]}


def quantised(kind, random):
    elements, size = GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (ROWS * COLUMNS // elements, size), dtype=np.uint8)
    for at in SCALES_AT[kind]:
        scales = random.normal(0, 0.02, len(blocks)).astype(np.float16)
        scales[0] = -0.0123
        scales[1] = 3e-6
        blocks[:, at:at + 2] = scales.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(ROWS, -1)


def main(folder):
    random = np.random.default_rng(17)
    writer = GGUFWriter(folder / "types.gguf", "none")
    expected = {}
    for kind in SCALES_AT:
        data = quantised(kind, random)
        writer.add_tensor(kind.name, data, raw_dtype=kind)
        expected[kind.name] = dequantize(data, kind).reshape(ROWS, COLUMNS)
    plain = random.normal(0, 1, (ROWS, COLUMNS)).astype(np.float32)
    writer.add_tensor("F32", plain)
    expected["F32"] = plain
    writer.add_tensor("F16", plain.astype(np.float16))
    expected["F16"] = plain.astype(np.float16).astype(np.float32)
    bits = (plain.view(np.uint32) >> 16).astype(np.uint16)
    writer.add_tensor("BF16", bits.view(np.uint8), raw_dtype=Type.BF16)
    expected["BF16"] = (bits.astype(np.uint32) << 16).view(np.float32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file(expected, folder / "types.safetensors")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
