import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { defaultConfig, sampleNumber } from '../../daemon/config/default.ts'
import { configJsonSchema } from '../../daemon/config/json-schema.ts'
import { ConfigError, loadConfig, parseConfig } from '../../daemon/config/load.ts'
import { nearest } from '../../daemon/base/spelling.ts'
import { parseListen } from '../../daemon/schema/config/forms.ts'

const sha256 = '918621c4cdfaff87b4c8b6c695bf31c0ef8e1e694cd6f56438eac27075207135'

const whole = `
site:      { name: Riverside Clinic, country: US, timeZone: America/New_York, language: en-US, number: "+15550001000" }
storage:   { dir: var }
http:      { listen: 127.0.0.1:8080 }
control:   { socket: var/run/pbxd.sock }
auth:      { tokens: [ { name: acceptance, sha256: "${sha256.toUpperCase()}", scopes: [send, inbox, voice, crm, admin] } ] }
callbacks: { secret: whsec_callbacks_0123456789abcdef, allowLoopback: true }
sip:       { udp: 127.0.0.1:5060, tcp: 127.0.0.1:5060, rtpPorts: 10000-19999 }
trunks:
  - { id: main, kind: sip, server: "127.0.0.1:5090", transport: udp, username: clinic, password: secret, register: false, numbers: ["+15550001000"], channels: 30, default: true, srtp: off, t38: true }
extensions:
  - { number: "101", name: Front desk, password: "a-long-password" }
voice:
  endpoints:
    - { id: reception, controlUrl: "http://127.0.0.1:3000/voice", secret: whsec_voice_0123456789abcdef, fallbackDestination: "101", destinations: ["101"], statusCallbackUrl: "http://127.0.0.1:3000/status" }
inbound:
  - { trunk: main, to: "+15550001000", destination: "endpoint:reception" }
  - { trunk: main, to: "+15550001999", destination: fax }
`

const later = `
lines:
  - { id: line1, kind: modem, device: /dev/pbx-modem0, roles: [fax], number: "+15550001999" }
fax:       { stationId: "+1 555 000 1999", header: Riverside Clinic, line: line1 }
sms:
  trunks:
    - { id: gsm1, kind: modem, device: /dev/pbx-gsm0, number: "+15550002000", default: true }
mail:      { server: "127.0.0.1:2525", tls: off, username: clinic, password: secret, from: "Riverside Clinic <office@example.com>" }
reminders: { window: { from: "09:00", to: "18:00", days: [mon, tue] }, leadDays: 1, trunk: main, sms: false }
speech:    { recogniser: auto, voice: auto, models: { dir: var/models } }
crm:       { baseUrl: "http://127.0.0.1:4000", moods: [], secret: whsec_crm_0123456789abcdef, auth: signed }
mailboxes: [ { ext: "101", greeting: "You have reached the front desk.", keepDays: 30 } ]
ringGroups: [ { id: desk, members: ["101"] } ]
queues:    [ { id: calls, members: ["101"] } ]
`

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-config-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Faults as `line:column path text`. */
function faults(text: string, file = '/srv/pbx/pbxd.yaml'): string[] {
  try {
    parseConfig(text, file)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ line, column, path, text: said }) => `${line}:${column} ${path} ${said}`)
  }
}

t.test('a whole file is loaded, with defaults filled in and places made absolute', async (t) => {
  const dir = folder(t)
  const file = join(dir, 'pbxd.yaml')
  writeFileSync(file, whole)
  const { config, warnings } = loadConfig(file)
  t.match(config, {
    storage: { dir: join(dir, 'var') },
    control: { socket: join(dir, 'var/run/pbxd.sock') },
    speech: { models: { dir: join(dir, 'var/models') } },
    auth: { tokens: [{ name: 'acceptance', sha256, scopes: ['send', 'inbox', 'voice', 'crm', 'admin'] }] },
    sip: { udp: '127.0.0.1:5060', rtpPorts: [10000, 19999], mediaTimeoutSeconds: 60, ban: { failures: 5 } },
    trunks: [{ srtp: 'off', t38: true, register: false, keepAliveSeconds: 5, codecs: ['PCMU', 'PCMA', 'G722'], allow: [] }],
    extensions: [{ number: '101', srtp: 'auto' }],
    voice: {
      endpoints: [{ waitAudio: 'phrase', maxCallSeconds: 14400, timeoutSeconds: 10, classOfService: 'national', statusEvents: ['ended'] }],
    },
    limits: { bodyBytes: 262144, requestsPerSecond: 20, burst: 40, originatesPerMinute: 30 },
    log: { level: 'info' },
  })
  t.match(config, {
    fax: { line: 'auto', ecm: true, windowHours: 3, queue: 500, pages: 200, freeMegabytes: 500 },
    inbox: { days: 90 },
  })
  t.match(warnings, { length: 1, 0: { path: '/extensions', text: /^an emergency call would not carry your location/ } })
})

