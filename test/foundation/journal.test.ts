/** The priority of lines in systemd's journal, as a program of its own writes them to the stream that JOURNAL_STREAM names. */
import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

t.test('each line has the priority of its level where standard output is the journal', async (t) => {
  const lines = logged(t.testdir(), (own) => own)
  t.same(
    lines.map((line) => line.slice(0, 3)),
    ['<7>', '<7>', '<6>', '<4>', '<3>', '<2>'],
  )
  const objects = lines.map((line) => JSON.parse(line.slice(3)) as { level: string; msg: string; part?: string })
  t.same(
    objects.map(({ level, msg }) => [level, msg]),
    levels.map((level) => [level, level]),
  )
  t.equal(objects[3]?.part, 'engine', 'a child of the log has the priority of its own line')
})

t.test('lines are plain JSON where the journal is another stream, or none', async (t) => {
  for (const named of ['1:1', '', undefined]) {
    const lines = logged(t.testdir(), () => named)
    t.same(
      lines.map((line) => (JSON.parse(line) as { level: string }).level),
      levels,
    )
  }
})

/** What the child wrote to a file; `name` gives its JOURNAL_STREAM from `device:inode` of that file. */
function logged(dir: string, name: (own: string) => string | undefined): string[] {
  const file = join(dir, 'out')
  const out = openSync(file, 'w')
  const { dev, ino } = fstatSync(out, { bigint: true })
  const env = { ...process.env }
  delete env.JOURNAL_STREAM
  const named = name(`${dev}:${ino}`)
  if (named !== undefined) env.JOURNAL_STREAM = named
  const child = join(import.meta.dirname, 'logging-child.ts')
  const { status } = spawnSync(process.execPath, [...process.execArgv, child], { env, stdio: ['ignore', out, 'inherit'] })
  closeSync(out)
  if (status !== 0) throw new Error(`the child ended with ${status}`)
  return readFileSync(file, 'utf8').trimEnd().split('\n')
}
