/**
 * The service that reads one PDF of a stranger (systemd/pbxd-pages@.service): the connection is its standard input and output, and all that it
 * has. The reading itself is done by a child that is confined further, as the daemon starts it where there is no service.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runLimited, StarvedError } from '../fax/pages/limited-child.ts'
import { PageError } from '../fax/pages/page-error.ts'
import { Incoming, type ServiceAnswer, type ServiceOrder } from '../fax/pages/service-protocol.ts'

const work = mkdtempSync(join(tmpdir(), 'pages-'))
const pdf = join(work, 'document.pdf')
const gone = new AbortController()

function tell(answer: ServiceAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

async function keep(incoming: Incoming, bytes: number): Promise<boolean> {
  const file = await open(pdf, 'wx', 0o600)
  try {
    return await incoming.take(bytes, (piece) => file.writeFile(piece))
  } finally {
    await file.close()
  }
}

function failure(error: unknown): ServiceAnswer {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof PageError) return { failed: { code: error.code, message } }
  return { failed: error instanceof StarvedError ? { code: null, message } : { message } }
}

async function answer({ task, limits, files }: ServiceOrder): Promise<void> {
  const outputs = Array.from({ length: files }, (_, index) => join(work, `made-${index}`))
  try {
    const outcome = await runLimited(task, { limits, pdf, outputs, signal: gone.signal, onPage: (page) => tell({ page }) })
    tell({ outcome, files: outputs.map((file) => statSync(file).size) })
    for (const file of outputs) process.stdout.write(await readFile(file))
  } catch (error) {
    tell(failure(error))
  }
}

process.stdout.on('error', () => gone.abort())
try {
  const incoming = new Incoming(process.stdin)
  const line = await incoming.line()
  if (line !== null) {
    const order = JSON.parse(line) as ServiceOrder
    if (await keep(incoming, order.bytes)) {
      // The end of what comes is the end of who wanted it.
      void incoming.line().then(
        () => gone.abort(),
        () => gone.abort(),
      )
      await answer(order)
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.stdout.end(() => process.exit(0))
