"""What is known of each family of models: where its position tables are, and in which row position 0 is.

Data only. The tests build every family and hold each row against the model's own forward: perturb a stored
row, and see which position moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

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
    pad : int
        Padding id where the config names none.
    scheme : str
        What the values are.
    formula : Convention or None
        What the values are computed by where no tensor holds them.
    lengths : tuple of str
        Config fields that hold the number of rows, the first that is there; with ``spare`` rows beyond.
    spare : int
        Rows that the table has beyond the number in the config.
    prefix_tokens : int
        Rows before the patches of an image.
    image : bool
        Whether the rows behind the prefix are a grid of patches.
    used_if : (str, object) or None
        A config field and the value with which the model reads the table; a config without it says yes.
    """

    model_type: str
    component: str
    tensor: str
    root: str | None = None
    rule: Rule = 0
    pad: int = 1
    scheme: str = "learned_absolute"
    formula: Convention | None = None
    lengths: tuple[str, ...] = ("max_position_embeddings",)
    spare: int = 0
    prefix_tokens: int = 0
    image: bool = False
    used_if: tuple[str, Any] | None = None


_HALVES = Convention(layout="halves", divisor="d/2")
_ABSOLUTE = ("position_embedding_type", "absolute")

_BERT = Family(model_type="", component="text", tensor="embeddings.position_embeddings.weight", used_if=_ABSOLUTE)
_ROBERTA = replace(_BERT, rule="pad+1")
_GPT = Family(model_type="", component="text", tensor="wpe.weight", lengths=("n_positions", "max_position_embeddings"))
_BART = Family(model_type="", component="", tensor="embed_positions.weight", rule=2, spare=2)
_FIXED = Family(
    model_type="", component="", tensor="embed_positions.weight", scheme="sinusoidal", formula=_HALVES
)  # position p in row p, in the half-and-half spelling
_FAIRSEQ = replace(_FIXED, tensor="embed_positions.weights", rule="pad+1", formula=FAIRSEQ, spare=2)
_TEXT_TOWER = Family(
    model_type="", component="text", tensor="text_model.embeddings.position_embedding.weight",
    lengths=("text_config.max_position_embeddings", "max_position_embeddings"),
)  # fmt: skip
_VISION_TOWER = Family(
    model_type="", component="vision", tensor="vision_model.embeddings.position_embedding.weight", lengths=(),
    prefix_tokens=1, image=True,
)  # fmt: skip
_ALONE = "embeddings.position_embedding.weight"  # of a tower that is a model of its own
_VIT = replace(_VISION_TOWER, tensor="embeddings.position_embeddings")


def _kin(like: Family, roots: Mapping[str, str | None], **same: Any) -> Iterator[Family]:
    """Rows that differ in the model type and its root alone."""
    for model_type, root in roots.items():
        yield replace(like, model_type=model_type, root=root, **same)


def _both(like: Family, model_types: Iterable[str]) -> Iterator[Family]:
    """An encoder's row and a decoder's for each model type."""
    for model_type in model_types:
        for part in ("encoder", "decoder"):
            yield replace(like, model_type=model_type, component=part, tensor=f"{part}.{like.tensor}")


def _towers(model_types: Iterable[str], text: Family, vision: Family) -> Iterator[Family]:
    """A text row and a vision row for each model type."""
    for model_type in model_types:
        yield replace(text, model_type=model_type)
        yield replace(vision, model_type=model_type)


