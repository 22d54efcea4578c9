"""Writes Whisper for sherpa-onnx from the weights of a CTranslate2 conversion.

    python whisper_onnx.py SOURCE TARGET

SOURCE holds model.bin, config.json and vocabulary.txt or .json, as CTranslate2's converter leaves them. TARGET receives
base-encoder.int8.onnx, base-decoder.int8.onnx and base-tokens.txt (with the size's own name) and the same in 32 bits.
The inputs, outputs and metadata are those that sherpa-onnx reads (its scripts/whisper/export-onnx.py):

  encoder  mel (N, 80, frames) -> n_layer_cross_k, n_layer_cross_v (layers, N, frames / 2, width)
  decoder  tokens (N, n), the caches of the text (layers, N, 448, width), the two of the encoder, offset (1)
           -> logits (N, n, vocabulary), the two caches with the n new positions
"""
import base64
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

types = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}


def read_weights(path):
    """Variables by name of a CTranslate2 model file, version 6; half floats become floats."""
    with open(path, "rb") as file:
        def number(form):
            return struct.unpack("<" + form, file.read(struct.calcsize(form)))[0]

        def text():
            return file.read(number("H"))[:-1].decode()

        if number("I") != 6 or text() != "WhisperSpec":
            raise SystemExit(f"{path} is not a Whisper model of CTranslate2, version 6")
        number("I")
        variables = {}
        for _ in range(number("I")):
            name = text()
            shape = [number("I") for _ in range(number("B"))]
            kind = types[number("B")]
            content = file.read(number("I"))
            value = np.frombuffer(content, kind).reshape(shape)
            variables[name] = value.astype(np.float32) if kind == np.float16 else value
        return variables


