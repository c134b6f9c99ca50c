"""What is known of each family of models: where its position tables are, and in which row position 0 is.

Data only. Every row is held against the model's own forward by the tests: perturb a stored row, and see
which position moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from probe.sinusoids import FAIRSEQ, Convention

Rule = int | Literal["pad+1"]


@dataclass(frozen=True, kw_only=True)
class Family:
    """One table of one type of model.

    Attributes
    ----------
    model_type : str
        As config.json spells it.
    component : str
        Which part of the model.
    tensor : str
        The end of the tensor's key, from a dot on.
    root : str or None
        What stands before it in a checkpoint of the whole model: tells the family where no config does.
    rule : int or "pad+1"
        Stored row of position 0.
    pad : int or None
        Padding id where the config names none; None means that the rule does not need it.
    scheme : str
        What the values are.
    formula : Convention or None
        The formula, for a table that is computed and not stored.
    lengths : tuple of str
        Config fields that hold the number of stored rows, the first that is there; with ``spare`` rows beyond.
    spare : int
        Rows that the table has beyond the number in the config.
    prefix_tokens : int
        Rows before the patches of an image.
    image : bool
        Whether the rows behind the prefix are a grid of patches.
    """

    model_type: str
    component: str
    tensor: str
    root: str | None = None
    rule: Rule = 0
    pad: int | None = None
    scheme: str = "learned_absolute"
    formula: Convention | None = None
    lengths: tuple[str, ...] = ("max_position_embeddings",)
    spare: int = 0
    prefix_tokens: int = 0
    image: bool = False


_BERT = "embeddings.position_embeddings.weight"
_BART = "embed_positions.weight"


def _text(model_type: str, root: str, rule: Rule = 0, pad: int | None = None, **more: object) -> Family:
    return Family(model_type=model_type, component="text", tensor=_BERT, root=root, rule=rule, pad=pad, **more)  # type: ignore[arg-type]  # fields of Family


def _both(model_type: str, rule: int, **more: object) -> tuple[Family, ...]:
    return tuple(
        Family(model_type=model_type, component=part, tensor=f"{part}.{_BART}", rule=rule, **more)  # type: ignore[arg-type]  # fields of Family
        for part in ("encoder", "decoder")
    )


FAMILIES: tuple[Family, ...] = (
    # Position p in row p.
    _text("bert", "bert"),
    _text("albert", "albert"),
    _text("electra", "electra"),
    _text("distilbert", "distilbert"),
    _text("big_bird", "bert"),
    _text("mobilebert", "mobilebert"),
    _text("megatron-bert", "bert"),
    _text("convbert", "convbert"),
    _text("ernie", "ernie"),
    _text("layoutlm", "layoutlm"),
    _text("splinter", "splinter"),
    # The padding row and those before it come first.
    _text("roberta", "roberta", "pad+1", 1),
    _text("roberta-prelayernorm", "roberta_prelayernorm", "pad+1", 1),
    _text("xlm-roberta", "roberta", "pad+1", 1),
    _text("xlm-roberta-xl", "roberta", "pad+1", 1),
    _text("camembert", "roberta", "pad+1", 1),
    _text("data2vec-text", "data2vec_text", "pad+1", 1),
    _text("longformer", "longformer", "pad+1", 1),
    _text("esm", "esm", "pad+1", 1),
    _text("mpnet", "mpnet", 2),
    _text("nystromformer", "nystromformer", 2, spare=2),
    # GPT and its kin.
    Family(model_type="gpt2", component="text", tensor="wpe.weight", lengths=("n_positions", "n_ctx")),
    Family(model_type="gpt_neo", component="text", tensor="wpe.weight"),
    Family(model_type="gpt_bigcode", component="text", tensor="wpe.weight", lengths=("n_positions",)),
    Family(model_type="openai-gpt", component="text", tensor="positions_embed.weight", lengths=("n_positions",)),
    Family(model_type="opt", component="text", tensor="decoder.embed_positions.weight", root="model", rule=2, spare=2),
    Family(model_type="biogpt", component="text", tensor=_BART, root="biogpt", rule=2, spare=2),
    # Encoder and decoder.
    *_both("bart", 2, spare=2),
    *_both("mbart", 2, spare=2),
    *_both("plbart", 2, spare=2),
    *_both("blenderbot", 0),
    *_both("blenderbot-small", 0),
    Family(
        model_type="led", component="encoder", tensor=f"encoder.{_BART}", lengths=("max_encoder_position_embeddings",)
    ),
    Family(
        model_type="led", component="decoder", tensor=f"decoder.{_BART}", lengths=("max_decoder_position_embeddings",)
    ),
    *_both("pegasus", 0, scheme="sinusoidal"),
    *_both("marian", 0, scheme="sinusoidal"),
    *_both("m2m_100", 2, scheme="sinusoidal", formula=FAIRSEQ),
    Family(
        model_type="whisper",
        component="encoder",
        tensor=f"encoder.{_BART}",
        scheme="sinusoidal",
        lengths=("max_source_positions",),
    ),
    Family(model_type="whisper", component="decoder", tensor=f"decoder.{_BART}", lengths=("max_target_positions",)),
    # Images.
    Family(
        model_type="clip",
        component="text",
        tensor="text_model.embeddings.position_embedding.weight",
        lengths=("text_config.max_position_embeddings",),
    ),
    Family(
        model_type="clip",
        component="vision",
        tensor="vision_model.embeddings.position_embedding.weight",
        lengths=(),
        prefix_tokens=1,
        image=True,
    ),
    Family(
        model_type="vit",
        component="vision",
        tensor="embeddings.position_embeddings",
        lengths=(),
        prefix_tokens=1,
        image=True,
    ),
    Family(
        model_type="deit",
        component="vision",
        tensor="embeddings.position_embeddings",
        lengths=(),
        prefix_tokens=2,
        image=True,
    ),
    Family(
        model_type="dinov2",
        component="vision",
        tensor="embeddings.position_embeddings",
        lengths=(),
        prefix_tokens=1,
        image=True,
    ),
)


def of_type(model_type: str) -> tuple[Family, ...]:
    """Rows of one model type."""
    return tuple(family for family in FAMILIES if family.model_type == model_type)


@dataclass(frozen=True)
class Listed:
    """A family as ``probe list families`` prints it."""

    model_type: str
    component: str
    scheme: str
    rule: str
    tensor: str


def listing() -> Iterator[Listed]:
    """Give every row, by model type."""
    for family in sorted(FAMILIES, key=lambda family: (family.model_type, family.component)):
        rule = "pad id + 1" if family.rule == "pad+1" else str(family.rule)
        yield Listed(family.model_type, family.component, family.scheme, rule, family.tensor)
