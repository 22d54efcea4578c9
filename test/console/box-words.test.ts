/** What the box says in English, in Spanish: what is wrong with a configuration, and what happens to the box; every sentence that the source can say. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
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
  for (const fix of said('fix')) if (prose.test(fix)) t.not(inSpanish(fix, fixText), fix)
  for (const text of saidIn(join(folder, 'desk/desk.ts'), ({ type, id, init }) =>
    type === 'VariableDeclarator' && id.name === 'text' ? init : undefined,
  ))
    t.not(inSpanish(text, boxText), text)
})
