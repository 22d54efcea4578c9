/** The conversation of a menu, and what the configuration says of menus and of calls that would go round. */
import fc from 'fast-check'
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import { beginning, converse, type MenuEvent, type MenuFacts, type MenuState, type MenuStep } from '../../daemon/pbx/menus/menu.ts'
import { parseDocument } from '../../daemon/voice/document.ts'

const facts: MenuFacts = {
  say: 'Press 1.',
  language: 'en-US',
  wrong: { text: 'That is not one of the choices.', language: 'en-US' },
  choices: new Map([
    ['1', 'group:front'],
    ['2', 'queue:nurses'],
    ['#', 'voicemail:100'],
    ['101', '101'],
    ['1024', '1024'],
  ]),
  timeoutSeconds: 6,
  repeats: 2,
}

const silence: MenuEvent = { type: 'silence' }
const keys = (text: string): MenuEvent[] => [...text].map((key) => ({ type: 'key', key }))

/** What it comes to, and all that was said on the way. */
function talk(...events: readonly MenuEvent[]): { end: MenuStep; said: string[] } {
  let state: MenuState = beginning
  let end = converse(facts, state, { type: 'begin' })
  const said: string[] = []
  for (const event of [...events, null]) {
    if (end.kind !== 'ask') break
    state = end.state
    said.push(...end.document.flatMap((verb) => (verb as { say?: { text: string } }).say?.text ?? []))
    if (event !== null) end = converse(facts, state, event)
  }
  return { end, said }
}

const to = (destination: string) => ({ kind: 'chosen', destination })
const wrong = 'That is not one of the choices.'

t.test('keys, numbers, silence', async (t) => {
  t.same(talk(...keys('2')).end, to('queue:nurses'), 'at once: no number begins with 2')
  t.equal(talk(...keys('1')).end.kind, 'ask', 'a number may follow')
  t.same(talk(...keys('1'), silence).end, to('group:front'), 'and does not')
  t.same(talk(...keys('101')).end, to('101'))
  t.same(talk(...keys('1024')).end, to('1024'))
  t.same(talk(...keys('1#')).end, to('group:front'), 'the caller says that it is complete')
  t.same(talk(...keys('#')).end, to('voicemail:100'))
  t.match(talk(...keys('9')), { end: { kind: 'ask' }, said: ['Press 1.', wrong, 'Press 1.'] })
  t.same(talk(...keys('10'), silence).said, ['Press 1.', wrong, 'Press 1.'], 'half a number')
  t.same(talk(...keys('92')).end, to('queue:nurses'), 'what was wrong is forgotten')
  t.same(talk(silence, silence), { end: talk(silence, silence).end, said: ['Press 1.', 'Press 1.', 'Press 1.'] })
  t.same(talk(silence, silence, silence).end, { kind: 'nothing' })
  t.same(talk(...keys('999')).end, { kind: 'nothing' })
})

t.test('whatever a caller does, it ends, and every document can run', async () => {
  const event = fc.oneof(
    fc.constant(silence),
    fc.constantFrom(...'0123456789*#').map((key): MenuEvent => ({ type: 'key', key })),
  )
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 20 }), (events) => {
      let step = converse(facts, beginning, { type: 'begin' })
      for (const happened of events) {
        if (step.kind !== 'ask') return true
        const parsed = parseDocument(JSON.stringify(step.document), { destinations: new Set() })
        if (!parsed.ok || parsed.warnings.length > 0) return false
        step = converse(facts, step.state, happened)
      }
      return step.kind !== 'ask'
    }),
  )
})

function faults(settings: object): string[] {
  try {
    parseConfig(JSON.stringify(settings), '/srv/pbx/pbxd.yaml')
    return []
  } catch (error) {
    return (error as ConfigError).faults.map(({ path, text }) => `${path} ${text}`)
  }
}

t.test('what is wrong with menus is told at its place', async (t) => {
  const extensions = [{ number: '101', password: 'a-long-password' }]
  const menu = { id: 'main', say: 'Press 1.', keys: { 1: '101' } }
  t.same(faults({ extensions, menus: [menu] }), [])
  t.same(faults({ extensions, menus: [{ ...menu, keys: {} }] }), [
    '/menus/0/keys the menu has no choices; write keys, or dialExtensions: true',
  ])
  t.same(faults({ extensions, menus: [{ ...menu, keys: { 12: '101', 1: 'menu:man', '*': '101' }, onNothing: '102' }] }), [
    '/menus/0/keys/1 there is no menu "man"; did you mean "main"?',
    '/menus/0/keys/12 "12" is not a key; write 0 to 9, "*" or "#"',
    '/menus/0/onNothing there is no extension "102"; did you mean "101"?',
  ])
})

t.test('calls that would go round for ever are refused, where that is certain', async (t) => {
  const extensions = [{ number: '101', password: 'a-long-password' }]
  const menu = (id: string, onNothing: string) => ({ id, say: 'Press 1.', keys: { 1: `menu:${id}` }, onNothing })
  const hours = (id: string, whenOpen: string, whenClosed: string, more: object = {}) => ({
    id,
    open: { 'mon-fri': ['08:00-12:00'] },
    whenOpen,
    whenClosed,
    ...more,
  })
  t.same(faults({ extensions, menus: [menu('a', 'menu:a')] }), ['/menus/0/onNothing calls would go round in a loop: menu:a -> menu:a'])
  t.same(faults({ extensions, hours: [hours('o', 'menu:a', '101')], menus: [menu('a', 'hours:o')] }), [
    '/menus/0/onNothing calls would go round in a loop: hours:o -> menu:a -> hours:o',
  ])
  t.same(faults({ extensions, hours: [hours('o', '101', 'hours:p'), hours('p', '101', 'hours:o', { open: { sat: ['22:00-02:00'] } })] }), [
    '/hours/1/whenClosed calls would go round in a loop: hours:o -> hours:p -> hours:o',
  ])
  const other = { open: { 'mon-sun': ['12:00-24:00', '00:00-08:00'] } }
  t.same(faults({ extensions, hours: [hours('o', 'hours:p', '101'), hours('p', 'hours:o', '101', other)] }), [], 'never open at once')
  const always = { open: { 'mon-sun': ['00:00-24:00'] } }
  const christmas = { ...always, closedOn: ['2026-12-25'] }
  t.same(faults({ extensions, hours: [hours('o', '101', 'hours:p', christmas), hours('p', 'hours:o', '101', always)] }), [
    '/hours/1/whenOpen calls would go round in a loop: hours:o -> hours:p -> hours:o',
  ])
  t.same(faults({ extensions, menus: [menu('a', 'menu:b'), menu('b', '101')] }), [])
})
