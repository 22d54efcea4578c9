/** Finishes what a recorder left that died. */
import { closeSync, fsyncSync, openSync, readSync, renameSync, statSync, truncateSync, writeSync } from 'node:fs'

const headerBytes = 44
/** Where the header says how many bytes a second are (RIFF/WAVE, `nAvgBytesPerSec`). */
const rateOffset = 28
/** Where it says how many a sample of all channels has (`nBlockAlign`). */
const frameOffset = 32

/** Of a whole file of so many bytes, as the engine writes them: 16 bits, one or two channels. Throws where there is none. */
export function wavDurationMs(file: string, bytes: number): number {
  const fd = openSync(file, 'r')
  try {
    const rate = Buffer.alloc(4)
    readSync(fd, rate, 0, 4, rateOffset)
    return Math.round(((bytes - headerBytes) * 1000) / Math.max(1, rate.readUInt32LE()))
  } finally {
    closeSync(fd)
  }
}

/** Finishes a WAV whose writer died: the sizes in its header are set from the file's own length. Throws when there is none. */
export function repairPartial(file: string): void {
  const part = `${file}.part`
  const fd = openSync(part, 'r+')
  try {
    const bytes = statSync(part).size
    const header = Buffer.alloc(headerBytes)
    readSync(fd, header, 0, headerBytes, 0)
    if (bytes <= headerBytes || header.toString('latin1', 0, 4) !== 'RIFF') throw new Error('the file holds no audio')
    const whole = bytes - ((bytes - headerBytes) % Math.max(2, header.readUInt16LE(frameOffset)))
    truncateSync(part, whole)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(whole - 8)
    writeSync(fd, size, 0, 4, 4)
    size.writeUInt32LE(whole - headerBytes)
    writeSync(fd, size, 0, 4, headerBytes - 4)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(part, file)
}
