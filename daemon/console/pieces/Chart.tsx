/**
 * A chart with its legend and its table. uPlot draws it on a canvas: it sets styles by the object model alone, which the page's policy of sources
 * allows. Colours are read from the legend, so they are those of the theme.
 */
import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { figure } from '../frame/words.ts'
import { Table } from './Table.tsx'
import { say } from './words.ts'

export interface ChartSeries {
  readonly name: string
  readonly colour: 'accent' | 'red' | 'amber' | 'blue' | 'green' | 'faint'
  /** One for each label; null where nothing can be said. */
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  /** What it shows, for assistive technology and above the table. */
  readonly caption: string
  /** `bars`: the series stand on each other. */
  readonly kind: 'bars' | 'lines'
  /** Of the places from left to right. `short` ones stand on the axis. */
  readonly labels: readonly string[]
  readonly short?: readonly string[]
  /** What the labels are: head of the first column of the table. */
  readonly of: string
  readonly series: readonly ChartSeries[]
  readonly format?: (value: number) => string
  /** Columns of the table that the chart does not draw. */
  readonly more?: readonly { readonly head: string; readonly cell: (at: number) => string }[]
}

const whole = (value: number): string => figure(Math.round(value))

export function Chart(props: ChartProps) {
  const { caption, labels, of, series, format = whole, more = [] } = props
  /** The place under the pointer; -1 for none. */
  const at = useSignal(-1)
  const text = (value: number | null | undefined): string => (value == null ? '–' : format(value))
  const columns = [
    { head: of, cell: (n: number) => labels[n]!, isHead: true },
    ...series.map(({ name, values }) => ({ head: name, cell: (n: number) => text(values[n]), class: 'r' })),
    ...more.map((one) => ({ ...one, class: 'r' })),
  ]
  return (
    <figure class="chart">
      <Legend series={series} at={at} labels={labels} text={text} />
      <Drawing {...props} at={at} />
      <details class="as-table">
        <summary class="small">{say('asTable')}</summary>
        <Table caption={caption} rows={labels.map((_, n) => n)} keyOf={String} columns={columns} />
      </details>
    </figure>
  )
}

interface LegendProps extends Pick<ChartProps, 'series' | 'labels'> {
  readonly at: ReadonlySignal<number>
  readonly text: (value: number | null | undefined) => string
}

/** What each colour is; of the place under the pointer, its figures. */
function Legend({ series, at, labels, text }: LegendProps) {
  const here = at.value
  return (
    <figcaption class="legend small">
      {series.map(({ name, colour, values }) => (
        <span key={name}>
          <i class={`swatch ${colour}`} />
          {name}
          {here < 0 ? null : <b class="num"> {text(values[here])}</b>}
        </span>
      ))}
      {here < 0 ? null : <span class="muted">{labels[here]}</span>}
    </figcaption>
  )
}

const height = 190

function Drawing({ at, ...props }: ChartProps & { readonly at: { value: number } }) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const kept = useRef(props)
  kept.current = props
  const shape = `${props.kind} ${props.series.map(({ name, colour }) => `${name} ${colour}`).join()} ${props.labels.length}`
  useLayoutEffect(() => {
    const element = place.current!
    const drawn = new uPlot(
      optionsOf(element, kept, (n) => (at.value = n)),
      dataOf(kept.current),
      element,
    )
    plot.current = drawn
    return () => {
      drawn.destroy()
      plot.current = undefined
    }
  }, [shape])
  useEffect(() => plot.current?.setData(dataOf(props)), [props.series, props.labels])
  useEffect(() => {
    const look = new ResizeObserver(() => {
      const width = place.current?.clientWidth ?? 0
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height })
    })
    look.observe(place.current!)
    const redraw = (): void => plot.current?.redraw()
    const themes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query))
    for (const theme of themes) theme.addEventListener('change', redraw)
    return () => {
      look.disconnect()
      for (const theme of themes) theme.removeEventListener('change', redraw)
    }
  }, [])
  return <div class="drawing" ref={place} role="img" aria-label={props.caption} />
}

/** Bars that stand on each other are drawn one before the other, the highest first. */
function dataOf({ kind, labels, series }: ChartProps): uPlot.AlignedData {
  const x = labels.map((_, n) => n)
  if (kind === 'lines') return [x, ...series.map(({ values }) => [...values])]
  const sums = series.map((_, n) => labels.map((__, at) => series.slice(0, n + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)))
  return [x, ...sums.toReversed()]
}

type Kept = { readonly current: ChartProps }

function optionsOf(element: HTMLElement, kept: Kept, onPlace: (at: number) => void): uPlot.Options {
  const { kind, series } = kept.current
  const swatches = element.parentElement!.querySelectorAll('.swatch')
  const colour = (n: number) => (): string => getComputedStyle(swatches[n]!).color
  const ink = (): string => getComputedStyle(element).color
  const grid = { stroke: () => getComputedStyle(element).borderTopColor, width: 1 }
  const font = '12px system-ui, sans-serif'
  const drawn = series.map((_, n): uPlot.Series =>
    kind === 'bars'
      ? { fill: colour(n), width: 0, paths: uPlot.paths.bars!({ size: [0.78, 54], radius: 0.12 }), points: { show: false } }
      : { stroke: colour(n), width: 2, points: { size: 5, fill: colour(n) } },
  )
  return {
    ...{ width: Math.max(200, element.clientWidth), height, padding: [8, 8, 0, 0] },
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    hooks: { setCursor: [({ cursor }) => onPlace(cursor.idx ?? -1)] },
    scales: {
      x: { time: false, range: (_, from, to) => [from - 0.6, to + 0.6] },
      y: { range: (_, __, most) => [0, Math.max(most ?? 0, 4) * 1.06] },
    },
    axes: [
      {
        ...{ stroke: ink, font, size: 26, gap: 4, grid: { show: false }, ticks: { show: false } },
        splits: (plot) => places(plot, kept.current),
        values: (_, splits) => splits.map((n) => (kept.current.short ?? kept.current.labels)[n] ?? ''),
      },
      {
        ...{ stroke: ink, font, size: 46, gap: 4, grid, ticks: { show: false }, space: 34 },
        incrs: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 3_600, 7_200, 20_000, 50_000],
        values: (_, splits) => splits.map((value) => (kept.current.format ?? whole)(value)),
      },
    ],
    series: [{}, ...(kind === 'bars' ? drawn.toReversed() : drawn)],
  }
}

/** As many labels as have room. */
function places(plot: uPlot, { labels, short = labels }: ChartProps): number[] {
  const longest = Math.max(...short.map((text) => text.length), 1)
  const room = Math.max(1, Math.floor(plot.width / (longest * 7 + 16)))
  const every = Math.ceil(labels.length / room)
  return labels.flatMap((_, n) => (n % every === 0 ? [n] : []))
}
