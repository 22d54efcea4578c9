"""Compares what whisper_onnx.py wrote with CTranslate2's own work on the same weights.

    python whisper_check.py SOURCE TARGET WAV...

SOURCE and TARGET as there; each WAV has 16 kHz. Prints, for each file, the greatest difference of the encoders' outputs
that the decoder's first cross layer shows, and the tokens of a greedy decode by both; the last line says whether
all texts of the 32-bit files agree. Exit status 1 when they do not.
"""
import sys
from pathlib import Path

import ctranslate2
import numpy as np
import onnxruntime
from faster_whisper.audio import decode_audio
from faster_whisper.feature_extractor import FeatureExtractor
from tokenizers import Tokenizer

# English, transcribe, no timestamps: numbers of the multilingual vocabulary.
prompt = [50258, 50259, 50359, 50363]
end, longest = 50257, 100


def open_onnx(target, suffix):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    size = next(target.glob("*-tokens.txt")).name.split("-")[0]
    return [onnxruntime.InferenceSession(str(target / f"{size}-{part}{suffix}"), options) for part in ("encoder", "decoder")]


def decode(encoder, decoder, mel):
    """Greedy: the tokens of the text, and the first cross keys."""
    cross_k, cross_v = encoder.run(None, {"mel": mel})
    layers, _, _, width = cross_k.shape
    k = v = np.zeros((layers, 1, 448, width), np.float32)
    tokens, new, offset = [], prompt, 0
    while len(tokens) < longest:
        feed = {"tokens": np.array([new], np.int64), "in_n_layer_self_k_cache": k, "in_n_layer_self_v_cache": v}
        feed |= {"n_layer_cross_k": cross_k, "n_layer_cross_v": cross_v, "offset": np.array([offset], np.int64)}
        logits, k, v = decoder.run(None, feed)
        offset += len(new)
        if not tokens:
            logits[0, -1, [220, end]] = -np.inf
        logits[0, -1, end + 1 :] = -np.inf
        best = int(logits[0, -1].argmax())
        if best == end:
            break
        tokens.append(best)
        new = [best]
    return tokens, cross_k


def main():
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    reference = ctranslate2.models.Whisper(str(source), compute_type="float32", intra_threads=1)
    exact, small = open_onnx(target, ".onnx"), open_onnx(target, ".int8.onnx")
    equal = True
    for path in sys.argv[3:]:
        mel = FeatureExtractor()(decode_audio(path, sampling_rate=16000))[:, :3000]
        mel = np.pad(mel, ((0, 0), (0, 3000 - mel.shape[1])))[None].astype(np.float32)
        features = ctranslate2.StorageView.from_array(mel)
        by_reference = reference.generate(
            features, [prompt], beam_size=1, suppress_blank=True, suppress_tokens=[], max_length=longest
        )[0].sequences_ids[0]
        by_exact, keys = decode(*exact, mel)
        by_small, small_keys = decode(*small, mel)
        encoded = np.array(reference.encode(features, to_cpu=True))
        print(Path(path).name, "encoder", encoded.shape, "keys differ by", float(np.abs(keys - small_keys).max()), "in 8 bits")
        for name, tokens in ("CTranslate2", by_reference), ("32 bits", by_exact), ("8 bits", by_small):
            print(f"  {name}: {tokenizer.decode(tokens)}")
        equal = equal and by_reference == by_exact
    print("the texts of CTranslate2 and the 32-bit files agree" if equal else "THE TEXTS DIFFER")
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
