/** What the engine counts, across its restarts. */
import t from 'tap'
import { EngineFigures } from '../../drivers/sip/figures.ts'

t.test('audio that was dropped is counted on when the engine begins anew', async (t) => {
  const figures = new EngineFigures()
  t.equal(figures.facts()['droppedAudio'], 0)
  figures.take({ t: 'stats', droppedAudio: 5 })
  figures.take({ t: 'stats', droppedAudio: 9 })
  figures.lost()
  figures.take({ t: 'stats', droppedAudio: 2 })
  t.equal(figures.facts()['droppedAudio'], 11)
})
