/** Files that were packed when they were built: NAME.gz, and perhaps NAME.br. Each client gets the form that it reads. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '../base/errors.ts'
import { readsCoding } from './encoding.ts'
import type { Reply } from './route.ts'

const unpacked = promisify(gunzip)

export interface PackedFile {
  /** Without the ending of a coding. */
  readonly path: string
  readonly type: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether it is there in Brotli, too: smaller by a sixth. */
  readonly brotli?: boolean
}

const endings = { br: 'br', gzip: 'gz' } as const

/** `accept`: `Accept-Encoding`. A client that does not say what it reads is given the file unpacked (RFC 9110 section 12.5.3). */
export async function packedReply({ path, type, etag, headers, brotli = false }: PackedFile, accept: string | undefined): Promise<Reply> {
  const forms = brotli ? (['br', 'gzip'] as const) : (['gzip'] as const)
  const coding = forms.find((form) => readsCoding(accept, form))
  if (coding === undefined) {
    const content = await readFile(`${path}.gz`).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new ApiError('not_found', 'This file no longer exists.')
      throw error
    })
    // The bytes differ from those of the packed form: the validator is a weak one.
    return {
      status: 200,
      text: { type, content: (await unpacked(content)).toString('utf8') },
      headers: { ...headers, ETag: `W/"${etag}"` },
    }
  }
  const file = { path: `${path}.${endings[coding]}`, type, etag }
  return { status: 200, file, headers: { ...headers, 'Content-Encoding': coding, Vary: 'Accept-Encoding' } }
}
