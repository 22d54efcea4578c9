/** kill -9 of a real process in the middle of sending, again and again: no text is lost, none is sent twice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openStore } from '../../daemon/store/store.ts'
import { log } from './stage.ts'

const rounds = Number(process.env['SMS_KILLS'] ?? 4)
t.setTimeout(60_000 + rounds * 5000)

const child = join(import.meta.dirname, 'sending-child.ts')

t.test('a text that was accepted is sent once, or is known to be in doubt', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-sms-kill-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const accepted = new Set<string>()
  for (let round = 1; round <= rounds; round++) {
    const process_ = spawn(process.execPath, [...process.execArgv, child, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    let wanted = 30 + Math.floor(Math.random() * 120)
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      wanted -= text.split('\n').length - 1
      if (wanted <= 0) process_.kill('SIGKILL')
    })
    await once(process_, 'close')
    for (const line of out.split('\n')) if (/^A \S{36}$/.test(line)) accepted.add(line.slice(2))
  }
  const last = spawn(process.execPath, [...process.execArgv, child, dir, 'no'], { stdio: 'inherit' })
  t.same(await once(last, 'exit'), [0, null])
  const store = await openStore(join(dir, 'store'), log)
  const states = new Map([...store.tables.sms.range()].map(({ key, value }) => [key, value.state]))
  await store.close()
  const network = readFileSync(join(dir, 'network'), 'utf8').trim().split('\n')
  t.equal(new Set(network).size, network.length, `${network.length} texts on the network, none twice`)
  t.same(
    [...accepted].filter((id) => !states.has(id)),
    [],
    `all ${accepted.size} that were accepted are there`,
  )
  const taken = new Set(network)
  t.same(
    [...states].filter(([id, state]) => state === 'sent' && !taken.has(id)),
    [],
    'what is called sent was sent',
  )
  t.same(
    [...states].filter(([id, state]) => state !== 'sent' && taken.has(id) && state !== 'unknown'),
    [],
    'what was sent is called sent or unknown',
  )
  t.same(
    [...states].filter(([, state]) => state !== 'sent' && state !== 'unknown'),
    [],
    'and there is no other end',
  )
  const doubtful = [...states.values()].filter((state) => state === 'unknown').length
  t.ok(doubtful <= rounds * 4, `${doubtful} of ${states.size} are in doubt, at most the window in each of ${rounds} rounds`)
})
