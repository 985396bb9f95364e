"""The recipes: every number that decides what comes out, apart from the number of heads."""

import dataclasses

HEAD_COUNTS = (1, 2, 4, 8, 16)


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A head of the first layer that begins with a pattern."""

    head: int
    role: str  # duplicate_token or separator
    steps: int
    repeat_share: float  # of the sequences
    rate: float = 3e-3


@dataclasses.dataclass(frozen=True)
class Recipe:
    family: str  # what the folders are called: family-h8
    layout: str  # llama or gpt2
    layers: int
    width: int
    inner: int  # width of the MLP
    vocabulary: int
    context: int
    rows: int  # sequences in a batch
    steps: int
    seeds: tuple
    adam_rate: float
    adam_betas: tuple
    warm_up: int
    decay_share: float  # of the steps, at the end, over which the rate falls to zero
    save_steps: tuple  # weights are kept at these steps, and at the last
    shipped_steps: tuple  # of those, the ones that are bundled
    shipped_checkpoints: tuple  # of which head counts; step 0, one draw for all, of every one
    held_out_periods: tuple  # of repeated blocks: never trained on, so that scores are measured on new ones
    muon_rate: float = 0.0  # 0: Adam alone
    weight_decay: float = 0.0
    repeat_share: float = 0.0  # of the sequences of a text family that are random tokens said again
    periods: tuple = ()  # of a copy family's blocks
    mlp: bool = True  # else there is none, and a folder's is zero
    growing: tuple = ()  # repeats of the most frequent tokens: so many at first, so many at last, twice as many when the loss is below so much
    waves: bool = False  # the learned positions begin as sines and cosines
    output_scale: float = 1.0  # of the output matrix, when this recipe takes over from the one before
    fitted: tuple = ()  # heads of the first layer whose queries and keys are fitted when it takes over

    @property
    def is_text(self):
        return self.muon_rate > 0

    @property
    def tokens_per_step(self):
        return self.rows * self.context


TEXT = Recipe(
    family="gpt",
    layout="llama",
    layers=4,
    width=128,
    inner=320,
    vocabulary=4096,
    context=256,
    rows=8,
    steps=2048,
    seeds=(0,),
    adam_rate=2e-3,
    adam_betas=(0.9, 0.95),
    warm_up=100,
    decay_share=0.45,
    muon_rate=0.008,
    repeat_share=0.13,
    save_steps=(0, 16, 32, 64, 128, 256, 384, 512, 768, 1024, 1536),
    shipped_steps=(0, 64, 256, 512, 1024),
    shipped_checkpoints=(4, 8),
    held_out_periods=(10, 20, 40),
)

COPY = Recipe(
    family="copy",
    layout="gpt2",
    mlp=False,
    layers=2,
    width=64,
    inner=16,
    vocabulary=65,
    context=80,
    rows=16,
    steps=4000,
    seeds=(0, 1, 2),
    adam_rate=3e-3,
    adam_betas=(0.9, 0.99),
    warm_up=100,
    decay_share=0.2,
    periods=tuple(range(8, 51)),
    save_steps=(0, 50, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000),
    shipped_steps=(0, 200, 300, 400, 600, 1000, 2000),
    shipped_checkpoints=HEAD_COUNTS,
    held_out_periods=(10, 20),
)

# One model in phases: each goes on from the weights that the one before left. ENGLISH_HEADS heads.
ENGLISH_HEADS = 8

COPYING = Recipe(
    family="english",
    layout="gpt2",
    layers=4,
    width=256,
    inner=1024,
    vocabulary=8192,
    context=256,
    rows=8,
    steps=12000,  # at most: it ends when the last doubling is learnt
    seeds=(0,),
    adam_rate=1e-3,
    adam_betas=(0.9, 0.99),
    warm_up=100,
    decay_share=0.0,
    save_steps=(),
    shipped_steps=(),
    shipped_checkpoints=(),
    held_out_periods=(10, 20, 40),
    mlp=False,
    waves=True,
    growing=(64, 4096, 0.7),
)

READING = dataclasses.replace(
    COPYING,
    steps=40000,  # at most: it is cut
    adam_rate=2e-3,
    adam_betas=(0.9, 0.95),
    muon_rate=0.008,
    weight_decay=0.1,
    repeat_share=0.13,
    mlp=True,
    growing=(),
    output_scale=0.3,
)

SETTLING = dataclasses.replace(READING, steps=4000, warm_up=1, decay_share=1.0, repeat_share=0.06, output_scale=1.0)

# Two heads that the loss misses least (0.013 and 0.009 nats without them) begin anew with a pattern that nothing had brought.
REFINING = dataclasses.replace(
    SETTLING,
    steps=700,
    warm_up=20,
    adam_rate=1e-3,
    muon_rate=0.004,
    fitted=(Fitted(4, "duplicate_token", steps=500, repeat_share=0.4), Fitted(6, "separator", steps=200, repeat_share=0.06)),
)

ENGLISH = {"copying": COPYING, "reading": READING, "settling": SETTLING, "refining": REFINING}
