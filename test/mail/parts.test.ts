import fc from 'fast-check'
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import { afterAttempt, isTerminal, type MailResult } from '../../daemon/mail/job.ts'
import { readAddress } from '../../daemon/base/mail-address.ts'
import type { MailRow } from '../../daemon/store/tables.ts'

const account = { username: 'clinic', password: 'secret', from: 'Riverside Clinic <office@example.com>', tls: 'off' }

t.test('an attempt decides what becomes of a mail', async (t) => {
  const row: MailRow = {
    mailId: 'm',
    from: 'a@b.c',
    to: 'd@e.f',
    subject: '',
    bytes: 1,
    state: 'queued',
    attempts: 0,
    nextAttemptAt: 0,
    createdAt: 0,
    expiresAt: 24 * 3_600_000,
    completedAt: null,
    reply: '',
    error: '',
    accountFault: false,
  }
  const put = (account: boolean): MailResult => ({ kind: 'temporary', text: 'later', reply: '450', account })
  const results = fc.array(fc.tuple(fc.constantFrom<MailResult>(put(true), put(false)), fc.double({ min: -1, max: 1, noNaN: true })), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(results, (list) => {
      let now = 0
      let current = row
      for (const [result, spread] of list) {
        const next = afterAttempt(current, result, now, spread)
        if (next.attempts !== current.attempts + 1) return false
        if (isTerminal(next)) return next.completedAt === now && next.nextAttemptAt === null
        if (next.nextAttemptAt === null || next.nextAttemptAt <= now || next.nextAttemptAt >= row.expiresAt) return false
        now = next.nextAttemptAt
        current = next
      }
      return true
    }),
  )
  t.match(afterAttempt(row, { kind: 'delivered', reply: '250 ok' }, 5, 0), { state: 'delivered', completedAt: 5, reply: '250 ok' })
  t.match(afterAttempt(row, { kind: 'refused', text: 'no', reply: '550' }, 5, 0), { state: 'failed', error: 'no' })
  t.match(afterAttempt({ ...row, expiresAt: 10 }, put(false), 5, 0), { state: 'failed', error: 'Given up: later' })
})

t.test('addresses', async (t) => {
  t.same(readAddress(' Pat Doe <pat@example.org> '), { name: 'Pat Doe', address: 'pat@example.org' })
  t.same(readAddress('"Doe, Pat" <pat.o+x@sub.example.org>'), { name: 'Doe, Pat', address: 'pat.o+x@sub.example.org' })
  for (const text of ['', 'pat', 'pat@', '@example.org', 'a@b.c, d@e.f', 'a..b@c.d', 'pat@-example.org', `${'x'.repeat(65)}@example.org`]) {
    t.type(readAddress(text), 'string', text)
  }
  fc.assert(
    fc.property(fc.string(), fc.string(), (name, address) => {
      const found = readAddress(`${name} <${address}>`)
      // oxlint-disable-next-line no-control-regex -- what must not get through
      return typeof found === 'string' || !/[\u0000-\u001f\s,;]/.test(found.address)
    }),
  )
})

t.test('the section of the configuration', async (t) => {
  const faults = (mail: object): string[] => {
    try {
      parseConfig(JSON.stringify({ mail }), '/srv/pbxd.yaml')
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.faults.map(({ path }) => path)
    }
  }
  t.same(faults({ server: '127.0.0.1:2525', ...account }), [])
  t.same(faults({ server: 'smtp.example.com', from: 'nobody' }), ['/mail/server', '/mail/from'])
  t.same(faults({ server: '127.0.0.1:2525', from: 'a@b.c', caFile: 'missing.pem' }), ['/mail/caFile'])
  const open = parseConfig(JSON.stringify({ mail: { ...account, server: 'smtp.example.com:25' } }), '/srv/pbxd.yaml')
  t.match(open.warnings, [{ path: '/mail/tls' }])
})