t.test('keys of later versions are accepted with a warning, so that one file serves several versions', async (t) => {
  const { config, warnings } = parseConfig(whole + later, '/srv/pbx/pbxd.yaml')
  t.match(config.crm, { baseUrl: 'http://127.0.0.1:4000', secret: 'whsec_crm_0123456789abcdef', auth: 'signed' })
  const unused = warnings.filter(({ text }) => text.includes('not used')).map(({ path }) => path)
  t.same(unused.toSorted(), ['/crm/moods'])
  const routed = `${whole}  - { trunk: line1, destination: fax }\n  - { to: "+1555*", destination: "voicemail:101" }\n${later}`
  t.same(faults(routed), [])
  t.same(faults(`${whole}  - { destination: "group:dsk" }\n${later}`), [
    '19:20 /inbound/2/destination there is no ring group "dsk"; did you mean "desk"?',
  ])
})

t.test('a file in which there is nothing is refused: that is what a power cut leaves', async (t) => {
  for (const text of ['', '\n', '# nothing yet\n', '---\n', '~'])
    t.same(faults(text), ['1:1  the file is empty; write {} for an empty configuration'], JSON.stringify(text))
  t.match(faults('\0\0\0\0'), [/must consist of sections|not valid YAML/])
})

t.test('every section alone works', async (t) => {
  for (const text of ['{}', 'site: {}\n', 'trunks: []\n', 'voice: {}\n', 'limits: { burst: 5 }\n'])
    t.same(faults(text), [], JSON.stringify(text))
  const { config } = parseConfig('sip: { tcp: off, udp: "[::1]:0" }', '/srv/pbx/pbxd.yaml')
  t.equal(config.sip.tcp, null)
  t.equal(config.sip.udp, '[::1]:0')
})

t.test('where nothing is said, an installed file writes to the system’s places', async (t) => {
  t.match(parseConfig('{}', '/etc/pbxd/pbxd.yaml').config, {
    storage: { dir: '/var/lib/pbxd' },
    control: { socket: '/run/pbxd/pbxd.sock' },
  })
  t.match(parseConfig('{}', '/srv/pbxd.yaml').config.storage.dir, /\/var$/)
  t.equal(parseConfig('storage: { dir: /data }', '/srv/pbxd.yaml').config.control.socket, '/data/run/pbxd.sock')
})

