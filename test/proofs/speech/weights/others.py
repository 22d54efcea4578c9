"""The same recordings by other programs: Whisper as faster-whisper runs it, and PocketSphinx with its English language model.

    python others.py whisper|pocketsphinx WAVS PATTERN RESULTS SECONDS [WEIGHTS]

Every WAV of PATTERN below WAVS (any rate) that RESULTS does not have yet is recognised, for SECONDS at most; RESULTS receives a line of
JSON for each: file (with its folder), text, ms.
"""
import json
import sys
import time
import wave
from pathlib import Path

import numpy as np


def at_16k(path):
    """Samples from -1 to 1 at 16 kHz; band-limited, by the Fourier transform."""
    with wave.open(str(path)) as file:
        rate, channels = file.getframerate(), file.getnchannels()
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768
    samples = samples.reshape(-1, channels).mean(axis=1)
    length = round(len(samples) * 16000 / rate)
    spectrum = np.fft.rfft(samples)
    cut = np.zeros(length // 2 + 1, complex)
    kept = min(len(cut), len(spectrum))
    cut[:kept] = spectrum[:kept]
    return (np.fft.irfft(cut, length) * length / len(samples)).astype(np.float32)


def whisper(weights):
    from faster_whisper import WhisperModel

    model = WhisperModel(weights, compute_type="float32", cpu_threads=1, local_files_only=True)
    return lambda samples: " ".join(
        part.text.strip() for part in model.transcribe(samples, language="en", beam_size=1, without_timestamps=True)[0]
    )


def pocketsphinx():
    from pocketsphinx import Decoder

    decoder = Decoder(samprate=16000, loglevel="FATAL")

    def decode(samples):
        decoder.start_utt()
        decoder.process_raw((samples * 32767).clip(-32768, 32767).astype(np.int16).tobytes(), full_utt=True)
        decoder.end_utt()
        return decoder.hyp().hypstr if decoder.hyp() else ""

    return decode


def main():
    which, folder, pattern, results, seconds = sys.argv[1], Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), float(sys.argv[5])
    known = {json.loads(line)["file"] for line in results.read_text().splitlines()} if results.exists() else set()
    decode = whisper(sys.argv[6]) if which == "whisper" else pocketsphinx()
    ends = time.monotonic() + seconds
    with results.open("a") as out:
        for path in sorted(folder.glob(pattern)):
            name = str(path.relative_to(folder))
            if name in known:
                continue
            if time.monotonic() > ends:
                print("more is to be done: run it again")
                return
            samples, began = at_16k(path), time.monotonic()
            text = decode(samples)
            print(json.dumps({"file": name, "text": text, "ms": round((time.monotonic() - began) * 1000)}), file=out, flush=True)


if __name__ == "__main__":
    main()
