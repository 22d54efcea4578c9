/** What a caller who speaks waits for: end of the last word to `gather.completed`, over SIP, with the engines a box may have. */
import { speech as spoken } from '../../harness/audio.ts'
import { eventually, pause, type Scene } from '../../harness/scene.ts'
import { call } from './latency.ts'
import { atMost, describe, spread, type Measurement, type Row } from './measure.ts'
import { modelFolder } from '../../harness/models.ts'
import { installReal, isFetched, realWhispers } from '../speech/weights/models.ts'
import { departments, installTwin, speechPids } from './speech-stage.ts'
import { stage } from './stage.ts'

const rounds = 24
const slackMs = 300

/** Milliseconds from the last sample of each utterance to the event, and the words that came. */
async function wordsToEvent(scene: Scene, endSilence: number): Promise<{ times: number[]; right: number }> {
  const times: number[] = []
  let right = 0
  let at = 0
  let words = ''
  let asked = false
  scene.app.script = (event, received) => {
    if (event.event === 'gather.completed') {
      at = received.at
      words = event.speech
      if (times.length >= rounds - 1) return []
    }
    asked = true
    return [{ gather: { input: 'speech', hints: departments, endSilence, timeout: 20, actionUrl: `${scene.app.url}/voice` } }]
  }
  const phone = await call(scene)
  try {
    await phone.rtp.until('audio', () => phone.rtp.packets.length > 15, 20000)
    for (let round = 0; round < rounds; round += 1) {
      await eventually('a gather', () => asked, 20000)
      asked = false
      if (round === 0) {
        // Where nothing but the grammar is installed, the first gather starts it.
        await eventually('the speech process', () => speechPids(scene.daemon.pid, 'call').length > 0, 60_000)
        await pause(3000)
      }
      at = 0
      await pause(400 + Math.random() * 40)
      const text = departments[round % departments.length] ?? ''
      const samples = spoken(text)
      const silentAt = performance.now() + samples.length / 8
      phone.rtp.say(samples)
      await eventually('words', () => at > 0, 20000)
      times.push(at - silentAt)
      if (words === text) right += 1
    }
    await phone.sip.exit
  } finally {
    await phone.close()
  }
  return { times, right }
}

async function withEngine(name: string, speech: Record<string, unknown>): Promise<Row[]> {
  const scene = await stage({ speech })
  try {
    const rows: Row[] = []
    for (const endSilence of [0.5, 0.8]) {
      const { times, right } = await wordsToEvent(scene, endSilence)
      const s = spread(times)
      const note = `${describe(s)}${name === 'CTC twin' ? '' : `; ${right} of ${rounds} right`}`
      rows.push(
        atMost(`${name}, endSilence ${endSilence} s: last word -> gather.completed, p95`, endSilence * 1000 + slackMs, 'ms', s.p95, note),
      )
    }
    return rows
  } finally {
    await scene.close()
  }
}

export const gathers: Measurement = {
  name: 'speech',
  title: 'What a caller who speaks waits for (the twin is of the size of a small Conformer and knows no words)',
  async run() {
    const models = modelFolder()
    try {
      await installTwin(models.path)
      const rows = [
        ...(await withEngine('embedded grammar', { recogniser: 'embedded-grammar' })),
        ...(await withEngine('CTC twin', { recogniser: 'conformer-small', models: { dir: models.path } })),
      ]
      // Real weights, where `proofs speech install` has fetched them.
      for (const id of realWhispers.filter(isFetched)) {
        await installReal(id, models.path)
        rows.push(...(await withEngine(id, { recogniser: id, models: { dir: models.path } })))
      }
      return rows
    } finally {
      models.close()
    }
  },
}
