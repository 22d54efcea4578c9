"""What a mobile telephone of the old kind and a bad network do to speech.

    python gsm.py SOURCE TARGET

Each WAV of SOURCE (8 kHz, 16 bit, one channel) goes through GSM 06.10 (libgsm) and back. Three of a hundred frames of 20 ms
are lost, by a generator that repeats itself; a lost frame is the one before it at half the level, as a receiver fills in.
"""
import ctypes
import random
import sys
import wave
from pathlib import Path

import numpy as np

gsm = ctypes.CDLL("libgsm.so.1")
gsm.gsm_create.restype = ctypes.c_void_p
lost = 0.03


def through(samples, seed):
    there, back = (ctypes.c_void_p(gsm.gsm_create()) for _ in range(2))
    chance, out, before = random.Random(seed), [], np.zeros(160, np.int16)
    for at in range(0, len(samples) - 159, 160):
        frame = (ctypes.c_int16 * 160)(*samples[at : at + 160].tolist())
        code, decoded = (ctypes.c_uint8 * 33)(), (ctypes.c_int16 * 160)()
        gsm.gsm_encode(there, frame, code)
        if chance.random() < lost:
            before = (before // 2).astype(np.int16)
        else:
            gsm.gsm_decode(back, code, decoded)
            before = np.array(decoded, np.int16)
        out.append(before)
    return np.concatenate(out)


def main():
    source, target = map(Path, sys.argv[1:3])
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.wav")):
        with wave.open(str(path)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
        with wave.open(str(target / path.name), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(through(samples, path.name).tobytes())


if __name__ == "__main__":
    main()
