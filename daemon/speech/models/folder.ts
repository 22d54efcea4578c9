/** The models' folder as a place: one process at a time, room on the disk. */
import { readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { ModelError } from './catalogue.ts'

/** Beyond what the model itself takes. */
const reserveBytes = 64e6

/** @throws ModelError `busy` when a process that lives holds it */
export async function takeLock(lock: string, id: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      return await writeFile(lock, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = Number(await readFile(lock, 'utf8').catch(() => '0'))
      if (holder > 0 && (await exists(`/proc/${holder}`)) && attempt === 0)
        throw new ModelError('busy', `${id} is being installed by process ${holder}`, `wait for it, or end it: kill ${holder}`)
      await rm(lock, { force: true })
    }
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

export async function checkSpace(folder: string, wanted: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const mb = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`
  if (free < wanted + reserveBytes)
    throw new ModelError(
      'no-space',
      `${mb(wanted + reserveBytes)} are needed in ${folder}, and ${mb(free)} are free`,
      'make room, or name another folder: --dir FOLDER',
    )
}
