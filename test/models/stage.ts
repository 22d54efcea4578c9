/** A server of models with Range support and faults, archives made by tar, and a catalogue that names them. */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Catalogue, type ModelEntry } from '../../daemon/speech/models/catalogue.ts'
import type { InstallOptions } from '../../daemon/speech/models/models.ts'

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** What the server does with one request; the next request is served well unless a new fault is set. */
export interface Fault {
  readonly cutAfter?: number
  readonly status?: number
  readonly location?: string
  readonly stall?: boolean
  /** Answers 200 and the whole, whatever part was asked for. */
  readonly ignoreRange?: boolean
}

export interface ModelServer {
  readonly url: string
  readonly files: Map<string, Buffer>
  readonly faults: Fault[]
  readonly asked: { path: string; range: string; ifRange: string }[]
  /** Of every answer; '' for none. */
  etag: string
  /** Bytes a second; 0 for as fast as it goes. */
  pace: number
  close(): void
}

export async function serveModels(): Promise<ModelServer> {
  const stage = { files: new Map<string, Buffer>(), faults: [] as Fault[], asked: [] as ModelServer['asked'], etag: '"one"', pace: 0 }
  const server = createServer((request, response) => void answer(stage, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return Object.assign(stage, { url, close })
}

async function answer(stage: Omit<ModelServer, 'url' | 'close'>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? ''
  const range = request.headers.range ?? ''
  const ifRange = String(request.headers['if-range'] ?? '')
  stage.asked.push({ path, range, ifRange })
  const fault = stage.faults.shift() ?? {}
  const content = stage.files.get(path)
  if (fault.status !== undefined) {
    response.writeHead(fault.status, fault.location === undefined ? {} : { location: fault.location }).end('no')
    return
  }
  if (content === undefined) {
    response.writeHead(404).end()
    return
  }
  const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0)
  const part = range !== '' && fault.ignoreRange !== true && (ifRange === '' || ifRange === stage.etag)
  const etag = stage.etag === '' ? {} : { etag: stage.etag }
  if (part && from >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end()
    return
  }
  const body = part ? content.subarray(from) : content
  response.writeHead(part ? 206 : 200, {
    ...etag,
    'content-length': body.length,
    ...(part ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
  })
  if (fault.stall === true) {
    response.write(body.subarray(0, 10))
    return
  }
  const end = fault.cutAfter ?? body.length
  const step = stage.pace > 0 ? Math.ceil(stage.pace / 20) : end
  for (let at = 0; at < end && !response.destroyed; at += step) {
    await new Promise<void>((resolve) => response.write(body.subarray(at, Math.min(end, at + step)), () => resolve()))
    if (stage.pace > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  if (fault.cutAfter === undefined) response.end()
  else {
    // What was written shall arrive before the connection breaks.
    await new Promise((resolve) => setTimeout(resolve, 100))
    response.destroy()
  }
}

export function temporaryFolder(t: { teardown(work: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-models-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Noise, so that it does not shrink in an archive. */
export function content(bytes: number): Buffer {
  return randomBytes(bytes)
}

/** Packs a folder's members, in this order and under these names; further words go to tar. */
export function pack(folder: string, members: readonly string[], form: 'tar.bz2' | 'tgz' = 'tgz', ...words: string[]): Buffer {
  const to = join(mkdtempSync(join(tmpdir(), 'pbxd-pack-')), 'archive')
  const made = spawnSync('tar', [`--${form === 'tgz' ? 'gzip' : 'bzip2'}`, '-cf', to, '-C', folder, ...words, '--', ...members], {
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(made.stderr)
  const archive = readFileSync(to)
  rmSync(join(to, '..'), { recursive: true })
  return archive
}

export function write(folder: string, files: Readonly<Record<string, Uint8Array | string>>): string {
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), data)
  }
  return folder
}

const common = {
  title: 'A model of the tests',
  roles: ['call', 'recording'] as ('call' | 'recording' | 'voice' | 'detector')[],
  rank: { call: 1, recording: 1, voice: 1, detector: 1 },
  languages: ['en'],
  ramMB: 10,
  diskMB: 1,
  licence: 'MIT',
  licenceUrl: 'https://example.org/licence',
  attribution: 'Nobody in particular.',
  note: '',
}

/** A model in an archive `box/model.onnx`, `box/tokens.txt`; the archive is served under its name. */
export function archived(
  server: ModelServer,
  id: string,
  archive: Buffer,
  changes: Partial<ModelEntry> = {},
  form: 'tar.bz2' | 'tgz' = 'tgz',
): ModelEntry {
  const path = `/${id}.${form}`
  server.files.set(path, archive)
  return {
    ...common,
    id,
    kind: 'nemo-ctc',
    source: { url: `${server.url}${path}`, bytes: archive.length, sha256: sha256(archive), archive: form },
    files: [
      { role: 'model', name: 'model.onnx', path: 'box/model.onnx' },
      { role: 'tokens', name: 'tokens.txt', path: 'box/tokens.txt' },
    ],
    ...changes,
  }
}

/** A model whose files lie each at its own address. */
export function loose(
  server: ModelServer,
  id: string,
  files: Readonly<Record<string, Buffer>>,
  changes: Partial<ModelEntry> = {},
): ModelEntry {
  return {
    ...common,
    id,
    kind: 'whisper',
    files: Object.entries(files).map(([role, data]) => {
      server.files.set(`/${id}/${role}.bin`, data)
      return { role, name: `${role}.bin`, url: `${server.url}/${id}/${role}.bin`, bytes: data.length, sha256: sha256(data) }
    }),
    ...changes,
  }
}

/** An archive with both files of `archived`. */
export function boxOf(folder: string, model: Buffer, form: 'tar.bz2' | 'tgz' = 'tgz'): Buffer {
  write(folder, { 'box/model.onnx': model, 'box/tokens.txt': 'a 0\nb 1\n', 'box/README.md': 'not wanted' })
  return pack(folder, ['box'], form)
}

export function optionsIn(directory: string, more: Partial<InstallOptions> = {}): InstallOptions {
  return { places: { directory, program: join(directory, 'none') }, retryMs: 5, stallMs: 2000, ...more }
}

/** Writes a catalogue for the program. */
export function manifestFile(folder: string, models: readonly ModelEntry[]): string {
  const file = join(folder, 'manifest.json')
  writeFileSync(file, JSON.stringify({ version: 1, models }))
  return file
}

export const catalogueOf = (...models: ModelEntry[]): Catalogue => new Catalogue(models)
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