t.test('every fault is told at once, with its place, in words that say what to write', async (t) => {
  const text = `site: { contry: US, timeZone: Mars/Base }
http:
  listen: 8080
sip: { udp: "nowhere", rtpPorts: 10-20, phoneNetworks: [10.0.0.0/99] }
trunks:
  - { id: main, server: "127.0.0.1:5090", numbers: [+15550001000], srtp: offf, chanels: 3 }
  - { id: main, server: "a b", register: false, default: "yes", password: 1234, channels: "30" }
extensions:
  - number: 101
    password:
  - { number: "911", password: { flie: x } }
voice:
  endpoints:
    - { id: one, controlUrl: "ftp://x", maxCallSeconds: 5, secret: { credential: app } }
    - controlUrl: "http://u:p@x"
inbound:
  - { trunk: man, to: 0501234567, destination: "endpoint:on" }
  - { extension: "109", trunk: main, to: "abc", destination: bogus }
queues: 3
`
  t.strictSame(faults(text), [
    '1:9 /site/contry there is no key "contry" here; did you mean "country"?',
    '1:31 /site/timeZone "Mars/Base" is not a time zone; write a name such as America/New_York',
    '3:11 /http/listen 8080 was read as a number; put it in quotes: "8080"',
    '4:13 /sip/udp "nowhere" is not an address and port; write for example 127.0.0.1:5060',
    '4:34 /sip/rtpPorts write a range of UDP ports between 1024 and 65535, such as 10000-19999; a call needs two',
    '4:57 /sip/phoneNetworks/0 "10.0.0.0/99" is not an address or network; write for example 192.0.2.7 or 10.0.0.0/8',
    '6:5 /trunks/0 a trunk that registers needs a username; if the provider recognises this system by its address, write register: false',
    '6:53 /trunks/0/numbers/0 +15550001000 was read as a number; put it in quotes: "+15550001000"',
    '6:74 /trunks/0/srtp write off, optional or required; did you mean "off"?',
    '6:80 /trunks/0/chanels there is no key "chanels" here; did you mean "channels"?',
    '7:11 /trunks/1/id "main" is given twice',
    '7:25 /trunks/1/server "a b" is not a host or host:port',
    '7:58 /trunks/1/default this must be true or false',
    '7:75 /trunks/1/password 1234 was read as a number; put it in quotes: "1234"',
    '7:91 /trunks/1/channels write the number without quotes: 30',
    '9:13 /extensions/0/number 101 was read as a number; put it in quotes: "101"',
    '10:14 /extensions/0/password a value is missing after "password:"; write one or remove the key',
    '11:15 /extensions/1/number 911 is an emergency number in US',
    '11:32 /extensions/1/password write the secret as text, as { file: PATH } or as { credential: NAME }',
    '14:30 /voice/endpoints/0/controlUrl "ftp://x" is not a URL; write for example http://192.168.1.10:3000/voice',
    '14:57 /voice/endpoints/0/maxCallSeconds 5 is too small; the minimum is 60 (Longest call of this application)',
    '14:68 /voice/endpoints/0/secret the credential "app" exists only if systemd starts the program with LoadCredential=; write { file: PATH } instead',
    '15:7 /voice/endpoints/1 "id" is missing: Name of the endpoint in rules and in POST /api/voice/originate',
    '15:7 /voice/endpoints/1 "secret" is missing: Signs the requests to this application. At least 24 characters: openssl rand -hex 24',
    '15:19 /voice/endpoints/1/controlUrl the URL must not contain a user name or password',
    '17:14 /inbound/0/trunk there is no trunk "man"; did you mean "main"?',
    '17:23 /inbound/0/to 0501234567 was read as a number; put it in quotes: "0501234567"',
    '17:48 /inbound/0/destination there is no voice endpoint "on"; did you mean "one"?',
    '18:18 /inbound/1/extension a rule is either for calls from a trunk or for calls from an extension; write two rules',
    '18:18 /inbound/1/extension there is no extension "109"; did you mean "101"?',
    '18:42 /inbound/1/to "abc" is not a number; write it as +15550001000, a beginning as +1555*, or * for any',
    '18:62 /inbound/1/destination "bogus" is not a destination; write endpoint:ID, the number of an extension, group:ID, queue:ID, menu:ID, hours:ID, voicemail:EXT, external:+NUMBER, fax or hangup',
    '19:9 /queues this must be a list: each entry on its own line with "- " in front, or [a, b]',
  ])
})

t.test('modem lines', async (t) => {
  const line = '{ id: line1, device: /dev/pbx-modem0 }'
  const { config, warnings } = parseConfig(`lines: [ ${line} ]\nfax: { line: line1 }\n`, '/srv/pbx/pbxd.yaml')
  t.match(config.lines, [{ kind: 'modem', roles: ['fax'], blindDial: false, carrierSeconds: 60, setup: [] }])
  t.same(warnings, [])
  const cases: [string, RegExp][] = [
    [`lines: [ ${line}, ${line} ]`, /"line1" is given twice[\s\S]*"\/dev\/pbx-modem0" is given twice/],
    [`lines: [ ${line} ]\ntrunks: [ { id: line1, server: x, register: false } ]`, /a trunk already has the name "line1"/],
    [`lines: [ ${line} ]\nfax: { line: line2 }`, /no line or trunk "line2"; did you mean "line1"/],
    ['lines: [ { id: line1, device: /dev/a, roles: [voice] } ]\nfax: { line: line1 }', /line1 is not for faxes; write roles: \[fax\]/],
    ['lines: [ { id: line1, device: modem } ]', /\/lines\/0\/device/],
    ['lines: [ { id: line1, device: /dev/a, setup: ["rm x"] } ]', /\/lines\/0\/setup\/0/],
    ['lines: [ { id: line1, device: /dev/a, number: "+1" } ]', /\/lines\/0\/number/],
    ['lines: [ { id: line1 } ]', /\/lines\/0.*device/],
  ]
  for (const [text, expected] of cases) t.match(faults(text).join('\n'), expected, text.slice(0, 60))
  const warned = `lines: [ { id: line1, device: /dev/a } ]\nextensions: [ { number: "101", password: a-long-password } ]
inbound: [ { trunk: line1, destination: "101" } ]\n`
  const said = parseConfig(warned, '/srv/pbx/pbxd.yaml').warnings.map(({ path }) => path)
  t.same(said, ['/extensions', '/inbound/0/destination'], 'a line for faxes alone is no way out for calls, nor in')
  const voiced = parseConfig(warned.replace('/dev/a', '/dev/a, roles: [voice]'), '/srv/pbx/pbxd.yaml').warnings.map(({ text }) => text)
  t.notMatch(voiced.join(), /CANNOT BE DIALLED|faxes only/, 'one for voice is both')
  const off = 'trunks: [ { id: a, server: localhost, register: false } ]\ninbound: [ { destination: fax, fax: off } ]\nfax: { line: off }\n'
  const switched = parseConfig(off, '/srv/pbx/pbxd.yaml').warnings.map(({ text }) => text.slice(0, 30))
  t.same(switched.toSorted(), ['fax: off has no effect here: a', 'faxes can be received here, bu'])
})

