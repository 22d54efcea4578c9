/** Writes the configuration file as a person would leave it: whole or not at all, with the owner and the mode it had. */
import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { asOwnerOf } from '../base/owner.ts'

const newMode = 0o640

/** Rejects nothing: '' when it is written, else why not. In a folder of somebody else root writes it as that one. */
export function writeConfigFile(file: string, text: string): string {
  try {
    asOwnerOf(dirname(resolve(file)), () => writeAs(file, text))
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function writeAs(file: string, text: string): void {
  const part = `${file}.part`
  try {
    const before = statSync(file, { throwIfNoEntry: false })
    rmSync(part, { force: true })
    const handle = openSync(part, 'wx', 0o600)
    try {
      writeFileSync(handle, text)
      if (before !== undefined && process.geteuid?.() === 0) fchownSync(handle, before.uid, before.gid)
      fchmodSync(handle, before === undefined ? newMode : before.mode & 0o777)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}
