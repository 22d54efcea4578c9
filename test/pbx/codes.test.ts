/** Feature codes: what was dialled, what the configuration may say, and what they do to calls. The line is played. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import { Attendant } from '../../daemon/pbx/codes/attendant.ts'
import { featureIn } from '../../daemon/pbx/codes/dialled.ts'
import { fixedSentences, words } from '../../daemon/words/words.ts'
import type { Call } from '../../daemon/calls/call.ts'
import type { CallEvent } from '../../daemon/schema/events.ts'
import { renderedTexts, spokenPhrases } from '../../scripts/render-prompts.ts'
import type { Speaker } from '../../daemon/speech/speaker.ts'
import type { StandInLeg } from '../fax/stand-in-driver.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'
const codesOf = (featureCodes: Record<string, unknown>) =>
  parseConfig(JSON.stringify({ featureCodes }), '/srv/pbx/pbxd.yaml').config.featureCodes

t.test('what is dialled: the longest code that fits, and the number behind it', async (t) => {
  const codes = codesOf({ echo: '*7', lastCaller: false, withholdNumber: '#31#' })
  const found = (dialled: string) => {
    const feature = featureIn(codes, dialled)
    return feature && `${feature.name} ${feature.argument}`
  }
  t.equal(found('*78'), 'doNotDisturbOn ')
  t.equal(found('*7'), 'echo ', 'not the beginning of another one')
  t.equal(found('*72101'), 'forwardAll 101')
  t.equal(found('*72 (555) 123-0000#'), 'forwardAll 5551230000')
  t.equal(found('*72+15551230000'), 'forwardAll +15551230000')
  t.equal(found('*72'), 'forwardAll ', 'its number is missing')
  t.equal(found('#31#911'), 'withholdNumber 911')
  for (const dialled of ['*69', '*67101', '*781', '*72*97', '101', '911', '', '*']) t.equal(found(dialled), null, dialled)
})

t.test('the configuration: other codes, false, none twice', async (t) => {
  t.equal(codesOf({ doNotDisturbOn: '*60' }).doNotDisturbOn, '*60')
  const fault = (featureCodes: Record<string, unknown>): string => {
    try {
      codesOf(featureCodes)
      return ''
    } catch (error) {
      return (error as ConfigError).message
    }
  }
  t.match(fault({ doNotDisturbOn: '*79' }), /"\*79" is already the code of doNotDisturbOn/)
  t.not(fault({ doNotDisturbOn: '911' }), '', 'a code begins with * or #: no number is taken away')
  t.not(fault({ doNotDisturb: '*60' }), '')
})

t.test('what is spoken ahead of a code has no number in it', async (t) => {
  const fixed = fixedSentences(words('en-US').codes)
  t.ok(fixed.includes('Do not disturb is on.') && fixed.includes('To call back, press 1.'), fixed.join(' '))
  t.equal(fixed.filter((text) => /forwarded to|last caller was|Parked/.test(text) && !/this number/.test(text)).length, 0, fixed.join(' '))
})

t.test('a phone is spoken to in the language of its extension, and all of it is spoken ahead', async (t) => {
  const { config } = parseConfig(
    JSON.stringify({
      site: { language: 'de-DE' },
      extensions: [
        { number: '101', password, language: 'en-US' },
        { number: '102', password, language: 'es-US' },
        { number: '103', password, language: 'fi' },
      ],
    }),
    '/srv/pbx/pbxd.yaml',
  )
  const documents: unknown[] = []
  const attendant: Attendant = new Attendant({
    config,
    applications: {
      takeOver: async ({ id }) =>
        void documents.push(await attendant.respond({ event: 'call.inbound.pre_route', callId: id } as CallEvent)),
    },
  })
  for (const from of ['101', '102', '103', ''])
    await attendant.say({ id: `call of ${from}`, row: { extension: from }, over: new AbortController().signal } as Call, 'doNotDisturbOn')
  const english = [{ say: { text: 'Do not disturb is on.', language: 'en-US' } }]
  const german = [{ say: { text: 'Bitte nicht stören ist eingeschaltet.', language: 'de-DE' } }]
  t.same(
    documents,
    [english, [{ say: { text: 'No molestar está activado.', language: 'es-US' } }], german, german],
    'that of the site for a language without words',
  )
  const ahead: { text: string; language: string }[] = []
  const speaker = { prepare: (said: (typeof ahead)[0]) => (ahead.push(said), { parts: [], late: Promise.resolve() }) }
  await attendant.warm(speaker as unknown as Speaker)
  t.same(
    ahead,
    ['de-DE', 'en-US', 'es-US'].flatMap((language) =>
      fixedSentences(words(language).codes).map((text) => ({ text, language, callId: 'codes' })),
    ),
  )
  const installed = renderedTexts(spokenPhrases())
  t.same(
    ahead.filter(({ text, language }) => language === 'en-US' && !renderedTexts([text]).every((piece) => installed.includes(piece))),
    [],
    'the English of it is there since the program was installed',
  )
})

const extension = (number: string, more: Record<string, unknown> = {}) => ({ number, password, ...more })

interface House {
  readonly box: Box
  /** A phone dials; the status it gets when the call has ended, 0 where it was answered or goes on. */
  dials(from: string, to: string): Promise<StandInLeg>
  /** A caller from the trunk. */
  called(): Promise<StandInLeg>
  rung(): string[]
  phone(number: string): StandInLeg
}

