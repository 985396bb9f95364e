"""Muon for the matrices inside the blocks, Adam for everything else; the rate warms up, stays, and falls to zero at the end."""

import torch

import side_by_side


@torch.no_grad()
def orthogonalize(matrix, steps=5):
    """The nearest semi-orthogonal matrix of each [..., rows, columns], roughly: a quintic Newton-Schulz iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / (matrix.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    flipped = x.shape[-2] > x.shape[-1]
    x = x.mT if flipped else x
    for _ in range(steps):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if flipped else x


class Muon(torch.optim.Optimizer):
    """`parts`: how many matrices a parameter holds one under another, each turned by itself. Workers share the turning."""

    def __init__(self, parameters, lr, momentum=0.95, weight_decay=0.0, workers=None):
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "parts": 1})
        self.workers = workers or side_by_side.Workers()

    def direction(self, group, parameter):
        state = self.state[parameter]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(parameter)
        buffer = state["momentum_buffer"]
        buffer.lerp_(parameter.grad, 1 - group["momentum"])
        return parameter.grad.lerp(buffer, group["momentum"]).unflatten(0, (group["parts"], -1))

    @torch.no_grad()
    def step(self):
        chosen = [(group, parameter) for group in self.param_groups for parameter in group["params"]]
        updates = [self.direction(group, parameter) for group, parameter in chosen]
        self.workers.share(updates, orthogonalize)
        for (group, parameter), update in zip(chosen, updates):
            stretch = max(1.0, update.shape[-2] / update.shape[-1]) ** 0.5
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            parameter.add_(update.flatten(0, 1), alpha=-group["lr"] * stretch)


def rate_factor(step, total, warm_up, decay_share):
    """1 on the plateau; the decay depends on the total, all before it does not."""
    decay = int(total * decay_share)
    return min(1.0, (step + 1) / warm_up, max(0.0, (total - step) / decay) if decay else 1.0)


def make_optimizers(network, recipe, workers=None):
    names = [n for n, p in network.named_parameters() if p.dim() == 2 and n.startswith(("layers.", "h."))] if recipe.muon_rate > 0 else []
    matrices = {n: p for n, p in network.named_parameters() if n in names}
    rest = [p for n, p in network.named_parameters() if n not in matrices]
    optimizers = [torch.optim.Adam(rest, lr=recipe.adam_rate, betas=recipe.adam_betas, fused=True)]
    if matrices:
        joined = [p for n, p in matrices.items() if n.endswith("c_attn.weight")]  # query, key and value in one
        single = [p for n, p in matrices.items() if not n.endswith("c_attn.weight")]
        groups = [{"params": single}] + ([{"params": joined, "parts": 3}] if joined else [])
        optimizers.append(Muon(groups, lr=recipe.muon_rate, weight_decay=recipe.weight_decay, workers=workers))
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["full_rate"] = group["lr"]
    return optimizers
