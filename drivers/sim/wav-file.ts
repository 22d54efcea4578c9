/** Writes a recording as a finished WAV: under `.part` first, synced, then under its name. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { wavBytes } from '../wav.ts'

/** RIFF/WAVE with 8 kHz mono signed 16-bit PCM. Throws what the file system throws. */
export function writeWav(file: string, samples: Int16Array): void {
  const descriptor = openSync(`${file}.part`, 'w', 0o640)
  try {
    writeSync(descriptor, wavBytes(samples))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.part`, file)
}
