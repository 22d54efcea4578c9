"""Makes the Kokoro model of kokoro-onnx into what sherpa-onnx reads, with the voices that are there.

    python kokoro_sherpa.py SOURCE TARGET

SOURCE holds kokoro.onnx, vocab.json (symbol to number) and voices_ja.npz (voice to styles of (510, 1, 256)). TARGET
receives model.int8.onnx with sherpa-onnx's metadata, voices.bin and tokens.txt. English text is spoken with the phonemes of
espeak-ng.
"""
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper


def main():
    source, target = map(Path, sys.argv[1:3])
    voices = np.load(source / "voices_ja.npz")
    styles = [voices[name].reshape(voices[name].shape[0], 1, -1).astype(np.float32) for name in voices.files]
    model = onnx.load(source / "kokoro.onnx")
    entries = {
        "model_type": "kokoro", "language": "English", "has_espeak": 1, "sample_rate": 24000, "version": 1, "voice": "en-us",
        "style_dim": ",".join(map(str, styles[0].shape)), "n_speakers": len(styles), "speaker_names": ",".join(voices.files),
        "model_author": "hexgrad", "comment": "kokoro",
    }
    helper.set_model_props(model, {key: str(value) for key, value in entries.items()})
    onnx.save(model, target / "model.int8.onnx")
    symbols = json.loads((source / "vocab.json").read_text("utf8"))
    symbols = symbols.get("vocab", symbols)
    (target / "tokens.txt").write_text("".join(f"{symbol} {number}\n" for symbol, number in symbols.items()), "utf8")
    print("inputs", [(each.name, each.type.tensor_type.elem_type) for each in model.graph.input], "voices", voices.files)
    np.stack(styles).tofile(target / "voices.bin")


if __name__ == "__main__":
    main()
