/** Tones and keys as samples of 8 kHz. Pure. */

export function toneSamples(hz: readonly number[], ms: number, dbm0: number): Int16Array {
  const peak = 32_767 * 10 ** ((dbm0 - 3.14) / 20)
  return Int16Array.from({ length: Math.round(ms * 8) }, (_, n) =>
    Math.max(-32_768, Math.min(32_767, peak * hz.reduce((sum, each) => sum + Math.sin((2 * Math.PI * each * n) / 8000), 0))),
  )
}

const rows = [697, 770, 852, 941]
const columns = [1209, 1336, 1477, 1633]
const pad = ['123A', '456B', '789C', '*0#D']

/** Keys as tones (ITU-T Q.23), each with 100 ms of rest; `,` and what is no key is a rest of half a second. */
export function keyTones(digits: string, ms = 100): Int16Array {
  const parts = Array.from(digits.toUpperCase(), (digit) => {
    const row = pad.findIndex((line) => line.includes(digit))
    if (row < 0) return new Int16Array(4000)
    const tone = toneSamples([rows[row]!, columns[pad[row]!.indexOf(digit)]!], ms, -9)
    const withRest = new Int16Array(tone.length + 800)
    withRest.set(tone)
    return withRest
  })
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
