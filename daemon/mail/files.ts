/** Messages that are not through: one file each, complete and on the disk before the mail is accepted. */
import { createReadStream, type ReadStream } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { madeFolder } from '../store/disk.ts'

const ending = '.eml'

export class MailFiles {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
    madeFolder(dir)
  }

  /** The message is on the disk when this resolves. */
  async keep(mailId: string, message: Uint8Array): Promise<void> {
    madeFolder(this.#dir)
    const part = `${this.#file(mailId)}.part`
    const handle = await open(part, 'wx', 0o600)
    try {
      await handle.writeFile(message)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, this.#file(mailId))
    const dir = await open(this.#dir, 'r')
    try {
      await dir.sync()
    } finally {
      await dir.close()
    }
  }

  read(mailId: string): ReadStream {
    return createReadStream(this.#file(mailId))
  }

  async has(mailId: string): Promise<boolean> {
    return (await stat(this.#file(mailId)).catch(() => null)) !== null
  }

  async drop(mailId: string): Promise<void> {
    await Promise.all([this.#file(mailId), `${this.#file(mailId)}.part`].map((file) => rm(file, { force: true })))
  }

  /** Removes what `keep` refuses; files of requests that a crash cut off have no row. */
  async sweep(keep: (mailId: string, modifiedAt: number) => boolean): Promise<void> {
    for (const name of await readdir(this.#dir)) {
      const mailId = name.replace(/\.eml(\.part)?$/, '')
      const found = await stat(join(this.#dir, name)).catch(() => null)
      if (found !== null && !keep(mailId, found.mtimeMs)) await rm(join(this.#dir, name), { force: true })
    }
  }

  #file(mailId: string): string {
    return join(this.#dir, `${mailId}${ending}`)
  }
}
