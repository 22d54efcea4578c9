/** The lanes of a trace as a picture, and its entries as a list that can be filtered. */
import { useState } from 'preact/hooks'
import type { TraceView } from '../../../schema/voice-api.ts'
import { foreign } from '../../pieces/Number.tsx'
import { fullTime } from '../../pieces/time.ts'
import { barsOf, fits, lanes, lengthOf, secondsText, type Bar, type Filter, type Lane, type Step } from './model.ts'
import { traceText } from './sentences.ts'
import { kindText, say } from './words.ts'

/** Of a picture that is as wide as the page. */
const width = 1_000
const leastWide = 2
const height = 18
const marks = 5

export function Lanes({ trace, steps }: { readonly trace: TraceView; readonly steps: readonly Step[] }) {
  const wholeMs = lengthOf(trace)
  const bars = barsOf(trace, steps)
  return (
    <figure class="lanes" role="img" aria-label={say('moments', { time: secondsText(wholeMs), n: steps.length })}>
      {lanes.map((lane) => (
        <div key={lane} class="lane">
          <span class="small muted">{say(lane)}</span>
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="ground" width={width} height={height} />
            {bars
              .filter((bar) => bar.lane === lane)
              .map((bar) => (
                <BarShape key={bar.key} bar={bar} wholeMs={wholeMs} />
              ))}
          </svg>
        </div>
      ))}
      <div class="lane axis small faint num">
        <span />
        <span class="marks">
          {Array.from({ length: marks }, (_, n) => (
            <span key={n}>{secondsText((wholeMs * n) / (marks - 1))}</span>
          ))}
        </span>
      </div>
    </figure>
  )
}

function BarShape({ bar: { fromMs, toMs, look, title }, wholeMs }: { readonly bar: Bar; readonly wholeMs: number }) {
  const x = Math.min(width - leastWide, (fromMs / wholeMs) * width)
  const wide = Math.max(leastWide, ((toMs - fromMs) / wholeMs) * width)
  const isMoment = look === 'moment'
  return (
    <rect class={look} x={x} y={isMoment ? 5 : 2} width={isMoment ? leastWide : wide} height={isMoment ? height - 10 : height - 4}>
      <title>{foreign(traceText(title))}</title>
    </rect>
  )
}

/** So many rows are in the document at first, and with each press more. */
const atOnce = 60

export function Entries({ steps }: { readonly steps: readonly Step[] }) {
  const [filter, setFilter] = useState<Filter>({ text: '', lanes: [], onlyBad: false })
  const [most, setMost] = useState(atOnce)
  const found = steps.filter((step) => fits(filter, step))
  const toggle = (lane: Lane): void => {
    const now = filter.lanes.includes(lane) ? filter.lanes.filter((one) => one !== lane) : [...filter.lanes, lane]
    setFilter({ ...filter, lanes: now })
  }
  return (
    <section aria-label={say('steps')}>
      <div class="row filters">
        <input
          class="box"
          type="search"
          aria-label={say('filter')}
          placeholder={say('filterHint')}
          value={filter.text}
          onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
        />
        <span class="seg" role="group" aria-label={say('lanes')}>
          {lanes.map((lane) => (
            <button key={lane} type="button" aria-pressed={filter.lanes.includes(lane)} onClick={() => toggle(lane)}>
              {say(lane)}
            </button>
          ))}
          <button type="button" aria-pressed={filter.onlyBad} onClick={() => setFilter({ ...filter, onlyBad: !filter.onlyBad })}>
            {say('onlyBad')}
          </button>
        </span>
      </div>
      {found.length === 0 ? <p class="empty">{say('none')}</p> : null}
      <ol class="traced-list">
        {found.slice(0, most).map((step) => (
          <Entry key={step.n} step={step} />
        ))}
      </ol>
      {found.length > most ? (
        <p class="row">
          <button type="button" class="btn small" onClick={() => setMost(most + atOnce)}>
            {say('more', { n: Math.min(atOnce, found.length - most) })}
          </button>
        </p>
      ) : null}
    </section>
  )
}

const colours: Readonly<Record<string, string>> = { warning: 'amber', error: 'red', document: 'accent', event: 'blue', key: 'green' }

export function Entry({ step }: { readonly step: Step }) {
  const { ms, at, kind, text, lane, lastsMs, data } = step
  return (
    <li class="traced" data-lane={lane}>
      <time class="num faint" dateTime={at} title={fullTime(at)}>
        {ms} ms
      </time>
      <span class={`tag ${colours[kind] ?? ''}`}>{kindText(kind)}</span>
      <span class="grow">
        <bdi>{foreign(traceText(text), 1_000)}</bdi>{' '}
        {lastsMs === null || lastsMs === 0 ? null : <span class="small faint num">{say('lasted', { time: secondsText(lastsMs) })}</span>}
        {data === undefined ? null : (
          <details>
            <summary class="small">{say('data')}</summary>
            <pre class="small">{foreignLines(JSON.stringify(data, null, 2))}</pre>
          </details>
        )}
      </span>
    </li>
  )
}

/** Line by line: the breaks are ours. */
const foreignLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => foreign(line, 400))
    .join('\n')
