/** Of several boxes each answers only the polls that are meant for it: a cursor of another box would skip items in silence. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { idsOfBox, newId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { receivedTextRoutes } from '../../daemon/inbox/text-routes.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { limits, tokenRow } from '../http/serve.ts'

type Ask = (method: string, path: string) => Promise<{ status: number; body: any }>

async function open(t: Test, box?: { id?: string; inbox?: string }): Promise<Ask> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-elsewhere-'))
  const clock = new FakeClock(1_772_460_311_000)
  const log = createLog({ level: 'silent' })
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: ['101'], ...(box === undefined ? {} : { box }) })
  const erase = eraseItem(store, inbox, () => undefined)
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: [...inboxRoutes(inbox, erase), ...receivedTextRoutes(inbox)],
    tokens: accessTokens([tokenRow('all', 'the-token', ['inbox'])], store.tables.tokens),
    ...{ limits, store, log, clock },
  })
  t.teardown(async () => {
    await http.close(500)
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return async (method, path) => {
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, { method, headers: { authorization: 'Bearer the-token' } })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
  }
}

/** What the box is, what the poll names, and the box that is named in the refusal; '' where it is served. */
const polls: readonly (readonly [string, { id?: string; inbox?: string } | undefined, string, string])[] = [
  ['a box that is alone', undefined, '', ''],
  ['a box that is alone, asked as another', undefined, '001', '001'],
  ['a box with an id', { id: '001' }, '', ''],
  ['the box of the inbox', { id: '00c', inbox: '00c' }, '', ''],
  ['the box of the inbox, by its name', { id: '00c', inbox: '00c' }, '00c', ''],
  ['the box of the inbox, asked as another', { id: '00c', inbox: '00c' }, '001', '001'],
  ['another box', { id: '002', inbox: '00c' }, '', '00c'],
  ['another box, by its own name', { id: '002', inbox: '00c' }, '002', ''],
  ['another box, asked as the box of the inbox', { id: '002', inbox: '00c' }, '00c', '00c'],
]

for (const [what, box, asked, elsewhere] of polls) {
  t.test(`a poll of ${what}`, async (t) => {
    const ask = await open(t, box)
    for (const feed of ['faxes', 'sms', 'voicemails']) {
      const { status, body } = await ask('GET', `/api/inbox/${feed}?since=0${asked === '' ? '' : `&box=${asked}`}`)
      if (elsewhere === '') t.match({ status, body }, { status: 200, body: { items: [], nextSince: 0 } }, feed)
      else t.match({ status, body }, { status: 409, body: { code: 'inbox_elsewhere', details: [{ message: elsewhere }] } }, feed)
    }
  })
}

t.test('an id of another box is answered with the name of that box, one of this box as unknown', async (t) => {
  t.teardown(() => idsOfBox(undefined))
  const ask = await open(t, { id: '002', inbox: '00c' })
  idsOfBox('001')
  const foreign = newId()
  idsOfBox('002')
  const own = newId()
  const asked = (id: string): readonly (readonly [string, string])[] => [
    ['GET', `/api/inbox/faxes/${id}.pdf`],
    ['GET', `/api/inbox/voicemails/${id}.wav`],
    ['GET', `/api/inbox/sms/${id}`],
    ['DELETE', `/api/inbox/faxes/${id}`],
    ['DELETE', `/api/inbox/sms/${id}`],
    ['DELETE', `/api/inbox/voicemails/${id}`],
  ]
  for (const [method, path] of asked(foreign)) {
    t.match(await ask(method, path), { status: 409, body: { code: 'inbox_elsewhere', details: [{ message: '001' }] } }, `${method} ${path}`)
  }
  for (const [method, path] of asked(own)) t.match(await ask(method, path), { status: 404 }, `${method} ${path}`)
  t.match(await ask('GET', '/api/inbox/faxes/nonsense.pdf'), { status: 404 })
})

t.test('what names a box is three digits', async (t) => {
  const ask = await open(t, { id: '001' })
  for (const box of ['1', '0001', 'xyz', '00C', '']) t.match(await ask('GET', `/api/inbox/sms?box=${box}`), { status: 422 }, box)
})