t.test('further faults', async (t) => {
  const cases: [string, RegExp][] = [
    ['- a\n- b\n', /1:1 .*sections/],
    ['site: {name: a\n', /not valid YAML/],
    ['site: {}\nsite: {}\n', /2:1 .*not valid YAML: site is given twice/],
    ['featureCodes: { echo: *43 }\n', /^1:23  put \*43 in quotes: "\*43"; without them/],
    ['extensions: [{ number: "101", password: !secret-word }]\n', /^1:41  put a value that begins with ! in quotes/],
    [
      `a: &a [x, x]\nb: &b [${'*a, '.repeat(9)}]\nc: &c [${'*b, '.repeat(9)}]\nd: [${'*c, '.repeat(9)}]\n`,
      /^1:1  the file repeats values by \* too often/,
    ],
    ['trnks: []\n', /1:1 \/trnks there is no key "trnks" here; did you mean "trunks"/],
    ['control: { socket: "/' + 'x'.repeat(120) + '" }', /allows 107/],
    ['http: { tls: { cert: /nowhere/a.pem, key: /nowhere/b.pem } }', /the file \/nowhere\/a.pem does not exist/],
    ['http: { listen: "127.0.0.1:5060" }', /\/sip\/tcp port 5060 is already the web port/],
    ['sip: { udp: "example.com:5060" }', /not an IP address/],
    ['reminders: { window: { from: 9:00, to: "18:00" } }', /^[^\n]*\/reminders\/window\/from write "09:00"[^\n]*$/],
    ['reminders: { window: { from: "09:00", to: "08:30" } }', /ends at 08:30, before it begins at 09:00/],
    ['reminders: { window: { from: "25:00" } }', /^[^\n]*"25:00" does not have the right form[^\n]*$/],
    ['auth: { tokens: [ { name: a, sha256: xyz } ] }', /does not have the right form/],
    [
      'trunks: [ { id: a, server: x, register: false, default: true }, { id: b, server: y, register: false, default: true } ]',
      /only one trunk can be the default, and "a" is already the default/,
    ],
    [
      'trunks: [ { id: a, server: x, register: false, srtp: required } ]',
      /srtp: required over udp sends its keys .* write transport: tls, or srtpInClear: true/,
    ],
    ['trunks: [ { id: a, server: x, register: false, srtp: optional, transport: tcp } ]', /srtp: optional over tcp/],
    ['extensions: [ { number: "101", password: "a-long-password", srtp: required } ]', /srtp: required without sip.tls/],
    [
      'trunks: [ { id: a, server: x, register: false, srtp: required, srtpInClear: true }, { id: a, server: y, register: false, srtp: required, transport: tls } ]',
      /^(?!.*keys)/s,
    ],
    ['trunks: [ { id: a, server: x, register: false, numbers: ["12"] , codecs: [] } ]', /the list is empty/],
    ['trunks: 5', /this must be a list/],
    ['site: { country: XX }', /not a country/],
    [
      'voice: { endpoints: [ { id: a, controlUrl: "http://x", secret: whsec_voice_0123456789abcdef, fallbackDestination: "endpoint:a" } ] }',
      /its own fallback/,
    ],
    ['extensions: [ { number: "101", password: eleven-char } ]', /extensions\/0\/password .*fewer than 12 characters/],
    ['extensions: [ { number: "101", password: { file: missing.txt } } ]', /cannot be read from \/srv\/pbx\/missing.txt/],
    ['inbound: [ { destination: "101" } ]', /no extension "101"; none is configured/],
    ['a: &a [*a, *a]\n', /./],
  ]
  for (const [text, expected] of cases) t.match(faults(text).join('\n'), expected, text.slice(0, 60))
  try {
    loadConfig('/nowhere/pbxd.yaml')
    t.fail('a missing file was loaded')
  } catch (error) {
    t.match((error as ConfigError).faults, [{ line: 1, column: 1, text: /cannot be read/ }])
  }
})

