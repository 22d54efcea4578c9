/** Writes the configuration file as a person would leave it: whole or not at all, with the owner and the mode it had. */
import { chmodSync, chownSync, openSync, renameSync, rmSync, statSync, writeFileSync, closeSync, fsyncSync } from 'node:fs'

const newMode = 0o640

/** Rejects nothing: '' when it is written, else why not. */
export function writeConfigFile(file: string, text: string): string {
  const part = `${file}.part`
  try {
    const before = statSync(file, { throwIfNoEntry: false })
    const handle = openSync(part, 'w', 0o600)
    try {
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    if (before !== undefined && process.getuid?.() === 0) chownSync(part, before.uid, before.gid)
    chmodSync(part, before === undefined ? newMode : before.mode & 0o777)
    renameSync(part, file)
    return ''
  } catch (error) {
    rmSync(part, { force: true })
    return (error as Error).message
  }
}
