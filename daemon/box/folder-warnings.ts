/** Folders that the daemon writes into and cannot: what is lost by it is found out at the next fax, recording or prompt otherwise. */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../schema/config.ts'
import type { CodedWarning } from '../base/health.ts'
import { foldersBelow } from '../store/folder.ts'

export function* folderWarnings({ storage, control }: Config): Iterable<CodedWarning> {
  for (const dir of [storage.dir, ...foldersBelow(storage.dir), dirname(control.socket)]) {
    const reason = whyClosed(dir)
    if (reason === '') continue
    yield {
      code: `folder-${dir}`,
      severity: 'error',
      text: `The folder ${dir} cannot be written (${reason}): what belongs there is refused; calls continue`,
      fix: `ls -ld ${dir}; findmnt -T ${dir}`,
    }
  }
}

/** '' where it can be written; a folder that is not there is made by whoever needs it. */
function whyClosed(dir: string): string {
  try {
    if (!statSync(dir).isDirectory()) return 'ENOTDIR'
    accessSync(dir, constants.W_OK | constants.X_OK)
    return ''
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? '' : code
  }
}
