/** What the engine counts, across its restarts. */
import t from 'tap'
import { EngineFigures } from '../../drivers/sip/figures.ts'

t.test('sound that was lost is news for an hour, and counted on over the end of an engine', async (t) => {
  let now = 0
  const figures = new EngineFigures(() => now)
  t.match(figures.facts(), { lostAudioMs: 0, lostAudioRecentMs: 0 })
  figures.take({ t: 'stats', lostTicks: 10 })
  now += 3_000_000
  figures.take({ t: 'stats', lostTicks: 15 })
  t.match(figures.facts(), { lostAudioMs: 300, lostAudioRecentMs: 300 })
  figures.lost()
  figures.take({ t: 'stats', lostTicks: 1 })
  t.match(figures.facts(), { lostAudioMs: 320, lostAudioRecentMs: 320 })
  now += 3_600_000
  figures.take({ t: 'stats', lostTicks: 1 })
  t.match(figures.facts(), { lostAudioMs: 320, lostAudioRecentMs: 0 })
})

t.test('audio that was dropped is counted on when the engine begins anew', async (t) => {
  const figures = new EngineFigures()
  t.equal(figures.facts()['droppedAudio'], 0)
  figures.take({ t: 'stats', droppedAudio: 5 })
  figures.take({ t: 'stats', droppedAudio: 9 })
  figures.lost()
  figures.take({ t: 'stats', droppedAudio: 2 })
  t.equal(figures.facts()['droppedAudio'], 11)
})
