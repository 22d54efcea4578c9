/** What setup leaves in the folder where it was started: it holds passwords, so nobody else may read it. */
import { accessSync, constants } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { writeFresh } from '../../../daemon/base/owner.ts'
import { CommandError } from '../client.ts'

/** Takes the place of what was there, a link too, whole or not at all. */
export function writePrivate(file: string, text: string): void {
  writeFresh(file, text, 0o600)
}

/** @throws CommandError that says so before anybody has answered a question. */
export function refuseUnwritable(file: string, fix: string): void {
  const folder = dirname(resolve(file))
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'is not there' : code === 'EROFS' ? 'cannot be written' : 'may not be written by this user'
    throw new CommandError(`${folder} ${why}`, { fix })
  }
}
