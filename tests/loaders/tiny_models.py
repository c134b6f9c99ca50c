"""The smallest models of every family, built by transformers from its own configs."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import cache
from typing import Any

import torch
import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig, PreTrainedModel
from transformers.models.auto.modeling_auto import MODEL_MAPPING
from transformers.models.bridgetower.modeling_bridgetower import BridgeTowerTextModel

WORDS, LENGTH, PIXELS = 67, 6, 32

_SIXTEEN = (
    "hidden_size", "d_model", "n_embd", "dim", "embedding_size", "word_embed_proj_dim", "emb_dim", "projection_dim",
    "bottleneck_size", "true_hidden_size", "decoder_hidden_size", "input_embedding_size",
)  # fmt: skip
_THIRTY_TWO = ("intermediate_size", "hidden_dim", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_dim", "n_inner", "dff")
_TWO = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
    "num_decoder_attention_heads", "num_encoder_attention_heads", "decoder_num_attention_heads",
)  # fmt: skip
_ONE = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "num_hidden_groups",
    "num_encoder_layers", "num_decoder_layers", "l_layers", "r_layers", "x_layers", "decoder_num_hidden_layers",
    "local_transformer_stride",
)  # fmt: skip
_FORTY = (
    "max_position_embeddings", "n_positions", "max_source_positions", "max_target_positions",
    "max_encoder_position_embeddings",
)  # fmt: skip
SMALL: dict[str, Any] = {
    **dict.fromkeys(_SIXTEEN, 16), **dict.fromkeys(_THIRTY_TWO, 32), **dict.fromkeys(_TWO, 2),
    **dict.fromkeys(_ONE, 1), **dict.fromkeys(_FORTY, 40), "vocab_size": WORDS, "image_size": PIXELS, "patch_size": 8,
    "max_decoder_position_embeddings": 24, "trigram_input": False, "use_bottleneck": False,
    "attention_types": [[["global"], 1]], "attention_layers": ["global"], "attention_type": "original_full",
    "attention_window": [4], "num_mel_bins": 8, "dropout": 0.0, "num_qa_labels": 2, "num_object_labels": 2,
    "num_attr_labels": 2, "languages": ["en_XX"], "default_language": "en_XX", "visual_feat_dim": 16,
    "coordinate_size": 4, "shape_size": 2, "visual_embed": False, "backbone_out_indices": [0], "num_conv_layers": 1,
    "relative_attention": False, "num_experts": 2, "visual_embedding_dim": 16, "mask_ratio": 0.0,
    "entity_vocab_size": 9, "entity_emb_size": 16,
}  # fmt: skip
_LAYOUTLM = {"coordinate_size": 3, "shape_size": 2}
OWN: dict[str, dict[str, Any]] = {  # what a family alone needs; the padding id away from where all would agree
    "esm": {"pad_token_id": 1},
    "layoutlmv3": _LAYOUTLM,
    "lilt": {"channel_shrink_ratio": 2, "hidden_size": 24, "num_attention_heads": 2},
    "bros": {
        "hidden_size": 64,
        "dim_bbox_projection": 32,
        "dim_bbox_sinusoid_emb_2d": 16,
        "dim_bbox_sinusoid_emb_1d": 2,
    },
    "siglip2": {"num_patches": 16},
    "canine": {"num_hash_buckets": 8, "num_hash_functions": 2, "downsampling_rate": 4},
}
CLASSES = {
    "trocr": "TrOCRForCausalLM",
    "siglip_text_model": "SiglipTextModel",
    "altclip_text_model": "AltCLIPTextModel",
    "bridgetower_text_model": "BridgeTowerTextModel",
    "clap_text_model": "ClapTextModel",
    "align_text_model": "AlignTextModel",
    "blip_text_model": "BlipTextModel",
    "chinese_clip_text_model": "ChineseCLIPTextModel",
    "flava_text_model": "FlavaTextModel",
    "florence2": "BartModel",  # its language model; the picture's part is no concern of the row
}
CONFIGS = {"florence2": "bart"}


def shrink(config: PreTrainedConfig, own: dict[str, Any]) -> PreTrainedConfig:
    for name, value in {**SMALL, **own}.items():
        if hasattr(config, name):
            with suppress(NotImplementedError):  # a count that the config computes from others
                setattr(config, name, value)
    for name in ("bos", "eos", "decoder_start", "cls", "sep", "mask", "boi", "sos"):
        if isinstance(getattr(config, f"{name}_token_id", None), int):
            setattr(config, f"{name}_token_id", 5)
    pad = getattr(config, "pad_token_id", None)
    if "pad_token_id" not in own and isinstance(pad, int) and not 0 <= pad < WORDS:
        config.pad_token_id = 1
    for name in ("text_config", "vision_config"):
        if isinstance(part := getattr(config, name, None), PreTrainedConfig):
            shrink(part, own)
    return config


@cache
def configured(model_type: str) -> type[PreTrainedConfig]:
    if model_type.endswith("_text_model"):
        return getattr(transformers, CLASSES.get(model_type, "CLIPTextModel").removesuffix("Model") + "Config")
    return CONFIG_MAPPING[CONFIGS.get(model_type, model_type)]


def build(model_type: str, **own: Any) -> PreTrainedModel:
    """A model with random weights."""
    torch.manual_seed(0)
    config = shrink(configured(model_type)(), {**OWN.get(model_type, {}), **own})
    if model_type in CLASSES:
        kind = getattr(
            transformers, CLASSES[model_type], BridgeTowerTextModel
        )  # the one that is not in the shop window
    else:
        mapped = MODEL_MAPPING[type(config)]
        kind = mapped[0] if isinstance(mapped, (tuple, list)) else mapped
    return kind(config).eval()


def _inputs(model: torch.nn.Module) -> dict[str, Any]:
    """Whatever the model asks for: words 40, 41, …, a grey picture, boxes in the corner."""
    words = torch.arange(40, 40 + LENGTH)[None]
    pixels = torch.full((1, 3, PIXELS, PIXELS), 0.5)
    offered = {
        "input_ids": words,
        "decoder_input_ids": words,
        "bbox": torch.zeros(1, LENGTH, 4, dtype=torch.long),
        "pixel_values": pixels,
        "visual_feats": torch.zeros(1, 2, 16),
        "visual_pos": torch.zeros(1, 2, 4),
        "input_features": torch.zeros(1, 8, 80),
        "noise": torch.arange(16.0)[None],  # ViT-MAE shuffles its patches by it
        "use_cache": False,
    }
    asked = inspect.signature(model.forward).parameters
    if "spatial_shapes" in asked:  # patches cut already
        offered |= {
            "pixel_values": torch.full((1, 16, 3 * 8 * 8), 0.5),
            "pixel_attention_mask": torch.ones(1, 16, dtype=torch.long),
            "spatial_shapes": torch.tensor([[4, 4]]),
        }
    if getattr(getattr(model, "config", None), "model_type", "") in {"layoutlmv3", "git"}:
        offered.pop("pixel_values")
    whole = isinstance(model, PreTrainedModel)
    states = {"output_hidden_states": True} if whole else {"token_type_ids": torch.zeros_like(words)}
    return states | {name: value for name, value in offered.items() if name in asked}


FIRST_STATES = {
    "encoder": ("encoder_hidden_states", "hidden_states"),
    "decoder": ("decoder_hidden_states", "hidden_states"),
    "text": ("hidden_states",),
    "vision": ("hidden_states",),
}


def first_states(model: PreTrainedModel, component: str) -> torch.Tensor:
    """What enters the first layer: ``(token, dimension)``."""
    part = getattr(model, f"{component}_model", model) if component in {"text", "vision"} else model
    if model.config.model_type == "lxmert":  # whose states begin behind the first layer
        part = model.embeddings
    with torch.no_grad():
        output = part(**_inputs(part))
    if isinstance(output, torch.Tensor):
        return output[0]
    for name in FIRST_STATES[component]:
        if getattr(output, name, None) is not None:
            return getattr(output, name)[0][0]
    raise AssertionError(f"{type(model).__name__} tells nothing of its {component}: {list(output)}")


def tensor_of(model: PreTrainedModel, suffix: str) -> torch.Tensor:
    """The live tensor whose name ends so, stored or not."""
    named = {**dict(model.named_buffers()), **dict(model.named_parameters())}
    (found,) = (tensor for name, tensor in named.items() if name == suffix or name.endswith(f".{suffix}"))
    return found
