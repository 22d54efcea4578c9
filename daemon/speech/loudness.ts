/** Makes what engines and files give equally loud: -20 dBFS RMS while there is sound, no clipping, clean edges. */

const rate = 8000
const frame = rate / 100
const targetRms = 32_768 * 10 ** (-20 / 20)
/** Quieter than this is silence, whatever the engine meant. */
const floorRms = 32_768 * 10 ** (-60 / 20)
/** Frames this far under the loudest one count as silence. */
const silenceRatio = 10 ** (-36 / 20)
const mostGain = 10 ** (30 / 20)
const knee = 0.7 * 32_768
const ceiling = 0.95 * 32_768
const keptMs = 50
const fadeSamples = (rate * 20) / 1000

/** Leading and trailing silence trimmed to 50 ms, pauses inside kept, level set, 20 ms fades. A new array. */
export function level(samples: Int16Array): Int16Array {
  const frames = frameLevels(samples)
  const loudest = Math.max(0, ...frames)
  if (loudest < floorRms) return new Int16Array(0)
  const threshold = Math.max(floorRms, loudest * silenceRatio)
  const first = frames.findIndex((rms) => rms >= threshold)
  const last = frames.findLastIndex((rms) => rms >= threshold)
  const kept = (keptMs * rate) / 1000
  const cut = samples.slice(Math.max(0, first * frame - kept), Math.min(samples.length, (last + 1) * frame + kept))
  const sounding = frames.filter((rms) => rms >= threshold)
  const rms = Math.sqrt(sounding.reduce((sum, value) => sum + value * value, 0) / sounding.length)
  amplify(cut, Math.min(mostGain, targetRms / rms))
  fade(cut)
  return cut
}

/** Multiplies in place; peaks above the knee are bent, not cut off. */
export function amplify(samples: Int16Array, gain: number): void {
  for (let index = 0; index < samples.length; index += 1) {
    const value = samples[index]! * gain
    const size = Math.abs(value)
    const bent = size <= knee ? size : knee + (ceiling - knee) * Math.tanh((size - knee) / (ceiling - knee))
    samples[index] = Math.round(value < 0 ? -bent : bent)
  }
}

function fade(samples: Int16Array): void {
  const length = Math.min(fadeSamples, Math.floor(samples.length / 2))
  for (let index = 0; index < length; index += 1) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * index) / length)
    samples[index] = Math.round(samples[index]! * gain)
    const mirror = samples.length - 1 - index
    samples[mirror] = Math.round(samples[mirror]! * gain)
  }
}

function frameLevels(samples: Int16Array): number[] {
  const levels: number[] = []
  for (let at = 0; at < samples.length; at += frame) {
    const end = Math.min(samples.length, at + frame)
    let sum = 0
    for (let index = at; index < end; index += 1) sum += samples[index]! ** 2
    levels.push(Math.sqrt(sum / (end - at)))
  }
  return levels
}
