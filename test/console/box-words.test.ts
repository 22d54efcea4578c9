/** What the box says in English, in Spanish: what is wrong with a configuration, and what happens to the box; every sentence that the source can say. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { networkWords } from '../../daemon/base/errors.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { answerers, enders, endReasons } from '../../daemon/schema/states.ts'
import { trunkMend } from '../../daemon/doctor/doctor.ts'
import { root } from '../harness/daemon.ts'
import { saidIn, type Part } from './sentences.ts'

// Their types are those of a browser.
const inPages = async (file: string) => (await import(join(root, 'daemon/console', file))) as any
const { configFaultText } = (await inPages('pages/config/fault-text.ts')) as { readonly configFaultText: (text: string) => string }
const { language } = (await inPages('frame/words.ts')) as { readonly language: { value: string } }

function inSpanish(text: string, say: (text: string) => string = configFaultText): string {
  language.value = 'es'
  try {
    return say(text)
  } finally {
    language.value = 'en'
  }
}

/** A configuration with such a fault, and what a Spanish page says of it. */
const faulty: readonly [text: string, says: RegExp][] = [
  ['sip: [', /^Esto no es YAML válido: /],
  ['site: { name: A }\nsite: { name: B }', /^La clave "site" está dos veces\.$/],
  ['', /^El archivo está vacío\./],
  ['- a', /^El archivo debe tener secciones/],
  ['sipp: {}', /^Aquí no existe la clave "sipp"\. ¿Quería decir "sip"\?$/],
  ['zzzzzzzz: {}', /^Aquí no existe la clave "zzzzzzzz"\.$/],
  ['trunks: [{ id: main }]', /^Falta "server"\.$/],
  ['site: { name: }', /^Falta un valor después de "name:"\./],
  ['site: { name: 12 }', /^12 no se leyó como texto\. Póngalo entre comillas: "12"$/],
  ['site: { name: [a] }', /^Esto debe ser texto\.$/],
  ['site: []', /^Esto debe ser claves y valores\.$/],
  ['trunks: {}', /^Esto debe ser una lista/],
  ['fax: { calls: many }', /^Esto debe ser un número\.$/],
  ['fax: { calls: "5" }', /^Escriba el número sin comillas: 5$/],
  ['fax: { calls: 0 }', /^0 es demasiado pequeño; el mínimo es 1\.$/],
  ['fax: { calls: 101 }', /^101 es demasiado grande; el máximo es 100\.$/],
  ['console: { idleMinutes: many }', /^Esto no tiene ninguna de las formas/],
  ['trunks: [{ id: main, server: 192.0.2.1, register: maybe }]', /^Esto debe ser true o false\.$/],
  ['trunks: [{ id: main, server: 192.0.2.1, transport: tpc }]', /^Escriba udp, tcp( or|,) tls.*¿Quería decir "tcp"\?$/],
  ['site: { timeZone: America/New-York }', /^"America\/New-York" no vale aquí\. Escriba por ejemplo America\/New_York\.$/],
  ['extensions: [{ number: "101", password: short }]', /^Una contraseña de menos de 12 caracteres/],
  [
    'inbound: [{ trunk: mian, to: "*", destination: hangup }]\ntrunks: [{ id: main, server: 192.0.2.1, register: false }]',
    /^No hay nada con el nombre "mian"\. ¿Quería decir "main"\?$/,
  ],
  ['extensions: [{ number: "101", password: a-long-password }, { number: "101", password: a-long-password }]', /^"101" está dos veces\.$/],
]

t.test('a fault of the configuration is said in Spanish, and what has no form is quoted', async (t) => {
  for (const [text, says] of faulty) {
    let faults: readonly string[] = []
    try {
      parseConfig(text, '/etc/pbxd.yaml')
    } catch (error) {
      faults = (error as { faults: { text: string }[] }).faults.map((fault) => fault.text)
    }
    const said = faults.map((fault) => inSpanish(fault))
    t.ok(
      said.some((sentence) => says.test(sentence)),
      `${text}: ${faults.join(' | ')}: ${said.join(' | ')}`,
    )
    t.same(faults.map(configFaultText), faults, 'in English as it is')
  }
  t.equal(inSpanish('a menu of no kind'), 'Aquí hay un fallo. El equipo dice: a menu of no kind')
})

