/** The time of a call on a clean line against the time its coded bits take at 14,400 bit/s. */
import { run, table, type Call, type Options, type Result } from './study.ts'

const kinds = ['blank', 'form', 'letter', 'report', 'photo']
const bitRate = 14_400

export async function overhead(options: Options): Promise<Result> {
  const results: { transport: string; kind: string; one: Call; three: Call }[] = []
  for (const t38 of [false, true]) {
    for (const kind of kinds) {
      const [one] = await run(kind, { t38 }, 1)
      const [three] = await run([kind, kind, kind].join(','), { t38 }, 1)
      if (one !== undefined && three !== undefined) results.push({ transport: t38 ? 'T.38' : 'G.711', kind, one, three })
    }
  }
  const faults = results
    .filter(({ one, three }) => !one.complete || !three.complete)
    .map(({ transport, kind }) => `${transport}, ${kind}: not complete on a clean line`)
  if (options.json) return { text: JSON.stringify(results, null, 2), faults }
  const rows = [
    ['transport, page', 'bytes', 'ideal s', 'call s', 'around it s', 'three: ideal s', 'call s', 'overhead a page s', 'share of line time'],
  ]
  for (const { transport, kind, one, three } of results) {
    const ideal = (call: Call): number => (call.bytes * 8) / bitRate
    rows.push([
      `${transport}, ${kind}`,
      String(one.bytes),
      ideal(one).toFixed(1),
      one.seconds.toFixed(1),
      (one.seconds - ideal(one)).toFixed(1),
      ideal(three).toFixed(1),
      three.seconds.toFixed(1),
      // What each further page costs above its bits: the call's beginning and end are in both calls.
      ((three.seconds - one.seconds - (ideal(three) - ideal(one))) / 2).toFixed(1),
      `${((ideal(three) / three.seconds) * 100).toFixed(0)} %`,
    ])
  }
  return {
    text: `${table(rows)}\n\nbytes: of one page coded by T.6, with its header line. Ideal: these at ${bitRate} bit/s and nothing else.`,
    faults,
  }
}
