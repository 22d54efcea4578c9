/** Routes behind a technician's socket of their own, asked as the `pbx` program does. */
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startSocket } from '../../daemon/http/socket.ts'
import type { Route } from '../../daemon/http/route.ts'
import { createLog } from '../../daemon/base/log.ts'

export interface SocketAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
  /** Of an answer that streams, one value a line. */
  readonly lines: any[]
  readonly json: any
}

export type AskSocket = (method: string, path: string, body?: unknown) => Promise<SocketAnswer>

/** A body that is no text and no bytes is sent as JSON. */
export function socketClient(socketPath: string): AskSocket {
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const asked = request({ socketPath, method, path, headers, agent: false }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        const type = response.headers['content-type'] ?? ''
        const lines = /json/.test(type)
          ? text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as unknown)
          : []
        resolve({ status: response.statusCode ?? 0, type, text, lines, json: lines[0] })
      })
      asked.once('error', reject)
      asked.end(body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
    })
}

export async function technicianOf(t: Test, routes: readonly Route[]): Promise<AskSocket> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-socket-'))
  const server = await startSocket({ socket: join(dir, 's'), routes, log: createLog({ level: 'silent' }) })
  t.teardown(async () => {
    await server.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return socketClient(server.socket)
}