const says = /^(fault|warning|at|atKey|denied)$/

/** The last word of a call that reports a fault; and what another function takes for its sentence. */
function sentenceOf(node: Part): Part | undefined {
  if (node.type === 'ReturnStatement') return node['argument']
  const { callee, arguments: given } = node
  return node.type === 'CallExpression' && says.test(callee.property?.name ?? callee.name ?? '') ? given.at(-1) : undefined
}

t.test('every sentence of the checks has a Spanish one', async (t) => {
  const folder = join(root, 'daemon/config')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(checks\/.*|loops|meaning|room|routing|secrets|validate)\.ts$/.test(name),
  )
  const texts = [...files.map((name) => join(folder, name)), join(root, 'daemon/numbers/reach.ts')].flatMap((file) =>
    saidIn(file, sentenceOf),
  )
  // Beginnings and ends of others.
  const whole = new Set(texts.filter((text) => !/^(; |12 "12"|this must be 12$)/.test(text)))
  t.ok(whole.size > 150, `${whole.size} sentences`)
  for (const text of whole) t.notMatch(inSpanish(text), /^Aquí hay un fallo/, text)
})

const { boxText } = (await inPages('frame/wording.ts')) as { readonly boxText: (text: string) => string }
const { eventText, fixText } = (await inPages('pieces/event-words.ts')) as Readonly<
  Record<'eventText' | 'fixText', (text: string) => string>
>

/** Of a warning, or of an event. */
function ofWarning(member: 'text' | 'fix') {
  return (node: Part): Part | undefined => {
    const { callee, arguments: given, properties = [] } = node
    if (node.type === 'CallExpression' && callee.name === 'shutOut') return given[member === 'text' ? 2 : 3]
    if (node.type !== 'ObjectExpression') return undefined
    const of = (name: string): Part | undefined => (properties as Part[]).find(({ key }) => key?.name === name)?.['value']
    return of('severity') !== undefined || of('code') !== undefined ? of(member) : undefined
  }
}

/** A command needs no translation. */
const prose = /\b(the|and|or|of|it|is|its|then|with|there|says|see|at)\b/

/** What is shown to nobody of the house, or in words of its own. */
const elsewhere = /^(schema|config|setup|console|http\/(?!redirect)|doctor|voice\/(?!tables)|sip\/|numbers|fax\/(?!metrics)|text)/

t.test('every warning of the box has a Spanish sentence', async (t) => {
  const folder = join(root, 'daemon')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !elsewhere.test(name))
  const said = (member: 'text' | 'fix') =>
    new Set([...files, 'sip/warnings.ts', 'config/part.ts'].flatMap((name) => saidIn(join(folder, name), ofWarning(member))))
  const texts = said('text')
  t.ok(texts.size > 60, `${texts.size} sentences`)
  // It is a verdict of Health, which has words of its own.
  texts.delete('All is well.')
  for (const text of texts) t.not(inSpanish(text, eventText), text)
  for (const state of ['refused', 'untrusted', 'unreachable', 'unknown'])
    for (const server of ['192.0.2.1:5060', 'sip.example.net']) {
      const fix = trunkMend({ id: 'main', state, server })
      t.not(inSpanish(fix, fixText), fix)
    }
  t.equal(
    inSpanish('fax has a fault: cannot send; receives through main; main: 127.0.0.1:9 does not answer (no answer to OPTIONS)', eventText),
    'fax tiene un fallo: no puede enviar; recibe por main; main: 127.0.0.1:9 no responde (a OPTIONS)',
  )
  for (const fix of said('fix')) if (prose.test(fix)) t.not(inSpanish(fix, fixText), fix)
  for (const text of saidIn(join(folder, 'desk/desk.ts'), ({ type, id, init }) =>
    type === 'VariableDeclarator' && id.name === 'text' ? init : undefined,
  ))
    t.not(inSpanish(text, boxText), text)
})

const { stepFix, stepName, stepText } = (await inPages('pieces/step-sentences.ts')) as Readonly<
  Record<'stepFix' | 'stepName' | 'stepText', (text: string) => string>
>

