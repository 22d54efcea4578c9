/** Writes a recording as a finished WAV: under `.part` first, synced, then under its name. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** RIFF/WAVE with 8 kHz mono signed 16-bit PCM. Throws what the file system throws. */
export function writeWav(file: string, samples: Int16Array): void {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.byteLength, 40)
  const descriptor = openSync(`${file}.part`, 'w', 0o640)
  try {
    writeSync(descriptor, head)
    writeSync(descriptor, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.part`, file)
}
