/** Finishes what a recorder left that died. */
import { closeSync, fsyncSync, openSync, readSync, renameSync, statSync, truncateSync, writeSync } from 'node:fs'

export const headerBytes = 44

/** Finishes a WAV whose writer died: the sizes in its header are set from the file's own length. Throws when there is none. */
export function repairPartial(file: string): void {
  const part = `${file}.part`
  const fd = openSync(part, 'r+')
  try {
    const bytes = statSync(part).size
    const magic = Buffer.alloc(4)
    readSync(fd, magic, 0, 4, 0)
    if (bytes <= headerBytes || magic.toString('latin1') !== 'RIFF') throw new Error('the file holds no audio')
    const even = bytes - (bytes % 2)
    truncateSync(part, even)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(even - 8)
    writeSync(fd, size, 0, 4, 4)
    size.writeUInt32LE(even - headerBytes)
    writeSync(fd, size, 0, 4, headerBytes - 4)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(part, file)
}
