/** Phrases as raw 8 kHz s16 files `<dir>/<first two>/<key>`, bounded by bytes, oldest use first out. A fault here costs time, nothing else. */
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

export class DiskCache {
  readonly #directory: string
  readonly #limit: number
  readonly #onFault: (error: unknown) => void
  /** Size by key, in order of last use, oldest first. */
  readonly #files = new Map<string, number>()
  readonly #writing = new Set<string>()
  #bytes = 0
  #work: Promise<void> = Promise.resolve()

  private constructor(directory: string, limitBytes: number, onFault: (error: unknown) => void) {
    this.#directory = directory
    this.#limit = limitBytes
    this.#onFault = onFault
  }

  /** Reads what is there; leftovers of an interrupted write are removed. */
  static async open(directory: string, limitBytes: number, onFault: (error: unknown) => void): Promise<DiskCache> {
    const cache = new DiskCache(directory, limitBytes, onFault)
    try {
      await cache.#scan()
    } catch (error) {
      onFault(error)
    }
    return cache
  }

  has(key: string): boolean {
    return this.#files.has(key)
  }

  async read(key: string): Promise<Int16Array | null> {
    if (this.#writing.has(key)) await this.#work
    if (!this.#files.has(key)) return null
    try {
      const data = await readFile(this.#path(key))
      if (data.length === 0 || data.length % 2 !== 0) throw new Error(`A cached phrase has ${data.length} bytes`)
      const size = this.#files.get(key)
      if (size !== undefined) {
        this.#files.delete(key)
        this.#files.set(key, size)
      }
      const now = new Date()
      utimes(this.#path(key), now, now).catch(() => undefined)
      const samples = new Int16Array(data.length / 2)
      new Uint8Array(samples.buffer).set(data)
      return samples
    } catch (error) {
      this.#onFault(error)
      await this.#drop(key)
      return null
    }
  }

  /** One write at a time, behind the caller's back. */
  write(key: string, samples: Int16Array): void {
    if (samples.byteLength === 0 || samples.byteLength > this.#limit / 4) return
    if (this.#files.has(key)) return
    this.#files.set(key, samples.byteLength)
    this.#bytes += samples.byteLength
    this.#writing.add(key)
    this.#work = this.#work.then(async () => {
      try {
        await mkdir(join(this.#directory, key.slice(0, 2)), { recursive: true, mode: 0o700 })
        const path = this.#path(key)
        const file = await open(`${path}.part`, 'w', 0o600)
        try {
          await file.writeFile(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(`${path}.part`, path)
        for (const oldest of this.#files.keys()) {
          if (this.#bytes <= this.#limit) break
          await this.#drop(oldest)
        }
      } catch (error) {
        this.#onFault(error)
        await this.#drop(key)
      } finally {
        this.#writing.delete(key)
      }
    })
  }

  /** Resolves when every write asked for so far is done. */
  settled(): Promise<void> {
    return this.#work
  }

  #path(key: string): string {
    return join(this.#directory, key.slice(0, 2), key)
  }

  async #drop(key: string): Promise<void> {
    this.#bytes -= this.#files.get(key) ?? 0
    this.#files.delete(key)
    await rm(this.#path(key), { force: true }).catch(this.#onFault)
  }

  async #scan(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const found: { key: string; size: number; used: number }[] = []
    for (const folder of await readdir(this.#directory)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      for (const name of await readdir(join(this.#directory, folder))) {
        const path = join(this.#directory, folder, name)
        if (name.endsWith('.part')) {
          await rm(path, { force: true })
          continue
        }
        const { size, mtimeMs } = await stat(path)
        found.push({ key: name, size, used: mtimeMs })
      }
    }
    for (const { key, size } of found.sort((a, b) => a.used - b.used)) {
      this.#files.set(key, size)
      this.#bytes += size
    }
  }
}
