/** A thief with a token, a guesser of tokens, and somebody who rewrites the audit trail on the disk. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { AuditRow } from '../../../daemon/store/tables.ts'
import { Scene } from '../../harness/scene.ts'
import { none, type Area, type Verdict } from './attack.ts'

async function rows({ daemon }: Scene, ...words: string[]): Promise<AuditRow[]> {
  const { out, error } = await daemon.pbx('audit', 'list', '--json', '--limit', '1000', ...words)
  if (out === '') throw new Error(error)
  return JSON.parse(out) as AuditRow[]
}

async function makeToken({ daemon }: Scene, ...words: string[]): Promise<string> {
  const { out, error } = await daemon.pbx('token', 'create', '--json', ...words)
  if (out === '') throw new Error(error)
  return (JSON.parse(out) as { token: string }).token
}

function as(box: Scene, token: string, method: string, path: string, body?: unknown): ReturnType<Scene['daemon']['api']> {
  return box.daemon.api(method, path, body, { authorization: `Bearer ${token}` })
}

/** What the box holds, changed behind its back while it is down. */
async function rewrite(
  box: Scene,
  change: (audit: { get(key: string): string; put(key: string, text: string): void; remove(key: string): void }) => void,
) {
  await box.daemon.stop()
  const root = open<string, string>({ path: join(box.daemon.dir, 'var/store/store.mdb'), encoding: 'string', maxDbs: 64 })
  const audit = root.openDB<string, string>({ name: 'audit', encoding: 'string' })
  root.transactionSync(() =>
    change({ get: (key) => audit.get(key)!, put: (key, text) => audit.putSync(key, text), remove: (key) => audit.removeSync(key) }),
  )
  await root.close()
  await box.daemon.start()
}

const key = (seq: number): string => String(seq).padStart(16, '0')

