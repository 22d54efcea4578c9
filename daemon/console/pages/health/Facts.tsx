/** The disk by what lies on it, and what the box is made of: each as one figure, coloured where it needs somebody. */
import type { ComponentChildren } from 'preact'
import type { HealthDetails, HealthView } from '../../../schema/health.ts'
import { locale } from '../../frame/site.ts'
import { boxNow } from '../../frame/clock.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { dateFormat, lastsText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const options = { style: 'unit', unit: units[power]!, unitDisplay: 'short', maximumFractionDigits: power < 3 ? 0 : 1 } as const
  return new Intl.NumberFormat(locale(), options).format(bytes / 1000 ** power)
}

const kindNames = {
  ...({ store: 'kindStore', recordings: 'kindRecordings', voicemail: 'kindVoicemail', faxes: 'kindFaxes' } as const),
  ...({ texts: 'kindTexts', mail: 'kindMail', speech: 'kindSpeech', other: 'kindOther' } as const),
} as const

const diskUnits = 1_000
/** Of the kinds that are ours. */
const colours = 5

export function Disk({ disk }: { readonly disk: HealthDetails['disk'] }) {
  const { freeBytes, totalBytes, kinds, bytesPerDay, fullAt } = disk
  const ours = kinds.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = [
    ...kinds
      .toSorted((a, b) => b.bytes - a.bytes)
      .map(({ kind, bytes }, n) => ({ name: say(kindNames[kind]), bytes, look: `k${n % colours}` })),
    { name: say('kindSystem'), bytes: Math.max(0, totalBytes - freeBytes - ours), look: 'rest' },
  ].filter(({ bytes }) => bytes > 0)
  const soon = fullAt !== null && Date.parse(fullAt) - boxNow() < 30 * 86_400_000
  const full = bytesPerDay === null ? say('diskUnknown') : fullAt === null ? say('diskNotFull') : say('diskFull', { day: dayText(fullAt) })
  /** Of a picture of so many units. */
  const scale = (bytes: number): number => (bytes / totalBytes) * diskUnits
  let x = 0
  return (
    <Panel
      title={say('disk')}
      count={say('diskFree', { free: sizeText(freeBytes), all: sizeText(totalBytes) })}
      aside={<span class={`small ${soon ? 'red' : 'muted'}`}>{full}</span>}
    >
      <svg class="disk-use" viewBox={`0 0 ${diskUnits} 1`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, bytes, look }) => (
          <rect key={name} class={look} x={scale((x += bytes) - bytes)} y="0" width={scale(bytes)} height="1" />
        ))}
      </svg>
      <ul class="kinds">
        {parts.map(({ name, bytes, look }) => (
          <li key={name}>
            <svg viewBox="0 0 9 9" aria-hidden="true">
              <rect class={look} width="9" height="9" />
            </svg>
            {name} <span class="num">{sizeText(bytes)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const dayText = (at: string): string => dateFormat({ year: 'numeric', month: 'long', day: 'numeric' }).format(Date.parse(at))

type Colour = '' | 'green' | 'amber' | 'red'

interface Fact {
  readonly what: string
  readonly is: ComponentChildren
  readonly colour?: Colour
}

export function Facts({ health }: { readonly health: HealthView & HealthDetails }) {
  return (
    <section class="panel" aria-label={say('verdict')}>
      <dl class="tiles">
        {factsOf(health).map(({ what, is, colour = '' }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd class={colour}>{is}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function factsOf({ clock, certificate, upgrade, startedAt, memory, load, engine, speech, backup, queues, pair }: HealthDetails): Fact[] {
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0)
  const dead = queues.reduce((sum, queue) => sum + queue.dead, 0)
  const days = certificate?.daysLeft ?? 0
  return [
    ...(pair === undefined ? [] : pairFacts(pair)),
    backupFact(backup),
    {
      what: say('clock'),
      is: say(clock.synchronised === null ? 'clockUnknown' : clock.trusted && clock.synchronised ? 'clockGood' : 'clockBad'),
      colour: !clock.trusted ? 'red' : clock.synchronised === null ? '' : 'green',
    },
    certificate === null
      ? { what: say('certificateNone'), is: '–' }
      : { what: say('certificate'), is: lastsText(days * 86_400_000), colour: days < 14 ? 'red' : days < 30 ? 'amber' : '' },
    { what: say('version'), is: <bdi>{upgrade.version}</bdi> },
    upgradeFact(upgrade),
    { what: say('daemon'), is: <Time at={startedAt} /> },
    {
      what: say('memory', { all: sizeText(memory.totalBytes) }),
      is: sizeText(memory.daemonBytes + (memory.engineBytes ?? 0)),
      colour: memory.freeBytes < memory.totalBytes / 50 ? 'amber' : '',
    },
    { what: say('load', { n: load.processors }), is: load.one.toFixed(2), colour: load.five > 2 * load.processors ? 'amber' : '' },
    { what: say('engine'), is: say(engine.ok ? 'engineUp' : 'engineDown'), colour: engine.ok ? 'green' : 'red' },
    { what: say('speech'), is: say(speech.ok ? 'speechOn' : 'speechOff'), colour: speech.ok ? '' : 'amber' },
    { what: say('queues'), is: dead === 0 ? waiting : `${waiting}, ${say('dead', { n: dead })}`, colour: dead > 0 ? 'amber' : '' },
  ]
}

/** What stands by could be older, away, or about to start: only one that is ready is green. */
function pairFacts({ here, since, known, witness, machines }: NonNullable<HealthDetails['pair']>): Fact[] {
  const other = machines.find(({ name }) => name !== here)
  const ready = known && other?.role === 'standby' && other.fit
  const older = other?.role === 'standby' ? say('pairOlder') : say('pairAway')
  return [
    {
      what: say('pairHere'),
      is: (
        <>
          <bdi>{here}</bdi> {since === null ? null : <Time at={since} />}
        </>
      ),
    },
    {
      what: say('pairOther'),
      is: (
        <>
          <bdi>{other?.name}</bdi> {ready ? say('pairReady') : known ? older : say('pairUnknown')}
        </>
      ),
      colour: ready ? 'green' : 'red',
    },
    {
      what: say('pairWitness'),
      is: witness === null ? say('pairUnknown') : witness ? say('pairThere') : say('pairAway'),
      colour: witness === false ? 'red' : '',
    },
  ]
}

function backupFact({ configured, good, last }: HealthDetails['backup']): Fact {
  if (!configured) return { what: say('backupOff'), is: say('backupNone'), colour: 'amber' }
  const failed = last !== null && !last.ok
  return {
    what: say('backup'),
    is: good === null ? say('backupNone') : <Time at={good.at} />,
    colour: failed || good === null ? 'red' : '',
  }
}

function upgradeFact({ last }: HealthDetails['upgrade']): Fact {
  if (last === null) return { what: say('upgrade'), is: say('upgradeNone') }
  const bad = last.phase === 'refused' || last.phase === 'returned'
  const is = { done: say('upgradeDone', { from: last.from }), refused: say('upgradeRefused'), returned: say('upgradeBack') } as const
  const ended = last.phase as keyof typeof is
  return { what: say('upgrade'), is: is[ended] ?? say('upgradeRuns'), colour: bad ? 'amber' : '' }
}
