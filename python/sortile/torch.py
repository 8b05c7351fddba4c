"""For programs that compile: ``import sortile.torch`` makes PyTorch's operators known before torch.compile meets them.

``torch.ops.sortile.sort``, ``argsort``, ``top_k`` and others are what `sortile.sort` and its like become where a
gradient is wanted, or torch.compile or vmap is at work. Without this import they are loaded when the first tensor is
sorted, which torch.compile cannot do in the middle of what it traces.
"""

from __future__ import annotations

import torch

from ._frameworks import known

for _kind in (torch.Tensor, torch.nn.Parameter):
    known(_kind)
