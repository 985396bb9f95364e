"""What the networks read: the corpus cut into token ids once, and batches that depend on seed and step alone.

A batch is a function of (seed, step), so that a run that was stopped goes on with the batches it would have had, and models
that differ only in the number of heads see the same tokens in the same order.
"""

import json
import pathlib
import re

import numpy
import torch

DOCUMENT_LINE = "<|endofdoc|>\n"
BEGIN = "<|begin|>"
IGNORED = -100  # what torch's cross entropy leaves out
PERSONAL_WORDS = frozenset("he she his her him had said was i my me you".split())
NARRATIVE_SHARE = 0.05  # of a document's words: textbooks have 0.01, novels 0.10


def is_narrative(document):
    """Told of persons, as novels, letters and speeches are: by the share of pronouns and of "had", "said" and "was"."""
    words = re.findall(r"[a-z']+", document.lower())
    return sum(word in PERSONAL_WORDS for word in words) >= NARRATIVE_SHARE * max(1, len(words))


def narrative_part(text_file, out_file):
    """The documents of a text file that tell of persons."""
    documents = pathlib.Path(text_file).read_text(encoding="utf-8").split(DOCUMENT_LINE)
    kept = [document for document in documents if is_narrative(document)]
    pathlib.Path(out_file).write_text(DOCUMENT_LINE.join(kept), encoding="utf-8")


def train_vocabulary(text_file, size, out_file):
    """A byte-level BPE of our own; every text starts with BEGIN, which the post-processor writes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=[BEGIN], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train([str(text_file)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A", pair=f"{BEGIN} $A $B:1", special_tokens=[(BEGIN, 0)]
    )
    tokenizer.save(str(out_file))


def encode(text_file, tokenizer_file, out_file):
    """uint16 ids of the whole file, one BEGIN before each document."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    documents = pathlib.Path(text_file).read_text(encoding="utf-8").split(DOCUMENT_LINE)
    pieces = []
    for start in range(0, len(documents), 256):
        for encoding in tokenizer.encode_batch(documents[start : start + 256]):
            pieces.append(numpy.array(encoding.ids, dtype=numpy.uint16))
    numpy.concatenate(pieces).tofile(out_file)


