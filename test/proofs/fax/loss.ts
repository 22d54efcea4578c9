/** Who says "sent", and whose pages are complete: by the share of packets lost, and by the kind of line. */
import { run, table, type Call, type Line, type Options, type Result } from './study.ts'

interface Cell {
  title: string
  line: Line
  calls: Call[]
}

const shares = [0, 0.001, 0.005, 0.01, 0.02]

export function loss(options: Options): Promise<Result> {
  const cells = [false, true].flatMap((t38) =>
    [true, false].flatMap((ecm) => shares.map((share) => ({ title: `${share * 100} % lost`, line: { t38, ecm, loss: share } }))),
  )
  return study(cells, options)
}

/** One-way delay, mean of the exponential jitter (the audio jitter buffer holds 200 ms), and some loss. */
export function lines(options: Options): Promise<Result> {
  const kinds = [
    { title: 'local: 5 ms', delayMs: 5, jitterMs: 0, loss: 0 },
    { title: 'good: 40 ms, jitter 5 ms', delayMs: 40, jitterMs: 5, loss: 0 },
    { title: 'far: 150 ms, jitter 10 ms', delayMs: 150, jitterMs: 10, loss: 0 },
    { title: 'satellite: 300 ms, jitter 5 ms', delayMs: 300, jitterMs: 5, loss: 0 },
    { title: 'crowded: 60 ms, jitter 20 ms, 0.1 % lost', delayMs: 60, jitterMs: 20, loss: 0.001 },
  ]
  const cells = [false, true].flatMap((t38) => kinds.map(({ title, ...line }) => ({ title, line: { ...line, t38, ecm: true } })))
  return study(cells, options)
}

async function study(wanted: readonly { title: string; line: Line }[], options: Options): Promise<Result> {
  const cells: Cell[] = []
  for (const { title, line } of wanted) cells.push({ title, line, calls: await run(options.pages, line, options.calls) })
  const faults = cells.flatMap(faultsOf)
  if (options.json) return { text: JSON.stringify(cells, null, 2), faults }
  const rows = [
    [
      'transport, error correction, line',
      'calls',
      'sent',
      'complete',
      'sent but not complete',
      'complete but not sent',
      'median s of sent',
      'codes of the others',
    ],
  ]
  for (const cell of cells) rows.push(row(cell))
  const count = cells.reduce((sum, cell) => sum + cell.calls.length, 0)
  const protectedCalls = cells.filter((cell) => cell.line.ecm !== false).flatMap((cell) => cell.calls)
  const sent = protectedCalls.filter((call) => call.code === 0)
  const text = [
    table(rows),
    '',
    `${count} calls of ${options.pages.split(',').length} pages (${options.pages}), G.711 in 20 ms blocks, T.38 with three repeats in each datagram.`,
    `With error correction: ${protectedCalls.length} calls, ${sent.length} called sent, ${sent.filter((call) => call.complete).length} of these complete pixel by pixel.`,
  ].join('\n')
  return { text, faults }
}

function nameOf({ title, line }: Cell): string {
  return `${line.t38 ? 'T.38' : 'G.711'}, ${line.ecm === false ? 'none' : 'ECM'}, ${title}`
}

function row(cell: Cell): string[] {
  const sent = cell.calls.filter((call) => call.code === 0)
  const seconds = sent.map((call) => call.seconds).toSorted((a, b) => a - b)
  const others = new Map<number, number>()
  for (const call of cell.calls) if (call.code !== 0) others.set(call.code, (others.get(call.code) ?? 0) + 1)
  const count = (which: (call: Call) => boolean): string => String(cell.calls.filter(which).length)
  return [
    nameOf(cell),
    String(cell.calls.length),
    String(sent.length),
    count((call) => call.complete),
    count((call) => call.code === 0 && !call.complete),
    count((call) => call.code !== 0 && call.complete),
    seconds.length === 0 ? '-' : (seconds[Math.floor(seconds.length / 2)] ?? 0).toFixed(0),
    [...others].map(([code, times]) => `${times} x ${code}`).join(' '),
  ]
}

function faultsOf(cell: Cell): string[] {
  return cell.calls.flatMap((call) => {
    if (!call.told) return [`${nameOf(cell)}, seed ${call.seed}: the sender's end was not told`]
    if (cell.line.ecm !== false && call.code === 0 && !call.complete)
      return [`${nameOf(cell)}, seed ${call.seed}: called sent, not complete`]
    if (cell.line.ecm !== false && call.code !== 0 && call.complete && !call.maybe)
      return [`${nameOf(cell)}, seed ${call.seed}: complete, not sent, and nobody says so`]
    return []
  })
}
