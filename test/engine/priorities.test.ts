/** Who comes first on a busy machine: the media clock, then the thread that takes RTP off the sockets, then everything else. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { Engine, skip } from './engine.ts'

const fifo = 1

t.test('real-time priorities', { skip, timeout: 30_000 }, async (t) => {
  const engine = await Engine.start()
  t.teardown(() => engine.stop())
  if (engine.hello['realtime'] !== true) {
    t.pass('priorities', { skip: 'the system grants no real-time priority' })
    return
  }
  const tasks = `/proc/${engine.child.pid}/task`
  const threads = readdirSync(tasks).map((id) => {
    // What follows the name in brackets: fields 40 and 41 of proc(5).
    const fields = readFileSync(`${tasks}/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return { name: readFileSync(`${tasks}/${id}/comm`, 'utf8').trim(), priority: Number(fields[37]), policy: Number(fields[38]) }
  })
  const priority = (name: string) => threads.find((thread) => thread.name === name && thread.policy === fifo)?.priority ?? 0
  t.ok(priority('media-packets') > 0)
  t.ok(priority('media-clock') > priority('media-packets'))
  t.same(
    threads
      .filter((thread) => thread.policy === fifo)
      .map((thread) => thread.name)
      .toSorted(),
    ['media-clock', 'media-packets'],
  )
})
