/** The first page of a PDF as Ghostscript, poppler and MuPDF draw it in black and white. */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { mupdf, others, parsePbm, type Other } from '../bench/pages.ts'
import { hashOf, kept } from './kept.ts'

/** A reader has so long for a page. */
const seconds = 20

export const peers: readonly Other[] = [...others, mupdf]

/** The output, or undefined where the program failed or took too long. */
export function outputOf(path: string, words: readonly string[], most: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const env = { ...process.env, OMP_THREAD_LIMIT: '1' }
    const child = spawn(path, words, { env, stdio: ['ignore', 'pipe', 'ignore'], timeout: most * 1000, killSignal: 'SIGKILL' })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', () => resolve(undefined))
    child.once('close', (status) => resolve(status === 0 ? Buffer.concat(chunks) : undefined))
  })
}

/** Undefined where it draws nothing. `scale`: of the resolution of a fine page; `folder`: where it may write. */
export async function drawnBy(peer: Other, pdf: string, scale: number, folder: string): Promise<Bitmap | undefined> {
  const { path, arguments: words, result } = peer.run(pdf, join(folder, peer.name), scale)
  const command = words.filter((word) => !word.includes('/')).join(' ')
  const bytes = await kept(hashOf(path, command, readFileSync(pdf)), async () => {
    const nothing = Buffer.alloc(0)
    rmSync(result, { force: true })
    if ((await outputOf(path, words, seconds)) === undefined) return nothing
    try {
      return readFileSync(result)
    } catch {
      return nothing
    }
  })
  return bytes.length === 0 ? undefined : parsePbm(bytes)
}
