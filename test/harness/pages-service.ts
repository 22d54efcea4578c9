/** The service that reads PDFs as systemd starts it: a program for each connection, which is its standard input and output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './daemon.ts'
import { endWithUs } from './processes.ts'

export interface PagesService {
  readonly socket: string
  /** Where those that were started keep what they read. */
  readonly work: string
  /** Process ids of those that were started, in their order. */
  readonly started: readonly number[]
  /** Resolves when all of them have ended. */
  ended(): Promise<unknown>
  close(): void
}

export async function pagesService(): Promise<PagesService> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-pages-'))
  const socket = join(folder, 'pages.sock')
  const work = join(folder, 'work')
  mkdirSync(work)
  const started: number[] = []
  const ends: Promise<unknown>[] = []
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    const child = spawn(process.execPath, [...process.execArgv, join(root, 'daemon/programs/fax-pages.ts')], {
      stdio: [connection, connection, 'inherit'],
      env: { ...process.env, TMPDIR: work },
    })
    endWithUs(child)
    started.push(child.pid ?? 0)
    ends.push(once(child, 'exit'))
    connection.destroy()
  })
  await new Promise<void>((listening) => server.listen(socket, listening))
  return {
    socket,
    work,
    started,
    ended: () => Promise.all(ends),
    close: () => {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
