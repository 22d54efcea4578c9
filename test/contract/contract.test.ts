/** What the last released version promised still holds, or CHANGELOG.md announces the break; and every kind of break is seen. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { breaksBetween, contractNow, released, releasedVersions, type Contract } from '../../scripts/contract/contract.ts'
import { refusal, unannounced } from '../../scripts/contract/main.ts'

type Json = Record<string, any> // oxlint-disable-line no-explicit-any -- a document is changed in the middle

const now = contractNow()
const last = releasedVersions().at(-1)!
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

t.test('this version breaks nothing of the last released one that CHANGELOG.md does not announce', (t) => {
  const breaks = breaksBetween(released(last), now)
  t.same(unannounced(breaks, readFileSync('CHANGELOG.md', 'utf8')), [])
  t.equal(refusal(last, version, breaks), undefined)
  t.end()
})

/** The breaks of this contract after it has been changed. */
function after(change: (contract: Json) => void): string[] {
  const changed = structuredClone(now) as unknown as Json
  change(changed)
  return breaksBetween(now, changed as unknown as Contract).map(({ where, what }) => `${where}: ${what}`)
}
const schemas = (contract: Json): Json => contract.interface.components.schemas
const body = (contract: Json, path: string): Json => contract.interface.paths[path].post.requestBody.content['application/json']

const kinds: Record<string, { readonly change: (contract: Json) => void; readonly seen: RegExp }> = {
  'a route that is gone': { change: (c) => delete c.interface.paths['/api/fax'].post, seen: /^POST \/api\/fax: is gone/ },
  'a member of a request that is gone': {
    change: (c) => delete schemas(c).FaxRequest.properties.to,
    seen: /^POST \/api\/fax\.to: is gone/,
  },
  'a member of an answer that is gone': { change: (c) => delete schemas(c).FaxAccepted.properties.faxId, seen: /202\.faxId: is gone/ },
  'a member of an answer that may be missing': {
    change: (c) => (schemas(c).FaxAccepted.required = []),
    seen: /202\.faxId: may be missing now/,
  },
  'a new required member of a request': {
    change: (c) =>
      Object.assign(schemas(c).FaxRequest, { properties: { ...schemas(c).FaxRequest.properties, why: {} }, required: ['why'] }),
    seen: /^POST \/api\/fax\.why: is required now/,
  },
  'a shorter limit': { change: (c) => (schemas(c).FaxRequest.properties.to.maxLength = 2), seen: /fax\.to: maxLength went down to 2/ },
  'another type': { change: (c) => (schemas(c).FaxRequest.properties.to = { type: 'number' }), seen: /fax\.to: was string and is number/ },
  'another form of body': {
    change: (c) => (c.interface.paths['/api/fax'].post.requestBody.content = {}),
    seen: /fax: has no application\/json/,
  },
  'a required parameter': {
    change: (c) => (c.interface.paths['/api/fax'].post.parameters[0].required = true),
    seen: /fax Idempotency-Key: is required now/,
  },
  'a parameter that is gone': { change: (c) => (c.interface.paths['/api/fax'].post.parameters = []), seen: /fax Idempotency-Key: is gone/ },
  'a public route that needs a token': {
    change: (c) => (c.interface.paths['/healthz'].get.security = [{ bearer: [] }]),
    seen: /healthz: needs a token/,
  },
  'an event that is gone': { change: (c) => delete c.interface.webhooks['fax.sent'], seen: /^fax\.sent: is gone/ },
  'a member of an event that is gone': {
    change: (c) => delete schemas(c).FaxSentEvent.properties.faxId,
    seen: /^fax\.sent\.faxId: is gone/,
  },
  'a member of the configuration that is gone': {
    change: (c) => delete c.configuration.properties.sip.properties.udp,
    seen: /^pbxd\.yaml\.sip\.udp: is gone/,
  },
  'a new required key of the configuration': {
    change: (c) => (c.configuration.required = [...(c.configuration.required ?? []), 'mood']),
    seen: /^pbxd\.yaml\.mood: is required now/,
  },
  'a command that is gone': { change: (c) => delete c.commands['pbx status'], seen: /^pbx status: is gone/ },
  'an option that is gone': { change: (c) => delete c.commands['pbx fax send'].options['--to'], seen: /^pbx fax send --to: is gone/ },
  'an option that wants a value now': {
    change: (c) => (c.commands['pbx status'].options['--check'].takes = 'value'),
    seen: /--check: was a flag and is a value/,
  },
  'a required option': {
    change: (c) => (c.commands['pbx status'].options['--mood'] = { takes: 'value', must: true }),
    seen: /^pbx status --mood: is required now/,
  },
  'an argument that is required now': {
    change: (c) => c.commands['pbx status'].arguments.push({ name: 'mood', required: true }),
    seen: /^pbx status <mood>: is required now/,
  },
  'a unit that is gone': {
    change: (c) => (c.package = c.package.filter((name: string) => name !== 'pbxd.service')),
    seen: /^pbxd\.service: is gone/,
  },
}

