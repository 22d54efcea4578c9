/** Whatever is read that others wrote costs what its length costs: ten times the input at most fifteen times the time. */
import t from 'tap'
import { families, type Family } from './linear-inputs.ts'

const mostTimes = 15
/** Shorter ones are the noise of a machine that does other things. */
const noiseMs = 4
const runs = 3

/** Milliseconds of the processor, the least of a few. */
function cost(read: Family['read'], input: unknown): number {
  let least = Infinity
  for (let run = 0; run < runs; run++) {
    const began = process.cpuUsage()
    read(input as never)
    const { user, system } = process.cpuUsage(began)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** What is wrong; null for nothing. The step between keeps what grows too fast from taking hours. */
function growth({ make, read, n }: Family): string | null {
  const [small, middle, large] = [make(n), make(n * 3), make(n * 10)]
  cost(read, small)
  const little = cost(read, small)
  for (const [input, times, most] of [
    [middle, 3, 9],
    [large, 10, mostTimes],
  ] as const) {
    const much = cost(read, input)
    if (much > Math.max(noiseMs, little) * most) return `${little.toFixed(1)} ms for ${n}, ${much.toFixed(1)} ms for ${n * times}`
  }
  return null
}

for (const parser of new Set(families.map((one) => one.parser)))
  t.test(`${parser}: ten times the input is ten times the work`, async (t) => {
    for (const one of families.filter((one) => one.parser === parser)) t.equal(growth(one) && growth(one), null, one.family)
  })