def separators(tokenizer_file):
    """[vocabulary]: tokens of nothing but punctuation."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    texts = [tokenizer.decode([token]).strip() for token in range(tokenizer.get_vocab_size())]
    return torch.tensor([bool(text) and text != BEGIN and not any(character.isalnum() for character in text) for text in texts])


def unigram_frequencies(ids, vocabulary):
    counts = numpy.bincount(ids, minlength=vocabulary).astype(numpy.float64)
    counts[0] = 0
    return counts / counts.sum()


class TextBatches:
    """Rows of [BEGIN] + text; a share of them is a block of random tokens, said again with a period drawn anew."""

    def __init__(self, ids, recipe, seed):
        self.ids, self.recipe, self.seed = ids, recipe, seed
        self.frequencies = unigram_frequencies(ids, recipe.vocabulary)
        self.periods = [p for p in range(8, recipe.context // 2 + 1) if p not in recipe.held_out_periods]
        self.windows = (len(ids) - 1) // recipe.context
        self.order = {}

    def window(self, index):
        epoch, place = divmod(index, self.windows)
        if epoch not in self.order:
            self.order = {epoch: numpy.random.default_rng((self.seed, 7, epoch)).permutation(self.windows)}
        start = int(self.order[epoch][place]) * self.recipe.context
        return self.ids[start : start + self.recipe.context].astype(numpy.int64)

    def batch(self, step):
        rows, context = self.recipe.rows, self.recipe.context
        random = numpy.random.default_rng((self.seed, 1, step))
        inputs = numpy.zeros((rows, context), dtype=numpy.int64)
        targets = numpy.full((rows, context), IGNORED, dtype=numpy.int64)
        for row in range(rows):
            if random.random() < self.recipe.repeat_share:
                period = int(random.choice(self.periods))
                weights = self.frequencies if random.random() < 0.5 else None
                pool = numpy.arange(1, self.recipe.vocabulary)
                weights = None if weights is None else weights[1:] / weights[1:].sum()
                block = random.choice(pool, size=period, p=weights)
                line = numpy.tile(block, context // period + 1)[:context]
                first = period  # the first copy cannot be foreseen
            else:
                line = self.window(step * rows + row)
                first = 0
            inputs[row, 1:] = line[:-1]
            targets[row, first:] = line[first:]
        return torch.from_numpy(inputs), torch.from_numpy(targets)


class GrowingBatches:
    """Rows of [BEGIN] + a block of distinct tokens, repeated with a period drawn anew, from ever more of the most frequent tokens.

    Only what is said again counts. With all tokens from the start nothing is learnt: each is seen too seldom. `known` tokens are in
    play; a batch is a function of seed, step and that number.
    """

    def __init__(self, ids, recipe, seed):
        self.recipe, self.seed = recipe, seed
        self.by_frequency = numpy.argsort(-unigram_frequencies(ids, recipe.vocabulary), kind="stable")
        self.known, self.most, self.enough = recipe.growing

    def learnt(self, loss):
        """Takes twice as many tokens where the mean loss lately was low enough. True: that was so with all of them."""
        if loss >= self.enough:
            return False
        done = self.known == self.most
        self.known = min(self.most, 2 * self.known)
        return done

    def batch(self, step):
        recipe = self.recipe
        random = numpy.random.default_rng((self.seed, 3, step))
        periods = [p for p in range(8, min(self.known, recipe.context // 2) + 1) if p not in recipe.held_out_periods]
        inputs = numpy.zeros((recipe.rows, recipe.context), dtype=numpy.int64)
        targets = numpy.full((recipe.rows, recipe.context), IGNORED, dtype=numpy.int64)
        for row in range(recipe.rows):
            period = int(random.choice(periods))
            block = random.permutation(self.by_frequency[: self.known])[:period]
            line = numpy.tile(block, recipe.context // period + 1)[: recipe.context]
            inputs[row, 1:] = line[:-1]
            targets[row, period:] = line[period:]
        return torch.from_numpy(inputs), torch.from_numpy(targets)


class CopyBatches:
    """Rows of [BEGIN] + a block of random symbols, repeated with a period drawn anew.

    Only what stands in the first half of a row can come again in it, so the previous-token head learns to work there and rests
    in the second half: a context of 80 lets it be seen on every row of the periods 10 and 20.
    """

    def __init__(self, recipe, seed):
        self.recipe, self.seed = recipe, seed
        self.periods = [p for p in recipe.periods if p not in recipe.held_out_periods]

    def batch(self, step):
        recipe = self.recipe
        random = numpy.random.default_rng((self.seed, 2, step))
        inputs = numpy.zeros((recipe.rows, recipe.context), dtype=numpy.int64)
        targets = numpy.zeros((recipe.rows, recipe.context), dtype=numpy.int64)
        for row in range(recipe.rows):
            period = int(random.choice(self.periods))
            block = random.permutation(numpy.arange(1, recipe.vocabulary))[:period]
            line = numpy.tile(block, recipe.context // period + 1)[: recipe.context]
            inputs[row, 1:] = line[:-1]
            targets[row] = line
        return torch.from_numpy(inputs), torch.from_numpy(targets)


def copy_tokenizer(recipe, out_file):
    """A word-level vocabulary of symbols a0 .. h7, parted by blanks."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    symbols = [f"{'abcdefgh'[i // 8]}{i % 8}" for i in range(recipe.vocabulary - 1)]
    words = {BEGIN: 0} | {symbol: i + 1 for i, symbol in enumerate(symbols)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token=BEGIN))
    tokenizer.add_special_tokens([BEGIN])
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A", pair=f"{BEGIN} $A $B:1", special_tokens=[(BEGIN, 0)]
    )
    tokenizer.save(str(out_file))


def write_json(path, value):
    path = pathlib.Path(path)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
