/** The helper packages with one real box: both clients, the samples of docs/sdk.md and docs/getting-started.md; examples: npm run proofs sdk. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { box, BoxError } from 'pbxd'
import t from 'tap'
import { eventually } from '../harness/waiting.ts'
import { openHouse } from './house.ts'

t.setTimeout(180_000)
/** Within the checkout, so that `pbxd` is found as the pages promise. */
const inside = resolve('.cache/sdk-samples')
mkdirSync(inside, { recursive: true })
const { daemon, house, started, serving, simulated } = await openHouse(['751', '752', '753'])

const samplesOf = (page: string): { readonly language: string; readonly code: string }[] =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^```(ts|python)\n([^]*?)^```$/gm), ([, language = '', code = '']) => ({
    language,
    code,
  })).filter(({ code }) => /\bpbxd\b/.test(code) && !code.startsWith('/**'))

t.test('each example has less than 150 lines', async (t) => {
  for (const file of readdirSync('scripts/examples').filter((name) => /\.(ts|py)$/.test(name)))
    t.ok(readFileSync(join('scripts/examples', file), 'utf8').split('\n').length <= 150, file)
})

t.test('the lines of a menu with each helper library are counted as the page says', async (t) => {
  const programs = ['docs/sdk.md', 'docs/figures/sdk.md'].flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^```(?:ts|python)\n([^]*?)^```$/gm)].map(([, code = '']) => code).slice(0, 2),
  )
  const lines = programs.map((code) => code.split('\n').filter((line) => line.trim() !== '').length)
  for (const page of ['docs/sdk.md', 'docs/figures/sdk.md'])
    for (const [at, name] of ['pbxd, TypeScript', 'pbxd, Python', 'Twilio, TypeScript', 'jambonz, TypeScript'].entries())
      t.ok(readFileSync(page, 'utf8').includes(`| ${name} | ${lines[at]} |`), `${page}: ${name} has ${lines[at]} lines`)
})

let next = 751
for (const page of ['docs/sdk.md', 'docs/getting-started.md'])
  for (const [at, { language, code }] of samplesOf(page).entries()) {
    const file = join(inside, `${page.replaceAll(/\W/g, '-')}${at}.${language === 'ts' ? 'ts' : 'py'}`)
    const serves = /serve\(/.test(code)
    t.test(`${page}: sample ${at + 1} (${language}) runs as it is shown`, async (t) => {
      writeFileSync(file, code)
      if (!serves) {
        const program = started(file, {})
        await once(program.child, 'exit')
        t.match(program.said(), /0 faxes, then ask since 0\n404 call_unknown/)
        return
      }
      const number = String(next++)
      const program = await serving(file, number)
      const shown = await simulated('101', number, '1', '2', '#')
      t.match(shown, /We are open from nine to five/)
      await eventually('the program has the message', () => /recordings/.test(program.said()))
    })
  }

t.test('the Python client: a call, an error, a POST that is repeated', async (t) => {
  const code = `
import pbxd, sys
box = pbxd.Box(*sys.argv[1:])
lines = list(box.simulate_call({"from": "101", "to": "752", "keys": ["1"], "say": "", "speed": 20}))
print("nine to five" in str(lines), box.list_calls(limit=1)["items"][0]["state"], box.list_received_faxes()["nextSince"])
print(box.import_parties({"customers": [{"id": "c1", "name": "Ana", "phones": [{"number": "+15551230001", "label": "mobile"}]}]}, dry_run=True)["created"])
try:
    box.get_call("CA" + "0" * 32)
except pbxd.BoxError as error:
    print(error.status, error.code)
`
  const program = spawn('python3', ['-c', code, daemon.http, daemon.token], {
    env: { ...process.env, PYTHONPATH: resolve('scripts/sdk/python') },
  })
  const [said] = await Promise.all([text(program.stdout), once(program, 'exit')])
  t.equal(said, 'True completed 0\n1\n404 call_unknown\n')
})

t.test('the TypeScript client: a call, errors, a POST with a key, a box that does not answer', async (t) => {
  t.match(await simulated('101', '751', '1'), /We are open from nine to five/, 'a caller is led through the menu')
  t.match((await house.listCalls({ limit: 1 })).items, [{ to: '751', state: 'completed' }])
  t.match(await house.listReceivedFaxes(), { items: [], nextSince: 0 })
  await t.rejects(house.getCall(`CA${'0'.repeat(32)}`), { name: 'BoxError', status: 404, code: 'call_unknown' })
  await t.rejects(house.originateCall({ to: '101', endpoint: 'nowhere' }), { name: 'BoxError', status: 422 })
  await t.rejects(box({ url: daemon.http, token: 'wrong' }).getStatus(), { name: 'BoxError', status: 401 })
  const body = { customers: [{ id: 'c1', name: 'Ana', phones: [{ number: '+15551230001', label: 'mobile' }] }] }
  t.match(await house.importParties(body, {}, { idempotencyKey: 'one' }), { created: 1 })
  await daemon.stop()
  const gone = await house.getStatus().catch((error: unknown) => error)
  t.match(gone, { status: 0, code: 'no_answer' })
  t.ok(gone instanceof BoxError)
})
