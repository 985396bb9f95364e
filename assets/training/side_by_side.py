"""Several processes of one thread each train one network: each has a share of the rows, and what they find is added up.

They meet twice a step. Threads that share each matrix product meet hundreds of times, and wait for the slowest each time: beside other
work that costs most of the speed.
"""

import datetime

import torch
import torch.distributed as distributed


class Workers:
    """This process among `count`; alone, and without any exchange, where nothing is said."""

    def __init__(self, rank=0, count=1, meeting_file=None):
        self.rank, self.count = rank, count
        if count > 1:
            distributed.init_process_group(
                "gloo", init_method=f"file://{meeting_file}", rank=rank, world_size=count, timeout=datetime.timedelta(days=7)
            )

    def add(self, tensors):
        """Makes each tensor the sum over all workers, to the same last bit in each."""
        if self.count == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        distributed.all_reduce(flat)
        for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors])):
            tensor.copy_(part.view_as(tensor))

    def share(self, tensors, change):
        """Each tensor in place by what `change` makes of it, done once by one of the workers."""
        for number, tensor in enumerate(tensors):
            tensor.copy_(change(tensor)) if number % self.count == self.rank else tensor.zero_()
        self.add(tensors)
