/** The serial device on a real pseudo terminal: its end is noticed whenever it comes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openPort } from '../../drivers/serial/port.ts'
import { build, ptyProgram } from '../gsm/rig.ts'

await build()

/** Killed, and not yet reaped: this process is still in the same turn. */
function kill(pid: number): void {
  process.kill(pid, 'SIGKILL')
  while (!/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
}

t.test('a device that goes away between two reads is noticed at once, though reads then give no bytes', async (t) => {
  const device = join(t.testdir(), 'modem')
  const modem = spawn(ptyProgram, [device], { stdio: ['pipe', 'ignore', 'pipe'] })
  t.teardown(() => modem.kill())
  await once(modem.stderr, 'data')
  const closed = Promise.withResolvers<void>()
  let heard = ''
  await openPort(
    device,
    { baudRate: 115_200, rtscts: false },
    {
      data: (bytes) => {
        heard += bytes.toString('latin1')
        kill(modem.pid!)
      },
      closed: closed.resolve,
    },
  )
  modem.stdin.write('RING')
  await closed.promise
  t.equal(heard, 'RING')
})
