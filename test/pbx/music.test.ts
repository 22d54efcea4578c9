/** Music of the administrator: files of WAV and Opus, one after the other; what cannot be read is left out. */
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Music } from '../../daemon/pbx/talk/music.ts'
import { isOpus, opusSeconds, readOpus } from '../../drivers/opus.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { tone, writeWav } from '../harness/audio.ts'
import { course, inOrder } from '../sip-driver/phones.ts'
import { createLog } from '../../daemon/base/log.ts'

const opus = new URL('files/tone-1400.opus', import.meta.url)

t.test('an Opus file is decoded at the rate of the telephone', async (t) => {
  const file = readFileSync(opus)
  t.ok(isOpus(file))
  t.ok(Math.abs(opusSeconds(file) - 1.5) < 0.05)
  const samples = await readOpus(file)
  t.ok(Math.abs(samples.length / 8000 - 1.5) < 0.05)
  t.same(inOrder(course(samples, [700, 1400, 2800])), [1400])
  await t.rejects(readOpus(Buffer.concat([file.subarray(0, 40)])), { message: /it is empty/ })
  const damaged = Buffer.from(file)
  damaged.fill(0xff, 2000, 2200)
  t.ok((await readOpus(damaged)).length > 4000, 'what is damaged is left out')
})

t.test('files are played in their order; one that went away since is left out', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'music-'))
  copyFileSync(opus, join(dir, 'a.opus'))
  writeFileSync(join(dir, 'b.wav'), writeWav(tone(700, 1000)))
  const errors: unknown[] = []
  const log = Object.assign(createLog({ level: 'silent' }), { error: (data: unknown) => errors.push(data) })
  const clock = new FakeClock()
  const music = new Music({ files: ['a.opus', 'gone.wav', 'b.wav'].map((name) => join(dir, name)), clock, log })
  t.ok(music.now().clip.samples.length > 30_000, 'meanwhile people hear music of our own')
  await music.ready
  t.same(inOrder(course(music.now().clip.samples, [700, 1400])), [1400, 700])
  t.match(errors, [{ file: join(dir, 'gone.wav') }])
})
