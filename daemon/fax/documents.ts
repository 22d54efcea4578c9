/** The files of faxes that are sent, or looked at before: one directory each, with the PDF as it came and the pages drawn from it. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { idPattern } from '../base/ids.ts'
import type { FaxResolution } from '../schema/states.ts'
import { madeFolder } from '../store/disk.ts'

export interface FaxFiles {
  readonly directory: string
  readonly pdf: string
  readonly fine: string
  readonly standard: string
}

export class FaxDocuments {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
    madeFolder(dir)
  }

  of(faxId: string): FaxFiles {
    const directory = join(this.#dir, faxId)
    return { directory, pdf: join(directory, 'document.pdf'), fine: join(directory, 'fine.tif'), standard: join(directory, 'standard.tif') }
  }

  /** The PDF is on the disk when this resolves. */
  async keep(faxId: string, pdf: Uint8Array): Promise<string> {
    const files = this.of(faxId)
    await mkdir(files.directory, { recursive: true, mode: 0o700 })
    const handle = await open(files.pdf, 'wx', 0o600)
    try {
      await handle.writeFile(pdf)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await this.#settle(files.directory)
    return files.pdf
  }

  /** A document again that is kept already, with its pages where these are asked for; false where it is no longer kept. */
  async keepAgain(faxId: string, from: FaxFiles, withPages = false): Promise<boolean> {
    const files = this.of(faxId)
    await mkdir(files.directory, { recursive: true, mode: 0o700 })
    try {
      await link(from.pdf, files.pdf)
      if (withPages) for (const pages of ['fine', 'standard'] as const) await link(from[pages], files[pages])
    } catch {
      await this.drop(faxId)
      return false
    }
    await this.#settle(files.directory)
    return true
  }

  drawn(faxId: string): boolean {
    const files = this.of(faxId)
    return existsSync(files.fine) && existsSync(files.standard)
  }

  async drop(faxId: string): Promise<void> {
    await rm(this.of(faxId).directory, { recursive: true, force: true })
  }

  /** The fax is in a final state: what stays to be looked at are the pages as they went. */
  async dropPages(faxId: string, sent: FaxResolution): Promise<void> {
    const files = this.of(faxId)
    await rm(sent === 'standard' ? files.fine : files.standard, { force: true })
  }

  /** The pages as they go, or went; undefined where they are not drawn. */
  pagesOf(faxId: string, resolution: FaxResolution): string | undefined {
    const { fine, standard } = this.of(faxId)
    return [resolution === 'standard' ? standard : fine, fine, standard].find((file) => existsSync(file))
  }

  /** Removes directories that `keep` refuses; those of requests that were cut off by a crash have no row. */
  async sweep(keep: (faxId: string, modifiedAt: number) => boolean): Promise<number> {
    let removed = 0
    for (const name of readdirSync(this.#dir)) {
      const stat = idPattern.test(name) ? statSync(join(this.#dir, name), { throwIfNoEntry: false }) : undefined
      if (stat === undefined || keep(name, stat.mtimeMs)) continue
      await this.drop(name)
      removed += 1
    }
    return removed
  }

  async #settle(directory: string): Promise<void> {
    for (const path of [directory, this.#dir]) {
      const handle = await open(path, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
  }
}
