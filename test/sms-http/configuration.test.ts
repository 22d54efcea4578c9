/** How text trunks at carriers are configured, and that what is configured fits the trunks. */
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import type { SmsTrunkConfigOf } from '../../daemon/schema/config/sms.ts'
import { createHttpTrunk } from '../../drivers/sms-http/trunk.ts'
import { createSmppTrunk } from '../../drivers/smpp/trunk.ts'
import { never, placeAt, startProvider, text } from './providers.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

const site = 'site: { name: Clinic, country: US, timeZone: America/New_York }\n'
const load = (trunks: string) => parseConfig(`${site}sms:\n  trunks:\n${trunks}`, '/tmp/pbx.yaml')
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

function faultsOf(trunks: string): string[] {
  try {
    load(trunks)
    return []
  } catch (error) {
    return (error as ConfigError).faults.map(({ path, text }) => `${path}: ${text}`)
  }
}

/** As docs/messaging.md shows it. */
const example = `
    - id: gateway
      kind: http
      url: https://sms.example.com/v1
      secret: key
      number: "+15550002000"
      webhook: { secret: whsec_shared_0123456789abcdef }
      template:
        auth: bearer
        send:
          path: /messages
          headers: { Idempotency-Key: "{{messageId}}" }
          json: { to: "{{to}}", from: "{{from}}", text: "{{body}}", ttl: "{{validitySeconds}}" }
        answer: { id: /message/id, code: /error/code, text: /error/message }
        temporary: { codes: [busy] }
        lookUp:
          request: { path: "/messages?to={{to}}&since={{since}}" }
          list: /messages
          id: /id
          to: /to
          body: /text
          at: /created
          next: /next
        poll:
          request: { path: "/inbox?since={{since}}" }
          list: /messages
          fields: { id: /id, from: /from, to: /to, body: /text, at: /received }
          next: /next
        webhook:
          signature: { header: X-Signature, prefix: "sha256=" }
          text:
            when: { /event: message.received }
            fields: { id: /id, from: /from, to: /to, body: /text, at: /received }
          receipt:
            when: { /event: [message.delivered, message.failed] }
            id: /id
            to: /to
            state: /event
            states: { message.delivered: delivered, message.failed: failed }
            text: /reason
`

t.test('a generic provider from the configuration', async (t) => {
  const { config, warnings } = load(example)
  t.same(warnings, [])
  const provider = await startProvider(() => ({ status: 202, body: { message: { id: 'm-9' } } }))
  t.teardown(() => provider.close())
  const [trunk] = config.sms.trunks as [SmsTrunkConfigOf<'http'>]
  const made = createHttpTrunk({ ...trunk, number: '+15550100', log: silent, url: provider.url, pollSeconds: 0, place: placeAt() })
  made.start(new KeptTexts(true))
  t.same(await made.send(text({ messageId: 'id-1', validitySeconds: 60 }), never), { kind: 'accepted', accepted: ['m-9'] })
  t.match(provider.asked[0], { url: { pathname: '/messages' }, headers: { 'idempotency-key': 'id-1', authorization: 'Bearer key' } })
  t.match(JSON.parse(provider.asked[0]?.body ?? ''), { to: '+15550177', ttl: 60 })
  t.type(made.lookUp, 'function')
  await made.stop()
})

t.test('an SMPP account from the configuration', async (t) => {
  const [trunk] = load('    - { id: c, kind: smpp, server: "smpp.example.com:2775", systemId: clinic, password: x }').config.sms.trunks
  t.match(trunk, { window: 10, enquireSeconds: 30, receipts: true, receiptIds: 'auto', tls: false })
  const made = createSmppTrunk({ ...(trunk as SmsTrunkConfigOf<'smpp'>), number: '', log: silent })
  t.match(made.status(), { ok: false, state: 'stopped', facts: { server: 'smpp.example.com:2775' } })
})

t.test('faults are told in words that say what to write', async (t) => {
  t.same(faultsOf('    - { id: a, kind: http }'), [
    '/sms/trunks/0: a generic provider needs url, the address of its interface',
    '/sms/trunks/0: a generic provider needs template, which describes its requests',
  ])
  t.same(faultsOf('    - { id: a, kind: http, provider: twilio }'), [
    '/sms/trunks/0: Twilio needs account, the account SID (AC...)',
    '/sms/trunks/0: twilio needs secret, the auth token of the account',
  ])
  t.match(faultsOf('    - { id: a, kind: http, provider: telnyx }'), [/telnyx needs secret, the API key/])
  t.match(faultsOf('    - { id: a, kind: http, url: "https://x", template: { sned: {} } }'), [/"send" is missing/, /did you mean "send"/])
  t.match(faultsOf('    - { id: a, kind: http, url: "https://x", template: { send: { path: /x, form: { a: b }, json: { a: b } } } }'), [
    /form or json as its body, not both/,
  ])
  t.match(faultsOf('    - { id: a, kind: http, url: "https://x", template: { send: { path: /x }, answer: { id: id } } }'), [/JSON pointer/])
  const { warnings } = load(
    '    - { id: a, kind: http, url: "http://sms.example.com", template: { send: { path: /x } }, webhook: { publicUrl: "https://me" } }',
  )
  t.match(
    warnings.map(({ text }) => text),
    [/use https/, /cannot check what the provider sends/],
  )
})
