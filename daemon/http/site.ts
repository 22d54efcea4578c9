/** The documentation as scripts/site builds it for a box: pages, what they load, and a list of both. */
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { packedReply } from './packed.ts'
import type { Reply } from './route.ts'

/** What `built.json` says, and where it lies. */
export interface Site {
  readonly root: string
  readonly folder: string
  /** Changes with each page. */
  readonly version: string
  /** Names of texts, each there as NAME.gz. */
  readonly packed: readonly string[]
  /** Pictures and examples by their names: where they lie, from the folder of the program. */
  readonly plain: Readonly<Record<string, string>>
}

/** `root`: folder of the program. Undefined where the documentation was not built. */
export function readSite(root: string): Site | undefined {
  const folder = join(root, '.cache', 'site')
  try {
    return { root, folder, ...(JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as Omit<Site, 'root' | 'folder'>) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.yaml': 'text/plain; charset=utf-8',
}

/** As that of the console: no source but this box, nothing inline, no markup out of text. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const headers = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Undefined where the site has no such file. `accept`: `Accept-Encoding`. */
export async function siteReply(
  { root, folder, version, packed, plain }: Site,
  name: string,
  accept: string | undefined,
): Promise<Reply | undefined> {
  const type = types[extname(name)]
  if (type === undefined) return undefined
  if (packed.includes(name)) return packedReply({ path: join(folder, name), type, etag: version, headers }, accept)
  return Object.hasOwn(plain, name) ? { status: 200, file: { path: join(root, plain[name]!), type, etag: version }, headers } : undefined
}
