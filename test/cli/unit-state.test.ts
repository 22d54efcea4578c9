/** Why a daemon does not answer, as the service manager and the journal have it; their programs are stood in for by scripts on the PATH. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { unitFault } from '../../scripts/cli/commands/doctor.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-unit-'))
const path = process.env['PATH']
t.teardown(() => {
  process.env['PATH'] = path
  rmSync(dir, { recursive: true, force: true })
})
process.env['PATH'] = `${dir}:${path}`

function says(unit: string, journal: string): void {
  for (const [name, text] of [
    ['systemctl', unit],
    ['journalctl', journal],
  ] as const) {
    writeFileSync(join(dir, `${name}.txt`), text)
    writeFileSync(join(dir, name), `#!/bin/sh\ncat ${join(dir, name)}.txt\n`)
    chmodSync(join(dir, name), 0o755)
  }
}

const fatal = JSON.stringify({ level: 60, msg: 'pbxd cannot start', err: { message: 'listen EADDRINUSE: 0.0.0.0:8443' } })
const rows: readonly (readonly [what: string, unit: string, journal: string, expected: RegExp | null])[] = [
  ['it runs', 'ActiveState=active\nResult=success\nNRestarts=0\n', fatal, null],
  ['it was stopped', 'ActiveState=inactive\nResult=success\nNRestarts=0\n', fatal, null],
  [
    'it ends again and again',
    'ActiveState=activating\nResult=exit-code\nNRestarts=4\n',
    `${fatal}\npbxd.service: Failed with result 'exit-code'.\n`,
    /activating \(exit-code\), restarted 4 times: pbxd cannot start: listen EADDRINUSE: 0\.0\.0\.0:8443$/,
  ],
  ['the journal may not be read', 'ActiveState=failed\nResult=exit-code\nNRestarts=5\n', '', /failed \(exit-code\), restarted 5 times$/],
  [
    'words that are no JSON',
    'ActiveState=failed\nResult=signal\nNRestarts=0\n',
    'Segmentation fault\n',
    /failed \(signal\): Segmentation fault$/,
  ],
]

for (const [what, unit, journal, expected] of rows)
  t.test(what, async (t) => {
    says(unit, journal)
    const fault = await unitFault()
    if (expected === null) t.equal(fault, null)
    else t.match(fault, { name: 'service', level: 'failure', text: expected, fix: 'journalctl -u pbxd -p warning' })
  })

t.test('there is no service manager', async (t) => {
  process.env['PATH'] = join(dir, 'none')
  t.equal(await unitFault(), null)
})
