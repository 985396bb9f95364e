"""The two networks that are trained here, laid out as their Hugging Face families lay them out.

LlamaNetwork is the llama layout (rotary positions, RMS norm, gated MLP), Gpt2Network the GPT-2 layout, with or without its MLP.
Weights are drawn whole, before they are cut into heads: models that differ only in the number of heads start alike.
"""

import math

import torch
from torch import nn
from torch.nn import functional

ROTARY_BASE = 10000.0


def rotary_tables(positions, head_dim):
    """cos and sin [positions, head_dim]: the number of frequencies is head_dim / 2, so it depends on the number of heads."""
    frequencies = ROTARY_BASE ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(torch.arange(positions, dtype=torch.float64), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos().float(), angles.sin().float()


def rotate(x, cosine, sine):
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads, self.head_dim = heads, width // heads
        self.input_layernorm = nn.RMSNorm(width, eps=1e-5)
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.post_attention_layernorm = nn.RMSNorm(width, eps=1e-5)
        self.gate_proj, self.up_proj = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x, cosine, sine, causal=True):
        batch, tokens, width = x.shape
        normed = self.input_layernorm(x)

        def heads_of(projection):
            return projection(normed).view(batch, tokens, self.heads, self.head_dim).transpose(1, 2)

        query, key = (rotate(heads_of(p), cosine, sine) for p in (self.q_proj, self.k_proj))
        mixed = functional.scaled_dot_product_attention(query, key, heads_of(self.v_proj), is_causal=causal)
        x = x + self.o_proj(mixed.transpose(1, 2).reshape(batch, tokens, width))
        normed = self.post_attention_layernorm(x)
        return x + self.down_proj(functional.silu(self.gate_proj(normed)) * self.up_proj(normed))


class LlamaNetwork(nn.Module):
    def __init__(self, recipe, heads):
        super().__init__()
        width = recipe.width
        self.embed_tokens = nn.Embedding(recipe.vocabulary, width)
        self.layers = nn.ModuleList(LlamaBlock(width, heads, recipe.inner) for _ in range(recipe.layers))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.lm_head = nn.Linear(width, recipe.vocabulary, bias=False)
        cosine, sine = rotary_tables(recipe.context, width // heads)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)

    def draw(self, generator):
        residual = 0.02 / math.sqrt(2 * len(self.layers))
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                spread = residual if name.endswith(("o_proj.weight", "down_proj.weight")) else 0.02
                with torch.no_grad():
                    weight.copy_(torch.randn(weight.shape, generator=generator) * spread)

    def forward(self, ids, targets):
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x, self.cosine, self.sine)
        logits = self.lm_head(self.norm(x)).float()
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="none").view(ids.shape)


class Gpt2Block(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads, self.head_dim = heads, width // heads
        self.ln_1 = nn.LayerNorm(width, eps=1e-5)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = None
        if inner:
            self.ln_2 = nn.LayerNorm(width, eps=1e-5)
            self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, inner), "c_proj": nn.Linear(inner, width)})

    def forward(self, x):
        batch, tokens, width = x.shape
        query, key, value = (
            part.view(batch, tokens, self.heads, self.head_dim).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).split(width, dim=-1)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.c_proj(mixed.transpose(1, 2).reshape(batch, tokens, width))
        if self.mlp is None:
            return x
        return x + self.mlp["c_proj"](functional.gelu(self.mlp["c_fc"](self.ln_2(x)), approximate="tanh"))


def waves(positions, width):
    """[positions, width] of unit variance: sines and cosines, so that one matrix moves every position by one."""
    frequencies = positions ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.outer(torch.arange(positions, dtype=torch.float64), frequencies)
    return (math.sqrt(2) * torch.cat((angles.cos(), angles.sin()), dim=-1)).float()


class Gpt2Network(nn.Module):
    """The GPT-2 layout. Without its MLP where the recipe has none: export adds MLP tensors that are zero, as the family's files must
    hold some. An MLP begins with its output zero, so that a network which learnt without it goes on as it was."""

    def __init__(self, recipe, heads):
        super().__init__()
        self.begins_as_waves = recipe.waves
        self.wte = nn.Embedding(recipe.vocabulary, recipe.width)
        self.wpe = nn.Embedding(recipe.context, recipe.width)
        self.h = nn.ModuleList(Gpt2Block(recipe.width, heads, recipe.inner if recipe.mlp else 0) for _ in range(recipe.layers))
        self.ln_f = nn.LayerNorm(recipe.width, eps=1e-5)
        self.lm_head = nn.Linear(recipe.width, recipe.vocabulary, bias=False)

    @torch.no_grad()
    def draw(self, generator):
        """A spread of 0.1 at width 64; matrices narrower at greater widths, where the same spread drowns the embeddings and hinders induction.
        Where a recipe says so, the learned positions begin as waves."""
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                spread = 0.1 if name.startswith("w") else 0.8 / math.sqrt(weight.shape[1])
                weight.copy_(torch.randn(weight.shape, generator=generator) * spread)
            elif name.endswith(".bias"):
                weight.zero_()
            if name.endswith("mlp.c_proj.weight"):
                weight.zero_()
        if self.begins_as_waves:
            self.wpe.weight.copy_(0.1 * waves(*self.wpe.weight.shape))

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x)).float()
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="none").view(ids.shape)