/** `at`: which of what a step is made of. */
function ofStep(at: number) {
  return ({ type, callee, arguments: given, properties = [] }: Part): Part | undefined => {
    if (type === 'CallExpression' && /^(ok|warning|failure|step)$/.test(callee.name ?? '')) return given[at]
    const of = (name: string): Part | undefined => (properties as Part[]).find(({ key }) => key?.name === name)?.['value']
    return type === 'ObjectExpression' && of('level') !== undefined ? of(['name', 'text', 'fix'][at]!) : undefined
  }
}

t.test('every step of a test of the box has Spanish words', async (t) => {
  const said = (at: number) =>
    new Set(['doctor/doctor.ts', 'doctor/at-rest.ts', 'health/tests.ts'].flatMap((name) => saidIn(join(root, 'daemon', name), ofStep(at))))
  const [names, texts, fixes] = [said(0), said(1), said(2)] as const
  t.ok(names.size > 5 && texts.size > 40 && fixes.size > 10, `${names.size} names, ${texts.size} texts, ${fixes.size} remedies`)
  for (const name of names) t.not(inSpanish(name, stepName), name)
  for (const text of texts) t.not(inSpanish(text, stepText), text)
  for (const fix of fixes) if (prose.test(fix)) t.not(inSpanish(fix, stepFix), fix)
  t.equal(inSpanish('127.0.0.1:9 does not answer (no answer to OPTIONS)', stepText), '127.0.0.1:9 no responde (a OPTIONS)')
  t.equal(inSpanish('No phone is registered as 102', stepText), 'ningún teléfono está registrado como 102')
  t.equal(stepText('heard'), 'heard', 'in English as it is')
})

const { noteText, wayText } = (await inPages('pages/lines/sentences.ts')) as Readonly<
  Record<'noteText' | 'wayText', (text: string) => string>
>

t.test('where a call would go, and what hinders an awaited phone, is said in Spanish', async (t) => {
  const folder = join(root, 'daemon')
  const ways = saidIn(join(folder, 'pbx/where/where.ts'), ({ type, callee, arguments: given, argument, key, value }: Part) => {
    if (type === 'CallExpression' && callee.name === 'say')
      return given.length === 2 && given[0].type !== 'TemplateLiteral' ? given[1] : given[0]
    if (type === 'ReturnStatement' && argument?.type === 'TemplateLiteral') return argument
    return type === 'Property' && key.name === 'text' ? value : undefined
  })
  const hours = saidIn(join(folder, 'pbx/hours/hours.ts'), ({ type, properties = [] }: Part) =>
    type === 'ObjectExpression' && properties.some(({ key }: Part) => key?.name === 'until')
      ? properties.find(({ key }: Part) => key?.name === 'text')?.value
      : undefined,
  )
  // The name of a trunk that is down stands within other sentences.
  const whole = [...ways, ...hours].filter((text) => !/^12 \(down: 12\)$/.test(text))
  t.ok(whole.length > 20, `${whole.length} sentences`)
  for (const text of whole) t.not(inSpanish(text, wayText), text)
  const notes = saidIn(join(folder, 'provisioning/desk.ts'), ({ type, argument }: Part) =>
    type === 'YieldExpression' ? argument : undefined,
  )
  t.equal(notes.length, 2)
  for (const note of notes) t.not(inSpanish(note, noteText), note)
})

const { rowText, unreadText } = (await inPages('pages/directory/sentences.ts')) as {
  readonly rowText: (text: string) => string
  readonly unreadText: (text: string) => string | undefined
}

t.test('what is wrong with a row of an imported list is said in Spanish', async (t) => {
  const folder = join(root, 'daemon/crm')
  const files = readdirSync(folder).filter((name) => /^(import|csv-lines|vcard-lines|numbers)/.test(name))
  const texts = files.flatMap((name) =>
    saidIn(join(folder, name), ({ type, callee, arguments: given, key, value }: Part) => {
      if (type === 'NewExpression' && callee.name === 'Error') return given[0]
      if (type === 'Property' && /^(warning|error)$/.test(key?.name ?? '')) return value
      const reports = type === 'CallExpression' && /^(wrong|warn|fail|none|push)$/.test(callee.property?.name ?? callee.name ?? '')
      return reports ? given.find((one: Part) => one.type === 'TemplateLiteral' || typeof one['value'] === 'string') : undefined
    }),
  )
  t.ok(texts.length > 30, `${texts.length} sentences`)
  for (const text of texts) t.not(inSpanish(text, rowText), text)
  language.value = 'es'
  t.equal(unreadText('This is not text/vcard: it has no BEGIN:VCARD'), 'No se puede leer: no tiene BEGIN:VCARD.')
  language.value = 'en'
})

