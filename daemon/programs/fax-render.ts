/**
 * The throw-away program that reads PDFs of strangers and draws them as fax pages: started by daemon/fax/pages with limits of
 * memory and time, without network and without files but those it is given. The task comes as JSON on standard input.
 */
import { readFileSync, writeSync } from 'node:fs'
import type { ChildReport, ChildTask } from '../fax/pages/child-protocol.ts'
import { runTask } from '../fax/pages/run-task.ts'

const task = JSON.parse(readFileSync(0, 'utf8')) as ChildTask
const tell = (report: ChildReport): void => void writeSync(1, `${JSON.stringify(report)}\n`)
tell({ report: 'started' })
await runTask(task, tell)
process.exit(0)