t.test('no text makes the loader fail in any other way than with faults', async () => {
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => Array.isArray(faults(text))))
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 3, 'x', '*', '101', [], {}),
      fc.array(tie('any')),
      fc.dictionary(fc.constantFrom('id', 'number', 'listen', 'tls', 'endpoints', 'dir', 'tokens', 'models', 'to'), tie('any')),
    ),
  })).any
  const sections = fc.dictionary(
    fc.constantFrom(
      'site',
      'storage',
      'http',
      'control',
      'auth',
      'callbacks',
      'sip',
      'trunks',
      'extensions',
      'voice',
      'inbound',
      'limits',
      'log',
      'speech',
      'lines',
      'fax',
      'queues',
    ),
    value,
  )
  fc.assert(
    fc.property(sections, (data) => Array.isArray(faults(JSON.stringify(data)))),
    { numRuns: 400 },
  )
})

t.test('weak and pointless settings are warned of', async (t) => {
  const said = (text: string): string =>
    parseConfig(text, '/srv/p.yaml')
      .warnings.map((warning) => `${warning.path} ${warning.text}`)
      .join('\n')
  t.match(
    said(
      'voice: { endpoints: [ { id: a, controlUrl: "http://127.0.0.1/", statusCallbackUrl: "http://localhost/s", secret: whsec_voice_0123456789abcdef } ] }',
    ),
    /allowLoopback: true/,
  )
})

t.test('of SIP over UDP and TCP the one that is not named listens where the other does', async (t) => {
  const listeners = (sip: string) => parseConfig(`sip: ${sip}\n`, '/srv/p.yaml').config.sip
  const named = '192.0.2.10:5070'
  t.match(listeners(`{ udp: "${named}" }`), { udp: named, tcp: named })
  t.match(listeners(`{ tcp: "${named}" }`), { udp: named, tcp: named })
  t.match([listeners(`{ udp: "${named}", tcp: off }`).tcp, listeners('{ udp: off }').tcp], [null, '127.0.0.1:5060'])
  t.match(listeners('{}'), { udp: '127.0.0.1:5060', tcp: '127.0.0.1:5060' })
  t.equal(faults('sip: { udp: "example.com:5060" }').length, 1, 'one fault is told once')
})

t.test('the default configuration needs no file, and keeps its phone’s password', async (t) => {
  const root = folder(t)
  const config = defaultConfig(root)
  t.match(config, {
    http: { listen: '127.0.0.1:8080' },
    sip: { udp: '127.0.0.1:5060', tcp: '127.0.0.1:5060' },
    storage: { dir: join(root, 'var') },
    extensions: [{ number: '101' }],
    voice: { endpoints: [{ id: 'sample', controlUrl: 'http://127.0.0.1:3000/voice' }] },
    inbound: [{ extension: '*', to: sampleNumber, destination: 'endpoint:sample' }, { trunk: '*' }],
  })
  t.ok(config.extensions[0]!.password.length >= 16)
  t.same(defaultConfig(root), config)
  t.equal(statSync(join(root, 'var/extension-101.password')).mode & 0o077, 0)
  t.not(defaultConfig(folder(t)).extensions[0]!.password, config.extensions[0]!.password)
  t.equal(readFileSync(join(root, 'var/extension-101.password'), 'utf8').trim(), config.extensions[0]!.password)
})

t.test('the schema for editors accepts what the loader accepts', async (t) => {
  const schema = configJsonSchema()
  const check = new Ajv({ strict: false }).compile({ ...schema, $id: 'editor' })
  t.equal(check({}), true)
  t.equal(check({ trunks: [{ id: 'a', server: 'b' }], extensions: [{ number: '101', password: { file: 'x' } }] }), true)
  t.equal(check({ trunks: [{ id: 'a' }] }), false)
  t.equal(check({ trnks: [] }), false)
  t.equal(check({ sms: { trunks: [{ id: 'a', kind: 'modem', device: '/dev/pbx-gsm0' }] } }), true)
  t.equal(check({ sms: { trunks: [{ id: 'a', kind: 'modem' }] } }), false)
})

t.test('small parts', async (t) => {
  t.equal(nearest('pasword', ['password', 'number']), 'password')
  t.equal(nearest('conrtolUrl', ['controlUrl']), 'controlUrl')
  t.equal(nearest('b', ['a']), undefined)
  t.equal(nearest('zebra', ['password', 'number']), undefined)
  t.same(parseListen('0.0.0.0:80'), { host: '0.0.0.0', port: 80 })
  t.same(parseListen('[::1]:5061'), { host: '::1', port: 5061 })
  for (const text of ['', ':80', '::1:80', 'a:b', '1.2.3.4:70000', '1.2.3.4']) t.equal(parseListen(text), undefined, text)
})