t.test('each kind of break is seen, where it is', (t) => {
  t.same(
    after(() => {}),
    [],
    'and none where nothing changed',
  )
  for (const [kind, { change, seen }] of Object.entries(kinds)) {
    const found = after(change)
    t.ok(
      found.some((line) => seen.test(line)),
      `${kind}: ${found.slice(0, 3).join('; ')}`,
    )
  }
  t.end()
})

/** Every list of values in a document, with the object that holds it. */
function lists(value: unknown, found: Json[] = []): Json[] {
  if (typeof value !== 'object' || value === null) return found
  if (Array.isArray((value as Json).enum) && (value as Json).enum.length > 1) found.push(value as Json)
  for (const inner of Object.values(value)) lists(inner, found)
  return found
}

t.test('a value that a list has lost is seen, in requests, events and the configuration', (t) => {
  for (const part of ['FaxRequest', 'FaxSentEvent'] as const) {
    const place = lists(schemas(now as unknown as Json)[part])
    t.ok(place.length > 0 || part === 'FaxRequest', `${part} has a list`)
    for (const at of place.keys()) {
      const lost = String(place[at]!.enum[0])
      const found = after((c) => lists(schemas(c)[part])[at]!.enum.shift())
      t.ok(
        found.some((line) => line.endsWith(`has no ${lost} any more`)),
        `${part} ${lost}`,
      )
    }
  }
  for (const at of lists(now.configuration).keys()) {
    const found = after((c) => lists(c.configuration)[at]!.enum.shift())
    t.ok(found.length > 0, `list ${at} of the configuration`)
  }
  t.end()
})

t.test('what is only more is no break', (t) => {
  const more = after((c) => {
    schemas(c).FaxRequest.properties.why = { type: 'string' }
    schemas(c).FaxAccepted.properties.why = { type: 'string' }
    schemas(c).FaxAccepted.required.push('why')
    schemas(c).FaxRequest.properties.to.maxLength += 1
    c.interface.paths['/api/new'] = { get: {} }
    c.commands['pbx new'] = { arguments: [], options: {} }
    c.commands['pbx status'].options['--new'] = { takes: 'flag', must: false }
    body(c, '/api/fax').schema = { ...schemas(c).FaxRequest }
  })
  t.same(more, [])
  t.end()
})

t.test('a break is announced by its name in the newest section alone, and needs a new major number', (t) => {
  const one = { where: 'POST /api/fax.to', what: 'is gone' }
  const changelog = (newest: string, older: string) => `# Changes\n\n## 0.2.0\n\n${newest}\n\n## 0.1.0\n\n${older}\n`
  t.same(unannounced([one], changelog('- **Break**: `POST /api/fax.to` is gone; use\n  `number`.', '')), [])
  t.same(unannounced([one], changelog('- **Fax**: `POST /api/fax.to` changed.', '')), [one], 'not as a break')
  t.same(unannounced([one], changelog('', '- **Break**: `POST /api/fax.to` is gone.')), [one], 'in an older section')
  t.equal(refusal('0.1', '0.2.0', [one]), undefined)
  t.match(refusal('0.1', '0.1.7', [one]), /needs 0\.2\.0/)
  t.match(refusal('1.4', '1.5.0', [one]), /needs 2\.0\.0/)
  t.equal(refusal('1.4', '2.0.0', [one]), undefined)
  t.equal(refusal('1.4', '1.4.1', []), undefined)
  t.end()
})
