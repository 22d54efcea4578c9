/** What each application of a helper package answers, whatever language and server it is in. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Test } from 'tap'
import { accepts } from '../../scripts/demo/processes.ts'
import { freePort } from '../harness/daemon.ts'
import { eventually } from '../harness/waiting.ts'
import { post } from './samples.ts'

const key = (digits: string, speech = '') => ({ event: 'gather.completed', digits, speech, reason: digits === '' ? 'speech' : 'digits' })

/** `here`: base of the pages of the sample. */
export async function obeys(t: Test, here: string): Promise<void> {
  const first = await post(`${here}/voice`, { event: 'call.inbound.pre_route', from: '1' })
  t.match(first, {
    status: 200,
    body: [{ say: { text: /opening hours/ } }, { gather: { numDigits: 1, input: 'dtmf speech', hints: Array } }],
  })
  t.match(
    await post(`${here}/voice?x=1`, key('1')),
    { body: [{}, { redirect: { url: `${here}/again` } }] },
    'a query is no part of the page',
  )
  t.match(await post(`${here}/voice`, key('', 'Opening hours, please.')), { body: [{}, { redirect: {} }] }, 'words are a choice')
  t.match(await post(`${here}/voice`, key('2')), { body: [{}, { record: { actionUrl: `${here}/message` } }] })
  t.same((await post(`${here}/voice`, key('9'))).body, [{ say: { text: 'Sorry.' } }], 'one verb is a document')
  t.same(await post(`${here}/voice`, { ...key('1'), reason: 'hangup' }), { status: 200, body: [] }, 'nobody is left to hear it')
  t.match(await post(`${here}/again`, { event: 'call.redirected' }), { body: [{}, { gather: { actionUrl: 'https://other.example/x' } }] })

  t.match(await post(`${here}/voice`, key('1'), 'whsec_another_0123456789abcdef'), { status: 403, body: { error: String } })
  t.match(await post(`${here}/nowhere`, key('1')), { status: 404 })
  t.match(
    await post(`${here}/again`, key('1')),
    { status: 404, body: { error: /gather.completed/ } },
    'the fallback of the box is for that',
  )
  t.equal((await post(`${here}/voice`, { event: 'call.ended', endReason: 'caller-hangup' })).status, 204)
  t.equal((await post(`${here}/voice`, { event: 'call.status' })).status, 204, 'a notice without a function is accepted')
  t.match(await post(`${here}/message`, { event: 'record.completed', reason: 'silence' }), { status: 500, body: { error: String } })

  const again = { ...key('9'), eventId: randomUUID() }
  const [one, two] = await Promise.all([post(`${here}/voice`, again), post(`${here}/voice`, again)])
  t.same(one, two)

  const nameless = { ...key('9'), eventId: undefined }
  for (const _ of [1, 2]) t.match(await post(`${here}/voice`, nameless), { status: 200, body: [{ say: {} }] })
  await post(`${here}/voice`, { event: 'call.ended', endReason: 'last-call' })
}

/** What the function of `gather.completed` did by then: five keys, one that was repeated, and two events without an id, which are two. */
export const workDone = 8

/** The Python sample on a server of Python, by the package in the wheel; its pages begin at `mount`. */
export async function pythonObeys(
  t: Test,
  {
    program,
    wheel,
    server,
    mount = '',
  }: { readonly program: string; readonly wheel: string; readonly server: string; readonly mount?: string },
): Promise<void> {
  const port = await freePort()
  const application = spawn(program, ['test/sdk/sample.py', server, String(port)], {
    env: { ...process.env, PYTHONPATH: wheel },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.teardown(async () => {
    application.kill()
    await once(application, 'exit')
  })
  let said = ''
  application.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await eventually('it listens', () => accepts(port))
  await obeys(t, `http://127.0.0.1:${port}${mount}`)
  await eventually('it says how often it worked', () => said.includes(`last-call ${workDone}\n`))
}