const { traceText } = (await inPages('pages/trace/sentences.ts')) as { readonly traceText: (text: string) => string }

t.test('what a trace says of a call is said in Spanish', async (t) => {
  const folder = join(root, 'daemon')
  const kinds = /^(state|leg|warning|error|speech|stream|fax)$/
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/^(schema|console)/.test(name),
  )
  const texts = new Set(
    files.flatMap((name) =>
      saidIn(join(folder, name), ({ type, callee, arguments: given }: Part) =>
        type === 'CallExpression' && callee.property?.name === 'note' && kinds.test(given[0]?.value ?? '') ? given[1] : undefined,
      ),
    ),
  )
  t.ok(texts.size > 60, `${texts.size} sentences`)
  for (const text of texts) t.not(inSpanish(text, traceText), text)
  // The states and reasons are names for programs; a person reads what they mean.
  const names = new RegExp(`\\b(${[...endReasons, ...enders].filter((name) => name.length > 3).join('|')}|human|machine)\\b`)
  for (const reason of endReasons)
    for (const state of ['completed', 'busy', 'no-answer', 'failed', 'canceled']) {
      const said = inSpanish(`${state}: ${reason}, ended by callee`, traceText)
      t.notMatch(said, names, said)
    }
  for (const who of answerers) t.notMatch(inSpanish(`answered by a ${who}`, traceText), names)
  t.equal(inSpanish('busy: rejected, ended by callee (603 Decline)', traceText), 'ocupado: rechazada, por quien atendía (603 Decline)')
})

const { failureText } = (await inPages('pages/applications/sentences.ts')) as { readonly failureText: (text: string) => string }

t.test('why an application, a callback or the CRM was not reached is said in Spanish', async (t) => {
  const network = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].map((code) =>
    networkWords(Object.assign(new Error(`getaddrinfo ${code} app.example`), { code })),
  )
  for (const text of network) t.notMatch(text, /getaddrinfo/)
  const said = ({ type, callee, arguments: given, key, value, argument }: Part): Part | undefined => {
    if (type === 'CallExpression' && callee.name === 'failed') return given[1]
    if (type === 'Property' && /^(error|message)$/.test(key?.name ?? '')) return value
    return type === 'ReturnStatement' ? argument : undefined
  }
  const texts = ['voice/requestor.ts', 'voice/exchange.ts', 'outbox/attempt.ts', 'crm/client/client.ts']
    .flatMap((name) => saidIn(join(root, 'daemon', name), said))
    .filter((text) => / /.test(text) && !/^12|POST|^is not JSON$/.test(text))
  t.ok(texts.length > 8, `${texts.length} sentences`)
  for (const text of [...network, ...texts]) t.not(inSpanish(text, failureText), text)
})

const { lineState } = (await inPages('pieces/box-words.ts')) as { readonly lineState: (state: string) => string }

t.test('each state of a modem line has a word in both languages', async (t) => {
  const [, union = ''] = /type FaxLineState =\n([^]*?)\n\n/.exec(readFileSync(join(root, 'drivers/fax.ts'), 'utf8')) ?? []
  const states = [...union.matchAll(/'([^']+)'/g)].map(([, state]) => state!)
  t.ok(states.includes('unplugged'))
  for (const state of states) t.not(inSpanish(state, lineState), state)
})

const { figure } = (await inPages('frame/words.ts')) as { readonly figure: (n: number) => string }
const { say: sayFigures } = (await inPages('pages/figures/words.ts')) as { readonly say: (key: string, values: object) => string }

t.test('a figure in a sentence is written as the language writes it', async (t) => {
  t.equal(figure(1123), '1,123')
  t.equal(sayFigures('callsFrom', { n: 1123 }), 'of 1,123 calls from outside')
  t.match(
    inSpanish('', () => sayFigures('callsFrom', { n: 12_345 })),
    /12.345/,
  )
})