async function house(t: Test, more: Record<string, unknown> = {}, dir?: string): Promise<House> {
  const extensions = [
    extension('101', { onBusy: '104' }),
    extension('102', { class: 'national' }),
    extension('103', { class: 'internal' }),
    extension('104'),
  ]
  const box = await Box.open(t, {
    channels: 5,
    more: { extensions, outbound: [{ to: '*', trunks: ['main'] }], ...more },
    ...(dir ? { dir } : {}),
  })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const call = async (changes: Parameters<typeof box.driver.call>[0]): Promise<StandInLeg> => {
    const leg = box.driver.call(changes)
    await box.quiet()
    return leg
  }
  return {
    box,
    dials: (from, to) => call({ trunkId: '', extension: from, from, to }),
    called: () => call({}),
    rung: () => box.driver.legs.map(({ request }) => request!.to),
    phone: (number) => box.driver.legs.findLast(({ request }) => request!.to === number)!,
  }
}

t.test('do not disturb: callers find it busy, groups pass it over, a restart changes nothing', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-codes-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const more = {
    ringGroups: [{ id: 'front', members: ['101', '102'] }],
    inbound: [
      { trunk: '*', to: '*', destination: '101' },
      { extension: '*', to: '800', destination: 'group:front' },
    ],
  }
  const before = await house(t, more, dir)
  await before.dials('101', '*78')
  await before.called()
  t.same(before.rung(), ['104'], 'onBusy')
  await before.box.store.close()
  const { dials, called, rung } = await house(t, more, dir)
  await called()
  t.same(rung(), ['104'], 'after the restart')
  await dials('103', '800')
  t.same(rung(), ['104', '102'], 'the group rings the other one')
  await dials('101', '*79')
  await called()
  t.equal(rung().at(-1), '101')
})

t.test('forwards: all, on busy, on no answer, before what the configuration says', async (t) => {
  const { box, dials, called, rung, phone } = await house(t)
  await dials('101', '*72102')
  await called()
  t.same(rung(), ['102'], 'its own phones do not ring')
  await dials('101', '*73')
  await dials('101', '*90103')
  await called()
  phone('101').end({ by: 'remote', reason: 'rejected', sipCode: 486 })
  await box.quiet()
  t.equal(rung().at(-1), '103', 'before onBusy')
  await dials('101', '*91')
  await dials('101', '*92104')
  for (const sipCode of [408, 480]) {
    await called()
    phone('101').end({ by: 'system', reason: 'failed', sipCode })
    await box.quiet()
    t.same(rung().slice(-2), ['101', '104'], String(sipCode))
  }
})

t.test('forwards that lead in a circle end at a phone that rings', async (t) => {
  const { dials, called, rung } = await house(t)
  await dials('101', '*72102')
  await dials('102', '*72103')
  await dials('103', '*72101')
  await called()
  t.same(rung(), ['103'])
})

t.test('a forward to the outside has the class of its extension, whoever calls', async (t) => {
  const { dials, called, rung, box } = await house(t, { inbound: [{ trunk: '*', to: '*', destination: '103' }] })
  await dials('103', '*72+15559870000')
  await called()
  t.same(rung(), ['103'], 'an internal phone forwards to nobody outside')
  await dials('102', '*72+15559870000')
  await dials('103', '102')
  t.equal(rung().at(-1), '+15559870000')
  t.match(box.driver.legs.at(-1)!.request, { via: { kind: 'trunk', trunkId: 'main' }, from: '+15550001000' })
  await dials('102', '*72911')
  await dials('103', '102')
  t.equal(rung().at(-1), '+15559870000', 'no forward calls for help, and the one before stands')
})

t.test('*67 withholds the number, inside and outside; help is told it all the same', async (t) => {
  const { box, dials } = await house(t)
  await dials('102', '*67101')
  t.match(box.driver.legs.at(-1)!.request, { to: '101', from: '', callerName: 'Anonymous' })
  await dials('102', '*67+15559870000')
  t.match(box.driver.legs.at(-1)!.request, { to: '+15559870000', from: '', callerName: '' })
  await dials('102', '*67911')
  t.match(box.driver.legs.at(-1)!.request, { to: '911', from: '+15550001000' })
})

t.test('911 is no code, whatever codes there are', async (t) => {
  const { box, dials } = await house(t, { featureCodes: { echo: '*9' } })
  await dials('103', '911')
  t.match(box.driver.legs.at(-1)!.request, { to: '911' })
})