export const audit: Area = {
  name: 'audit',
  settings: (settings) => {
    settings.voice.endpoints.push({ id: 'surgery', controlUrl: 'http://127.0.0.9:9/voice', secret: 'whsec_of_the_surgery_application' })
    settings.mailboxes = [{ ext: '101' }, { ext: '102' }]
    settings.sip.ban = { failures: 1000, windowSeconds: 30, seconds: 60 }
  },
  attacks: [
    {
      name: 'a stolen token lists, reads, sends and cancels',
      async play(box) {
        const token = await makeToken(box, '--name', 'stolen')
        const placed = await as(box, token, 'POST', '/api/voice/originate', { to: '+15551230001', endpoint: 'reception' })
        const { callId } = placed.body as { callId: string }
        await as(box, token, 'GET', '/api/voice/calls')
        await as(box, token, 'GET', `/api/voice/calls/${callId}/trace`)
        await as(box, token, 'POST', `/api/voice/calls/${callId}`, { state: 'completed' })
        await as(box, token, 'DELETE', '/api/voice/recordings/019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8')
        await box.daemon.pbx('token', 'revoke', 'stolen')
        const seen = await rows(box, '--actor', 'stolen')
        const deeds = new Set(seen.map(({ deed, outcome }) => `${deed} ${outcome}`))
        const wanted = ['call.originate done', 'call.list done', 'trace.read done', 'call.change', 'recording.delete recording_unknown']
        const made = (await rows(box, '--deed', 'token')).filter(({ actor }) => actor.startsWith('user:')).length
        return none(
          {
            'deeds without a row': wanted.filter((one) => ![...deeds].some((seen) => seen.startsWith(one))).length,
            'rows without an address': seen.filter(({ address }) => address !== '127.0.0.1').length,
            'token deeds without a user': made >= 2 ? 0 : 1,
          },
          `${seen.length} rows: ${[...deeds].join(', ')}`,
        )
      },
    },
    {
      name: '10,000 wrong tokens',
      async play(box) {
        const lines = box.daemon.log.length
        for (let n = 0; n < 10_000; n += 100) {
          const wrong = { authorization: `Bearer wrong-${n}` }
          await Promise.all(
            Array.from({ length: 100 }, () =>
              fetch(`${box.daemon.http}/api/voice/calls`, { headers: wrong }).then((answer) => answer.arrayBuffer()),
            ),
          )
        }
        const seen = (await rows(box, '--deed', 'token.failed')).length
        const logged = box.daemon.log.length - lines
        return { seen: `${seen} rows, ${logged} log lines`, stood: seen >= 1 && seen <= 6 && logged <= 20 }
      },
    },
    {
      name: 'a token of one endpoint reaches for what is not its own',
      async play(box) {
        const own = await makeToken(box, '--name', 'desk', '--endpoint', 'surgery', '--mailbox', '102', '--scope', 'voice', 'inbox')
        const placed = await box.originate({ to: '+15551230001', endpoint: 'reception' })
        const { callId } = placed.body as { callId: string }
        const foreign = `${box.app.url}/voice`
        const tries: [string, string, unknown?][] = [
          ['GET', `/api/voice/calls/${callId}`],
          ['GET', `/api/voice/calls/${callId}/trace`],
          ['POST', `/api/voice/calls/${callId}`, { state: 'completed' }],
          ['POST', '/api/voice/originate', { to: '+15551230001', endpoint: 'reception' }],
          ['POST', '/api/voice/originate', { to: '+15551230001', controlUrl: foreign }],
          ['POST', '/api/voice/originate', { to: '+15551230001', controlUrl: 'http://10.9.9.9:8080/mine' }],
          ['POST', '/api/voice/originate', { to: '+15551230001', document: [{ redirect: { url: foreign } }] }],
          ['POST', '/api/voice/originate', { to: '+15551230001', endpoint: 'surgery', statusCallbackUrl: foreign }],
          ['GET', '/api/inbox/faxes'],
          ['GET', '/api/inbox/sms'],
          ['GET', '/api/inbox/voicemails?ext=101'],
          ['GET', '/metrics'],
          ['GET', '/api/fax'],
        ]
        const through: string[] = []
        for (const [method, path, body] of tries) {
          const { status } = await as(box, own, method, path, body)
          if (status !== 403 && status !== 404) through.push(`${method} ${path} ${status}`)
        }
        const listed = (await as(box, own, 'GET', '/api/voice/calls')).body.calls.length
        const warnings = (await as(box, own, 'GET', '/readyz')).body.warnings === undefined ? 0 : 1
        const open = (await as(box, own, 'GET', '/api/inbox/voicemails?ext=102')).status
        return none(
          {
            'requests through': through.length,
            'foreign calls listed': listed,
            'warnings told': warnings,
            'own doors shut': open === 200 ? 0 : 1,
          },
          through.join('; '),
        )
      },
    },
    {
      name: 'kill -9 right after an acknowledged deed',
      async play(box) {
        const lost: string[] = []
        for (let n = 0; n < 3; n++) {
          const placed = await box.originate({ to: '+15551230001', endpoint: 'reception' })
          await box.daemon.kill()
          await box.daemon.start()
          const { callId } = placed.body as { callId: string }
          if (!(await rows(box, '--object', callId)).some(({ deed }) => deed === 'call.originate')) lost.push(callId)
        }
        const { code } = await box.daemon.pbx('audit', 'verify')
        return none({ 'rows lost': lost.length, 'chains broken': code === 0 ? 0 : 1 }, 'in 3 kills')
      },
    },
    {
      name: 'rows of the trail changed, removed, swapped on the disk',
      async play(box) {
        const found: Record<string, number> = {}
        const faults = async (): Promise<{ seq: number; kind: string }[]> =>
          (JSON.parse((await box.daemon.pbx('audit', 'verify', '--json')).out) as { faults: { seq: number; kind: string }[] }).faults
        const expect = async (what: string, kind: string, seq: number): Promise<void> => {
          found[`${what} not named`] = (await faults()).some((fault) => fault.kind === kind && fault.seq === seq) ? 0 : 1
        }
        found['faults before'] = (await faults()).length
        let kept = ''
        await rewrite(box, ({ get, put }) => put(key(3), (kept = get(key(3))).replace(/"actor":"[^"]*"/, '"actor":"token:someone-else"')))
        await expect('change', 'changed', 3)
        await rewrite(box, ({ put, get }) => {
          put(key(3), kept)
          const { hash: _, ...row } = JSON.parse(get(key(4))) as Record<string, unknown>
          const forged = { ...row, actor: 'token:someone-else' }
          kept = get(key(4))
          put(key(4), JSON.stringify({ ...forged, hash: createHash('sha256').update(JSON.stringify(forged)).digest('hex') }))
        })
        await expect('change with a new hash', 'changed', 4)
        await rewrite(box, ({ put, remove, get }) => {
          put(key(4), kept)
          kept = get(key(2))
          remove(key(2))
        })
        await expect('removal', 'missing', 2)
        await rewrite(box, ({ put, get }) => {
          const third = get(key(3))
          put(key(2), third)
          put(key(3), kept)
        })
        await expect('swap', 'moved', 2)
        return none(found)
      },
    },
    {
      name: 'the first token: in the log, made again after its revocation',
      async play() {
        const box = await Scene.open({ settings: (settings: any) => (settings.auth.tokens = []) })
        try {
          const file = join(box.daemon.dir, 'var/first-token')
          const token = readFileSync(file, 'utf8').trim()
          const mode = statSync(file).mode & 0o777
          const told = (JSON.stringify(box.daemon.log) + box.daemon.stderr).includes(token)
          const works = (await as(box, token, 'GET', '/api/voice/calls')).status === 200
          await box.daemon.pbx('token', 'revoke', 'first')
          await box.daemon.stop()
          await box.daemon.start()
          const made = JSON.parse((await box.daemon.pbx('token', 'list', '--json')).out) as unknown[]
          return none({
            'times in the log': told ? 1 : 0,
            'others who may read it': mode === 0o600 ? 0 : 1,
            'tokens that do not work': works ? 0 : 1,
            'tokens after revocation': made.length,
            'files left': existsSync(file) ? 1 : 0,
          }) satisfies Verdict
        } finally {
          await box.close()
        }
      },
    },
  ],
}
