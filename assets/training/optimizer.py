"""Muon for the matrices inside the blocks, Adam for everything else; the rate warms up, stays, and falls to zero at the end."""

import torch


@torch.no_grad()
def orthogonalize(matrix, steps=5):
    """The nearest semi-orthogonal matrix, roughly: a quintic Newton-Schulz iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / (matrix.norm() + 1e-7)
    flipped = x.shape[0] > x.shape[1]
    x = x.T if flipped else x
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if flipped else x


class Muon(torch.optim.Optimizer):
    def __init__(self, parameters, lr, momentum=0.95, weight_decay=0.0):
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = torch.zeros_like(parameter)
                buffer = state["momentum_buffer"]
                buffer.lerp_(parameter.grad, 1 - group["momentum"])
                update = orthogonalize(parameter.grad.lerp(buffer, group["momentum"]))
                stretch = max(1.0, parameter.shape[0] / parameter.shape[1]) ** 0.5
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(update, alpha=-group["lr"] * stretch)


def rate_factor(step, total, warm_up, decay_share):
    """1 on the plateau; the decay depends on the total, all before it does not."""
    decay = int(total * decay_share)
    return min(1.0, (step + 1) / warm_up, max(0.0, (total - step) / decay) if decay else 1.0)


def make_optimizers(network, recipe):
    matrices = [p for n, p in network.named_parameters() if p.dim() == 2 and n.startswith("layers.")] if recipe.is_text else []
    chosen = {id(p) for p in matrices}
    rest = [p for p in network.parameters() if id(p) not in chosen]
    optimizers = [torch.optim.Adam(rest, lr=recipe.adam_rate, betas=recipe.adam_betas, fused=True)]
    if matrices:
        optimizers.append(Muon(matrices, lr=recipe.muon_rate, weight_decay=recipe.weight_decay))
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["full_rate"] = group["lr"]
    return optimizers