class Graph:
    """Collects nodes and constants. Every method gives the name of its result."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], {}, 0

    def add(self, kind, *inputs, **attributes):
        self.count += 1
        out = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.array(value, order="C"), name)
        return name

    def ints(self, *values):
        return self.constant("ints_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64))

    def scalar(self, name, value):
        return self.constant(name, np.array(value, np.float32))

    def linear(self, x, weights, name, rows=slice(None)):
        """The weights lie as (out, in); `rows` takes a part of a fused layer."""
        tag = f"{name}.{rows.start}" if rows.start is not None else name
        product = self.add("MatMul", x, self.constant(tag + ".weight", weights[name + "/weight"][rows].T))
        return self.add("Add", product, self.constant(tag + ".bias", weights[name + "/bias"][rows]))

    def norm(self, x, weights, name):
        scale, bias = weights[name + "/gamma"], weights[name + "/beta"]
        return self.add("LayerNormalization", x, self.constant(name + ".scale", scale), self.constant(name + ".shift", bias), epsilon=1e-5)

    def gelu(self, x):
        bent = self.add("Erf", self.add("Div", x, self.scalar("root_2", math.sqrt(2))))
        return self.add("Mul", self.add("Mul", x, self.add("Add", bent, self.scalar("one", 1))), self.scalar("half", 0.5))

    def attend(self, q, k, v, heads, size, mask=None):
        """q (N, n, width), k and v (N, m, width); mask (n, m) is added."""
        def split(x, order):
            return self.add("Transpose", self.add("Reshape", x, self.ints(0, 0, heads, size)), perm=order)

        scaled = self.add("Mul", split(q, [0, 2, 1, 3]), self.scalar("scale", size**-0.5))
        scores = self.add("MatMul", scaled, split(k, [0, 2, 3, 1]))
        if mask is not None:
            scores = self.add("Add", scores, mask)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), split(v, [0, 2, 1, 3]))
        return self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), self.ints(0, 0, heads * size))

    def feed_forward(self, x, weights, name):
        inner = self.gelu(self.linear(self.norm(x, weights, name + "/layer_norm"), weights, name + "/linear_0"))
        return self.add("Add", x, self.linear(inner, weights, name + "/linear_1"))

    def stack(self, parts, name):
        raised = [self.add("Unsqueeze", part, self.ints(0)) for part in parts]
        self.nodes.append(helper.make_node("Concat", raised, [name], axis=0))

    def model(self, inputs, outputs, metadata=()):
        graph = helper.make_graph(self.nodes, "whisper", inputs, outputs, list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        helper.set_model_props(model, {key: str(value) for key, value in metadata})
        onnx.checker.check_model(model)
        return model


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def layers_of(weights, part):
    return sum(1 for name in weights if name.startswith(part + "/layer_") and name.endswith("/self_attention/layer_norm/beta"))


def encoder(weights, metadata):
    g, width = Graph(), weights["encoder/layer_norm/beta"].shape[0]
    heads = int(weights["encoder/num_heads"])
    thirds = [slice(at * width, (at + 1) * width) for at in range(3)]
    x = "mel"
    for number, stride in (1, 1), (2, 2):
        kernel = g.constant(f"conv{number}.weight", weights[f"encoder/conv{number}/weight"])
        bias = g.constant(f"conv{number}.bias", weights[f"encoder/conv{number}/bias"])
        x = g.gelu(g.add("Conv", x, kernel, bias, kernel_shape=[3], pads=[1, 1], strides=[stride]))
    x = g.add("Transpose", x, perm=[0, 2, 1])
    frames = g.add("Gather", g.add("Shape", x), g.ints(1))
    places = g.constant("places", weights["encoder/position_encodings/encodings"])
    x = g.add("Add", x, g.add("Slice", places, g.ints(0), frames, g.ints(0)))
    for layer in range(layers_of(weights, "encoder")):
        name = f"encoder/layer_{layer}"
        normed = g.norm(x, weights, name + "/self_attention/layer_norm")
        q, k, v = (g.linear(normed, weights, name + "/self_attention/linear_0", rows) for rows in thirds)
        mixed = g.attend(q, k, v, heads, width // heads)
        x = g.add("Add", x, g.linear(mixed, weights, name + "/self_attention/linear_1"))
        x = g.feed_forward(x, weights, name + "/ffn")
    x = g.norm(x, weights, "encoder/layer_norm")
    text_layers = layers_of(weights, "decoder")
    for rows, out in (thirds[0], "n_layer_cross_k"), (thirds[1], "n_layer_cross_v"):
        g.stack([g.linear(x, weights, f"decoder/layer_{layer}/attention/linear_1", rows) for layer in range(text_layers)], out)
    cross = [text_layers, "N", "audio", width]
    outputs = [value(name, TensorProto.FLOAT, cross) for name in ("n_layer_cross_k", "n_layer_cross_v")]
    return g.model([value("mel", TensorProto.FLOAT, ["N", 80, "frames"])], outputs, metadata)


def decoder(weights):
    g, width = Graph(), weights["decoder/layer_norm/beta"].shape[0]
    heads, layers = int(weights["decoder/num_heads"]), layers_of(weights, "decoder")
    thirds = [slice(at * width, (at + 1) * width) for at in range(3)]
    embeddings, places = weights["decoder/embeddings/weight"], weights["decoder/position_encodings/encodings"]
    context = places.shape[0]
    end = g.add("Add", "offset", g.add("Gather", g.add("Shape", "tokens"), g.ints(1)))
    x = g.add("Gather", g.constant("embeddings", embeddings), "tokens")
    x = g.add("Add", x, g.add("Slice", g.constant("places", places), "offset", end, g.ints(0)))
    # A token sees itself and those before it.
    order = g.constant("order", np.arange(context, dtype=np.int64))
    seen = g.add("Unsqueeze", g.add("Slice", order, g.ints(0), end, g.ints(0)), g.ints(0))
    seeing = g.add("Unsqueeze", g.add("Slice", order, "offset", end, g.ints(0)), g.ints(1))
    mask = g.add("Where", g.add("Greater", seen, seeing), g.scalar("hidden", -1e9), g.scalar("zero", 0))
    caches = {"k": [], "v": []}

    def remembered(which, layer, new):
        """All positions up to the new ones, and the cache that holds them."""
        cache = g.add("Gather", f"in_n_layer_self_{which}_cache", g.constant(f"layer_{layer}", np.array(layer, np.int64)), axis=0)
        whole = g.add("Concat", g.add("Slice", cache, g.ints(0), "offset", g.ints(1)), new, axis=1)
        rest = g.add("Slice", cache, end, g.ints(context), g.ints(1))
        caches[which].append(g.add("Concat", whole, rest, axis=1))
        return whole

    for layer in range(layers):
        name = f"decoder/layer_{layer}"
        normed = g.norm(x, weights, name + "/self_attention/layer_norm")
        q, k, v = (g.linear(normed, weights, name + "/self_attention/linear_0", rows) for rows in thirds)
        mixed = g.attend(q, remembered("k", layer, k), remembered("v", layer, v), heads, width // heads, mask)
        x = g.add("Add", x, g.linear(mixed, weights, name + "/self_attention/linear_1"))
        normed = g.norm(x, weights, name + "/attention/layer_norm")
        number = g.constant(f"cross_{layer}", np.array(layer, np.int64))
        k, v = (g.add("Gather", f"n_layer_cross_{which}", number, axis=0) for which in "kv")
        mixed = g.attend(g.linear(normed, weights, name + "/attention/linear_0"), k, v, heads, width // heads)
        x = g.add("Add", x, g.linear(mixed, weights, name + "/attention/linear_2"))
        x = g.feed_forward(x, weights, name + "/ffn")
    for which in "kv":
        g.stack(caches[which], f"out_n_layer_self_{which}_cache")
    x = g.norm(x, weights, "decoder/layer_norm")
    # The same numbers once more, the other way round: left as they are, which keeps the file small and the logits exact.
    g.nodes.append(helper.make_node("MatMul", [x, g.add("Transpose", "embeddings", perm=[1, 0])], ["logits"]))
    cache, cross = [layers, "N", context, width], [layers, "N", "audio", width]
    inputs = [
        value("tokens", TensorProto.INT64, ["N", "n"]),
        *(value(f"in_n_layer_self_{which}_cache", TensorProto.FLOAT, cache) for which in "kv"),
        *(value(f"n_layer_cross_{which}", TensorProto.FLOAT, cross) for which in "kv"),
        value("offset", TensorProto.INT64, [1]),
    ]
    outputs = [
        value("logits", TensorProto.FLOAT, ["N", "n", embeddings.shape[0]]),
        *(value(f"out_n_layer_self_{which}_cache", TensorProto.FLOAT, cache) for which in "kv"),
    ]
    return g.model(inputs, outputs)


def vocabulary(source):
    """Tokens by number, in the letters that stand for bytes."""
    lines = source / "vocabulary.txt"
    return lines.read_text("utf8").split("\n") if lines.exists() else json.loads((source / "vocabulary.json").read_text("utf8"))


def byte_letters():
    """The byte of each letter of the vocabulary (GPT-2's table)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}


def describe(size, weights, words, config):
    """Metadata of the encoder."""
    number = {word: at for at, word in enumerate(words)}
    width = weights["encoder/layer_norm/beta"].shape[0]
    multilingual = not size.endswith(".en")
    languages = [words[at] for at in sorted(config["lang_ids"])]
    sot, no_speech = number["<|startoftranscript|>"], number.get("<|nospeech|>", number.get("<|nocaptions|>"))
    yield from {
        "model_type": f"whisper-{size}", "version": 1, "n_mels": 80,
        "n_audio_ctx": weights["encoder/position_encodings/encodings"].shape[0], "n_audio_state": width,
        "n_audio_head": int(weights["encoder/num_heads"]), "n_audio_layer": layers_of(weights, "encoder"),
        "n_vocab": weights["decoder/embeddings/weight"].shape[0],
        "n_text_ctx": weights["decoder/position_encodings/encodings"].shape[0], "n_text_state": width,
        "n_text_head": int(weights["decoder/num_heads"]), "n_text_layer": layers_of(weights, "decoder"),
        "sot_sequence": f"{sot},{number['<|en|>']},{number['<|transcribe|>']}" if multilingual else sot,
        "all_language_tokens": ",".join(str(number[word]) for word in languages),
        "all_language_codes": ",".join(word[2:-2] for word in languages),
        "sot": sot, "sot_index": 0, "eot": number["<|endoftext|>"], "blank_id": number["Ġ"], "is_multilingual": int(multilingual),
        "no_speech": no_speech, "non_speech_tokens": ",".join(map(str, config["suppress_ids"])),
        "transcribe": number["<|transcribe|>"], "translate": number["<|translate|>"], "sot_prev": number["<|startofprev|>"],
        "sot_lm": number["<|startoflm|>"], "no_timestamps": number["<|notimestamps|>"],
    }.items()


def main():
    source, target = map(Path, sys.argv[1:3])
    target.mkdir(parents=True, exist_ok=True)
    weights, words = read_weights(source / "model.bin"), vocabulary(source)
    config = json.loads((source / "config.json").read_text())
    size = {384: "tiny", 512: "base", 768: "small", 1024: "medium"}[weights["encoder/layer_norm/beta"].shape[0]]
    if weights["decoder/embeddings/weight"].shape[0] == 51864:
        size += ".en"
    byte = byte_letters()
    spoken = words[: words.index("<|endoftext|>")]
    # The empty token at the end is written as "=" in the list that OpenAI publishes.
    codes = (base64.b64encode(bytes(byte[letter] for letter in word)).decode() or "=" for word in spoken)
    lines = (f"{code} {at}\n" for at, code in enumerate(codes))
    (target / f"{size}-tokens.txt").write_text("".join(lines))
    from onnxruntime.quantization import QuantType, quantize_dynamic

    for part, model in ("encoder", encoder(weights, describe(size, weights, words, config))), ("decoder", decoder(weights)):
        exact, small = target / f"{size}-{part}.onnx", target / f"{size}-{part}.int8.onnx"
        onnx.save(model, exact)
        quantize_dynamic(exact, small, op_types_to_quantize=["MatMul"], weight_type=QuantType.QInt8)
        quantised = onnx.load(small)
        helper.set_model_props(quantised, {entry.key: entry.value for entry in model.metadata_props})
        onnx.save(quantised, small)
        print(f"{small.name}: {small.stat().st_size} bytes")


if __name__ == "__main__":
    main()