FAMILIES: tuple[Family, ...] = (
    # Text, position p in row p.
    *_kin(
        _BERT,
        {
            "bert": "bert", "albert": "albert", "electra": "electra", "distilbert": "distilbert", "big_bird": "bert",
            "mobilebert": "mobilebert", "megatron-bert": "bert", "convbert": "convbert", "ernie": "ernie",
            "layoutlm": "layoutlm", "splinter": "splinter", "rembert": "rembert", "roc_bert": "roc_bert",
            "squeezebert": None, "tapas": "tapas", "fnet": "fnet", "bert-generation": None,
            "visual_bert": "visual_bert", "lxmert": "lxmert", "dpr": None, "git": "git", "bros": "bros",
        },
    ),
    *_kin(
        _BERT,
        dict.fromkeys(("align_text_model", "blip_text_model", "chinese_clip_text_model", "flava_text_model")),
    ),
    *_kin(_BERT, {"deberta": "deberta", "deberta-v2": None}, used_if=("position_biased_input", True)),
    *_kin(_BERT, {"canine": "canine"}, tensor="char_embeddings.char_position_embeddings.weight", lengths=()),
    *_kin(_BERT, {"xlm": None, "flaubert": None}, tensor="position_embeddings.weight"),
    # Text, the padding row and those before it first.
    *_kin(
        _ROBERTA,
        {
            "roberta": "roberta", "xlm-roberta": "roberta", "camembert": "roberta", "xlm-roberta-xl": "roberta",
            "roberta-prelayernorm": "roberta_prelayernorm", "data2vec-text": "data2vec_text", "xmod": "roberta",
            "longformer": "longformer", "esm": "esm", "ibert": "ibert", "luke": None, "lilt": "lilt",
            "layoutlmv3": None,
        },
    ),
    *_kin(_ROBERTA, dict.fromkeys(("altclip_text_model", "bridgetower_text_model", "clap_text_model"))),
    *_kin(_ROBERTA, {"markuplm": "markuplm"}, pad=0),
    *(
        replace(_ROBERTA, model_type="prophetnet", component=part, tensor=f"{part}.position_embeddings.weight", pad=0)
        for part in ("encoder", "decoder")
    ),
    # Text, always two rows first, whatever the padding id.
    *_kin(_BERT, {"mpnet": "mpnet"}, rule=2),
    *_kin(_BERT, {"nystromformer": "nystromformer", "yoso": "yoso", "mra": "mra"}, rule=2, spare=2),
    *_kin(_BART, {"biogpt": "biogpt"}, component="text"),
    *_kin(_BART, {"opt": "model"}, component="text", tensor="decoder.embed_positions.weight"),
    *_kin(_BART, {"trocr": None}, component="decoder", tensor="decoder.embed_positions.weight"),
    # GPT and its kin.
    *_kin(_GPT, {"gpt2": "transformer", "gpt_neo": None, "gpt_bigcode": None}),
    *_kin(_GPT, {"openai-gpt": "transformer"}, tensor="positions_embed.weight"),
    *_kin(_GPT, {"ctrl": None}, tensor="pos_encoding", scheme="sinusoidal", formula=_HALVES),
    replace(  # its wpe reads row 0 alone
        _GPT, model_type="decision_transformer", component="timestep", tensor="embed_timestep.weight",
        lengths=("max_ep_len",),
    ),
    # Encoder and decoder, learned.
    *_both(_BART, ("bart", "mbart", "plbart", "mvp", "florence2")),
    *_both(replace(_BART, rule=0, spare=0), ("blenderbot", "blenderbot-small", "bigbird_pegasus")),
    replace(
        _BART, model_type="led", component="encoder", tensor="encoder.embed_positions.weight", rule=0, spare=0,
        lengths=("max_encoder_position_embeddings",),
    ),
    replace(
        _BART, model_type="led", component="decoder", tensor="decoder.embed_positions.weight", rule=0, spare=0,
        lengths=("max_decoder_position_embeddings",),
    ),
    # Encoder and decoder, fixed.
    *_both(_FIXED, ("pegasus", "marian")),
    *_both(_FAIRSEQ, ("m2m_100", "nllb-moe")),
    *_both(replace(_FAIRSEQ, tensor="embed_positions.weight", formula=None, lengths=()), ("fsmt",)),
    *_kin(_FAIRSEQ, {"xglm": None}, component="text", rule=2),
    replace(
        _FIXED, model_type="whisper", component="encoder", tensor="encoder.embed_positions.weight", formula=None,
        lengths=("max_source_positions",),
    ),
    replace(
        _BART, model_type="whisper", component="decoder", tensor="decoder.embed_positions.weight", rule=0, spare=0,
        lengths=("max_target_positions",),
    ),
    # Text and images.
    *_towers(("clip", "clipseg", "metaclip_2"), _TEXT_TOWER, _VISION_TOWER),
    *_towers(("siglip", "siglip2"), _TEXT_TOWER, replace(_VISION_TOWER, prefix_tokens=0)),
    *_kin(_TEXT_TOWER, {"clip_text_model": None, "siglip_text_model": None}, tensor=_ALONE),
    *_kin(_VISION_TOWER, {"clip_vision_model": None}, tensor=_ALONE),
    *_kin(_VISION_TOWER, {"siglip_vision_model": None}, tensor=_ALONE, prefix_tokens=0),
    replace(_TEXT_TOWER, model_type="open_clip", tensor="positional_embedding", lengths=()),
    replace(_VISION_TOWER, model_type="open_clip", tensor="visual.positional_embedding"),
    # Images.
    *_kin(_VIT, {"vit": "vit", "vit_msn": None, "dinov2": "dinov2", "dinov2_with_registers": None, "dpt": None}),
    *_kin(_VIT, {"deit": "deit"}, prefix_tokens=2),
    *_kin(_VIT, {"ijepa": None}, prefix_tokens=0),
    *_kin(_VIT, {"vit_mae": None}, scheme="sinusoidal"),
)  # fmt: skip


OTHER_SCHEMES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "gemma3_text", "phi", "phi3",
            "gpt_neox", "gptj", "codegen", "falcon", "stablelm", "olmo", "olmo2", "cohere", "starcoder2", "modernbert",
            "roformer", "gpt_oss", "deepseek_v3", "granite", "glm", "smollm3", "nomic_bert",
        ),
        "rotary",
    ),
    **dict.fromkeys(("bloom", "mpt"), "alibi"),
    **dict.fromkeys(("t5", "mt5", "umt5", "longt5", "switch_transformers", "udop", "pop2piano"), "relative_bias"),
    **dict.fromkeys(("xlnet", "transfo-xl"), "relative_sinusoidal"),
    **dict.fromkeys(("wav2vec2", "hubert", "wavlm", "unispeech", "unispeech-sat", "sew"), "convolutional"),
    **dict.fromkeys(("swin", "swinv2", "beit", "data2vec-vision"), "relative_bias_grid"),
    **dict.fromkeys(("reformer",), "axial"),
    **dict.fromkeys(("mamba", "mamba2", "rwkv"), "none"),
}  # fmt: skip
"""Model types that add no table to their inputs, with what they do instead; whatever their tensors are called."""


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
